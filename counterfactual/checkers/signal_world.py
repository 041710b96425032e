"""A small world in which everything can matter: physics reads the signal, and the terminal reads the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from counterfactual.columns import Column, Entries
from counterfactual.terminal_world import PhysicsOutcome, Signal, SignalOutcome, TerminalWorld

LEVELS = 4


class Level(NamedTuple):
    """X_t: how full the tank is."""

    level: Entries


@dataclass(frozen=True)
class SignalWorld(TerminalWorld[Level]):
    """A tank that fills by the action, leaks by chance, and is drained by the second signal."""

    horizon: int = 3
    discount: Fraction = Fraction(3, 4)

    name = "tank"
    features = ("full", "work")
    action_names = MappingProxyType({"a": "wait", "b": "fill"})
    signals = (Signal("fill it", (Fraction(3), Fraction(-1))), Signal("rest", (Fraction(-2), Fraction(-1))))

    def start(self) -> Level:
        """Empty."""
        return Level(0)

    def physics(self, step: int, x: Level, action: Column) -> Sequence[PhysicsOutcome[Level]]:
        """Filled by one, or twice as probably as not by nothing."""
        return self._moved(x, action, 1 * action)

    def physics_given(self, signal: Column, step: int, x: Level, action: Column) -> Sequence[PhysicsOutcome[Level]]:
        """As above, and one less under the second signal."""
        return self._moved(x, action, action + 3 * signal)

    def terminal(self, signal: Column, step: int, x: Level, action: Column, next_x: Level) -> Sequence[SignalOutcome]:
        """Each signal with weights that depend on everything before."""
        weight = 1 + signal + x.level + action
        return [SignalOutcome(weight, 0), SignalOutcome(2, 1)]

    def _moved(self, x: Level, action: Column, change: Column) -> list[PhysicsOutcome[Level]]:
        levels = [(x.level + change) % LEVELS, (x.level + change + 1) % LEVELS]
        return [
            PhysicsOutcome(weight, Level(level), (level, action)) for weight, level in zip((1, 2), levels, strict=True)
        ]
