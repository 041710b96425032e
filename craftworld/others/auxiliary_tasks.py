"""Auxiliary tasks: what the acting agent itself could still attain, as methods for avoiding side effects measure it.

Task i rewards attaining a state with 1:  V_i*(s) = max E gamma^T,  T the number of steps to state i, and 0 if it cannot
be attained; where nothing depends on chance, T is the fewest steps.

| symbol                        | name                                                              |
| ----------------------------- | ----------------------------------------------------------------- |
| F(i)                          | `probability`, uniform over all attainable states by default     |
| V_i*, R(s; i)                 | `values`                                                          |
| s'_t, the baseline            | `starting_state`, `inaction`, `stepwise_inaction`                 |
| d(s_t; s'_t), the deviation   | `deviation` of a measure: `reachability_loss`, `utility_change`  |

References: "Be Considerate", section 5 and appendix B; V. Krakovna, L. Orseau, M. Martic, S. Legg, "Penalizing side
effects using stepwise relative reachability", 2019; V. Krakovna et al., "Avoiding side effects by considering future
tasks", 2020; A. Turner, D. Hadfield-Menell, P. Tadepalli, "Conservative agency via attainable utility preservation",
2020.

Choices: the world continues after the acting agent's episode, by the same rules; a state without any available action
stays as it is. The discount of tasks is the world's. Tasks are to attain what actions can attain; a baseline may be a
state to which only doing nothing leads, and from there on one acts. Where doing nothing has a random result, a
deviation is the mean over the states that it may lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from craftworld.others.other_agents import TooManyTasks, WeighedDistribution
from craftworld.scenario import Scenario
from engine.contracts import call_method
from engine.errors import BadValue
from engine.mdp.columns import ColumnIndex, ColumnStates, read_branches
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.policies import RandomStates
from engine.mdp.reachability import Reachability
from engine.mdp.tabulate import tabulate
from engine.planning import kernels

StateIndices = NDArray[np.int32]
DeviationMeasure = Callable[[Floats, Floats], Floats]
MOST_TASKS, MOST_TASKS_WITH_CHANCE = 50_000, 2_000
SETTLED = 1e-13
MOST_SWEEPS = 100_000


@dataclass(frozen=True)
class AuxiliaryTasks(WeighedDistribution):
    """N tasks in the world without terminal states, which has E states, also those that only inaction attains.

    values: yields the optimal values f64[E] of each task; TooManyTasks where that would take hours. probability:
    f64[N]. state_index: int32[S], the index of each of the acting agent's states among the E. start_index: of the start
    state. after_inaction: for each of the acting agent's states the indices of those to which inaction may lead.
    inaction_everywhere: the same for each of the E states, computed when it is called. index: state -> its index among
    the E.
    """

    requirement: ClassVar[str] = "auxiliary tasks"
    concerns_others: ClassVar[bool] = False  # they are what the agent itself could still attain
    most_states: ClassVar[int | None] = MOST_TASKS

    values: Callable[[], Iterator[Floats]]
    probability: Floats
    state_index: StateIndices
    start_index: int
    after_inaction: RandomStates
    inaction_everywhere: Callable[[], RandomStates]
    index: ColumnIndex

    @classmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> AuxiliaryTasks:
        return make_auxiliary_tasks(scenario, mdp)

    def numbers(self, states: Sequence[Any]) -> StateIndices:
        """int32[n]: the indices of single states among the E states."""
        return np.array([self.index[state] for state in states], dtype=np.int32)

    def with_baseline(self, start: int) -> AuxiliaryTasks:
        """Return the same with another start state, numbered as in the acting agent's table."""
        return replace(self, start_index=int(self.state_index[start]))

    def compute_expected_value(self, cap: Callable[[Floats, int], Floats] = lambda value, start: value) -> Floats:
        """f64[S]: sum_i F(i) V_i*(s), each value function passed through `cap` (with the start state's index)."""
        result = np.zeros(len(self.state_index))
        for chance, value in zip(self.probability, self.values(), strict=True):
            result += chance * cap(value, self.start_index)[self.state_index]
        return result

    def deviation(self, mdp: TabularMDP, measure: DeviationMeasure, baseline: RandomStates) -> Floats:
        """f64[S, A, K]: E_b sum_i F(i) measure(V_i*(s'), V_i*(b)).

        mdp: the acting agent's table. baseline: b for every state acted in.
        """
        each = np.stack([self._deviation(mdp, measure, column) for column in baseline.number.T], axis=-1)
        return np.asarray((each * baseline.probability[:, None, None, :]).sum(axis=-1))

    def _deviation(self, mdp: TabularMDP, measure: DeviationMeasure, baseline: StateIndices) -> Floats:
        arrived = self.state_index[mdp.next_state]
        origin = np.broadcast_to(baseline[:, None, None], arrived.shape)
        pairs, which = np.unique(np.stack([arrived.ravel(), origin.ravel()]), axis=1, return_inverse=True)
        total = np.zeros(pairs.shape[1])
        for chance, value in zip(self.probability, self.values(), strict=True):
            total += chance * measure(value[pairs[0]], value[pairs[1]])
        result: Floats = total[which.reshape(-1)].reshape(arrived.shape)
        result[mdp.terminal] = 0.0
        return result


