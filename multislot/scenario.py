"""Named worlds: an environment together with what it teaches, as numbers that can be checked.

A file of `multislot/scenarios` holds one Scenario, or a function that makes one from the words after a colon in its
name ("booth_corridor:move,coloured").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from engine.errors import BadValue
from engine.registry import Registry
from multislot.learning.mixture import known
from multislot.planning.evaluate import Answer, evaluate
from multislot.simulation.traces import parse_history
from multislot.worlds.environment import HistoryEnvironment, Label
from multislot.worlds.table_json import table


@dataclass(frozen=True)
class Lesson:
    """A statement and the exact action values that make it true, by action, as fractions written out."""

    says: str
    value: str
    Q: Mapping[Label, str]
    horizon: int
    discount: str = "1/2"
    history: str = ""

    def answer(self, environment: HistoryEnvironment) -> Answer:
        """What the environment's values really are."""
        history = parse_history(self.history, known(environment))
        return evaluate(environment, self.value, self.horizon, Fraction(self.discount), history)

    def holds(self, environment: HistoryEnvironment) -> bool:
        """Whether the action values are exactly those of the lesson."""
        wanted = {action: Fraction(text) for action, text in self.Q.items()}
        return dict(self.answer(environment).Q) == wanted


@dataclass(frozen=True)
class Scenario:
    """An environment and the lessons that it teaches."""

    environment: HistoryEnvironment
    lessons: tuple[Lesson, ...]


SCENARIOS: Registry[Scenario | Callable[[str], Scenario]] = Registry("multislot.scenarios", "scenario")


def scenario(name: str) -> Scenario:
    """A scenario by its name. UnknownName; BadValue where it takes no words or does not know them."""
    word, colon, argument = name.partition(":")
    entry = SCENARIOS[word]
    if not isinstance(entry, Scenario):
        return entry(argument)
    if colon:
        raise BadValue(f"scenario '{word}' takes no words, got '{name}'", remedy=f"write '{word}'")
    return entry


def tabled(*lessons: Lesson, **entries: Any) -> Scenario:
    """A scenario written down in the table format."""
    return Scenario(table(**entries), lessons)
