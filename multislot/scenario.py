"""Named worlds: an environment together with what it teaches, as numbers that can be checked.

A file of `multislot/scenarios` holds one SlotScenario, or a function that makes one from the words after a colon in its
name ("booth_corridor:move,coloured").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from engine.errors import BadValue
from engine.registry import Registry
from multislot.learning.mixture import single_environment
from multislot.planning.evaluate import SlotEvaluation, evaluate
from multislot.simulation.traces import parse_history
from multislot.worlds.environment import HistoryBasedEnvironment, Label
from multislot.worlds.table_json import table_environment


@dataclass(frozen=True)
class WorkedExample:
    """A statement and the exact action values that make it true, by action, as fractions written out."""

    statement: str
    value: str
    Q: Mapping[Label, str]
    horizon: int
    discount: str = "1/2"
    history: str = ""

    def answer(self, environment: HistoryBasedEnvironment) -> SlotEvaluation:
        """What the environment's values really are."""
        history = parse_history(self.history, single_environment(environment))
        return evaluate(environment, self.value, self.horizon, Fraction(self.discount), history)

    def holds(self, environment: HistoryBasedEnvironment) -> bool:
        """Whether the action values are exactly those of the example."""
        wanted = {action: Fraction(text) for action, text in self.Q.items()}
        return dict(self.answer(environment).Q) == wanted


@dataclass(frozen=True)
class SlotScenario:
    """An environment and the examples that it is for."""

    environment: HistoryBasedEnvironment
    examples: tuple[WorkedExample, ...]


SLOT_SCENARIOS: Registry[SlotScenario | Callable[[str], SlotScenario]] = Registry("multislot.scenarios", "scenario")


def slot_scenario(name: str) -> SlotScenario:
    """A scenario by its name. UnknownName; BadValue where it takes no words or does not know them."""
    word, colon, argument = name.partition(":")
    entry = SLOT_SCENARIOS[word]
    if not isinstance(entry, SlotScenario):
        return entry(argument)
    if colon:
        raise BadValue(f"scenario '{word}' takes no words, got '{name}'", remedy=f"write '{word}'")
    return entry


def table_scenario(*lessons: WorkedExample, **entries: Any) -> SlotScenario:
    """A scenario written down in the table format."""
    return SlotScenario(table_environment(**entries), lessons)
