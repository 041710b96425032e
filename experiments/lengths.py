"""Settings that say how long a unit runs: what each may be, and what is refused before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.errors import BadValue
from engine.limits import whole_numbers
from engine.limits.long_runs import SECONDS_A_LEARNING_STEP, SECONDS_A_TURN, STEPS_WITHOUT_ASKING, require_confirmed


class Length(NamedTuple):
    """What a whole-number setting may be that makes units longer.

    counted: what it counts, in words, the first of them the plural of one. least, most: the values that can be run at
    all. without_asking: more have to be confirmed. seconds: what one takes at least, on a common machine; 0 where that
    cannot be told. runs: how many runs of that length a unit is.
    """

    counted: str
    least: int = 1
    most: int = 2**63 - 1
    without_asking: int = STEPS_WITHOUT_ASKING
    seconds: float = 0.0
    runs: int = 1


LEARNING_STEPS = Length("steps of learning", least=0, most=whole_numbers.STEPS.most, seconds=SECONDS_A_LEARNING_STEP)
TURNS = Length("turns a run", most=whole_numbers.TURNS.most, seconds=SECONDS_A_TURN)


class UnitLength(NamedTuple):
    """How long every unit of a grid is: so many turns, steps, ..."""

    number: int = 0
    counted: str = ""

    def a_second(self, units: float) -> str:
        """What so many units a second are, in words; "" where the length is not known."""
        return f"{units * self.number:,.0f} {self.counted} a second" if self.number else ""


def unit_length(lengths: Mapping[str, Length], settings: Mapping[str, Sequence[object]]) -> UnitLength:
    """The length of the units of a grid; that of number 0 where they differ in it, or none is known to take time."""
    if len(lengths) != 1:
        return UnitLength()
    [(name, length)] = lengths.items()
    values = settings.get(name, ())
    if len(values) != 1 or not isinstance(values[0], int) or not length.seconds:
        return UnitLength()
    return UnitLength(values[0] * length.runs, length.counted.split()[0])


def require_lengths(lengths: Mapping[str, Length], settings: Mapping[str, Iterable[object]], confirmed: bool) -> None:
    """BadValue for the first value that cannot be run, or that takes long and is not confirmed."""
    for name, length in lengths.items():
        for value in settings.get(name, ()):
            if not isinstance(value, int):
                continue
            if not length.least <= value <= length.most:
                bounds = f"choose a whole number from {length.least} to {length.most}"
                raise BadValue(f"{value} {length.counted}", place=f"setting '{name}'", remedy=bounds)
            require_confirmed(
                value, length.counted, f"setting '{name}'", length.seconds, confirmed, length.without_asking
            )
