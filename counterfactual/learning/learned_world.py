"""The learned world: both kernels estimated from the records, by maximum likelihood with a prior.

    P(x' | ...)  =  (count + strength * prior) / (total + strength)        the prior alone where nothing was seen

`physics` pools the record of X over the readings: it is what ITC and CITC learn from, and by itself enough for CITC.
`physics_given` keeps the readings apart, as ITF does. Rewards are not learned: the signal encodes its function.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from counterfactual.learning.records import Case, Numbers, Records
from counterfactual.settings import whole
from counterfactual.world import Branch, Reading, Signal, World, column, one_state, plain, plain_all

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

    def physics(self, step: int, x: Any, action: str) -> Sequence[Branch[Any]]:
        """The same state, no events."""
        return [Branch(1, x, (0,) * len(self.features))]

    def terminal(self, signal: Any, step: int, x: Any, action: str, after: Any) -> Sequence[Reading]:
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

    def allows(self, step: int, x: Any, action: str) -> Any:
        """What its actuators can do."""
        return self.like.allows(step, x, action)

    def updates(self, step: int, x: Any, after: Any) -> Any:
        """Drawn in traces, of no influence on plans."""
        return self.like.updates(step, x, after)

    def physics(self, step: int, x: Any, action: str) -> Sequence[Branch[Any]]:
        """The record of X, pooled over the readings."""
        return self._branches([self._turnouts(None, step, state, action, x) for state in _rows(x)], x)

    def physics_given(self, signal: Any, step: int, x: Any, action: str) -> Sequence[Branch[Any]]:
        """The record of X under the reading of each row."""
        states = _rows(x)
        given = column(signal, len(states))
        return self._branches(
            [self._turnouts(int(i), step, state, action, x) for i, state in zip(given, states, strict=True)], x
        )

    def terminal(self, signal: Any, step: int, x: Any, action: str, after: Any) -> Sequence[Reading]:
        """The record of I."""
        states = _rows(x)
        afters = list(zip(*(column(entry, len(states)).tolist() for entry in after), strict=True))
        cases = [
            (Case(step, int(i), state, action), there)
            for i, state, there in zip(column(signal, len(states)), states, afters, strict=True)
        ]
        found = [self._mixed(self._seen_i.get(case, []), self._prior_readings(*case, x)) for case in cases]
        return [
            Reading(np.array([weight for weight, _ in choice]), np.array([reading for _, reading in choice]))
            for choice in _padded(found)
        ]

    @cached_property
    def _seen_x(self) -> dict[tuple[int | None, int, Numbers, str], Weighted[tuple[Numbers, Numbers]]]:
        """Counts of turnouts by reading, and under None pooled over the readings."""
        tally: dict[Any, dict[tuple[Numbers, Numbers], int]] = defaultdict(lambda: defaultdict(int))
        for (case, turnout), count in self.records.of_x.items():
            for signal in (case.signal, None):
                tally[signal, case.step, case.x, case.action][turnout] += count
        return {key: [(count, thing) for thing, count in sorted(of_key.items())] for key, of_key in tally.items()}

    @cached_property
    def _seen_i(self) -> dict[tuple[Case, Numbers], Weighted[int]]:
        tally: dict[Any, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for (case, reread), count in self.records.of_i.items():
            tally[case, reread.after][reread.signal] += count
        return {key: [(count, thing) for thing, count in sorted(of_key.items())] for key, of_key in tally.items()}

    @property
    def _belief(self) -> World[Any]:
        return Stillness(self.features) if self.prior is None else self.prior

    def _turnouts(
        self, signal: int | None, step: int, state: Numbers, action: str, like: Any
    ) -> Weighted[tuple[Numbers, Numbers]]:
        seen = self._seen_x.get((signal, step, state, action), [])
        if seen and not self.strength:
            return seen
        x = one_state(type(like)(*state))
        believed = (
            self._belief.physics(step, x, action)
            if signal is None
            else self._belief.physics_given(column(signal, 1), step, x, action)
        )
        return self._mixed(seen, [(plain(b.weight), (plain_all(b.after), plain_all(b.events))) for b in believed])

    def _prior_readings(self, case: Case, after: Numbers, like: Any) -> Weighted[int]:
        if self._seen_i.get((case, after)) and not self.strength:
            return []
        x, there = (one_state(type(like)(*numbers)) for numbers in (case.x, after))
        readings = self._belief.terminal(column(case.signal, 1), case.step, x, case.action, there)
        return [(plain(reading.weight), plain(reading.signal)) for reading in readings]

    def _mixed(self, seen: Weighted[Thing], believed: Weighted[Thing]) -> Weighted[Thing]:
        """Weights proportional to count + strength * prior."""
        if not seen:
            return believed
        whole_belief = sum(weight for weight, _ in believed) or 1
        counted = [(count * whole_belief, thing) for count, thing in seen]
        return counted + [(self.strength * weight, thing) for weight, thing in believed if self.strength * weight]

    def _branches(self, choices: list[Weighted[tuple[Numbers, Numbers]]], like: Any) -> list[Branch[Any]]:
        branches = []
        for choice in _padded(choices):
            weights = np.array([weight for weight, _ in choice])
            after = np.array([turnout[0] for _, turnout in choice]).T
            events = np.array([turnout[1] for _, turnout in choice]).T
            branches.append(Branch(weights, type(like)(*after), tuple(events)))
        return branches


def _rows(x: Any) -> list[Numbers]:
    return list(zip(*(np.asarray(entry).tolist() for entry in x), strict=True))


def _padded(choices: list[Weighted[Thing]]) -> list[list[tuple[int, Thing]]]:
    """The k-th alternative of every row, weight 0 where a row has fewer."""
    most = max(len(choice) for choice in choices)
    return [[choice[k] if k < len(choice) else (0, choice[0][1]) for choice in choices] for k in range(most)]
