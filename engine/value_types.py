"""What users may give: bounds of numbers, and one type for each kind of value, which reads, checks and describes it.

    turns: HistoryTurns                     a whole number from 1 to 1000
    method: Literal["exact", "both"]        one of these words
    discount: float | None                  a number, or None
    care: Annotated[..., COEFFICIENTS]      a `ValueType` of one's own

An annotation says what a parameter takes (`value_types`). The same type reads the word of a command line (`read`) and
checks the argument of a Python function (`check`), so that a wrong value gets the same sentence at both doors: "turns
is 0; give a whole number from 1 to 1000". Annotations that name other classes stand for objects, which are checked
where they are used. Weights of rewards, such as the caring coefficient, have bounds within which weighted rewards are
not lost (`COEFFICIENT`). Several things are a list, an iterator or anything that yields them in turn (`to_list`);
settings are a dictionary, or texts NAME=VALUE (`read_set`).
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import itertools
import math
import numbers
import operator
import os
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from engine.errors import BadValue, did_you_mean
from engine.printable import LONGEST_WORD, shorten, show_value

LONGEST_SHOWN = 40
LONGEST_LIST = 1_000_000


@dataclass(frozen=True)
class WholeNumbers:
    """The whole numbers from `least` to `most`."""

    least: int
    most: int

    def admit(self, value: Any) -> bool:
        """Return whether a value is one of them, of Python's or numpy's kind; True and False are not."""
        try:
            return not isinstance(value, bool) and self.least <= operator.index(value) <= self.most
        except Exception:  # no whole number, or an object of a user's own class
            return False

    def __str__(self) -> str:
        return f"{write_whole_number(self.least)} to {write_whole_number(self.most)}"


def show_whole_number(value: Any) -> str:
    """Write, for messages, a value that stands where a whole number was expected."""
    try:
        return write_whole_number(operator.index(value))
    except Exception:  # no whole number, or an object of a user's own class
        return show_value(value, LONGEST_SHOWN)


def write_whole_number(number: int) -> str:
    """Write a whole number for messages, never long: "100", "2^63 - 1", "a number of about 31 digits"."""
    for power in (64, 63):
        for base, text in ((2**power, f"2^{power}"), (-(2**power), f"-2^{power}")):
            if number in (base, base - 1):
                return text if number == base else f"{text} - 1"
    if abs(number) < 10**LONGEST_SHOWN:
        return str(number)
    return f"a number of about {count_decimal_digits(number)} digits"


def count_decimal_digits(number: int) -> int:
    """Count the digits of a whole number, or one more, without writing them."""
    return int(number.bit_length() * 0.30103) + 1


ANY = WholeNumbers(-(2**63), 2**64 - 1)
"""64 bits, with a sign or without, where nothing else bounds a number: compiled code holds no more."""
SEEDS = WholeNumbers(0, 2**63 - 1)
"""A key is a number modulo 2^64: within these bounds no two seeds mean the same run."""
TURNS = WholeNumbers(1, 10**9)
"""Turns of extended environments: a billion of the fastest agents, compiled, take about a minute."""
STEPS = WholeNumbers(1, 10**10)
"""Steps of learning: ten billion take ten minutes or more."""
UTILITIES = WholeNumbers(1, 1000)
"""Utility functions; each makes a problem to be solved."""
HORIZONS = WholeNumbers(0, 10**9)
"""Steps looked ahead or simulated; work that grows faster than their number is estimated first (`engine.effort`)."""
HISTORY_TURNS = WholeNumbers(1, 1000)
"""Turns of the formal theory, whose work grows with their square or faster."""
FRAMES = WholeNumbers(1, 100_000)
"""Frames of a film: well over an hour at twenty a second."""

Seed = Annotated[int, SEEDS]
Turns = Annotated[int, TURNS]
HistoryTurns = Annotated[int, HISTORY_TURNS]
Steps = Annotated[int, STEPS]
Horizon = Annotated[int, HORIZONS]
Frames = Annotated[int, FRAMES]
FilmTurns = Annotated[int, WholeNumbers(1, 10_000)]
"""Turns of a run that is filmed: eight minutes at twenty a second."""
GameTurns = Annotated[int, WholeNumbers(1, 200)]
"""Turns or steps of a game: more than anybody plays; what they cost to plan is estimated first."""
DiagramSteps = Annotated[int, WholeNumbers(1, 1000)]
"""Time steps of an influence diagram, which all look alike."""
TileSize = Annotated[int, WholeNumbers(4, 256)]
"""The width of a cell in a picture, in pixels: in fewer than 4 nothing can be told apart."""
Milliseconds = Annotated[int, WholeNumbers(1, 60_000)]
"""How long a frame of a film is shown: at most a minute."""
Episodes = Annotated[int, WholeNumbers(1, 10**12)]
"""Sampled episodes: their number is exact in a float."""
LearningEpisodes = Annotated[int, WholeNumbers(1, 10**7)]
"""Episodes that an agent learns a world from."""
Samples = Annotated[int, WholeNumbers(2, 100_000)]
"""Samples from which a mean and its standard error are estimated, which takes two."""
Utilities = Annotated[int, UTILITIES]
Rounds = Annotated[int, WholeNumbers(1, 10_000)]
"""Rounds of best responses; in each a problem is solved for every agent."""
Maps = Annotated[int, WholeNumbers(1, 1000)]
"""Random maps of each world; each map is a problem to be solved."""
Workers = Annotated[int, WholeNumbers(1, 10_000)]
"""Processes or threads: more than any machine's cores."""
Listed = Annotated[int, WholeNumbers(1, 1_000_000)]
"""How many of something to list at most: a million lines are more than anybody reads."""


