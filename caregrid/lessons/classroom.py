"""What a class needs beside a lesson's question and answer: choices to predict from, exercises, a plan, live worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from caregrid.lessons.sweeps.copy_game import CopyGame
from caregrid.lessons.sweeps.live_sweep import LiveSweep
from craftworld.scenario import Scenario
from craftworld.solution.problem import Problem
from engine.errors import ContractBroken
from engine.grid import GridMap
from engine.printable import shown_value

MINUTES = 45
FIELDS: dict[str, dict[str, tuple[type, str]]] = {
    "choices": {"text": (str, "a text"), "feedback": (str, "a text"), "right": (bool, "true or false")},
    "plan": {"minutes": (int, "a whole number"), "activity": (str, "a text")},
}


class Prediction(NamedTuple):
    """An answer to choose before anything is shown, and what is said to whoever chose it. right: whether it is so."""

    text: str
    feedback: str
    right: bool = False


class Phase(NamedTuple):
    """A part of a lesson: how many minutes, and what the class does."""

    minutes: int
    activity: str


class LiveProblem(NamedTuple):
    """A problem that the page shows live. label: its name among several. make: the scenario on a map drawn there.

    axes: two agents whose coefficients span a map of regions, or none.
    """

    label: str
    problem: Problem
    make: Callable[[GridMap], Scenario] | None = None
    axes: tuple[str, ...] = ()


Live = LiveProblem | LiveSweep | CopyGame
"""What the page shows live: a problem at every care, an answer at every value of a quantity, a game."""


def check_classroom(lesson: Any, place: str) -> None:
    """ContractBroken where choices, exercises or the plan are of another kind, or contradict themselves."""
    choices, exercises, plan = lesson.choices, lesson.exercises, lesson.plan
    given_parts = (
        ("choices", choices, Prediction),
        ("exercises", exercises, str),
        ("cells", lesson.cells, str),
        ("plan", plan, Phase),
    )
    for name, given, kind in given_parts:
        if not isinstance(given, tuple) or not all(isinstance(each, kind) for each in given):
            raise ContractBroken(
                f"{name} is {shown_value(given)}"[:80], place=place, remedy=f"expected a tuple of {kind.__name__}"
            )
    for name, part in [*(("choices", choice) for choice in choices), *(("plan", phase) for phase in plan)]:
        for field, (expected, wanted) in FIELDS[name].items():
            if type(value := getattr(part, field)) is not expected:
                problem = f"{name}: {field} is {shown_value(value)}"
                raise ContractBroken(problem, place=place, remedy=f"expected {wanted}")
    if choices and (len(choices) < 2 or sum(choice.right for choice in choices) != 1):
        raise ContractBroken(f"{len(choices)} choices", place=place, remedy="give several, of which one is right")
    if not all(text for choice in choices for text in choice[:2]):
        raise ContractBroken("a choice without text or feedback", place=place, remedy="say something to each")
    if plan and sum(phase.minutes for phase in plan) != MINUTES:
        minutes = sum(phase.minutes for phase in plan)
        raise ContractBroken(f"a plan of {minutes} minutes", place=place, remedy=f"plan {MINUTES} minutes")
    if lesson.make_live is not None and not callable(lesson.make_live):
        raise ContractBroken("make_live is not a function", place=place, remedy="expected a function without arguments")
