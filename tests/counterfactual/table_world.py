"""A small world of arbitrary tables, whose physics may depend on the signal: where the theorems must hold."""

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from counterfactual.worlds import PhysicsOutcome, Signal, SignalOutcome, TerminalWorld
from engine.randomness.counter_based import randrange

STATES, SIGNALS, ACTIONS = 4, 2, "ab"


class Place(NamedTuple):
    """X_t."""

    number: object


@dataclass(frozen=True)
class TableWorld(TerminalWorld[Place]):
    """Tables are drawn from keys. terminal_key: of the terminal's kernel alone. feedback: physics reads the signal."""

    key: int
    terminal_key: int = 0
    feedback: bool = False
    chance: bool = True
    horizon: int = 4
    discount: Fraction = Fraction(3, 4)

    name = "tables"
    features = ("left", "right")
    action_names = MappingProxyType({"a": "one action", "b": "another action"})
    signals = (Signal("first", (Fraction(3), Fraction(-1))), Signal("second", (Fraction(-2), Fraction(5))))

    def start(self):
        return Place(0)

    def physics(self, step, x, action):
        return self._physics(np.zeros_like(x.number), step, x, action)

    def physics_given(self, signal, step, x, action):
        given = np.broadcast_to(np.asarray(signal), x.number.shape) + 1
        return self._physics(given if self.feedback else np.zeros_like(given), step, x, action)

    def terminal(self, signal, step, x, action, next_x):
        weights = self._table(2, 4, (SIGNALS, STATES, len(ACTIONS), STATES, SIGNALS), self.terminal_key)
        places = signal, x.number, action, next_x.number
        return [SignalOutcome(weights[(*places, sent)] + sent, sent) for sent in range(SIGNALS)]

    def _physics(self, given, step, x, action):
        shape = (SIGNALS + 1, STATES, len(ACTIONS), 2)
        to, weights = self._table(0, STATES, shape, self.key), 1 + self._table(1, 3, shape, self.key)
        places = given, x.number, action
        return [
            PhysicsOutcome(
                weights[(*places, k)], Place(to[(*places, k)]), (to[(*places, k)] % 2, to[(*places, k)] // 2)
            )
            for k in range(2 if self.chance else 1)
        ]

    def _table(self, label, most, shape, key):
        return np.array([randrange(most, key, label, n) for n in range(int(np.prod(shape)))]).reshape(shape)
