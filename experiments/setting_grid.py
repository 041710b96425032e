"""A grid of settings: the product of every setting's values, counted and walked without being built.

care=0,1,5      words or numbers, separated by commas        care=0:7:0.01   start, stop (left out), step
care=1/90       fractions are numbers                        --seeds 10      seed = 0, 1, ..., 9
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from engine.errors import BadValue, UnknownName, argument, did_you_mean
from engine.printable import LONGEST_WORD, shorten, show_value
from engine.user_code import names_user_code, user_code
from engine.value_types import ANY, SEEDS, WholeNumbers, split_outside_brackets, write_whole_number
from experiments.experiment import Scalar, SettingValues, UnitSetting, list_parameters, require_plain_values
from experiments.ranges import LARGEST, parse_care_range

UNITS_WITHOUT_ASKING = 1_000_000
MOST_PREPARED = 2_000


@dataclass(frozen=True)
class SettingGrid:
    """Settings to run, as the product of their values."""

    settings: SettingValues

    @property
    def size(self) -> int:
        """The number of units, which may be too large for `len`."""
        return math.prod(len(values) for values in self.settings.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The settings' names."""
        return tuple(self.settings)

    def points(self) -> Iterator[tuple[Scalar, ...]]:
        """Return every combination of values, the last setting changing fastest."""
        return itertools.product(*self.settings.values())

    def point(self, number: int) -> tuple[Scalar, ...]:
        """Return the combination at a place of `points`, without walking there."""
        values = []
        for axis in reversed(tuple(self.settings.values())):
            number, place = divmod(number, len(axis))
            values.append(axis[place])
        return tuple(reversed(values))

    def setting(self, point: tuple[Scalar, ...]) -> UnitSetting:
        """Return a combination under its names."""
        return dict(zip(self.settings, point, strict=True))

    def require_size(self, yes: bool) -> None:
        """Refuse a grid that is probably a mistake, saying how large it is (BadValue), unless it is confirmed."""
        if self.size > UNITS_WITHOUT_ASKING and not yes:
            factors = " x ".join(f"{len(values)} {name}" for name, values in self.settings.items() if len(values) > 1)
            raise BadValue(
                f"a sweep of {self.size:,} units ({factors})",
                remedy=f"ask for fewer values, or confirm it with {argument('yes', True)}",
            )

    def require_prepared(self, prepare: Callable[..., object] | None, place: str) -> None:
        """Call an experiment's `prepare` with every combination of the settings that it names, once each.

        At most MOST_PREPARED of them, or of the values of one setting, spread evenly where there are more. Raises what
        it refuses, naming the settings; ContractBroken where it raises anything else.
        """
        if prepare is None:
            return
        part = SettingGrid({name: self.settings[name] for name in list_parameters(prepare)})
        for point in map(part.setting, part._spread_points()):
            try:
                with user_code(f"{place}, prepare"):
                    prepare(**point)
            except BadValue as error:
                words = ", ".join(f"{name}={value}" for name, value in point.items())
                raise BadValue(error.problem, place=f"setting {words}: {error.place}", remedy=error.remedy) from error

    def _spread_points(self) -> Iterator[tuple[Scalar, ...]]:
        """Yield all combinations; of many, each value beside the first ones of the others, and some from everywhere."""
        if self.size <= MOST_PREPARED:
            yield from self.points()
            return
        first = {name: values[0] for name, values in self.settings.items()}
        for name, values in self.settings.items():
            yield from (tuple((first | {name: values[n]}).values()) for n in _spread(len(values)))
        for number in _spread(self.size):
            point = []
            for values in reversed(list(self.settings.values())):
                number, place = divmod(number, len(values))
                point.append(values[place])
            yield tuple(reversed(point))


