"""Baselines of doing nothing, since the start or from now on, with which a step is compared.

Inaction since the start. The baseline is the state in which the world would be, had the agent done nothing:

    b(0) = s(0),  b(t) what doing nothing in b(t - 1) leads to;  a step from s(t-1) to s(t) is compared with b(t)

In a world at rest b(t) is the start state. In a world that moves by itself b(t) depends on the time alone, not on what
the agent does, so that (s, b) is a state of a decision process again: `WithInactionPast`.

Inaction rollouts. A state is worth what doing nothing from it on would lead to, discounted:

    X'(s) = (1 - y) sum over k >= 0 of y^k E X(S_k),   S_0 = s,  S_{k+1} what doing nothing in S_k leads to

In a world at rest X' is X. In a world that moves by itself, later effects of an action are counted at once, so that
they need not be set right afterwards.

References: V. Krakovna et al., "Penalizing side effects using stepwise relative reachability", 2019, section 2; A.
Turner et al., "Conservative agency via attainable utility preservation", 2020.

Choices: where doing nothing has a random result, b(t) is random too, in a world of its own that nobody sees. It is
then refused. The discount y of rollouts is that of the table, and 0.99 where that is 1.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from craftworld.others.auxiliary_tasks import AuxiliaryTasks, make_auxiliary_tasks, starting_state
from craftworld.scenario import Demonstration, Newcomer, Option, Scenario, SimultaneousAgent
from engine.contracts import call_method
from engine.errors import BadValue
from engine.grid import Cell
from engine.mdp.columns import ColumnStates, IndependentEvents, read_branches
from engine.mdp.mdp import Floats, TabularMDP
from engine.mdp.policies import RandomStates
from engine.scene import Scene

PAST_FIELD = "inaction_past"
LONGEST_PAST = 10_000
COPIED_DECLARATIONS = (
    *("grid", "moves", "actions", "discount", "time_limit", "default_formulation", "learning", "problem", "chance"),
    *("hidden", "replay_only"),
)


@dataclass(frozen=True)
class TasksSinceStart(AuxiliaryTasks):
    """Auxiliary tasks, and for each state of the acting agent b after the next step; None in a world at rest."""

    after_inaction_since_start: RandomStates | None = None

    @classmethod
    def make(cls, scenario: Scenario, mdp: TabularMDP) -> TasksSinceStart:
        return make_tasks_since_start(scenario, mdp)

    @classmethod
    def plan_in(cls, scenario: Scenario) -> Scenario:
        return add_inaction_past(scenario)


def inaction(tasks: TasksSinceStart) -> RandomStates:
    """Return what the next step is compared with, for every state acted in."""
    past = tasks.after_inaction_since_start
    return starting_state(tasks) if past is None else past


def make_tasks_since_start(scenario: Scenario, mdp: TabularMDP) -> TasksSinceStart:
    """Return the tasks of a scenario that `add_inaction_past` gave, on its table."""
    if not isinstance(scenario, WithInactionPast):
        tasks = make_auxiliary_tasks(scenario, mdp)
        return TasksSinceStart(**{field.name: getattr(tasks, field.name) for field in fields(tasks)})
    assert isinstance(mdp.states, ColumnStates)
    columns = mdp.states.columns()
    tasks = make_auxiliary_tasks(scenario.inner, mdp, columns=scenario.inner_state(columns))
    known = {field.name: getattr(tasks, field.name) for field in fields(tasks)}
    past = tasks.numbers(scenario.past)[scenario.next_past[columns[-1]]]
    return TasksSinceStart(**known, after_inaction_since_start=RandomStates(past[:, None], np.ones((len(past), 1))))


def add_inaction_past(scenario: Scenario, stops: bool | None = None) -> Scenario:
    """Return the scenario with b as part of its state; itself where it is at rest.

    stops: whether doing nothing stops at the state before an episode's end, or at the end; by default the world goes on
    after it. BadValue where doing nothing has a random result, and where b goes on changing for too long.
    """
    starts = [state for state, chance in call_method(scenario, "starts").items() if chance > 0.0]
    number = dict[Any, int]()
    following = list[int]()
    for start in starts:
        state = start
        while state not in number:
            number[state] = len(number)
            following.append(-1)
            after = _step_without_action(scenario, state, stops)
            if len(number) > LONGEST_PAST:
                remedy = "use the starting-state or stepwise-inaction baseline"
                problem = f"the inaction baseline takes more than {LONGEST_PAST:,} states"
                raise BadValue(problem, place=scenario.name, remedy=remedy)
            following[number[state]] = number.get(after, len(number))
            state = after
    if following == list(range(len(number))):
        return scenario
    return WithInactionPast(scenario, list(number), np.array(following), stops)


def _step_without_action(scenario: Scenario, state: Any, stops: bool | None) -> Any:
    columns = type(state)(*(np.array([field], dtype=np.int64) for field in state))
    if stops is not None and np.all(call_method(scenario, "is_terminal", columns)):
        return state
    listed = read_branches(call_method(scenario, "inaction", columns), 1, scenario, "inaction")
    possible = [branch.state for branch in listed if branch.probability[0] > 0.0]
    if len(possible) > 1:
        raise BadValue(
            "the inaction baseline is random, for chance decides what doing nothing leads to",
            place=scenario.name,
            remedy="use the starting-state or stepwise-inaction baseline",
        )
    if stops and np.all(call_method(scenario, "is_terminal", possible[0])):
        return state
    return type(state)(*(int(field[0]) for field in possible[0]))


class WithInactionPast(Scenario):
    """A scenario whose state has one more field: the number of b among the states that doing nothing passes.

    inner: the scenario. past: those states. next_past: int64[len(past)], the number that follows each. stops: as above.
    """

    def __init__(
        self, inner: Scenario, past: list[Any], next_past: NDArray[np.int64], stops: bool | None = None
    ) -> None:
        self.__wrapped__ = self.inner = inner
        self.past, self.next_past, self.stops = past, next_past, stops
        for name in COPIED_DECLARATIONS:
            setattr(self, name, getattr(inner, name))
        self.sizes = (*inner.sizes, len(past))
        self._kind = type(past[0])
        self._state: Any = namedtuple(f"{self._kind.__name__}WithPast", [*self._kind._fields, PAST_FIELD])  # type: ignore[misc]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    @property
    def name(self) -> str:
        return self.inner.name

    def inner_state(self, state: Any) -> Any:
        """Return the state without its past: of one state, or of columns."""
        return self._kind(*state[:-1])

    def observe(self, state: Any) -> tuple[Any, ...]:
        return (*self.inner.observe(self.inner_state(state)), state[-1])

    def _join_past(self, state: Any, past: Any) -> Any:
        return self._state(*state, past)

    def _advance_past(self, outcome: Any, past: Any) -> Any:
        """Join the result of `step` or `inaction` with the past that follows."""
        following = self.next_past[past]
        if isinstance(outcome, IndependentEvents):
            outcome = list(outcome)
        if hasattr(outcome, "_fields"):
            return self._join_past(outcome, following)
        return [(chance, self._join_past(state, following), *name) for chance, state, *name in outcome]

    def starts(self) -> Mapping[Any, float]:
        number = {state: index for index, state in enumerate(self.past)}
        return {self._join_past(state, number[state]): p for state, p in self.inner.starts().items() if p > 0.0}

    def start_names(self) -> Mapping[Any, str]:
        names = self.inner.start_names()
        return {state: names[self.inner_state(state)] for state in self.starts()}

    def step(self, state: Any, action: int) -> Any:
        return self._advance_past(self.inner.step(self.inner_state(state), action), state[-1])

    def inaction(self, state: Any) -> Any:
        return self._advance_past(self.inner.inaction(self.inner_state(state)), state[-1])

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        return self.inner.reward(self.inner_state(state), action, self.inner_state(next_state))

    def performance(self, state: Any, action: int, next_state: Any) -> Any:
        return self.inner.performance(self.inner_state(state), action, self.inner_state(next_state))

    def actual_action(self, state: Any, action: int, next_state: Any) -> int:
        return self.inner.actual_action(self.inner_state(state), action, self.inner_state(next_state))

    def is_terminal(self, state: Any) -> Any:
        return self.inner.is_terminal(self.inner_state(state))

    def available(self, state: Any, action: int) -> Any:
        return self.inner.available(self.inner_state(state), action)

    def ends(self, state: Any, action: int, next_state: Any) -> Any:
        return self.inner.ends(self.inner_state(state), action, self.inner_state(next_state))

    def next_episode(self, last_state: Any) -> Scenario:
        return add_inaction_past(self.inner.next_episode(self.inner_state(last_state)), self.stops)

    def demonstrations(self) -> tuple[Demonstration, ...]:
        return self.inner.demonstrations()

    def newcomers(self) -> tuple[Newcomer, ...]:
        return self.inner.newcomers()

    def handover(self, state: Any, newcomer: Newcomer) -> Any:
        return self.inner.handover(self.inner_state(state), newcomer)

    def simultaneous_agents(self) -> tuple[SimultaneousAgent, ...]:
        def adapt(reward: Any) -> Any:
            return lambda state, action, after: reward(self.inner_state(state), action, self.inner_state(after))

        return tuple(agent._replace(reward=adapt(agent.reward)) for agent in self.inner.simultaneous_agents())

    def options(self) -> tuple[Option, ...]:
        def adapt(function: Any) -> Any:
            return None if function is None else lambda state: function(self.inner_state(state))

        return tuple(
            option._replace(initiation_set=adapt(option.initiation_set), value=adapt(option.value))
            for option in self.inner.options()
        )

    def scene(self, state: Any) -> Scene:
        return self.inner.scene(self.inner_state(state))

    def board(self, state: Any) -> tuple[str, ...]:
        return self.inner.board(self.inner_state(state))

    def side_information(self, state: Any) -> dict[str, Any]:
        return self.inner.side_information(self.inner_state(state))

    def describe(self, state: Any) -> dict[str, Any]:
        return self.inner.describe(self.inner_state(state))

    def position(self, state: Any) -> Cell | None:
        return self.inner.position(self.inner_state(state))

    def with_agent_at(self, state: Any, cell: Cell) -> Any:
        moved = self.inner.with_agent_at(self.inner_state(state), cell)
        return None if moved is None else self._join_past(moved, state[-1])


DISCOUNT_IN_PLACE_OF_1 = 0.99
NEGLIGIBLE = 1e-17


def roll_out_inaction(tasks: AuxiliaryTasks, discount: float) -> AuxiliaryTasks:
    """Return the same tasks, each value function replaced by its mean over the rollouts."""
    roll = make_rollouts(tasks.inaction_everywhere(), DISCOUNT_IN_PLACE_OF_1 if discount >= 1.0 else discount)
    return replace(tasks, values=lambda: map(roll, tasks.values()))


def make_rollouts(inaction: RandomStates, discount: float) -> Callable[[Floats], Floats]:
    """From values f64[E] to their means over rollouts, f64[E]. inaction: of each of the E states. discount: below 1."""
    if inaction.number.shape[1] > 1:
        return _make_random_rollouts(inaction, discount)
    jumps = [inaction.number[:, 0]]
    weights = [discount]
    while weights[-1] > NEGLIGIBLE:  # 1, 2, 4, ... steps of doing nothing
        jumps.append(jumps[-1][jumps[-1]])
        weights.append(weights[-1] ** 2)

    def roll(value: Floats) -> Floats:
        result = (1.0 - discount) * value
        for jump, weight in zip(jumps, weights, strict=True):
            result = result + weight * result[jump]
        return result

    return roll


def _make_random_rollouts(inaction: RandomStates, discount: float) -> Callable[[Floats], Floats]:
    """X' solves X' = (1 - y) X + y P X'."""
    from scipy.sparse import csc_matrix, identity
    from scipy.sparse.linalg import splu

    count, width = inaction.number.shape
    origin = np.repeat(np.arange(count), width)
    chain = csc_matrix((inaction.probability.ravel(), (origin, inaction.number.ravel())), shape=(count, count))
    solver = splu((identity(count, format="csc") - discount * chain).tocsc())
    return lambda value: np.asarray(solver.solve((1.0 - discount) * value))
