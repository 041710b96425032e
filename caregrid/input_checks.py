"""Checks of what users pass to the Python functions: types by annotation, lists, coefficients, seeds.

`check_arguments` refuses arguments of the wrong type in one line, by a function's own annotations, before anything is
done. A number of numpy's becomes Python's own. A parameter is looked at where its annotation is made of value types
alone (`engine.value_types`); `**options: Unpack[RunOptions]` has the annotations of that class. Where a call
fails and one of its arguments cannot even be looked at, that argument is named. Coefficients and seeds are texts as
on the command line, or numbers; several things are a list, an iterator or anything that yields them in turn.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import numbers
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar, Unpack, get_args, get_origin

from engine.errors import BadValue, CaregridError, argument, did_you_mean
from engine.plain_values import make_python_value
from engine.printable import name_type, show_value
from engine.user_code import describe_exception
from engine.value_types import ANY, ValueType, annotations_of, check, is_number, split_outside_brackets, value_types

LONGEST_LIST = 1_000_000


def to_list(given: Any, what: str, place: str, remedy: str) -> list[Any]:
    """What is given, as a list; BadValue where it cannot be gone through, or never ends.

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
    """The names of what is given; objects are put into `given` under names of theirs."""
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
        label, number = _make_label(getattr(made, "__name__", type(made).__name__)), 1
        while (name := label if number == 1 else f"{label}_{number}") in {*names, *given}:
            number += 1
        given[name] = thing
        names.append(name)
    return names


def _make_label(name: str) -> str:
    """A name as rows write it: letters, digits and "_"."""
    return re.sub(r"\W+", "_", name).strip("_") or "unnamed"


def read_set(given: Any, place: str) -> Mapping[str, Any] | tuple[str, ...]:
    """What `set` holds: values by name, or texts NAME=VALUE; BadValue for anything else."""
    remedy = "give a dictionary, or texts NAME=VALUE"
    texts = to_list(given, "settings", place, remedy)
    if isinstance(given, str) or not all(isinstance(text, str) for text in texts):
        raise BadValue(f"settings are {show_value(given)}", place=place, remedy=remedy)
    return given if isinstance(given, Mapping) else tuple(texts)


def pair_set(given: Any, place: str) -> tuple[str, ...]:
    """What `set` holds as texts NAME=VALUE."""
    held = read_set(given, place)
    return tuple(f"{name}={value}" for name, value in held.items()) if isinstance(held, Mapping) else held


Care = str | float | Iterable[float]
Seeds = str | int | Iterable[int]
SEGMENTS = "segments"


def write_care(care: Care) -> str:
    """Coefficients as the command takes them: a text as it is, numbers joined by commas."""
    if isinstance(care, str):
        return care
    given = to_list(care, "coefficients", "care", "give numbers") if isinstance(care, Iterable) else [care]
    if not all(map(is_number, given)):
        raise BadValue(f"{show_value(care)} are not coefficients", place="care", remedy="give numbers")
    numbers = [float(number) for number in given]
    if not numbers:
        raise BadValue("no coefficients", place="care", remedy="give at least one")
    return ",".join(map(repr, numbers))


def read_care(care: Care) -> tuple[float, ...]:
    """Coefficients as numbers; BadValue where one is not finite or the text says none."""
    from experiments.ranges import parse_care_range

    return parse_care_range(write_care(care))


def read_care_bounds(care_min: float, care_max: float) -> tuple[float, float]:
    """The range of coefficients between two bounds; BadValue where it is empty."""
    if not care_min < care_max:
        problem = f"care from {care_min} to {care_max} is empty"
        raise BadValue(problem, place=argument("care_max"), remedy=f"choose one above {care_min}")
    return care_min, care_max


def read_care_or_segments(care: Care) -> tuple[float, ...]:
    """Coefficients as numbers, none for the word "segments"."""
    return () if isinstance(care, str) and care.strip() == SEGMENTS else read_care(care)


def read_seeds(seeds: Seeds) -> tuple[int, ...]:
    """Seeds from a text as the command takes it, a number of seeds, or the seeds themselves."""
    from experiments.ranges import LARGEST, parse_seed_range

    if isinstance(seeds, str):
        return parse_seed_range(seeds)
    if ANY.admit(seeds):
        return parse_seed_range(str(seeds))
    given = to_list(seeds, "seeds", "seeds", "give whole numbers")
    if not all(isinstance(seed, str) or ANY.admit(seed) for seed in given):
        raise BadValue(f"{show_value(seeds)} are not seeds", place="seeds", remedy="give whole numbers")
    if len(given) > LARGEST:
        raise BadValue(f"more than {LARGEST} seeds", place="seeds", remedy=f"use 1 to {LARGEST}")
    listed = ",".join(map(str, given))
    return parse_seed_range(listed if "," in listed else f"{listed},{listed}")


Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")
DEEPEST = 2
LARGEST = 1000
_LOOKS: dict[str, Callable[[object], object]] = {
    "whose class cannot be read": lambda value: (value.__class__, isinstance(value, str)),
    "whose attributes cannot be read": lambda value: hasattr(value, "name"),
    "that cannot be compared": lambda value: value == "",
    "that cannot be hashed": lambda value: {value},
}


