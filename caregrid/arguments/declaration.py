"""A command's arguments as a frozen dataclass: its fields become a parser, a parsed command line becomes an object.

    @dataclass(frozen=True, kw_only=True)
    class SolveArguments(ProblemArguments, JsonArgument):
        care: float = option(1.0, "the caring coefficient", metavar="X")

The annotation says how a text is read: str, float, a whole number within bounds (`engine.value_types`; a bare
int has 64 bits); bool is a flag; tuple[str, ...] may be given several times, by its place one after the other; `| None`
allows None as the default. "-" and "_" are the same in names of options and in values that have choices.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import types
import typing
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, TypeVar

from engine.errors import did_you_mean
from engine.printable import LONGEST_WORD, shorten
from engine.value_types import ANY, LONGEST_SHOWN, WholeNumbers, write_whole_number

Declared = TypeVar("Declared")
KEY = "argument"


@dataclasses.dataclass(frozen=True)
class Words:
    """What a parser says about one argument. aliases: spellings of former releases, still read and not shown.

    kinds: whose names a shell is offered (`caregrid.kinds`).
    """

    help: str
    metavar: str | None = None
    choices: tuple[str, ...] | None = None
    aliases: tuple[str, ...] = ()
    name: str | None = None
    positional: bool = False
    required: bool = False
    kinds: tuple[str, ...] = ()


def option(
    default: Any,
    help: str,
    *,
    metavar: str | None = None,
    choices: Sequence[str] | None = None,
    aliases: Sequence[str] = (),
    name: str | None = None,
    kinds: Sequence[str] = (),
) -> Any:
    """A field that is an option; name: its spelling where it is not the field's; kinds: whose names it may be."""
    words = Words(help, metavar, tuple(choices) if choices else None, tuple(aliases), name, kinds=tuple(kinds))
    return dataclasses.field(default=default, metadata={KEY: words})


def required_option(help: str, *, metavar: str | None = None) -> Any:
    """A field that is an option which must be given."""
    return dataclasses.field(metadata={KEY: Words(help, metavar, required=True)})


def positional(help: str, *, metavar: str, default: Any = dataclasses.MISSING, kinds: Sequence[str] = ()) -> Any:
    """A field that is given by its place; without a default it is required. kinds: whose names it may be."""
    words = Words(help, metavar, positional=True, required=default is dataclasses.MISSING, kinds=tuple(kinds))
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata={KEY: words})
    return dataclasses.field(default=default, metadata={KEY: words})


def add_arguments(parser: argparse.ArgumentParser, declaration: type[Any]) -> None:
    """Teach a parser the fields of a declaration, in their order."""
    for field, words, kind in _fields(declaration):
        several = words.positional and typing.get_origin(kind) is tuple
        settings = ({"nargs": "*"} if several else _reading(kind, words)) | {"help": words.help, "default": None}
        if words.positional:
            settings |= {} if words.required or several else {"nargs": "?"}
            _offer(parser.add_argument(field.name, metavar=words.metavar, **settings), words)
            continue
        if kind is not bool:
            settings |= {"metavar": words.metavar}
        taken = parser.add_argument(_spelling(field, words), dest=field.name, required=words.required, **settings)
        _offer(taken, words)
        for alias in words.aliases:
            hidden = settings | {"help": argparse.SUPPRESS, "default": argparse.SUPPRESS}
            parser.add_argument(alias, dest=field.name, **hidden)


def _offer(action: argparse.Action, words: Words) -> None:
    """Tell argcomplete what a shell is offered: names of registered things."""
    if words.kinds:
        action.completer = _NamesOf(words.kinds)  # type: ignore[attr-defined]


def read_arguments(declaration: type[Declared], namespace: argparse.Namespace) -> Declared:
    """The declaration's object from what a parser read; fields that were not given keep their defaults."""
    given = {field.name: getattr(namespace, field.name, None) for field, _, _ in _fields(declaration)}
    values = {name: value for name, value in given.items() if value is not None}
    return declaration(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})


