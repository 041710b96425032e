"""The learned world: both kernels estimated from the records, by maximum likelihood with a prior.

    P(x' | ...)  =  (count + strength * prior) / (total + strength)        the prior alone where nothing was observed

`physics` pools the record of X over the signals: it is what ITC and CITC learn from, and by itself enough for CITC.
`physics_given` keeps the signals apart, as ITF does. Rewards are not learned: the signal encodes its function.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from counterfactual.columns import Column, Flags, as_int, as_ints, broadcast, column, one_state
from counterfactual.exact_parameters import integer
from counterfactual.learning.no_change_prior import NoChangePrior
from counterfactual.learning.records import KernelInput, ObservedTransition, Records, StateNumbers
from counterfactual.terminal_world import FutureSelf, PhysicsOutcome, Signal, SignalOutcome, TerminalWorld
from engine.limits.effort import Effort

Alternative = TypeVar("Alternative")
Weighted = list[tuple[int, Alternative]]


@dataclass(frozen=True)
class LearnedWorld(TerminalWorld[Any]):
    """A world known from records.

    template: the real world, for its actions, initial state, reward functions, horizon and discount only. records: what
    was observed. prior: the world believed in where nothing was observed, `NoChangePrior` by default. strength: how
    many observations the prior counts for.
    """

    template: TerminalWorld[Any]
    records: Records
    prior: TerminalWorld[Any] | None = None
    strength: int = integer(0, "observations that the prior counts for", least=0)

    name = "learned"

    @property
    def action_names(self) -> Mapping[str, str]:  # type: ignore[override]
        """Known: the actions ..."""
        return self.template.action_names

    @property
    def features(self) -> tuple[str, ...]:  # type: ignore[override]
        """... what reward functions look at ..."""
        return self.template.features

    @property
    def signals(self) -> tuple[Signal, ...]:  # type: ignore[override]
        """... the functions that a signal may encode ..."""
        return self.template.signals

    @property
    def horizon(self) -> int:  # type: ignore[override]
        """... the number of steps ..."""
        return self.template.horizon

    @property
    def discount(self) -> Fraction:  # type: ignore[override]
        """... the discount ..."""
        return self.template.discount

    @property
    def event_unit(self) -> Fraction:  # type: ignore[override]
        """... how events are counted ..."""
        return self.template.event_unit

    @property
    def reward_scale(self) -> Fraction:  # type: ignore[override]
        """... what a reward of 1 is ..."""
        return self.template.reward_scale

    @property
    def self_index(self) -> int:  # type: ignore[override]
        """... and which self it is that learned this."""
        return self.template.self_index

    @property
    def effort(self) -> Effort:  # type: ignore[override]
        """As the real world's."""
        return self.template.effort

    def self_of(self, x: Any) -> Any:
        """Known, like the actions that make another self."""
        return self.template.self_of(x)

    def future_self(self, index: int) -> FutureSelf:
        """The same records with the reward functions of that self."""
        future = self.template.future_self(index)
        return future._replace(world=replace(self, template=future.world))

    def start(self) -> Any:
        """The initial state, known."""
        return self.template.start()

    def allows(self, step: int, x: Any, action: Column) -> Flags:
        """What actuators can do, known."""
        return self.template.allows(step, x, action)

    def updates(self, step: int, x: Any, next_x: Any) -> Flags:
        """Drawn in traces, of no influence on plans."""
        return self.template.updates(step, x, next_x)

    def manipulates(self, step: int, x: Any, action: Column, next_x: Any) -> Flags:
        """The template's."""
        return self.template.manipulates(step, x, action, next_x)

    def physics(self, step: int, x: Any, action: Column) -> Sequence[PhysicsOutcome[Any]]:
        """The record of X, pooled over the signals."""
        inputs = [KernelInput(step, None, *rest) for rest in zip(_rows(x), self._glyphs(action), strict=True)]
        return self._outcomes([self._transitions(given, x) for given in inputs], x)

    def physics_given(self, signal: Column, step: int, x: Any, action: Column) -> Sequence[PhysicsOutcome[Any]]:
        """The record of X under the signal of each row."""
        return self._outcomes([self._transitions(given, x) for given in self._inputs(signal, step, x, action)], x)

    def terminal(self, signal: Column, step: int, x: Any, action: Column, next_x: Any) -> Sequence[SignalOutcome]:
        """The record of I."""
        inputs = self._inputs(signal, step, x, action)
        rows = _rows(broadcast(next_x, len(inputs)))
        sent = [self._signals(given, row, x) for given, row in zip(inputs, rows, strict=True)]
        return [
            SignalOutcome(np.array([weight for weight, _ in choice]), np.array([signal for _, signal in choice]))
            for choice in _padded([_reduced(choice) for choice in sent])
        ]

    def _inputs(self, signal: Column, step: int, x: Any, action: Column) -> list[KernelInput]:
        rows = zip(column(signal, len(action)).tolist(), _rows(x), self._glyphs(action), strict=True)
        return [KernelInput(step, *row) for row in rows]

    def _glyphs(self, action: Column) -> list[str]:
        return [self.actions[index] for index in action.tolist()]

    @cached_property
    def _observed_x(self) -> dict[KernelInput, Weighted[ObservedTransition]]:
        """Counts of transitions by input, and, with None for the signal, pooled over the signals."""
        tally: dict[KernelInput, Counter[ObservedTransition]] = defaultdict(Counter)
        for (given, transition), count in self.records.of_x.items():
            tally[given][transition] += count
            tally[given._replace(signal=None)][transition] += count
        return {given: [(count, each) for each, count in sorted(counts.items())] for given, counts in tally.items()}

    @cached_property
    def _observed_i(self) -> dict[tuple[KernelInput, StateNumbers], Weighted[int]]:
        tally: dict[tuple[KernelInput, StateNumbers], Counter[int]] = defaultdict(Counter)
        for (given, observed), count in self.records.of_i.items():
            tally[given, observed.next_x][observed.signal] += count
        return {key: [(count, signal) for signal, count in sorted(counts.items())] for key, counts in tally.items()}

    @property
    def _belief(self) -> TerminalWorld[Any]:
        return NoChangePrior(self.features) if self.prior is None else self.prior

    def _transitions(self, given: KernelInput, like: Any) -> Weighted[ObservedTransition]:
        observed = self._observed_x.get(given, [])
        if observed and not self.strength:
            return observed
        x, action = one_state(type(like)(*given.x)), column(self.actions.index(given.action), 1)
        if given.signal is None:
            believed = self._belief.physics(given.step, x, action)
        else:
            believed = self._belief.physics_given(column(given.signal, 1), given.step, x, action)
        return self._mixed(
            observed,
            [(as_int(o.weight), ObservedTransition(as_ints(o.next_x), as_ints(o.events))) for o in believed],
        )

    def _signals(self, given: KernelInput, next_x: StateNumbers, like: Any) -> Weighted[int]:
        observed = self._observed_i.get((given, next_x), [])
        if observed and not self.strength:
            return observed
        x, after = (one_state(type(like)(*numbers)) for numbers in (given.x, next_x))
        action = column(self.actions.index(given.action), 1)
        assert given.signal is not None  # signals are pooled for physics alone
        believed = self._belief.terminal(column(given.signal, 1), given.step, x, action, after)
        return self._mixed(observed, [(as_int(outcome.weight), as_int(outcome.signal)) for outcome in believed])

    def _mixed(self, observed: Weighted[Alternative], believed: Weighted[Alternative]) -> Weighted[Alternative]:
        """Weights proportional to count + strength * prior."""
        if not observed:
            return believed
        total_belief = sum(weight for weight, _ in believed) or 1
        counted = [(count * total_belief, alternative) for count, alternative in observed]
        return counted + [
            (self.strength * weight, alternative) for weight, alternative in believed if self.strength * weight
        ]

    def _outcomes(self, choices: list[Weighted[ObservedTransition]], like: Any) -> list[PhysicsOutcome[Any]]:
        outcomes = []
        for choice in _padded([_reduced(choice) for choice in choices]):
            weights = np.array([weight for weight, _ in choice])
            next_x = np.array([transition.next_x for _, transition in choice]).T
            events = np.array([transition.events for _, transition in choice]).T
            outcomes.append(PhysicsOutcome(weights, type(like)(*next_x), tuple(events)))
        return outcomes


def _rows(x: Any) -> list[StateNumbers]:
    return list(zip(*(np.asarray(entry).tolist() for entry in x), strict=True))


def _reduced(choice: Weighted[Alternative]) -> Weighted[Alternative]:
    """The same chances in smallest integers, so that products of many stay small."""
    shared = math.gcd(*(weight for weight, _ in choice)) or 1
    return [(weight // shared, alternative) for weight, alternative in choice]


def _padded(choices: list[Weighted[Alternative]]) -> list[list[tuple[int, Alternative]]]:
    """The k-th alternative of every row, weight 0 where a row has fewer."""
    most = max(len(choice) for choice in choices)
    return [[choice[k] if k < len(choice) else (0, choice[0][1]) for choice in choices] for k in range(most)]