OTHER_WORDS = {
    "between": ("care_min", "care_max"),
    "care_range": ("care_min", "care_max"),
    "confirm": ("yes",),
    "confirmed": ("yes",),
    "cores": ("workers",),
    "cpus": ("workers",),
    "effort": ("yes", "quiet"),
    "file": ("out",),
    "gamma": ("discount",),
    "jobs": ("workers",),
    "n_jobs": ("workers",),
    "options": ("set",),
    "output": ("out",),
    "params": ("set",),
    "processes": ("workers",),
    "progress": ("quiet",),
    "settings": ("set",),
    "silent": ("quiet",),
    "timeout": ("unit_timeout",),
    "verbose": ("quiet",),
    "world": ("scenario",),
}
"""Words that other programs and people use -> ours, for the remedy of a parameter that does not exist."""


def suggest_parameter(name: str, parameters: Iterable[str]) -> str:
    """The remedy for a parameter, or an option, that does not exist: one of that meaning, or those spelled alike."""
    by_word = {parameter.lstrip("-").replace("-", "_"): parameter for parameter in parameters}
    others = OTHER_WORDS.get(name.lower().lstrip("-").replace("-", "_"), ())
    if meant := [by_word[word] for word in others if word in by_word]:
        return "did you mean " + " and ".join(f"'{parameter}'" for parameter in meant) + "?"
    return did_you_mean(name, by_word.values())


def check_arguments(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """The function, refusing arguments whose plain type is not the annotated one: BadValue names the parameter."""
    signature = inspect.signature(function)
    several = next((one.name for one in signature.parameters.values() if one.kind is one.VAR_KEYWORD), "")

    @functools.cache
    def read_allowed() -> tuple[dict[str, tuple[ValueType, ...]], tuple[str, ...]]:
        """The types of each parameter, and the names of all, none where any name is taken; read at the first call."""
        annotations = annotations_of(function)
        unpacked = _unpack(annotations.get(several))
        types = {name: value_types(kind) for name, kind in {**annotations, **unpacked}.items()}
        names = [name for name in signature.parameters if name != several]
        return types, () if several and not unpacked else (*names, *unpacked)

    def plain(name: str, value: Any) -> Any:
        kinds = read_allowed()[0].get(name, ())
        check(name, value, kinds, function.__name__)
        if isinstance(value, numbers.Real) and any(kind.schema.get("type") == "number" for kind in kinds):
            return value if isinstance(value, int | float) and type(value).__module__ == "builtins" else float(value)
        return make_python_value(value) if kinds else value

    @functools.wraps(function)
    def call(*arguments: Arguments.args, **named: Arguments.kwargs) -> Returned:
        names = read_allowed()[1]
        if names and (unknown := next((name for name in named if name not in names), None)):
            remedy = suggest_parameter(unknown, [name for name in names if name != "self"])
            raise TypeError(f"{function.__qualname__}: got an unexpected keyword argument '{unknown}'; {remedy}")
        try:
            bound = signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{function.__qualname__}: {error}") from None
        options = bound.arguments.get(several, {})
        try:
            for values in (bound.arguments, options):
                for name, value in values.items():
                    values[name] = plain(name, value)
            return function(*bound.args, **bound.kwargs)
        except CaregridError:
            raise
        except Exception as error:
            for name, value in {**bound.arguments, **options}.items():
                if failure := _find_failure(value):
                    raise BadValue(f"{name} is {failure}", place=function.__name__, remedy="mend it there") from error
            raise

    return call


def _unpack(annotation: Any) -> dict[str, Any]:
    """The annotations of the class in `Unpack[CLASS]`, by name; none where the annotation says something else."""
    return annotations_of(get_args(annotation)[0]) if get_origin(annotation) is Unpack else {}


def _find_failure(value: object, depth: int = DEEPEST) -> str:
    """Which object, of what is given or of its entries, raises when it is looked at, and what; "" for none."""
    if type(value) in (list, tuple, set, frozenset, dict):
        return _find_failure_within(value, depth)
    for what, look in _LOOKS.items():
        try:
            look(value)
        except TypeError as error:
            if "hash" not in what:  # lists and the like have none
                return _describe_failure(value, what, error)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a user's own method may raise anything
            return _describe_failure(value, what, error)
    return ""


def _find_failure_within(value: object, depth: int) -> str:
    if not depth or not isinstance(value, list | tuple | set | frozenset | dict) or len(value) > LARGEST:
        return ""
    entries = [*value, *value.values()] if isinstance(value, dict) else [*value]
    return next(filter(None, (_find_failure(entry, depth - 1) for entry in entries)), "")


def _describe_failure(value: object, what: str, error: BaseException) -> str:
    return f"an object of type {name_type(value)} {what}: {describe_exception(error)}"
