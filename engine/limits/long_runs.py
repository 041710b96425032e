"""Long runs: a hundred million steps and more are refused, with what they would cost, until they are confirmed."""

from __future__ import annotations

from engine.errors import BadValue, argument

STEPS_WITHOUT_ASKING = 99_999_999
SECONDS_A_LEARNING_STEP = 6e-8
SECONDS_A_TURN = 5e-8
"""Of the fastest agents in extended environments, compiled; plainly a turn takes a hundred times as long."""


def require_confirmed(
    steps: int | None,
    what: str,
    place: str,
    seconds_a_step: float,
    confirmed: bool,
    without_asking: int = STEPS_WITHOUT_ASKING,
) -> None:
    """BadValue, with the number of steps and the time they take, for many steps that nobody has confirmed.

    steps: None where the command chooses. what: the steps in words. place: what asked for them: the parameter.
    seconds_a_step: on a common machine, 0 where no number of seconds can be told. without_asking: the most steps that
    need no confirmation.
    """
    if steps is not None and steps > without_asking and not confirmed:
        time = f"{duration(steps * seconds_a_step)} or more" if seconds_a_step else "very long"
        remedy = f"ask for fewer, or confirm it with {argument('confirmed', True, option='--yes')}"
        raise BadValue(f"{steps:,} {what} take {time}", place=place, remedy=remedy)


def require_learning_confirmed(confirmed: bool, **steps: int | None) -> None:
    """The same for steps of learning, by the names of the parameters that ask for them."""
    for name, count in steps.items():
        require_confirmed(count, "steps of learning", name, SECONDS_A_LEARNING_STEP, confirmed)


def duration(seconds: float) -> str:
    """A time in the unit that suits it: "40 seconds", "3 hours"."""
    for unit, length in (("year", 31_557_600), ("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            count = round(seconds / length)
            return f"{count:,} {unit}{'s' if count > 1 else ''}"
    count = max(round(seconds), 1)
    return f"{count} second{'s' if count > 1 else ''}"
