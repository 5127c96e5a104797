"""A definition's document, read together with what it names: stored rows and saved profiles."""

import json
from dataclasses import dataclass
from typing import Any

from fleets.domain.csv_rows import Table
from fleets.domain.definition import Definition as Recipe
from fleets.domain.definition import read_definition
from fleets.domain.definition_facts import DefinitionFacts, facts_of
from fleets.domain.errors import InvalidInput
from fleets.domain.expansion import Expansion, expand
from fleets.domain.matrix import Matrix
from fleets.domain.profile_refs import ProfileRef, RefMode
from fleets.models import Definition, DefinitionRevision, StoredRows, User
from fleets.selectors.definition_rows import stored_rows, table_of
from fleets.selectors.profile_refs import ResolvedProfile, resolve_profile


@dataclass(frozen=True, slots=True)
class CheckedDefinition:
    """A sound document. `expansion` None: the rows of a launch are not known yet."""

    body: dict[str, Any]
    recipe: Recipe
    rows: StoredRows | None
    table: Table | None
    expansion: Expansion | None

    @property
    def facts(self) -> DefinitionFacts:
        """What lists show of it."""
        return facts_of(
            self.recipe,
            rows=self.rows.count if self.rows else None,
            agents_count=self.expansion.spec.count if self.expansion else None,
        )


def check_recipe(body: Any, *, user: User | None) -> CheckedDefinition:
    """Read a document with the rows and profiles it names.

    Raises InvalidInput with every problem at its path. A profile that is expected at a revision
    need not be there now: the launch decides.
    """
    recipe = read_definition(body)
    rows, table = rows_of(recipe)
    expansion = None
    if not recipe.asks_for_rows and not recipe.asks_for_tasks:
        expansion = expand(recipe, table=table, resolve=lambda ref: _there(user, ref))
    else:
        for ref in recipe.refs:
            _there(user, ref)
    return CheckedDefinition(body, recipe, rows, table, expansion)


def body_of(revision: DefinitionRevision) -> dict[str, Any]:
    """The document of a revision."""
    found: dict[str, Any] = json.loads(revision.body)
    return found


def recipe_of(definition: Definition) -> Recipe:
    """What the head says. Raises InvalidInput where the rules of today refuse it."""
    assert definition.head is not None
    return read_definition(body_of(definition.head))


def rows_of(recipe: Recipe) -> tuple[StoredRows | None, Table | None]:
    """The rows stored with a recipe. Raises InvalidInput where its mark is nobody's."""
    if not isinstance(recipe.agents, Matrix) or recipe.asks_for_rows:
        return None, None
    rows = stored_rows(recipe.agents.rows_digest)
    if rows is None:
        words = "These rows are not stored here: upload the file again, or say “ask”."
        raise InvalidInput.at("agents.matrix.rows", words)
    return rows, table_of(rows)


def launch_of(recipe: Recipe, *, table: Table | None, user: User | None) -> Expansion:
    """The launch of a recipe as of now: every profile at the revision that it means today."""
    return expand(recipe, table=table, resolve=lambda ref: resolve_profile(user, ref))


def _there(user: User | None, ref: ProfileRef) -> ResolvedProfile:
    if ref.mode is RefMode.EXPECT:
        ref = ProfileRef(ref.slug, RefMode.FIXED, ref.number)
    return resolve_profile(user, ref)