@dataclass(frozen=True)
class Numbers:
    """The finite numbers from `least` to `most`. above, below: whether `least` and `most` are none of them."""

    least: float
    most: float = math.inf
    above: bool = False
    below: bool = False

    def admit(self, value: Any) -> bool:
        """Return whether a value is one of them, of Python's or numpy's kind."""
        if not is_number(value) or not math.isfinite(value):
            return False
        number: Any = value if isinstance(value, numbers.Rational) else float(value)
        left_out = (self.above and number == self.least) or (self.below and number == self.most)
        return bool(self.least <= number <= self.most) and not left_out

    def __str__(self) -> str:
        if math.isinf(self.least):
            return ""
        start = f"{'above' if self.above else 'from'} {self.least:g}"
        if math.isinf(self.most):
            return start if self.above else f"{start} on"
        return f"{start}{', up' if self.above else ''} to {'below ' if self.below else ''}{self.most:g}"


Discount = Annotated[float, Numbers(0, 1)]
PositiveDiscount = Annotated[float, Numbers(0, 1, above=True)]
"""Of measures that count what can be reached: with 0 nothing can."""
Probability = Annotated[float, Numbers(0, 1)]
Share = Annotated[float, Numbers(0, 1, above=True)]
"""A part of many things: at least one of them."""
ShareOrNone = Annotated[float, Numbers(0, 1)]
ToleratedLoss = Annotated[float, Numbers(0)]
"""How much less than the optimum is tolerated."""
Damping = Annotated[float, Numbers(0, 1, below=True)]
"""The part of an old policy that stays: with 1 nothing ever changes."""
Temperature = Annotated[float, Numbers(0, above=True)]
"""Of Boltzmann's rule, exp(Q / temperature)."""
ReadableStates = Annotated[int, WholeNumbers(1, 10**9)]
"""The most states of a table that is made of an environment or a file."""
Price = Annotated[float, Numbers(0, 1e6)]
"""Of a million tokens."""
Seconds = Annotated[float, Numbers(0.001, 1e8)]
"""Time limits: what timers of every system keep."""

HEAVIEST, LIGHTEST = 1e300, 1e-300
"""Bounds of a coefficient's absolute value: a reward from 10^-7 to 10^8, times it, is a float of full precision."""


@dataclass(frozen=True)
class ValueType:
    """One kind of value.

    words: the values in words, such as "a number". admits: whether a value is of this kind. read: the value that a word
    of the command line stands for; it raises ValueError, or a CaregridError that says more. metavar: what stands for
    the value in help. schema: the values as a JSON Schema. shown: how messages write a wrong value.
    """

    words: str
    admits: Callable[[Any], bool]
    read: Callable[[str], Any] = str
    metavar: str = "X"
    schema: Mapping[str, Any] = field(default_factory=dict, hash=False)
    shown: Callable[[Any], str] = show_value


