"""Auxiliary tasks: what the acting agent itself could still attain, as methods for avoiding side effects look at it.

Task i rewards attaining a state with 1:  V_i*(s) = gamma^d(s, i),  d the fewest steps, and 0 if it cannot be attained.

| symbol                        | name                                                              |
| ----------------------------- | ----------------------------------------------------------------- |
| F(i)                          | `probability`, uniform over all attainable states unless given    |
| V_i*, R(s; i)                 | `values`                                                          |
| s'_t, the baseline            | `starting_state`, `inaction`, `stepwise_inaction`                 |
| d(s_t; s'_t), the deviation   | `deviation` of a measure: `reachability_lost`, `utility_changed`  |

References: "Be Considerate", section 5 and appendix B; V. Krakovna, L. Orseau, M. Martic, S. Legg, "Penalizing side
effects using stepwise relative reachability", 2019; V. Krakovna et al., "Avoiding side effects by considering tasks
tasks", 2020; A. Turner, D. Hadfield-Menell, P. Tadepalli, "Conservative agency via attainable utility preservation",
2020.

Choices: the world continues after the acting agent's episode, by the same rules. The discount of tasks is the world's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from craftworld.scenario import Scenario
from engine.errors import BadValue
from engine.mdp.codes import ColumnIndex, ColumnStates
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.reachability import Reachability
from engine.mdp.tabulate import tabulate

StateIndices = NDArray[np.int32]
DeviationMeasure = Callable[[Floats, Floats], Floats]
Baseline = Callable[["AuxiliaryTasks"], StateIndices]
MOST_STATES = 50_000


@dataclass(frozen=True)
class AuxiliaryTasks:
    """N tasks in the world without terminal states, which has E states.

    values: yields the optimal values f64[E] of each task. probability: f64[N]. state_index: int32[S], the index among
    the E states of each of the acting agent's. start_index: that of the start state. after_inaction: int32[S], that of
    the state which inaction leads to.
    """

    values: Callable[[], Iterator[Floats]]
    probability: Floats
    state_index: StateIndices
    start_index: int
    after_inaction: StateIndices

    def with_baseline(self, start: int) -> AuxiliaryTasks:
        """The same with another start state, numbered as in the acting agent's table."""
        return replace(self, start_index=int(self.state_index[start]))

    def expected_value(self, cap: Callable[[Floats, int], Floats] = lambda value, start: value) -> Floats:
        """f64[S]: sum_i F(i) V_i*(s), each value function passed through `cap` (with the start state's index)."""
        result = np.zeros(len(self.state_index))
        for chance, value in zip(self.probability, self.values(), strict=True):
            result += chance * cap(value, self.start_index)[self.state_index]
        return result

    def deviation(self, mdp: TabularMDP, measure: DeviationMeasure, baseline: StateIndices) -> Floats:
        """f64[S, A, K]: sum_i F(i) measure(V_i*(s'), V_i*(b)).

        mdp: the acting agent's table. baseline: int32[S], b for every state acted in.
        """
        arrived = self.state_index[mdp.next_state]
        origin = np.broadcast_to(baseline[:, None, None], arrived.shape)
        pairs, which = np.unique(np.stack([arrived.ravel(), origin.ravel()]), axis=1, return_inverse=True)
        total = np.zeros(pairs.shape[1])
        for chance, value in zip(self.probability, self.values(), strict=True):
            total += chance * measure(value[pairs[0]], value[pairs[1]])
        result: Floats = total[which.reshape(-1)].reshape(arrived.shape)
        result[mdp.terminal] = 0.0
        return result


def reachability_lost(value: Floats, baseline: Floats) -> Floats:
    """max(R(b; i) - R(s; i), 0): only what can no longer be attained counts (relative reachability)."""
    return np.maximum(baseline - value, 0.0)


def utility_changed(value: Floats, baseline: Floats) -> Floats:
    """|V_i(s) - V_i(b)|: losing and gaining value count alike (attainable utility preservation)."""
    return np.abs(value - baseline)


def starting_state(tasks: AuxiliaryTasks) -> StateIndices:
    """The state in which the episode began."""
    return np.full(len(tasks.state_index), tasks.start_index, dtype=np.int32)


def inaction(tasks: AuxiliaryTasks) -> StateIndices:
    """The state in which the world would be by now, had the agent done nothing since the beginning.

    Defined for worlds that do not move by themselves; in others that state depends on the time. BadValue there.
    """
    at_start = np.flatnonzero(tasks.state_index == tasks.start_index)
    if len(at_start) and tasks.after_inaction[at_start[0]] != tasks.start_index:
        raise BadValue(
            "the inaction baseline depends on time, for the world moves by itself",
            place="inaction",
            remedy="use the starting-state or stepwise-inaction baseline",
        )
    return starting_state(tasks)


def stepwise_inaction(tasks: AuxiliaryTasks) -> StateIndices:
    """The state that doing nothing instead of this action would lead to."""
    return tasks.after_inaction


class _WithoutEnd:
    """A scenario whose episodes never end."""

    def __init__(self, scenario: Scenario) -> None:
        self.actions, self.sizes = scenario.actions, scenario.sizes
        self.starts, self.step, self.reward = scenario.starts, scenario.step, scenario.reward

    def is_terminal(self, state: Any) -> Any:
        return np.zeros(np.shape(state[0]), dtype=np.bool_)


def auxiliary_tasks(scenario: Scenario, mdp: TabularMDP, tasks: Mapping[Any, float] | None = None) -> AuxiliaryTasks:
    """The acting agent's tasks. tasks: state -> F(i), by default uniform over every state that can be attained."""
    world = tabulate(_WithoutEnd(scenario), 1.0)
    if len(world.states) > MOST_STATES:
        raise BadValue(f"{len(world.states)} states", place=scenario.name, remedy="draw a smaller map")
    assert isinstance(mdp.states, ColumnStates)
    assert isinstance(world.index, ColumnIndex)
    columns = mdp.states.columns()
    goals, probability = _tasks(world, tasks)
    reachability = Reachability(world)

    def values() -> Iterator[Floats]:
        for goal in goals:
            steps = reachability.steps_to(int(goal))
            yield np.where(steps >= 0, mdp.discount ** np.maximum(steps, 0), 0.0)

    state_index = world.index.numbers(columns)
    after_inaction = world.index.numbers(scenario.inaction(columns))
    start_index = int(state_index[mdp.start_states()[0]])
    return AuxiliaryTasks(values, probability, state_index, start_index, after_inaction)


def _tasks(world: TabularMDP, tasks: Mapping[Any, float] | None) -> tuple[NDArray[np.int64], Floats]:
    """Goal states' numbers and F(i)."""
    if tasks is None:
        count = len(world.states)
        return np.arange(count), np.full(count, 1.0 / count)
    unknown = [state for state in tasks if state not in world.index]
    if unknown or not tasks:
        culprit = f"{unknown[0]} cannot be attained" if unknown else "no tasks"
        raise BadValue(culprit, place="tasks", remedy="give states that can be attained")
    return np.array([world.index[state] for state in tasks]), np.array(list(tasks.values()), dtype=np.float64)
