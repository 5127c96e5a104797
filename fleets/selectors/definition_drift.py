"""Profiles that have moved on since a definition named a revision of them."""

from collections.abc import Iterator

from fleets.domain.agent_plan import AgentAsked
from fleets.domain.definition import Counted, Definition, Listed
from fleets.domain.errors import Advice, Moved, Repair
from fleets.domain.matrix import Matrix
from fleets.domain.profile_refs import ProfileRef, RefMode
from fleets.models import Profile, ProfileLabel


def drift_of(recipe: Definition) -> list[Advice]:
    """What a launch would meet: a head that is not the one expected, revisions that are not the
    head. Two queries, none where only heads are named.
    """
    pinned = [ref for ref in recipe.refs if ref.mode is not RefMode.HEAD]
    if not pinned:
        return []
    slugs = {ref.slug for ref in pinned}
    found = Profile.objects.filter(slug__in=slugs, head__isnull=False)
    heads = dict(found.values_list("slug", "head__number"))
    rows = ProfileLabel.objects.filter(profile__slug__in=slugs)
    labels = {
        (slug, name): number
        for slug, name, number in rows.values_list("profile__slug", "name", "revision__number")
    }
    return [
        advice
        for field, asked in _places(recipe)
        if asked.ref is not None and asked.ref.slug in heads
        for advice in _advice(asked.ref, heads[asked.ref.slug], labels, field=field)
    ]


def _places(recipe: Definition) -> Iterator[tuple[str, AgentAsked]]:
    """Every description of agents with the form's field that says which revision, "" for none."""
    agents = recipe.agents
    if isinstance(agents, Counted):
        yield "which", agents.asked
    elif isinstance(agents, Listed):
        seen = {one.ref: one for one in agents.agents if one.ref is not None}
        yield from (("", one) for one in seen.values())
    elif isinstance(agents, Matrix):
        yield from ((f"v{at}_which", one.asked) for at, one in enumerate(agents.variants))


def _advice(
    ref: ProfileRef, head: int, labels: dict[tuple[str, str], int], *, field: str
) -> Iterator[Advice]:
    number = labels.get((ref.slug, ref.label)) if ref.mode is RefMode.LABEL else ref.number
    if number is None or number == head:
        return
    if ref.mode is RefMode.EXPECT:
        words = (
            f"{ref.slug} is expected at r{number}, and its head is r{head}: a launch is refused."
        )
        choices = ((f"Expect r{head}", f"expect r{head}"), (f"Fix r{number}", f"fixed r{number}"))
    else:
        named = f"its {ref.label} is" if ref.mode is RefMode.LABEL else "it is fixed at"
        words = f"{ref.slug}: {named} r{number}, and its head is r{head}."
        choices = ((f"Fix r{head}", f"fixed r{head}"), ("Follow the head", "head"))
    repairs = tuple(Repair(label, field, value) for label, value in choices) if field else ()
    yield Advice("profiles", words, repairs, moved=Moved(ref.slug, number, head))