def is_number(value: Any) -> bool:
    """Return whether a value is a number of Python's or numpy's that a float can hold; True and False are not."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        return float(value) is not None
    except Exception:  # too large, or an object of a user's own class
        return False


def _is_path(value: Any) -> bool:
    try:
        return isinstance(value, os.PathLike) and isinstance(os.fspath(value), str)
    except Exception:  # an object of a user's own class
        return False


def _is_pair(value: Any) -> bool:
    pair = isinstance(value, tuple | list) and len(value) == 2
    return pair and all(is_number(one) and not math.isnan(one) for one in value)


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in split_outside_brackets(text)) if text.strip() else ()


def split_outside_brackets(text: str) -> list[str]:
    """Split a text at its commas, but for those within brackets: "a,f(x=1,y=2)" -> ["a", "f(x=1,y=2)"].

    >>> split_outside_brackets("random,sarsa(epsilon=0.3,discount=1)")
    ['random', 'sarsa(epsilon=0.3,discount=1)']
    """
    cuts, depth = [-1], 0
    for place, character in enumerate(text):
        depth = max(0, depth + (character in "([") - (character in ")]"))
        if character == "," and not depth:
            cuts.append(place)
    return [text[before + 1 : after] for before, after in pairwise([*cuts, len(text)])]


def show_number(value: Any) -> str:
    """Write, for messages, a value that stands where a number was expected."""
    return shorten(str(value), LONGEST_SHOWN) if is_number(value) else show_value(value, LONGEST_SHOWN)


def whole_number(bounds: WholeNumbers) -> ValueType:
    """Make the type of the whole numbers within bounds."""

    def read(text: str) -> int:
        number = int(text)
        if not bounds.admit(number):
            raise ValueError(text)
        return number

    limits = {"minimum": bounds.least, "maximum": bounds.most}
    return ValueType(
        f"a whole number from {bounds}", bounds.admit, read, "N", {"type": "integer", **limits}, show_whole_number
    )


def number(bounds: Numbers) -> ValueType:
    """Make the type of the finite numbers within bounds."""

    def read(text: str) -> float:
        value = float(text)
        if not bounds.admit(value):
            raise ValueError(text)
        return value

    words = f"a number {bounds}" if math.isfinite(bounds.least) else "a finite number"
    return ValueType(words, bounds.admit, read, schema={"type": "number"}, shown=show_number)


def make_bounded_type(bounds: WholeNumbers | Numbers) -> ValueType:
    """Make the type of the numbers within bounds."""
    return whole_number(bounds) if isinstance(bounds, WholeNumbers) else number(bounds)


def one_of(choices: Sequence[str]) -> ValueType:
    """Make the type of a few words; "-" and "_" are the same."""

    def read(text: str) -> str:
        word = text.strip().replace("-", "_")
        if word not in choices:
            raise BadValue(f"'{shorten(text, LONGEST_WORD)}'", remedy=did_you_mean(text, choices))
        return word

    def admit(value: Any) -> bool:
        return isinstance(value, str) and value in choices

    words = f"one of {', '.join(choices)}"
    return ValueType(words, admit, read, "{" + ",".join(choices) + "}", {"enum": [*choices]})


def _coefficient(infinite: float | None = None) -> ValueType:
    """Make the type of coefficients. infinite: the infinite number that is one, too."""

    def admit(value: Any) -> bool:
        if not is_number(value):
            return False
        size = abs(float(value))
        return float(value) in (0, infinite) or LIGHTEST <= size <= HEAVIEST

    def read(text: str) -> float:
        value = float(text)
        if not admit(value):
            raise ValueError(text)
        return value

    words = f"a finite number, 0 or of a size from {LIGHTEST:g} to {HEAVIEST:g}"
    end = "" if infinite is None else f", or {infinite}"
    return ValueType(f"{words}{end}", admit, read, schema={"type": "number"}, shown=show_number)


NOTHING = ValueType("None", lambda value: value is None, schema={"type": "null"})
FLAG = ValueType("True or False", lambda value: isinstance(value, bool), schema={"type": "boolean"})
TRUE = ValueType("True", lambda value: value is True, schema={"const": True})
NUMBER = ValueType("a number", is_number, float, schema={"type": "number"}, shown=show_number)
COEFFICIENT = _coefficient()
Coefficient = Annotated[float, COEFFICIENT]
"""A weight of rewards, such as the caring coefficient."""
LeastCoefficient = Annotated[float, _coefficient(-math.inf)]
MostCoefficient = Annotated[float, _coefficient(math.inf)]
TEXT = ValueType("a text", lambda value: isinstance(value, str), metavar="TEXT", schema={"type": "string"})
PATH = ValueType("a path", _is_path, Path, "FILE", {"type": "string"})
TWO_NUMBERS = ValueType("two numbers", _is_pair, schema={"type": "array", "items": {"type": "number"}})
NAMES = ValueType("names", lambda value: True, _split_names, "NAME,NAME,...")
"""Names joined by commas on the command line; what Python callers give is checked where it is used."""

_PLAIN: dict[Any, ValueType] = {
    None: NOTHING,
    types.NoneType: NOTHING,
    bool: FLAG,
    int: whole_number(ANY),
    float: NUMBER,
    str: TEXT,
    Path: PATH,
}


def value_types(annotation: Any) -> tuple[ValueType, ...]:
    """Return the types of an annotation, one of which a value must have; none where it names an object.

    >>> write_allowed(value_types(HistoryTurns | None))
    'a whole number from 1 to 1000 or None'
    """
    if isinstance(annotation, type | None) and annotation in _PLAIN:
        return (_PLAIN[annotation],)
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        own = [part for part in parts[1:] if isinstance(part, ValueType)]
        bounds = [make_bounded_type(part) for part in parts[1:] if isinstance(part, WholeNumbers | Numbers)]
        return tuple(own or bounds) or value_types(parts[0])
    if origin in (types.UnionType, Union):
        alternatives = [value_types(part) for part in parts]
        return tuple(kind for kinds in alternatives for kind in kinds) if all(alternatives) else ()
    if origin is Literal:
        return (TRUE,) if parts == (True,) else (one_of(parts),)
    return (TWO_NUMBERS,) if annotation == tuple[float, float] else ()


def annotations_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Evaluate the annotations of a function or class; a name that only a type checker imports stands for an object."""
    names = _NamesInScope(
        {**vars(builtins), **getattr(function, "__globals__", {}), **_find_globals_of_class(function)}
    )
    return {name: _evaluate(kind, names) for name, kind in getattr(function, "__annotations__", {}).items()}


