"""The real world under an agent's optimal actions: all that may happen, ties and chance included, step by step.

    (X_{t+1}, I_{t+1}) ~ X(. | I_t, X_t, A_t) I(. | I_t, X_t, A_t, X_{t+1})        R_t = I_t(X_t, X_{t+1})

It is tabulated as a plan is: layers of distinct states (X_t, I_t), whose pairs are the optimal actions in them. One
step from one present is listed exactly. The same layers say how often an agent works on its input terminal, or on the
people who use it, instead of in the world (the first of tied actions is taken):

    E [ sum over steps of manipulates(X_t, A_t, X_{t+1}) ]

Under all actions, instead of the optimal ones, they are the real world as a table: what any policy can do there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterfactual.agents import PlanningAgent
from counterfactual.columns import Column, Entries, Flags, as_column, as_columns, get_state, take
from counterfactual.planning.layers import (
    IndexColumn,
    Layer,
    StateIndex,
    broadcast_outcome,
    index_outcomes,
    index_states,
    list_columns,
    take_states,
)
from counterfactual.planning.plan import Backups, OutcomeColumns, PresentPlan, Replanner, back_up_exactly
from counterfactual.planning_world import PlannedOutcome, PlanningState, list_joint_outcomes, reward_function
from counterfactual.simulation.traces import TraceGraph, TraceStep, find_written_glyphs, list_glyphs
from counterfactual.worlds import FIRST, TerminalWorld
from engine.mdp.mdp import Floats, TabularMDP


class RealOutcome(NamedTuple):
    """One possible next present. probability: of it. reward: of the step. updated: whether people used the terminal.
    manipulated: whether the agent worked on the terminal or on those people.
    """

    probability: Fraction
    x: Any
    signal: int
    reward: Fraction
    updated: bool
    manipulated: bool


def find_allowed_actions(world: TerminalWorld[Any], step: int, x: Any) -> list[bool]:
    """Return whether each action can be taken in a state, given as plain numbers."""
    columns = as_columns(x)
    return [
        bool(as_column(world.allows(step, columns, np.array([action])), 1)[0]) for action in range(len(world.actions))
    ]


def list_real_outcomes(world: TerminalWorld[Any], step: int, x: Any, signal: int, action: int) -> list[RealOutcome]:
    """The outcomes of positive probability. step: 1 .. horizon. x: X_t as plain numbers. signal: I_t. action: A_t."""
    columns = as_columns(x)
    sent = np.array([signal])
    taken = np.array([action])
    self_index = _as_number(world.self_of(columns))
    own = world if self_index == world.self_index else world.future_self(self_index).world
    reward = reward_function(own)
    unit = own.reward_table[1]
    physics = world.physics_given(sent, step, columns, taken)
    listed = list(list_joint_outcomes(world, physics, sent, step, columns, taken))
    weights = [_as_number(outcome.weight) for outcome in listed]
    return [
        RealOutcome(
            Fraction(weight, sum(weights)),
            get_state(as_columns(next_x), 0),
            _as_number(after),
            _as_number(reward(sent, events)) * unit,
            bool(_as_number(world.updates(step, columns, as_columns(next_x)))),
            bool(_as_number(world.manipulates(step, columns, taken, as_columns(next_x)))),
        )
        for weight, (_, next_x, events, after) in zip(weights, listed, strict=True)
        if weight
    ]


def _as_number(entry: Entries | Flags) -> int:
    """Return the one row of a column, or the number that stands for it."""
    return int(as_column(entry, 1)[0])


TieChoice: TypeAlias = Callable[[NDArray[np.bool_]], NDArray[np.bool_]]


def take_all_ties(optimal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Every optimal action may be taken."""
    return optimal


