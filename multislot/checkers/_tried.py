"""What a checker of futures, likelihoods, crowds or policies tries: an object, a class, or what a name stands for."""

from __future__ import annotations

from typing import Any

from engine.contracts import require_class, require_instance, require_overrides
from engine.registry import Registry
from multislot.naming import Family, Thing, look_up, named, with_example


def tried_object(given: Any, base: type, registry: Registry[Thing | Family[Thing]]) -> Thing:
    """The object itself, one of a family by the family's example, or the one of a name; ContractBroken for others."""
    if isinstance(given, str):
        return named(registry, with_example(registry, given))
    if isinstance(given, Family):
        given = given.make(given.example)
    require_instance(given, base, registry.kind)
    made: Thing = given
    return made


def tried_class(
    given: Any, base: type, registry: Registry[type[Thing]], argument: str | None
) -> tuple[type[Thing], str]:
    """The class, and the argument to make it with: the one in its name, the one given, or its example.

    ContractBroken for what is no such class.
    """
    kind: Any = given
    if isinstance(given, str):
        _, kind, written = look_up(registry, given)
        argument = argument if written is None else written
    require_class(kind, base, registry.kind)
    require_overrides(kind, base)
    return kind, kind.example if argument is None else argument
