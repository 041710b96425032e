"""Settings that say how long a unit runs: what each may be, and what is refused before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from engine.errors import BadValue
from engine.limits import whole_numbers
from engine.limits.long_runs import SECONDS_A_LEARNING_STEP, SECONDS_A_TURN, STEPS_WITHOUT_ASKING, require_confirmed


class Length(NamedTuple):
    """What a whole-number setting may be that makes units longer.

    counted: what it counts, in words. least, most: the values that can be run at all. without_asking: more have to be
    confirmed. seconds: what one takes at least, on a common machine; 0 where that cannot be told.
    """

    counted: str
    least: int = 1
    most: int = 2**63 - 1
    without_asking: int = STEPS_WITHOUT_ASKING
    seconds: float = 0.0


LEARNING_STEPS = Length("steps of learning", least=0, most=whole_numbers.STEPS.most, seconds=SECONDS_A_LEARNING_STEP)
TURNS = Length("turns a run", most=whole_numbers.TURNS.most, seconds=SECONDS_A_TURN)


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
