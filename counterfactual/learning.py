"""Learning from records: two records, kernels estimated from them by counting, and ways to fill them.

    of X:  (t, i_t, x_t, a_t, x_{t+1}, events)        of I:  (t, i_t, x_t, a_t, x_{t+1}, i_{t+1})
    P(x' | ...)  =  (count + strength * prior) / (total + strength)        the prior alone where nothing was observed

Counts are all that maximum likelihood needs of the records; CITC keeps the first only. `physics` of the learned world
pools the record of X over the signals: it is what ITC and CITC learn from, and by itself enough for CITC.
`physics_given` keeps the signals apart, as ITF does. Rewards are not learned: the signal encodes its function. By
default what was never tried changes nothing, makes nothing and updates nothing. Records are filled by acting at
random, by planning and exploring, or by trying every action in every real state. Perfect learning is the world
itself: the real world may be given wherever a learned one is expected.

Reference: "Counterfactual planning with an input terminal", the two time series of "Design and interpretation of the
learning world".
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from counterfactual.agents import PlanningAgent
from counterfactual.columns import Column, Flags, as_column, as_columns, as_int, as_ints, broadcast
from counterfactual.exact_parameters import integer
from counterfactual.planning.plan import Replanner
from counterfactual.planning_world import list_joint_outcomes
from counterfactual.worlds import FutureSelf, PhysicsOutcome, Signal, SignalOutcome, TerminalWorld
from engine.effort import Effort
from engine.randomness.counter_based import inverse_cdf, randrange, split, uniform

StateNumbers: TypeAlias = tuple[int, ...]


class KernelInput(NamedTuple):
    """What a kernel is conditioned on: step, signal (None where signals are pooled), X_t and the action's glyph."""

    step: int
    signal: int | None
    x: StateNumbers
    action: str


class ObservedTransition(NamedTuple):
    """The X_{t+1} that was observed: the next state, and the events that reward functions look at."""

    next_x: StateNumbers
    events: StateNumbers


class ObservedSignal(NamedTuple):
    """The I_{t+1} that was observed, and the X_{t+1} that it came with."""

    next_x: StateNumbers
    signal: int


@dataclass
class Records:
    """Counts of what was observed.

    of_x, of_i: the two records. watch_signal: False leaves the record of I empty.
    """

    of_x: Counter[tuple[KernelInput, ObservedTransition]] = field(default_factory=Counter)
    of_i: Counter[tuple[KernelInput, ObservedSignal]] = field(default_factory=Counter)
    watch_signal: bool = True

    def observe(self, given: KernelInput, transition: ObservedTransition, signal: int, times: int = 1) -> None:
        """Add one real step, and the signal that followed, to both records; `times` is how often it was observed."""
        self.of_x[given, transition] += times
        if self.watch_signal:
            self.of_i[given, ObservedSignal(transition.next_x, signal)] += times