def reachability_loss(value: Floats, baseline: Floats) -> Floats:
    """max(R(b; i) - R(s; i), 0): only what can no longer be attained counts (relative reachability)."""
    return np.maximum(baseline - value, 0.0)


def utility_change(value: Floats, baseline: Floats) -> Floats:
    """|V_i(s) - V_i(b)|: losing and gaining value count alike (attainable utility preservation)."""
    return np.abs(value - baseline)


def starting_state(tasks: AuxiliaryTasks) -> RandomStates:
    """Return the state in which the episode began."""
    shape = (len(tasks.state_index), 1)
    return RandomStates(np.full(shape, tasks.start_index, dtype=np.int32), np.ones(shape))


def stepwise_inaction(tasks: AuxiliaryTasks) -> RandomStates:
    """Return the states that doing nothing instead of this action may lead to."""
    return tasks.after_inaction


class _WithoutEnd:
    """A scenario whose episodes never end."""

    def __init__(self, scenario: Scenario) -> None:
        self.__wrapped__ = scenario
        self.actions = scenario.actions
        self.sizes = scenario.sizes
        self.starts, self.step, self.reward = scenario.starts, scenario.step, scenario.reward
        self.available = scenario.available

    def is_terminal(self, state: Any) -> Any:
        able: NDArray[np.bool_] = np.zeros(np.shape(state[0]), dtype=np.bool_)
        for action in range(len(self.actions)):
            able |= self.available(state, action)
        return ~able


def make_auxiliary_tasks(
    scenario: Scenario, mdp: TabularMDP, tasks: Mapping[Any, float] | None = None, columns: Any = None
) -> AuxiliaryTasks:
    """Make the acting agent's tasks.

    tasks: state -> F(i), by default uniform over every state that can be attained. columns: the scenario's states in
    which the acting agent is in each of the table's, by default those themselves.
    """
    world, attained = _tabulate_task_world(scenario)
    assert isinstance(mdp.states, ColumnStates)
    assert isinstance(world.index, ColumnIndex)
    assert isinstance(world.states, ColumnStates)
    columns = mdp.states.columns() if columns is None else columns
    goals, probability = _number_goals(world, attained, tasks)
    state_index = world.index.numbers(columns)
    index = world.index
    everywhere = world.states.columns()
    after_inaction = tabulate_inaction(scenario, columns, index)
    start_index = int(state_index[mdp.start_states()[0]])
    values = (
        _make_step_solver(world, mdp.discount) if world.is_deterministic else _make_chance_solver(world, mdp.discount)
    )

    def solve() -> Iterator[Floats]:
        if not world.is_deterministic and len(world.states) > MOST_TASKS_WITH_CHANCE:
            remedy = (
                "ask for care=0, which weighs none of them, or draw a smaller map: "
                f"a task per state is solved, for {MOST_TASKS_WITH_CHANCE:,} at most"
            )
            raise TooManyTasks(f"{len(world.states):,} states, with chance", place=scenario.name, remedy=remedy)
        return map(values, goals)

    return AuxiliaryTasks(
        solve,
        probability,
        state_index,
        start_index,
        after_inaction,
        lambda: tabulate_inaction(scenario, everywhere, index),
        index,
    )