def _evaluate(annotation: Any, names: _NamesInScope) -> Any:
    text = getattr(annotation, "__forward_arg__", annotation)
    if not isinstance(text, str):
        return annotation
    try:
        return eval(text, {"__builtins__": {}}, names)  # of code that is imported already, ours or a user's
    except Exception:
        return AnObject


def _find_globals_of_class(thing: Any) -> Mapping[str, Any]:
    return vars(sys.modules[thing.__module__]) if isinstance(thing, type) and thing.__module__ in sys.modules else {}


class _Unknown(type):
    """The class of a class that is not imported: its attributes and parametrised forms are unknown classes, too."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __getitem__(cls, parameters: Any) -> Any:
        return cls


class AnObject(metaclass=_Unknown):
    """Stands for a class that an annotation names and that is not imported."""


class _NamesInScope(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        return AnObject


def check(name: str, value: Any, allowed: Sequence[ValueType], place: str = "") -> None:
    """Raise BadValue, naming the parameter, unless a value is of one of the types; no types allow everything."""
    if allowed and not any(kind.admits(value) for kind in allowed):
        raise make_error(name, value, allowed, place)


def check_fields(made: Any, place: str) -> None:
    """Raise BadValue, naming the field, unless each field of a dataclass holds what its annotation says.

    Numbers of other kinds than Python's, such as fractions, become Python's own.
    """
    for name, allowed in _types_of_fields(type(made)).items():  # type: ignore[arg-type]
        value = getattr(made, name)
        check(name, value, allowed, place)
        if allowed and not isinstance(value, int | float) and is_number(value):
            object.__setattr__(made, name, operator.index(value) if hasattr(value, "__index__") else float(value))


@functools.lru_cache(maxsize=256)
def _types_of_fields(kind: type) -> dict[str, tuple[ValueType, ...]]:
    """Return the types of a dataclass's fields, those of its ancestors included; {} for any other class."""
    if not dataclasses.is_dataclass(kind):
        return {}
    annotations = {name: each for one in reversed(kind.__mro__) for name, each in annotations_of(one).items()}
    return {field.name: value_types(annotations.get(field.name, AnObject)) for field in dataclasses.fields(kind)}