@dataclass(frozen=True)
class NoChangePrior(TerminalWorld[Any]):
    """A world in which nothing changes."""

    features: tuple[str, ...]

    name = "no change"

    def start(self) -> Any:
        """Return no state: a prior only says what comes next."""
        return ()

    def physics(self, step: int, x: Any, action: Column) -> Sequence[PhysicsOutcome[Any]]:
        """Return the same state, no events."""
        return [PhysicsOutcome(1, x, (0,) * len(self.features))]

    def terminal(self, signal: Column, step: int, x: Any, action: Column, next_x: Any) -> Sequence[SignalOutcome]:
        """Return the same signal."""
        return [SignalOutcome(1, signal)]


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
        """Return what is known, like the actions that make another self."""
        return self.template.self_of(x)

    def future_self(self, index: int) -> FutureSelf:
        """Return the same records with the reward functions of that self."""
        future = self.template.future_self(index)
        return future._replace(world=replace(self, template=future.world))

    def start(self) -> Any:
        """Return the initial state, known."""
        return self.template.start()

    def allows(self, step: int, x: Any, action: Column) -> Flags:
        """Return what actuators can do, known."""
        return self.template.allows(step, x, action)

    def updates(self, step: int, x: Any, next_x: Any) -> Flags:
        """Mark updates in traces; they have no influence on plans."""
        return self.template.updates(step, x, next_x)

    def manipulates(self, step: int, x: Any, action: Column, next_x: Any) -> Flags:
        """Return the template's."""
        return self.template.manipulates(step, x, action, next_x)

    def physics(self, step: int, x: Any, action: Column) -> Sequence[PhysicsOutcome[Any]]:
        """Return the record of X, pooled over the signals."""
        inputs = [KernelInput(step, None, *rest) for rest in zip(_list_rows(x), self._list_glyphs(action), strict=True)]
        return self._make_outcomes([self._weigh_transitions(given, x) for given in inputs], x)

    def physics_given(self, signal: Column, step: int, x: Any, action: Column) -> Sequence[PhysicsOutcome[Any]]:
        """Return the record of X under the signal of each row."""
        return self._make_outcomes(
            [self._weigh_transitions(given, x) for given in self._list_inputs(signal, step, x, action)], x
        )

    def terminal(self, signal: Column, step: int, x: Any, action: Column, next_x: Any) -> Sequence[SignalOutcome]:
        """Return the record of I."""
        inputs = self._list_inputs(signal, step, x, action)
        rows = _list_rows(broadcast(next_x, len(inputs)))
        sent = [self._weigh_signals(given, row, x) for given, row in zip(inputs, rows, strict=True)]
        return [
            SignalOutcome(np.array([weight for weight, _ in choice]), np.array([signal for _, signal in choice]))
            for choice in _pad_choices([_reduce_weights(choice) for choice in sent])
        ]

    def _list_inputs(self, signal: Column, step: int, x: Any, action: Column) -> list[KernelInput]:
        rows = zip(as_column(signal, len(action)).tolist(), _list_rows(x), self._list_glyphs(action), strict=True)
        return [KernelInput(step, *row) for row in rows]

    def _list_glyphs(self, action: Column) -> list[str]:
        return [self.actions[index] for index in action.tolist()]

    @cached_property
    def _transition_counts(self) -> dict[KernelInput, Weighted[ObservedTransition]]:
        """Counts of transitions by input, and, with None for the signal, pooled over the signals."""
        tally: dict[KernelInput, Counter[ObservedTransition]] = defaultdict(Counter)
        for (given, transition), count in self.records.of_x.items():
            tally[given][transition] += count
            tally[given._replace(signal=None)][transition] += count
        return {given: [(count, each) for each, count in sorted(counts.items())] for given, counts in tally.items()}

    @cached_property
    def _signal_counts(self) -> dict[tuple[KernelInput, StateNumbers], Weighted[int]]:
        tally: dict[tuple[KernelInput, StateNumbers], Counter[int]] = defaultdict(Counter)
        for (given, observed), count in self.records.of_i.items():
            tally[given, observed.next_x][observed.signal] += count
        return {key: [(count, signal) for signal, count in sorted(counts.items())] for key, counts in tally.items()}

    @property
    def _prior_world(self) -> TerminalWorld[Any]:
        return NoChangePrior(self.features) if self.prior is None else self.prior

    def _weigh_transitions(self, given: KernelInput, like: Any) -> Weighted[ObservedTransition]:
        observed = self._transition_counts.get(given, [])
        if observed and not self.strength:
            return observed
        x = as_columns(type(like)(*given.x))
        action = as_column(self.actions.index(given.action), 1)
        if given.signal is None:
            believed = self._prior_world.physics(given.step, x, action)
        else:
            believed = self._prior_world.physics_given(as_column(given.signal, 1), given.step, x, action)
        return self._mix_with_prior(
            observed,
            [(as_int(o.weight), ObservedTransition(as_ints(o.next_x), as_ints(o.events))) for o in believed],
        )

    def _weigh_signals(self, given: KernelInput, next_x: StateNumbers, like: Any) -> Weighted[int]:
        observed = self._signal_counts.get((given, next_x), [])
        if observed and not self.strength:
            return observed
        x, after = (as_columns(type(like)(*numbers)) for numbers in (given.x, next_x))
        action = as_column(self.actions.index(given.action), 1)
        assert given.signal is not None  # signals are pooled for physics alone
        believed = self._prior_world.terminal(as_column(given.signal, 1), given.step, x, action, after)
        return self._mix_with_prior(
            observed, [(as_int(outcome.weight), as_int(outcome.signal)) for outcome in believed]
        )

    def _mix_with_prior(
        self, observed: Weighted[Alternative], believed: Weighted[Alternative]
    ) -> Weighted[Alternative]:
        """Weights proportional to count + strength * prior."""
        if not observed:
            return believed
        total_belief = sum(weight for weight, _ in believed) or 1
        counted = [(count * total_belief, alternative) for count, alternative in observed]
        return counted + [
            (self.strength * weight, alternative) for weight, alternative in believed if self.strength * weight
        ]

    def _make_outcomes(self, choices: list[Weighted[ObservedTransition]], like: Any) -> list[PhysicsOutcome[Any]]:
        outcomes = []
        for choice in _pad_choices([_reduce_weights(choice) for choice in choices]):
            weights = np.array([weight for weight, _ in choice])
            next_x = np.array([transition.next_x for _, transition in choice]).T
            events = np.array([transition.events for _, transition in choice]).T
            outcomes.append(PhysicsOutcome(weights, type(like)(*next_x), tuple(events)))
        return outcomes