def take_first_tie(optimal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The first of tied actions is taken."""
    first = np.zeros_like(optimal)
    first[np.arange(len(optimal)), optimal.argmax(axis=1)] = True
    return first


class RealStep(NamedTuple):
    """One step of the real world.

    step: 1 .. horizon. layer: its states, which hold the signal, with the actions that are taken as their pairs.
    action: int64[M], the action of each pair. row: intp[M], its state. reached: the states of the next step.
    """

    step: int
    layer: Layer
    action: Column
    row: IndexColumn
    reached: PlanningState

    @property
    def first(self) -> IndexColumn:
        """intp[S]: the place of each state's first pair."""
        return np.searchsorted(self.row, np.arange(len(self.layer)))


class RealWorld:
    """What may happen to an agent in a world.

    world: the real world. agent: makes the planning worlds. learned: what the agent knows, by default the real world.
    """

    def __init__(
        self, world: TerminalWorld[Any], agent: PlanningAgent, learned: TerminalWorld[Any] | None = None
    ) -> None:
        self._world = world
        self._replanner = Replanner(agent, world if learned is None else learned)

    def start(self) -> PlanningState:
        """Return the initial states of all rows under the first signal, one of a world that is no `WorldRows`."""
        x = as_columns(self._world.start())
        return PlanningState(x, np.full(len(x[0]), FIRST))

    def find_plans(self, step: int, states: PlanningState) -> list[PresentPlan]:
        """Return the plans on which the agent acts in states of one step."""
        return self._replanner.find_plans(step, *states)

    def unfold(self, choice: TieChoice) -> Iterator[RealStep]:
        """Return all that may happen from the start on, an item a step. choice: which optimal actions are taken."""
        return self._unfold(lambda step, states: choice(self._replanner.mark_optimal_actions(step, *states)))

    def unfold_all_actions(self) -> Iterator[RealStep]:
        """Return all that may happen under any actions that are allowed, an item a step."""
        return self._unfold(self._mark_allowed_actions)

    def _unfold(self, mark: Callable[[int, PlanningState], NDArray[np.bool_]]) -> Iterator[RealStep]:
        """Yield all that may happen. mark: (step, n states) -> bool[n, A], the actions that may be taken."""
        start = self.start()
        index, _, first = index_states(list_columns(start))
        states = take_states(start, first)
        for step in range(1, self._world.horizon + 1):
            found, index = self._make_step(step, states, index, mark(step, states))
            yield found
            states = found.reached

    def _mark_allowed_actions(self, step: int, states: PlanningState) -> NDArray[np.bool_]:
        n, actions = len(states.x[0]), len(self._world.actions)
        every = np.broadcast_to(np.arange(actions), (n, actions)).reshape(-1)
        repeated = take(states.x, np.repeat(np.arange(n), actions))
        return as_column(self._world.allows(step, repeated, every), n * actions).astype(bool).reshape(n, actions)

    def _make_step(
        self, step: int, states: PlanningState, index: StateIndex, taken: NDArray[np.bool_]
    ) -> tuple[RealStep, StateIndex]:
        """What may happen in distinct states by the actions taken, and the index of those that they may lead to."""
        world = self._world
        row, action = taken.nonzero()
        x, signal = take_states(states, row)
        physics = world.physics_given(signal, step, x, action)
        possible = [
            broadcast_outcome(
                PlannedOutcome(weight, PlanningState(next_x, sent), self._compute_rewards(x, signal, events)), len(row)
            )
            for weight, next_x, events, sent in list_joint_outcomes(world, physics, signal, step, x, action)
        ]
        outcomes, next_index, reached = index_outcomes(possible)
        layer = Layer(states, index, row * len(world.actions) + action, outcomes)
        return RealStep(step, layer, action, row, reached), next_index

    def compute_expected_returns(self, steps: list[RealStep]) -> list[Fraction]:
        """By state of the first step, the expected discounted reward under the functions in force.

        The first of tied actions is taken. States whose outcomes are alike share one backup in fractions.
        """
        returns = Backups([0] * len(steps[-1].reached.signal), [Fraction(0)])
        for step in reversed(steps):
            later = np.array(returns.of_pair)
            first = step.first
            outcomes = [
                OutcomeColumns(each.weight[first], each.reward[first], later[each.successor[first]])
                for each in step.layer.outcomes
            ]
            selves = as_column(self._world.self_of(step.layer.states.x), len(first))
            returns = back_up_exactly(outcomes, selves, self._find_reward, self._world.discount, returns.values)
        return [returns.values[place] for place in returns.of_pair]

    def count_expected_manipulations(self) -> Fraction:
        """Return the expected number of steps in which the agent manipulates (`TerminalWorld.manipulates`), exactly."""
        total = Fraction(0)
        present = [Fraction(1)]
        for now in self.unfold(take_first_tie):
            weights = [outcome.weight.tolist() for outcome in now.layer.outcomes]
            totals = [sum(of_state) for of_state in zip(*weights, strict=True)]
            following = [Fraction(0)] * len(now.reached.signal)
            for place, of_outcome in enumerate(weights):
                successors = now.layer.outcomes[place].successor.tolist()
                manipulated = _mark_manipulations(self._world, now, place)
                for state, weight in enumerate(of_outcome):
                    if weight:
                        chance = present[state] * Fraction(weight, totals[state])
                        following[successors[state]] += chance
                        total += chance * manipulated[state]
            present = following
        return total

    def tabulate(self) -> tuple[TabularMDP, Floats]:
        """Return the real world as a table, undiscounted, and f64[S, A, K]: 1 for each step that manipulates.

        States are those of all steps, one step after the other, and of the end. Rewards are discounted by their step.
        """
        steps = list(self.unfold_all_actions())
        sizes = [*(len(now.layer) for now in steps), len(steps[-1].reached.signal)]
        first = np.concatenate([[0], np.cumsum(sizes)])
        shape = int(first[-1]), len(self._world.actions), max(len(now.layer.outcomes) for now in steps)
        next_state, available = np.zeros(shape, dtype=np.int32), np.zeros(shape[:2], dtype=bool)
        next_state[first[-2] :] = np.arange(first[-2], first[-1])[:, None, None]
        probability, reward, manipulated = np.zeros((3, *shape))
        probability[first[-2] :, :, 0] = 1.0
        for t, now in enumerate(steps):
            state = first[t] + now.row
            available[state, now.action] = True
            unit = self._list_units(now) * float(self._world.discount) ** t
            total = np.sum([outcome.weight for outcome in now.layer.outcomes], axis=0)
            for k, outcome in enumerate(now.layer.outcomes):
                at = state, now.action, k
                next_state[at] = first[t + 1] + outcome.successor
                probability[at] = outcome.weight / total
                reward[at] = outcome.reward * unit
                manipulated[at] = _mark_manipulations(self._world, now, k)
        terminal = np.arange(shape[0]) >= first[-2]
        chance = np.where(np.arange(shape[0]) < sizes[0], 1.0 / sizes[0], 0.0)
        states = range(shape[0])
        index = dict(zip(states, states, strict=True))
        table = TabularMDP(
            states, index, self._world.actions, next_state, probability, reward, terminal, chance, 1.0
        ).with_available(available)
        return table, table.complete(manipulated)

    def _list_units(self, step: RealStep) -> Floats:
        """f64[M]: the unit of the rewards of each pair."""
        selves = as_column(self._world.self_of(take(step.layer.states.x, step.row)), len(step.row))
        unit = {index: float(self._find_world_of_self(index).reward_table[1]) for index in set(selves.tolist())}
        return np.array([unit[index] for index in selves.tolist()])

    def compute_reward(self, step: RealStep, pair: int, outcome: int) -> Fraction:
        """Return the reward of a pair's outcome, both given by their places in the step's layer."""
        x = take(step.layer.states.x, step.row[pair : pair + 1])
        units = int(step.layer.outcomes[outcome].reward[pair])
        return self._find_reward(int(as_column(self._world.self_of(x), 1)[0]), outcome, units)

    def make_trace_graph(self, steps: list[RealStep]) -> TraceGraph:
        """Return what may be written, from the states of the first of successive steps on."""
        return TraceGraph(list_glyphs(self._world), [self._make_trace_step(step) for step in steps])

    def _make_trace_step(self, now: RealStep) -> TraceStep:
        place, after = now.layer.list_edges(np.arange(len(now.row)))
        before = now.row[place]
        x = now.layer.states.x
        written = find_written_glyphs(
            self._world, now.step, take(x, before), now.action[place], take(now.reached.x, after)
        )
        return TraceStep(len(now.layer), before, written, after)

    def _compute_rewards(self, x: Any, signal: Column, events: Sequence[Entries]) -> Entries:
        """The rewards of n steps by the functions of the agent's present self in each state, in units of its table."""
        selves = self._world.self_of(x)
        if isinstance(selves, int):
            return reward_function(self._find_world_of_self(selves))(signal, events)
        rewards = np.zeros(len(signal), dtype=np.int64)
        for index in np.unique(selves).tolist():
            rewards = np.where(
                selves == index, reward_function(self._find_world_of_self(index))(signal, events), rewards
            )
        return rewards

    def _find_reward(self, self_index: int, outcome: int, units: int) -> Fraction:
        return units * self._find_world_of_self(self_index).reward_table[1]

    def _find_world_of_self(self, index: int) -> TerminalWorld[Any]:
        """Return the world with the reward functions of one of the agent's selves."""
        return self._world if index == self._world.self_index else self._world.future_self(index).world


def count_expected_manipulations(world: TerminalWorld[Any], agent: PlanningAgent) -> Fraction:
    """Return the expected number of steps in which an agent manipulates, exactly."""
    return RealWorld(world, agent).count_expected_manipulations()


def _mark_manipulations(world: TerminalWorld[Any], now: RealStep, outcome: int) -> list[int]:
    """By pair, 1 where the agent manipulates if this is the outcome."""
    next_x = take(now.reached.x, now.layer.outcomes[outcome].successor)
    manipulates = world.manipulates(now.step, take(now.layer.states.x, now.row), now.action, next_x)
    return [int(flag) for flag in as_column(manipulates, len(now.action))]