def _tabulate_task_world(scenario: Scenario) -> tuple[TabularMDP, StateIndices]:
    """Tabulate the world without terminal states, and number its states that actions attain.

    The other states are those to which doing nothing leads, and their successors: a baseline may be one of them.
    """
    world = tabulate(_WithoutEnd(scenario), 1.0, most_states=MOST_TASKS)
    assert isinstance(world.states, ColumnStates)
    starts = dict(call_method(scenario, "starts"))
    first = world.states.columns()
    while True:
        assert isinstance(world.states, ColumnStates)
        assert isinstance(world.index, ColumnIndex)
        idle, number, probability = _branch_inaction(scenario, world.states.columns(), world.index)
        beyond = (number < 0) & (probability > 0.0)
        more = {
            state for n, branch in enumerate(idle) for state in _list_states(branch.state, np.flatnonzero(beyond[:, n]))
        }
        if not more:
            return world, world.index.numbers(first)
        starts |= dict.fromkeys(sorted(more), 0.0)
        world = tabulate(_WithoutEnd(scenario), 1.0, starts, MOST_TASKS)


def tabulate_inaction(scenario: Scenario, columns: Any, index: ColumnIndex) -> RandomStates:
    """Tabulate the states to which doing nothing leads; BadValue where one is not in the table."""
    idle, number, probability = _branch_inaction(scenario, columns, index)
    lost = np.argwhere((number < 0) & (probability > 0.0))
    if len(lost):
        state, branch = lost[0]
        [culprit] = _list_states(idle[branch].state, [state])
        remedy = "let the agent do nothing, such as by the option noop=yes, or choose another baseline"
        raise BadValue(f"doing nothing leads to {culprit}, and no action does", place=scenario.name, remedy=remedy)
    return RandomStates(np.maximum(number, 0), probability)


def _branch_inaction(
    scenario: Scenario, columns: Any, index: ColumnIndex
) -> tuple[Sequence[Any], StateIndices, Floats]:
    """Return the branches of doing nothing, their states' numbers (-1 outside of the table) and probabilities."""
    idle = read_branches(call_method(scenario, "inaction", columns), len(columns[0]), scenario, "inaction")
    number = np.stack([index.numbers(branch.state, "inaction") for branch in idle], axis=1)
    return idle, number, np.stack([branch.probability for branch in idle], axis=1)


def _list_states(columns: Any, rows: Iterable[int]) -> list[Any]:
    """Single states of columns."""
    return [type(columns)(*(int(field[row]) for field in columns)) for row in rows]


def _make_step_solver(world: TabularMDP, discount: float) -> Callable[[int], Floats]:
    """Make a function goal -> V_i*, f64[E], by the fewest steps."""
    reachability = Reachability(world)
    value_at = np.append(discount ** np.arange(len(world.states)), 0.0)  # the last one, of -1 steps: no way leads there

    def values(goal: int) -> Floats:
        found: Floats = value_at[reachability.steps_to(int(goal))]
        return found

    return values


def _make_chance_solver(world: TabularMDP, discount: float) -> Callable[[int], Floats]:
    """Make a function goal -> V_i*, f64[E], by value iteration from below: at discount 1 the least solution."""
    nothing = np.zeros(world.reward.shape)
    order = np.arange(len(world.states))

    def values(goal: int) -> Floats:
        value = np.zeros(len(world.states))
        terminal = world.terminal.copy()
        value[goal], terminal[goal] = 1.0, True
        for _ in range(MOST_SWEEPS):
            arrays = world.next_state, world.probability, nothing, terminal
            if kernels.sweep(*arrays, discount, value, order) <= SETTLED:
                break
        return value

    return values


def _number_goals(
    world: TabularMDP, attained: StateIndices, tasks: Mapping[Any, float] | None
) -> tuple[NDArray[np.int32], Floats]:
    """Goal states' numbers and F(i)."""
    if tasks is None:
        return attained, np.full(len(attained), 1.0 / len(attained))
    numbers = np.array([world.index.get(state, -1) for state in tasks], dtype=np.int32)
    unknown = [state for state, known in zip(tasks, np.isin(numbers, attained), strict=True) if not known]
    if unknown or not tasks:
        culprit = f"{unknown[0]} cannot be attained" if unknown else "no tasks"
        raise BadValue(culprit, place="tasks", remedy="give states that can be attained")
    return numbers, np.array(list(tasks.values()), dtype=np.float64)