def _spread(count: int) -> Iterator[int]:
    """Whole numbers from 0 to count - 1: all, or MOST_PREPARED of them at even distances, the last one included."""
    most = min(count, MOST_PREPARED)
    return (n * (count - 1) // max(most - 1, 1) for n in range(most))


def override_settings(
    declared: SettingValues, assignments: Sequence[str], seeds: Sequence[int] | None, start: SettingValues
) -> SettingValues:
    """Return the settings `start`, changed by texts such as "care=0,1,5" and by seeds, in the declared kinds.

    Raises UnknownName for a setting or word that is not declared, BadValue for anything else.
    """
    changed = dict(start)
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        name = name.strip().replace("-", "_")
        place = argument("set")
        if not equals:
            raise BadValue(f"'{assignment}' sets nothing", place=place, remedy="write NAME=VALUE,VALUE")
        require_setting(name, declared, place)
        place = argument(f"set '{name}'", option=f"--set {name}")
        changed[name] = parse_setting_values(name, parse_words(text, place), declared, place)
    if seeds is not None:
        require_setting("seed", declared, argument("seeds"))
        changed["seed"] = parse_setting_values("seed", seeds, declared, argument("seeds"))
    return changed


def require_setting(name: str, declared: SettingValues, place: str) -> None:
    """UnknownName unless the experiment has such a setting."""
    if name not in declared:
        raise UnknownName("setting", name, declared, place=place)


def parse_setting_values(name: str, words: Iterable[Scalar], declared: SettingValues, place: str) -> tuple[Scalar, ...]:
    """Values for a setting, converted to the kind that the experiment declares for it."""
    require_setting(name, declared, place)
    values = tuple(
        _convert_as_declared(word, name, declared[name], place) for word in itertools.islice(words, LARGEST + 1)
    )
    if len(values) > LARGEST:
        raise BadValue(f"more than {LARGEST} values of '{name}'", place=place, remedy="give fewer")
    require_plain_values({name: values}, place)
    return values


def _convert_as_declared(word: Scalar, name: str, declared: tuple[Scalar, ...], place: str) -> Scalar:
    """Return one value in the kind of the declared ones; words must be among them, "-" being the same as "_"."""
    if isinstance(word, str):
        word = word.replace("-", "_") if word.replace("-", "_") in declared else word
    if isinstance(word, str) and word in declared:
        return word
    for sample in (value for value in declared if value is not None):
        if isinstance(sample, bool):
            return _parse_flag(word, place)
        if isinstance(sample, str):
            spelled = _shorten_word(word)
            raise BadValue(f"no {name} '{spelled}'", place=place, remedy=did_you_mean(spelled, map(str, declared)))
        whole = all(isinstance(value, int) for value in declared if value is not None)
        return _parse_whole(word, place, SEEDS if name == "seed" else ANY) if whole else parse_number(word, place)
    raise BadValue(f"'{_shorten_word(word)}' for a setting that is always none", place=place, remedy="leave it out")


def _parse_flag(word: Scalar, place: str) -> bool:
    flags = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if str(word).lower() not in flags:
        raise BadValue(f"'{_shorten_word(word)}' is not a flag", place=place, remedy="use true or false")
    return flags[str(word).lower()]


def _parse_whole(word: Scalar, place: str, bounds: WholeNumbers) -> int:
    number = parse_number(word, place)
    if number != int(number):
        raise BadValue(f"'{_shorten_word(word)}' is not a whole number", place=place, remedy="use whole numbers")
    try:
        exact = int(word or 0)  # a float holds only 53 bits
    except ValueError:
        exact = int(number)
    if not bounds.admit(exact):
        raise BadValue(f"'{_shorten_word(word)}' is not from {bounds}", place=place, remedy="use a number in between")
    return exact


def parse_number(word: Scalar, place: str) -> float:
    """Return a finite float from a number or a text such as "0.5", "1e5" or "1/90"."""
    try:
        if isinstance(word, bool) or word is None:
            raise ValueError
        number = float(Fraction(word)) if isinstance(word, str) and "/" in word else float(word)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        problem = f"'{_shorten_word(word)}' is not a number"
        raise BadValue(problem, place=place, remedy="use numbers such as 0.5 or 1/90") from None
    if not math.isfinite(number):
        raise BadValue(f"'{_shorten_word(word)}' is not finite", place=place, remedy="use finite numbers")
    return number


def _shorten_word(word: Scalar) -> str:
    """Return a word in a message, not too long."""
    if isinstance(word, int):
        return write_whole_number(word)
    return shorten(word if isinstance(word, str) else show_value(word), LONGEST_WORD)


def parse_words(text: str, place: str) -> tuple[Scalar, ...]:
    """Return the values of "a,b,c", with every "from:to:step" among them spelt out."""
    words: list[Scalar] = []
    for word in (part.strip() for part in split_outside_brackets(text)):
        if not word:
            raise BadValue("an empty value", place=place, remedy="write VALUE,VALUE")
        if ":" in word and not names_user_code(word.partition("(")[0]):
            words.extend(parse_care_range(word, place))
        else:
            words.append(word)
    return tuple(words)
