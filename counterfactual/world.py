"""The learning world: a state splits into the terminal's signal I_t and everything else X_t, the terminal's atoms too.

    X_{t+1} ~ X(. | I_t, X_t, A_t)        I_{t+1} ~ I(. | I_t, X_t, A_t)        R_t = I_t(X_t, X_{t+1})

Reference: "Counterfactual planning with an input terminal", section "Design and interpretation of the learning world".

Rules are written once, elementwise on integer columns, so that the same lines move one state or a whole layer of a
plan under every action. n is the length of the columns: of X's fields, of actions (their numbers), of signals.
Numbers stay exact: events are counted in whole grains of `grain`.

Differs from the paper: X_{t+1} comes in two parts, `after` (what later steps depend on) and `events` (what reward
functions look at and nothing later depends on), so that states do not multiply; the reading I_{t+1} may look at
X_{t+1}, for worlds where chance presses the button (everywhere else it depends on I_t, X_t and A_t alone).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from counterfactual.settings import Settings
from engine.errors import BadValue
from engine.scene import Scene

Column: TypeAlias = NDArray[Any]
X = TypeVar("X", bound=tuple[Any, ...])  # a NamedTuple in the world's own words
LARGEST = 2**53


class Signal(NamedTuple):
    """A reward function that the terminal can send: what one unit of each of the world's features is worth."""

    name: str
    worth: tuple[Fraction, ...]


class Branch(NamedTuple, Generic[X]):
    """One way a step can turn out, for n states. weight: int or int64[n], proportional to its probability.

    after: what later steps depend on. events: a column a feature, in grains.
    """

    weight: Any
    after: X
    events: tuple[Any, ...]


class Reading(NamedTuple):
    """One thing the terminal may send next, for n states. signal: number(s) in `World.signals`."""

    weight: Any
    signal: Any


class World(Settings, ABC, Generic[X]):
    """The true or a learned world with a terminal; `physics` is all that a world without feedback from I must define.

    words: each action's glyph, in the order in which ties are taken, and its meaning. features: what reward functions
    look at.
    signals: the reward functions; the terminal sends the first at the start. Steps are numbered 1 .. horizon.
    """

    name: ClassVar[str]
    words: Mapping[str, str]
    features: tuple[str, ...]
    signals: tuple[Signal, ...]
    horizon: int
    discount: Fraction
    grain: Fraction = Fraction(1)

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The glyphs of the actions."""
        return tuple(self.words)

    def does(self, action: Column, glyphs: str) -> Column:
        """bool[n]: whether each action is one of the glyphs."""
        if glyphs not in self._masks:
            self._masks[glyphs] = self.by_action(dict.fromkeys(glyphs, 1)) == 1
        return self._masks[glyphs][action]

    def by_action(self, numbers: Mapping[str, int]) -> Column:
        """int64[actions]: a number for each action, 0 where none is given; index it with actions."""
        return np.array([numbers.get(glyph, 0) for glyph in self.actions], dtype=np.int64)

    @cached_property
    def _masks(self) -> dict[str, Column]:
        return {}

    @abstractmethod
    def start(self) -> X:
        """X_0, one number a field."""

    @abstractmethod
    def physics(self, step: int, x: X, action: Column) -> Sequence[Branch[X]]:
        """X(. | X_t, A_t): what a record that leaves the readings out would show."""

    def physics_given(self, signal: Column, step: int, x: X, action: Column) -> Sequence[Branch[X]]:
        """X(. | I_t, X_t, A_t); worlds where the function in the core matters to physics override this."""
        return self.physics(step, x, action)

    @abstractmethod
    def terminal(self, signal: Column, step: int, x: X, action: Column, after: X) -> Sequence[Reading]:
        """I(. | I_t, X_t, A_t)."""

    def allows(self, step: int, x: X, action: Column) -> Any:
        """Whether each action can be taken: True, False or bool[n]; at least one action always can."""
        return True

    def updates(self, step: int, x: X, after: X) -> Any:
        """Whether people updated the terminal in this step: bool or bool[n]; drawn as '#'."""
        return False

    def view(self, x: X) -> Scene:
        """What there is to see of a state given as plain numbers: a map, readings."""
        return Scene()

    @cached_property
    def worth(self) -> tuple[NDArray[np.int64], Fraction]:
        """int64[signals, features] and the value of one unit: worth of one grain of each feature, exactly."""
        numbers = [[worth * self.grain for worth in signal.worth] for signal in self.signals]
        scale = math.lcm(*(number.denominator for row in numbers for number in row))
        table = [[int(number * scale) for number in row] for row in numbers]
        if max(abs(entry) for row in table for entry in row) > LARGEST or scale > LARGEST:
            raise BadValue("rewards need too fine a grid", place=self.name, remedy="use numbers with fewer digits")
        return np.array(table, dtype=np.int64), Fraction(1, scale)


def one_state(x: X) -> X:
    """Columns of length one for a single state given as numbers (columns stay as they are)."""
    return _like(x, [np.atleast_1d(np.asarray(entry, dtype=np.int64)) for entry in x])


def take(x: X, rows: Any) -> X:
    """The chosen rows of every column."""
    return _like(x, [entry[rows] for entry in x])


def row(x: X, number: int) -> X:
    """One state out of columns, as plain numbers."""
    return _like(x, [int(entry[number]) for entry in x])


def spread(x: X, n: int) -> X:
    """Every field as an int64 column of length n, numbers repeated."""
    return _like(x, [column(entry, n) for entry in x])


def column(entry: Any, n: int) -> Column:
    """An int64 column of length n; a number is repeated."""
    if isinstance(entry, np.ndarray) and entry.shape == (n,):
        return entry.astype(np.int64, copy=False)
    return np.full(n, entry, dtype=np.int64)


def plain(entry: Any) -> int:
    """A number, or the first of a column, as an int."""
    return int(np.asarray(entry).reshape(-1)[0])


def plain_all(entries: Any) -> tuple[int, ...]:
    """The fields of one state as ints."""
    return tuple(plain(entry) for entry in entries)


def _like(x: X, entries: list[Any]) -> X:
    made: X = type(x)(*entries)
    return made
