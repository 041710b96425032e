"""The learned world: both kernels estimated from the records, by maximum likelihood with a prior.

    P(x' | ...)  =  (count + strength * prior) / (total + strength)        the prior alone where nothing was seen

`physics` pools the record of X over the readings: it is what ITC and CITC learn from, and by itself enough for CITC.
`physics_given` keeps the readings apart, as ITF does. Rewards are not learned: the signal encodes its function.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from counterfactual.learning.records import Case, Numbers, Records, Turnout
from counterfactual.settings import whole
from counterfactual.world import Branch, Column, Reading, Signal, World, column, one_state, plain, plain_all, spread

Thing = TypeVar("Thing")
Weighted = list[tuple[int, Thing]]


@dataclass(frozen=True)
class Stillness(World[Any]):
    """The default prior: what was never tried changes nothing, makes nothing and updates nothing."""

    features: tuple[str, ...]

    name = "stillness"

    def start(self) -> Any:
        """Nothing starts here; a prior only answers what comes next."""
        return ()

    def physics(self, step: int, x: Any, action: Column) -> Sequence[Branch[Any]]:
        """The same state, no events."""
        return [Branch(1, x, (0,) * len(self.features))]

    def terminal(self, signal: Column, step: int, x: Any, action: Column, after: Any) -> Sequence[Reading]:
        """The same signal."""
        return [Reading(1, signal)]


@dataclass(frozen=True)
class LearnedWorld(World[Any]):
    """A world known from records. like: the true world, for its actions, start, reward functions and clock only.

    prior: the world believed in where nothing was seen, Stillness by default. strength: how many observations the prior
    counts for.
    """

    like: World[Any]
    records: Records
    prior: World[Any] | None = None
    strength: int = whole(0, "observations that the prior counts for", least=0)

    name = "learned"

    @property
    def words(self) -> Mapping[str, str]:  # type: ignore[override]
        """The agent knows its actions ..."""
        return self.like.words

    @property
    def features(self) -> tuple[str, ...]:  # type: ignore[override]
        """... what reward functions look at ..."""
        return self.like.features

    @property
    def signals(self) -> tuple[Signal, ...]:  # type: ignore[override]
        """... the functions that a signal may encode ..."""
        return self.like.signals

    @property
    def horizon(self) -> int:  # type: ignore[override]
        """... how long it has ..."""
        return self.like.horizon

    @property
    def discount(self) -> Fraction:  # type: ignore[override]
        """... how it discounts ..."""
        return self.like.discount

    @property
    def grain(self) -> Fraction:  # type: ignore[override]
        """... and how events are counted."""
        return self.like.grain

    def start(self) -> Any:
        """Where it is."""
        return self.like.start()

    def allows(self, step: int, x: Any, action: Column) -> Any:
        """What its actuators can do."""
        return self.like.allows(step, x, action)

    def updates(self, step: int, x: Any, after: Any) -> Any:
        """Drawn in traces, of no influence on plans."""
        return self.like.updates(step, x, after)

    def physics(self, step: int, x: Any, action: Column) -> Sequence[Branch[Any]]:
        """The record of X, pooled over the readings."""
        cases = [Case(step, None, *rest) for rest in zip(_rows(x), self._glyphs(action), strict=True)]
        return self._branches([self._turnouts(case, x) for case in cases], x)

    def physics_given(self, signal: Column, step: int, x: Any, action: Column) -> Sequence[Branch[Any]]:
        """The record of X under the reading of each row."""
        return self._branches([self._turnouts(case, x) for case in self._cases(signal, step, x, action)], x)

    def terminal(self, signal: Column, step: int, x: Any, action: Column, after: Any) -> Sequence[Reading]:
        """The record of I."""
        cases = self._cases(signal, step, x, action)
        afters = _rows(spread(after, len(cases)))
        found = [self._readings(case, there, x) for case, there in zip(cases, afters, strict=True)]
        return [
            Reading(np.array([weight for weight, _ in choice]), np.array([reading for _, reading in choice]))
            for choice in _padded([_reduced(choice) for choice in found])
        ]

    def _cases(self, signal: Column, step: int, x: Any, action: Column) -> list[Case]:
        rows = zip(column(signal, len(action)).tolist(), _rows(x), self._glyphs(action), strict=True)
        return [Case(step, *row) for row in rows]

    def _glyphs(self, action: Column) -> list[str]:
        return [self.actions[number] for number in action.tolist()]

    @cached_property
    def _seen_x(self) -> dict[Case, Weighted[Turnout]]:
        """Counts of turnouts by case, and, with None for the reading, pooled over the readings."""
        tally: dict[Case, Counter[Turnout]] = defaultdict(Counter)
        for (case, turnout), count in self.records.of_x.items():
            tally[case][turnout] += count
            tally[case._replace(signal=None)][turnout] += count
        return {case: [(count, turnout) for turnout, count in sorted(of.items())] for case, of in tally.items()}

    @cached_property
    def _seen_i(self) -> dict[tuple[Case, Numbers], Weighted[int]]:
        tally: dict[tuple[Case, Numbers], Counter[int]] = defaultdict(Counter)
        for (case, reread), count in self.records.of_i.items():
            tally[case, reread.after][reread.signal] += count
        return {key: [(count, signal) for signal, count in sorted(of.items())] for key, of in tally.items()}

    @property
    def _belief(self) -> World[Any]:
        return Stillness(self.features) if self.prior is None else self.prior

    def _turnouts(self, case: Case, like: Any) -> Weighted[Turnout]:
        seen = self._seen_x.get(case, [])
        if seen and not self.strength:
            return seen
        x, action = one_state(type(like)(*case.x)), column(self.actions.index(case.action), 1)
        if case.signal is None:
            believed = self._belief.physics(case.step, x, action)
        else:
            believed = self._belief.physics_given(column(case.signal, 1), case.step, x, action)
        return self._mixed(
            seen, [(plain(b.weight), Turnout(plain_all(b.after), plain_all(b.events))) for b in believed]
        )

    def _readings(self, case: Case, after: Numbers, like: Any) -> Weighted[int]:
        seen = self._seen_i.get((case, after), [])
        if seen and not self.strength:
            return seen
        x, there = (one_state(type(like)(*numbers)) for numbers in (case.x, after))
        action = column(self.actions.index(case.action), 1)
        believed = self._belief.terminal(column(case.signal, 1), case.step, x, action, there)
        return self._mixed(seen, [(plain(reading.weight), plain(reading.signal)) for reading in believed])

    def _mixed(self, seen: Weighted[Thing], believed: Weighted[Thing]) -> Weighted[Thing]:
        """Weights proportional to count + strength * prior."""
        if not seen:
            return believed
        whole_belief = sum(weight for weight, _ in believed) or 1
        counted = [(count * whole_belief, thing) for count, thing in seen]
        return counted + [(self.strength * weight, thing) for weight, thing in believed if self.strength * weight]

    def _branches(self, choices: list[Weighted[Turnout]], like: Any) -> list[Branch[Any]]:
        branches = []
        for choice in _padded([_reduced(choice) for choice in choices]):
            weights = np.array([weight for weight, _ in choice])
            after = np.array([turnout.after for _, turnout in choice]).T
            events = np.array([turnout.events for _, turnout in choice]).T
            branches.append(Branch(weights, type(like)(*after), tuple(events)))
        return branches


def _rows(x: Any) -> list[Numbers]:
    return list(zip(*(np.asarray(entry).tolist() for entry in x), strict=True))


def _reduced(choice: Weighted[Thing]) -> Weighted[Thing]:
    """The same chances in smallest whole numbers, so that products of many stay small."""
    shared = math.gcd(*(weight for weight, _ in choice)) or 1
    return [(weight // shared, thing) for weight, thing in choice]


def _padded(choices: list[Weighted[Thing]]) -> list[list[tuple[int, Thing]]]:
    """The k-th alternative of every row, weight 0 where a row has fewer."""
    most = max(len(choice) for choice in choices)
    return [[choice[k] if k < len(choice) else (0, choice[0][1]) for choice in choices] for k in range(most)]
