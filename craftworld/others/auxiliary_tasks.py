"""What the acting agent itself could still do: the tasks that methods for avoiding side effects look at.

Task i pays 1 on attaining a state:  V_i*(s) = gamma^d(s, i),  d the fewest steps, and 0 where it cannot be attained.

| symbol                        | name                                                              |
| ----------------------------- | ----------------------------------------------------------------- |
| F(i)                          | `probability`, uniform over all attainable states unless given    |
| V_i*, R(s; i)                 | `values`                                                          |
| s'_t, the baseline            | `starting_state`, `inaction`, `stepwise_inaction`                 |
| d(s_t; s'_t), the deviation   | `deviation` of a measure: `reachability_lost`, `utility_changed`  |

References: "Be Considerate", section 5 and appendix B; V. Krakovna, L. Orseau, M. Martic, S. Legg, "Penalizing side
effects using stepwise relative reachability", 2019; V. Krakovna et al., "Avoiding side effects by considering future
tasks", 2020; A. Turner, D. Hadfield-Menell, P. Tadepalli, "Conservative agency via attainable utility preservation",
2020.

Choices: the world goes on after the acting agent's episode, by the same rules. The discount of tasks is the world's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from craftworld.scenario import Scenario
from engine.errors import BadValue
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.reachability import Reachability
from engine.mdp.tabulate import ColumnIndex, ColumnStates, tabulate

Numbers = NDArray[np.int32]
Measure = Callable[[Floats, Floats], Floats]
Baseline = Callable[["AuxiliaryTasks"], Numbers]
LARGEST = 50_000


@dataclass(frozen=True)
class AuxiliaryTasks:
    """N tasks in the world that goes on, which has E states.

    values: yields f64[E] for each task. probability: f64[N]. number: int32[S], the acting agent's states in the world
    that goes on. start: the first one's number there; idle: int32[S], where inaction leads.
    """

    values: Callable[[], Iterator[Floats]]
    probability: Floats
    number: Numbers
    start: int
    idle: Numbers

    def with_baseline(self, start: int) -> AuxiliaryTasks:
        """The same with another start state, numbered as in `mdp`."""
        return replace(self, start=int(self.number[start]))

    def expected_value(self, cap: Callable[[Floats, int], Floats] = lambda value, start: value) -> Floats:
        """f64[S]: sum_i F(i) V_i*(s), each value function passed through `cap` (with the start state's number)."""
        answer = np.zeros(len(self.number))
        for chance, value in zip(self.probability, self.values(), strict=True):
            answer += chance * cap(value, self.start)[self.number]
        return answer

    def deviation(self, mdp: TabularMDP, measure: Measure, baseline: Numbers) -> Floats:
        """f64[S, A, K]: sum_i F(i) measure(V_i*(s'), V_i*(b)).

        mdp: the acting agent's table. baseline: int32[S], b for every state acted in.
        """
        arrived = self.number[mdp.next_state]
        origin = np.broadcast_to(baseline[:, None, None], arrived.shape)
        pairs, which = np.unique(np.stack([arrived.ravel(), origin.ravel()]), axis=1, return_inverse=True)
        total = np.zeros(pairs.shape[1])
        for chance, value in zip(self.probability, self.values(), strict=True):
            total += chance * measure(value[pairs[0]], value[pairs[1]])
        answer: Floats = total[which.reshape(-1)].reshape(arrived.shape)
        answer[mdp.terminal] = 0.0
        return answer


def reachability_lost(value: Floats, baseline: Floats) -> Floats:
    """max(R(b; i) - R(s; i), 0): only what can no longer be attained counts (relative reachability)."""
    return np.maximum(baseline - value, 0.0)


def utility_changed(value: Floats, baseline: Floats) -> Floats:
    """|V_i(s) - V_i(b)|: losing and gaining value count alike (attainable utility preservation)."""
    return np.abs(value - baseline)


def starting_state(future: AuxiliaryTasks) -> Numbers:
    """The state in which the episode began."""
    return np.full(len(future.number), future.start, dtype=np.int32)


def inaction(future: AuxiliaryTasks) -> Numbers:
    """The state in which the world would be by now, had the agent done nothing since the beginning.

    Defined for worlds that are at rest then; in others that state depends on the time. BadValue there.
    """
    at_start = np.flatnonzero(future.number == future.start)
    if len(at_start) and future.idle[at_start[0]] != future.start:
        raise BadValue(
            "the inaction baseline depends on time here, for the world moves by itself",
            place="inaction",
            remedy="use the starting-state or stepwise-inaction baseline",
        )
    return starting_state(future)


def stepwise_inaction(future: AuxiliaryTasks) -> Numbers:
    """The state that doing nothing instead of this action would lead to."""
    return future.idle


class _Unending:
    """A scenario whose episodes never end."""

    def __init__(self, scenario: Scenario) -> None:
        self.actions, self.sizes = scenario.actions, scenario.sizes
        self.starts, self.step, self.reward = scenario.starts, scenario.step, scenario.reward

    def is_terminal(self, state: Any) -> Any:
        return np.zeros(np.shape(state[0]), dtype=np.bool_)


def auxiliary_tasks(scenario: Scenario, mdp: TabularMDP, tasks: Mapping[Any, float] | None = None) -> AuxiliaryTasks:
    """The acting agent's tasks. tasks: state -> F(i), by default uniform over every state that can be attained."""
    world = tabulate(_Unending(scenario), 1.0)
    if len(world.states) > LARGEST:
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

    number = world.index.numbers(columns)
    idle = world.index.numbers(scenario.inaction(columns))
    return AuxiliaryTasks(values, probability, number, int(number[mdp.start_states()[0]]), idle)


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
