"""JSON Schema for answers: a schema that somebody supplies, with bounds and without the network.

Drafts are as the `$schema` word says, 2020-12 without one. References lead only within the schema.
Patterns in it run under the same patience as everything else.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jsonschema import exceptions, validators
from jsonschema.protocols import Validator
from jsonschema.validators import Draft202012Validator
from referencing import Registry
from referencing.exceptions import Unresolvable

from fleets.domain.json_lines import Path, nodes
from fleets.domain.patience import Patience
from fleets.domain.patterns import BadPattern, compile_pattern

MAX_NODES: Final = 5_000
_WORDS_SHOWN: Final = 200
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")


def schema_problems(schema: Any) -> Iterator[tuple[Path, str]]:
    """Everything that keeps this from being used as a schema, each with its path in it."""
    if not isinstance(schema, Mapping):
        yield (), "a schema is an object."
        return
    found = list(nodes(schema))
    if len(found) > MAX_NODES:
        yield (), f"it has {len(found):,} places; at most {MAX_NODES:,} fit."
        return
    wrong = [*_reference_problems(found), *_pattern_problems(found), *_mixed_problems(found)]
    yield from wrong
    if wrong:
        return
    kind = validators.validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except exceptions.SchemaError as error:
        yield tuple(error.absolute_path), f"this is no JSON Schema: {error.message[:_WORDS_SHOWN]}."
    except RecursionError:
        yield (), "it is nested too deep."


def first_mistake(value: Any, schema: Mapping[str, Any], *, patience: Patience) -> str:
    """The first thing wrong with a value by a checked schema, with its path; "" when it is right.

    Raises `OutOfPatience`.
    """
    try:
        error = next(_validator(schema, patience).iter_errors(value), None)
    except (RecursionError, Unresolvable):
        return "The schema refers to itself without end, or to what it does not hold."
    if error is None:
        return ""
    return f"{error.json_path}: {error.message[:_WORDS_SHOWN]}"


def _validator(schema: Mapping[str, Any], patience: Patience) -> Validator:
    kind = validators.validator_for(schema, default=Draft202012Validator)
    bounded = validators.extend(kind, _bounded(kind, patience))
    # An empty registry of our own: what a schema does not hold itself is never fetched.
    return bounded(schema, registry=Registry())


def _bounded(kind: Any, patience: Patience) -> dict[str, Any]:
    """The keywords that run patterns, under patience; and a look at the clock at every type."""

    def pattern(_: Any, source: str, instance: Any, __: Any) -> Iterator[Any]:
        if isinstance(instance, str) and not patience.finds(compile_pattern(source), instance):
            yield exceptions.ValidationError(f"does not match {source[:_WORDS_SHOWN]}")

    def pattern_properties(
        validator: Any, sources: Mapping[str, Any], instance: Any, _: Any
    ) -> Iterator[Any]:
        if not isinstance(instance, dict):
            return
        for source, below in sources.items():
            for name, value in instance.items():
                if patience.finds(compile_pattern(source), name):
                    yield from validator.descend(value, below, path=name, schema_path=source)

    def watched(known: Any) -> Any:
        def run(*words: Any) -> Iterator[Any]:
            patience.left_s()
            yield from known(*words) or ()

        return run

    keywords = {name: watched(known) for name, known in kind.VALIDATORS.items()}
    return {
        **keywords,
        "pattern": pattern,
        "patternProperties": pattern_properties,
        "additionalProperties": watched(_additional(patience)),
    }


def _additional(patience: Patience) -> Any:
    """`additionalProperties` beside `patternProperties`: the library would run those patterns."""

    def additional(validator: Any, below: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if not isinstance(instance, dict):
            return
        named = schema.get("properties", {})
        sources = [compile_pattern(source) for source in schema.get("patternProperties", {})]
        for name, value in instance.items():
            if name in named or any(patience.finds(source, name) for source in sources):
                continue
            if below is False:
                yield exceptions.ValidationError(f"there is no place for {name!r}")
            else:
                yield from validator.descend(value, below, path=name)

    return additional


def _reference_problems(found: list[tuple[Path, Any]]) -> Iterator[tuple[Path, str]]:
    for path, value in found:
        is_reference = bool(path) and path[-1] in _REFERENCES and isinstance(value, str)
        if is_reference and not value.startswith("#"):
            yield path, "references lead only within the schema: they begin with #."


def _pattern_problems(found: list[tuple[Path, Any]]) -> Iterator[tuple[Path, str]]:
    for path, value in found:
        sources = [value] if path and path[-1] == "pattern" and isinstance(value, str) else []
        if path and path[-1] == "patternProperties" and isinstance(value, Mapping):
            sources = list(value)
        for source in sources:
            try:
                compile_pattern(source)
            except BadPattern as error:
                yield path, str(error)


def _mixed_problems(found: list[tuple[Path, Any]]) -> Iterator[tuple[Path, str]]:
    """The library matches names for `unevaluatedProperties` by an engine that knows no bounds."""
    names = {path[-1]: path for path, _ in found if path}
    if "unevaluatedProperties" in names and "patternProperties" in names:
        path = names["unevaluatedProperties"]
        yield path, "cannot stand beside patternProperties: write additionalProperties."
