"""Names with arguments: "sta:1", "threshold:2,1,1,3,1", "my_file:mine:3" -- one rule for every kind of this package.

A registered word before the first colon takes what follows it as its argument. Any other name with a colon is
`module:attribute` of a user's own file, and what follows a second colon is the argument. An entry is the thing itself,
a `Family` of such things, or, where the kind is a class, a subclass of it, made of a context and the argument.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Generic, TypeVar

from engine.contracts import require_function
from engine.effort import ASK_FIRST, Effort
from engine.errors import BadValue, ContractBroken, UnknownName
from engine.printable import shorten
from engine.registry import Registry, spell_name
from engine.user_code import describe_place, user_code

UNITS_PER_ENTRY = 50
Thing = TypeVar("Thing")
Registered = TypeVar("Registered")


@dataclass(frozen=True)
class Family(Generic[Thing]):
    """Things of one kind that differ by an argument after their name: "sta:1" is `make("1")`.

    make: the argument, a text -> the thing. example: an argument to try the family with, named in messages. default:
    the argument where none is written; None where one must be. size: the argument -> how many entries the thing has,
    for things that may be too large to be made; 0 where the argument is not understood.
    """

    make: Callable[[str], Thing]
    example: str
    default: str | None = None
    size: Callable[[str], int] | None = None

    def __post_init__(self) -> None:
        require_function("make", self.make, 1, "make(argument)")


def look_up(registry: Registry[Registered], name: str) -> tuple[str, Registered, str | None]:
    """Return a name without its argument, the entry, and the argument, None where there is no colon for one.

    Raises UnknownName, BadValue where there is no such module or attribute, ContractBroken, naming the user's file.
    """
    prefix, colon, rest = name.partition(":")
    if prefix in registry or not colon:
        return prefix, registry[prefix], rest if colon else None
    attribute, colon, argument = rest.partition(":")
    try:
        return f"{prefix}:{attribute}", registry[f"{prefix}:{attribute}"], argument if colon else None
    except BadValue:
        if prefix not in sys.modules and get_close_matches(spell_name(prefix), registry.names(), cutoff=0.7):
            raise UnknownName(registry.kind, prefix, registry.names()) from None
        raise
    except ContractBroken as error:
        if f"{prefix.rpartition('.')[2]}.py" in str(error):
            raise
        place = f"{prefix.rpartition('.')[2]}.py, '{attribute}'"
        raise ContractBroken(error.problem, place=place, remedy=error.remedy) from error


def find_named(registry: Registry[Thing | Family[Thing]], name: str, effort: Effort = ASK_FIRST) -> Thing:
    """Return the thing that a name stands for, in a registry of things and families of them.

    effort: how large a thing is made without asking. Raises UnknownName, BadValue for an argument that is missing, not
    understood or too large, ContractBroken for a user's own that is not of this kind.
    """
    word, entry, argument = look_up(registry, name)
    if not isinstance(entry, Family):
        if argument is not None:
            raise _make_needless_argument_error(registry, word, name)
        return entry
    if argument is None and entry.default is None:
        remedy = f"write '{word}:{entry.example}' or its like"
        raise BadValue(f"{registry.kind} '{word}' needs an argument", remedy=remedy)
    if entry.size is not None:
        size = entry.size(str(entry.default if argument is None else argument))
        effort.require(size, "entries", f"{registry.kind} '{word}'", "write smaller numbers", UNITS_PER_ENTRY)
    made = registry.accept(_make_member(entry, argument, f"{registry.kind} '{shorten(name)}'"))
    if isinstance(made, Family):
        raise ContractBroken("make gave another family", place=f"{registry.kind} '{word}'", remedy="make one thing")
    return made


def construct_named(registry: Registry[type[Thing]], name: str, context: Any) -> Thing:
    """Return the thing that a name stands for, in a registry of classes: made of the context and the argument.

    A class with an empty `example` takes no argument. Raises as `find_named` does.
    """
    word, entry, argument = look_up(registry, name)
    if argument is not None and not getattr(entry, "example", ""):
        raise _make_needless_argument_error(registry, word, name)
    make: Callable[..., Thing] = entry
    with user_code(f"{registry.kind} in {describe_place(entry)}"):
        return make(context, argument or "")


def add_example(registry: Registry[Any], name: str) -> str:
    """Complete a name: the name of a family without an argument gets the family's example."""
    word, entry, argument = look_up(registry, name)
    return f"{word}:{entry.example}" if isinstance(entry, Family) and argument is None else name


def _make_needless_argument_error(registry: Registry[Any], word: str, name: str) -> BadValue:
    return BadValue(f"{registry.kind} '{word}' takes no argument, got '{shorten(name)}'", remedy=f"write '{word}'")


def _make_member(family: Family[Thing], argument: str | None, place: str) -> Thing:
    """Return the thing of a family that an argument stands for; a complaint about the argument names the place."""
    try:
        with user_code(place):
            return family.make(str(family.default if argument is None else argument))
    except BadValue as error:
        if error.place:
            raise
        raise BadValue(error.problem, place=place, remedy=error.remedy) from error