def declared_words(declaration: type[Any]) -> list[tuple[str | None, int]]:
    """The words that a declaration takes, flags left out: an option's spelling, or None and an argument's place."""
    taken: list[tuple[str | None, int]] = []
    places = itertools.count()
    for field, words, kind in _fields(declaration):
        if words.positional:
            taken.append((None, next(places)))
        elif kind is not bool:
            taken.append((_spelling(field, words), 0))
    return taken


def _spelling(field: dataclasses.Field[Any], words: Words) -> str:
    return words.name or f"--{field.name.replace('_', '-')}"


def _fields(declaration: type[Any]) -> Iterator[tuple[dataclasses.Field[Any], Words, Any]]:
    """Every field with its words and the kind of its value, `| None` taken away; the declaration's own come first."""
    hints = typing.get_type_hints(declaration, include_extras=True)
    own = declaration.__annotations__
    for field in sorted(dataclasses.fields(declaration), key=lambda field: field.name not in own):
        kind = hints[field.name]
        if typing.get_origin(kind) in (types.UnionType, typing.Union):
            [kind] = [part for part in typing.get_args(kind) if part is not type(None)]
        yield field, field.metadata[KEY], kind


def _reading(kind: Any, words: Words) -> dict[str, Any]:
    """How argparse reads a value of a kind."""
    if kind is bool:
        return {"action": "store_true"}
    if typing.get_origin(kind) is tuple:
        return {"action": "append"}
    if words.choices:
        return {"type": _Choice(words.choices), "choices": words.choices}
    if typing.get_origin(kind) is Annotated:
        return {"type": _WholeNumber(kind.__metadata__[0])}
    if kind is int:
        return {"type": _WholeNumber(ANY)}
    return {"type": _number} if kind is float else {}


class _NamesOf:
    """Names of some kinds of things, without importing any; after a comma those of the next one.

    Where the command line names a kind, names of that kind alone; of "kinds", the names of the kinds themselves.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = tuple(kinds)

    def __call__(self, prefix: str = "", parsed_args: argparse.Namespace | None = None, **_: Any) -> list[str]:
        from caregrid.kinds import KINDS, kind_named

        before, comma, _last = prefix.rpartition(",")
        if self._kinds == ("kinds",):
            return sorted(KINDS)
        given = getattr(parsed_args, "kind", None)
        kinds = [given] if given in KINDS else self._kinds
        names = {name for kind in kinds for name in kind_named(kind).light_registry()}
        return [f"{before}{comma}{name}" for name in sorted(names)]


def _number(word: str) -> float:
    """Reads a number."""
    try:
        return float(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{shorten(word, LONGEST_WORD)}' is not a number") from None


class _WholeNumber:
    """Reads a whole number within bounds."""

    def __init__(self, bounds: WholeNumbers) -> None:
        self.bounds = bounds

    def __call__(self, word: str) -> int:
        try:
            number = int(word)
        except ValueError:
            shown = shorten(word, LONGEST_WORD)
            raise argparse.ArgumentTypeError(f"'{shown}' is not a whole number from {self.bounds}") from None
        if not self.bounds.admit(number):
            shown = word if len(word) <= LONGEST_SHOWN else write_whole_number(number)
            raise argparse.ArgumentTypeError(f"{shown} is not from {self.bounds}")
        return number


class _Choice:
    """Reads a word among choices, "-" being the same as "_"."""

    def __init__(self, choices: Sequence[str]) -> None:
        self._choices = choices

    def __call__(self, word: str) -> str:
        chosen = word.strip().replace("-", "_")
        if chosen not in self._choices:
            raise argparse.ArgumentTypeError(
                f"unknown choice '{shorten(word, LONGEST_WORD)}'; {did_you_mean(word, self._choices)}"
            )
        return chosen