def require(name: str, value: Any, annotation: Any, place: str = "") -> Any:
    """Return a value of the kind that an annotation says; raise BadValue for any other.

    >>> require("discount", 0.5, Discount)
    0.5
    """
    check(name, value, value_types(annotation), place)
    return value


def read(name: str, text: str, allowed: Sequence[ValueType], place: str = "") -> Any:
    """Read a word by the first type that can; raise BadValue, naming the option, where none can.

    >>> read("turns", "20", value_types(HistoryTurns))
    20
    """
    for kind in allowed:
        if kind in (NOTHING, TRUE, FLAG):
            continue
        try:
            return kind.read(text)
        except BadValue as error:
            raise BadValue(f"{name} is {error.problem}", place=place, remedy=error.remedy) from None
        except (ValueError, OverflowError):
            continue
    if not allowed:
        return text
    raise make_error(name, read_number(text), [kind for kind in allowed if kind is not NOTHING], place)


def make_error(name: str, value: Any, allowed: Sequence[ValueType], place: str = "") -> BadValue:
    """Return the error for a wrong value, the same at the command line and in Python."""
    return BadValue(f"{name} is {allowed[0].shown(value)}", place=place, remedy=f"give {write_allowed(allowed)}")


def write_allowed(allowed: Sequence[ValueType]) -> str:
    """Write what types allow, in words."""
    return " or ".join(dict.fromkeys(kind.words for kind in allowed))


def read_number(text: str) -> int | float | str:
    """Return the number that a text spells; the text where it spells none."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def to_list(given: Any, what: str, place: str, remedy: str) -> list[Any]:
    """Return what is given, as a list; BadValue where it cannot be gone through, or never ends.

    what: the things, in words. place: the function or argument. remedy: what to give instead.
    """
    try:
        listed = list(itertools.islice(given, LONGEST_LIST + 1))
    except Exception:  # it is none, or its class is a user's own
        raise BadValue(f"{what} are {show_value(given)}", place=place, remedy=remedy) from None
    if len(listed) > LONGEST_LIST:
        raise BadValue(f"more than {LONGEST_LIST:,} {what}", place=place, remedy="give fewer")
    return listed


NamesOrObjects = str | Iterable[Any] | Mapping[str, Any]


def read_names(things: NamesOrObjects | None, place: str, given: dict[str, Any]) -> list[str]:
    """Return the names of what is given; objects are put into `given` under names of theirs."""
    if isinstance(things, Mapping):
        labels = {_make_label(str(name)): thing for name, thing in things.items()}
        given.update((label, thing) for label, thing in labels.items() if not isinstance(thing, str) or thing != label)
        return list(labels)
    one = isinstance(things, str) or not isinstance(things, Iterable)
    names: list[str] = []
    for thing in [] if things is None else [things] if one else to_list(things, "things", place, "give names"):
        if isinstance(thing, str):
            words = [word.strip() for word in split_outside_brackets(thing)]
            if not all(words):
                remedy = "separate names by single commas"
                raise BadValue(f"an empty name in '{thing}'", place=place, remedy=remedy)
            names += words
            continue
        made = getattr(thing, "func", thing)  # of a functools.partial
        label = _make_label(getattr(made, "__name__", type(made).__name__))
        number = 1
        while (name := label if number == 1 else f"{label}_{number}") in {*names, *given}:
            number += 1
        given[name] = thing
        names.append(name)
    return names


def _make_label(name: str) -> str:
    """Return a name as rows write it: letters, digits and "_"."""
    return re.sub(r"\W+", "_", name).strip("_") or "unnamed"


def read_set(given: Any, place: str) -> Mapping[str, Any] | tuple[str, ...]:
    """Return what `set` holds: values by name, or texts NAME=VALUE; BadValue for anything else."""
    remedy = "give a dictionary, or texts NAME=VALUE"
    texts = to_list(given, "settings", place, remedy)
    if isinstance(given, str) or not all(isinstance(text, str) for text in texts):
        raise BadValue(f"settings are {show_value(given)}", place=place, remedy=remedy)
    return given if isinstance(given, Mapping) else tuple(texts)


def pair_set(given: Any, place: str) -> tuple[str, ...]:
    """Return what `set` holds as texts NAME=VALUE."""
    held = read_set(given, place)
    return tuple(f"{name}={value}" for name, value in held.items()) if isinstance(held, Mapping) else held
