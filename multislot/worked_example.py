"""Worked examples: a statement about an environment, and the exact action values that make it true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from multislot.learning.mixture import single_environment
from multislot.planning.evaluate import SlotEvaluation, evaluate
from multislot.simulation.traces import parse_history
from multislot.worlds.environment import HistoryBasedEnvironment, Label


@dataclass(frozen=True)
class WorkedExample:
    """A statement and the action values behind it.

    value: the name of a future. Q: by action, the exact value as a fraction written out. horizon, discount, history
    ("a,o;a,o"): what is asked, as in `multislot.planning.evaluate.evaluate`.
    """

    statement: str
    value: str
    Q: Mapping[Label, str]
    horizon: int
    discount: str = "1/2"
    history: str = ""

    def evaluate(self, environment: HistoryBasedEnvironment) -> SlotEvaluation:
        """The values that the environment really has."""
        history = parse_history(self.history, single_environment(environment))
        return evaluate(environment, self.value, self.horizon, Fraction(self.discount), history)

    def holds(self, environment: HistoryBasedEnvironment) -> bool:
        """Whether the action values are exactly those of the example."""
        wanted = {action: Fraction(text) for action, text in self.Q.items()}
        return dict(self.evaluate(environment).Q) == wanted