def _list_rows(x: Any) -> list[StateNumbers]:
    return list(zip(*(np.asarray(entry).tolist() for entry in x), strict=True))


def _reduce_weights(choice: Weighted[Alternative]) -> Weighted[Alternative]:
    """Return the same chances in smallest integers, so that products of many stay small."""
    shared = math.gcd(*(weight for weight, _ in choice)) or 1
    return [(weight // shared, alternative) for weight, alternative in choice]


def _pad_choices(choices: list[Weighted[Alternative]]) -> list[list[tuple[int, Alternative]]]:
    """Return the k-th alternative of every row, weight 0 where a row has fewer."""
    most = max(len(choice) for choice in choices)
    return [[choice[k] if k < len(choice) else (0, choice[0][1]) for choice in choices] for k in range(most)]


class _Observation(NamedTuple):
    weight: int
    transition: ObservedTransition
    signal: int


ActionChoice: TypeAlias = Callable[[int, StateNumbers, int, list[str]], list[str]]


def record_random_episodes(
    world: TerminalWorld[Any], episodes: int, key: int, records: Records | None = None
) -> Records:
    """Make records of episodes with uniformly random actions.

    world: the real world. episodes: how many. key: of all random numbers. records: what to add to, by default nothing.
    """
    records = Records() if records is None else records
    for episode in range(episodes):
        _record_episode(world, records, split(key, episode), lambda step, x, signal, actions: actions)
    return records


def record_planning_episodes(
    world: TerminalWorld[Any], agent: PlanningAgent, episodes: int, key: int, *, epsilon: Fraction = Fraction(1, 2)
) -> Records:
    """Records of episodes in which the agent plans anew, from its records so far, at every real step.

    epsilon: the probability of exploring, that is of a uniformly random action. Ties are broken at random. The other
    arguments are those of `record_random_episodes`.
    """
    records = Records()

    def choices(episode_key: int, step: int, x: StateNumbers, signal: int, actions: list[str]) -> list[str]:
        if uniform(episode_key, step, 2) < epsilon:
            return actions
        planner = Replanner(agent, LearnedWorld(world, records))
        state = type(world.start())(*x)
        return [world.actions[action] for action in planner.list_optimal_actions(step, state, signal)]

    for episode in range(episodes):
        episode_key = split(key, episode)
        _record_episode(world, records, episode_key, partial(choices, episode_key))
    return records


def _record_episode(world: TerminalWorld[Any], records: Records, key: int, choices: ActionChoice) -> None:
    """One episode added to the records; at every step one of the choices is drawn."""
    x = as_ints(world.start())
    signal = 0
    for step in range(1, world.horizon + 1):
        actions = choices(step, x, signal, _list_allowed(world, step, x))
        given = KernelInput(step, signal, x, actions[randrange(len(actions), key, step, 0)])
        observation = _draw_observation(_list_possible(world, given), key, step)
        records.observe(given, observation.transition, observation.signal)
        x, signal = observation.transition.next_x, observation.signal


def record_every_action(world: TerminalWorld[Any], *, watch_signal: bool = True) -> Records:
    """Records in which every action was taken in every real state, as often as its outcomes weigh."""
    records = Records(watch_signal=watch_signal)
    states = {(as_ints(world.start()), 0): None}
    for step in range(1, world.horizon + 1):
        following: dict[tuple[StateNumbers, int], None] = {}
        for x, signal in states:
            for action in _list_allowed(world, step, x):
                given = KernelInput(step, signal, x, action)
                for observation in _list_possible(world, given):
                    records.observe(given, observation.transition, observation.signal, observation.weight)
                    following[observation.transition.next_x, observation.signal] = None
        states = following
    return records


def _list_allowed(world: TerminalWorld[Any], step: int, x: StateNumbers) -> list[str]:
    state = as_columns(type(world.start())(*x))
    allowed = [world.allows(step, state, as_column(index, 1)) for index in range(len(world.actions))]
    return [action for action, answer in zip(world.actions, allowed, strict=True) if np.all(answer)]


def _list_possible(world: TerminalWorld[Any], given: KernelInput) -> list[_Observation]:
    assert given.signal is not None  # what really happens has a signal
    x = as_columns(type(world.start())(*given.x))
    signal = as_column(given.signal, 1)
    action = as_column(world.actions.index(given.action), 1)
    physics = world.physics_given(signal, given.step, x, action)
    return [
        _Observation(weight, ObservedTransition(as_ints(next_x), as_ints(events)), as_int(sent))
        for weights, next_x, events, sent in list_joint_outcomes(world, physics, signal, given.step, x, action)
        if (weight := as_int(weights))
    ]


def _draw_observation(possible: list[_Observation], key: int, step: int) -> _Observation:
    weights = [observation.weight for observation in possible]
    return possible[inverse_cdf(weights, randrange(sum(weights), key, step, 1))]
