"""Worlds that several agents share: within a time step all of them act ("Be Considerate", section 3.3, Eq 6).

A class says what one agent's action does (`act`), what each is rewarded with (`agent_reward`) and, optionally, what
those who are not planned for do (`policy`). What follows from it:

    planner "first"   the acting agent plans, the others follow their policies, which are part of `step`
    planner "all"     one planner acts for everybody: an action is one action of each

In both the others' rewards are those of `simultaneous_agents`, so that every formulation of Eq 6, every solver, sweep,
map of coefficients and film applies. What each agent's own planning leads to is
`engine.planning.games`, on the game of `craftworld.shared_game`.

Choices: what is chosen in a time step takes effect in the agents' order, so that a conflict goes to whoever is listed
first; once a state is terminal, nobody acts any more. Rewards are functions of the state and the next state alone.
"""

from __future__ import annotations

import copy
import itertools
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from craftworld.scenario import Scenario, SimultaneousAgent, where
from engine.contracts import refuse
from engine.errors import BadValue, UnknownName
from engine.grid import GridMap

FIRST, ALL = "first", "all"
WAIT = 0
BETWEEN = " | "
MOST_JOINT_ACTIONS = 4096
SEVERAL = 2


class SharedScenario(Scenario):
    """A world of several agents who act at once; n states at once, as in every scenario.

    A subclass declares agents: their names, the acting agent first. agent_actions: what each of them can do, waiting
    first. The rest as in `Scenario`, without `actions`, `step` and `reward`, which follow.
    """

    default_formulation = "simultaneous"
    agents: ClassVar[tuple[str, ...]]
    agent_actions: ClassVar[tuple[str, ...]]

    def __init__(self, grid: GridMap | None = None, *, planner: str = FIRST, **more: Any) -> None:
        """planner: "first" or "all". more: of the other base class, where there is one.

        Raises UnknownName for another planner, BadValue for too many joint actions.
        """
        super().__init__(grid, **more)
        self._plan_for(planner)

    def _plan_for(self, planner: str) -> None:
        for name in ("agents", "agent_actions"):
            words = getattr(self, name, None)
            if not isinstance(words, tuple) or len(words) < SEVERAL or len({*map(str, words)}) < len(words):
                refuse(self, name, words, "a tuple of two different words or more")
        if planner not in (FIRST, ALL):
            raise UnknownName("planner", planner, (FIRST, ALL), place=type(self).__name__)
        self.planner, self.actions = planner, self.agent_actions
        if planner == FIRST:
            return
        count = len(self.agent_actions) ** len(self.agents)
        if count > MOST_JOINT_ACTIONS:
            raise BadValue(
                f"{len(self.agents)} agents of {len(self.agent_actions)} actions have {count:,} joint actions",
                place=type(self).__name__,
                remedy=f"plan for the first agent alone, or for fewer agents: at most {MOST_JOINT_ACTIONS:,}",
            )
        self.actions = tuple(map(BETWEEN.join, itertools.product(self.agent_actions, repeat=len(self.agents))))

    def planned_for_all(self) -> Self:
        """The same world, with one planner for everybody."""
        twin = copy.copy(self)
        twin._plan_for(ALL)
        return twin

    @abstractmethod
    def act(self, state: Any, agent: int, action: Any) -> Any:
        """The states after one agent's actions, int[n], as `step` gives them; what is impossible changes nothing."""

    @abstractmethod
    def agent_reward(self, agent: int, state: Any, next_state: Any) -> Any:
        """What a time step gives an agent, a number or f64[n]."""

    def policy(self, agent: int, state: Any, so_far: Any) -> Any:
        """int[n]: what an agent that is not planned for does; it waits by default.

        state: at the beginning of the time step. so_far: what those who act before it in this step leave.
        """
        return _all_alike(state, WAIT)

    def step(self, state: Any, action: int) -> Any:
        count = len(self.agents)
        if self.planner == ALL:
            chosen = np.unravel_index(action, (len(self.agent_actions),) * count)
            return self.together(state, lambda agent, so_far: _all_alike(state, int(chosen[agent])))
        return self.together(
            state, lambda agent, so_far: self.policy(agent, state, so_far) if agent else _all_alike(state, action)
        )

    def together(self, state: Any, choice: Callable[[int, Any], Any]) -> Any:
        """The states after everybody has acted, as `step` gives them. choice: (agent, states so far) -> int[n]."""
        branches: list[tuple[Any, Any]] = [(1.0, state)]
        for agent in range(len(self.agents)):
            branches = [
                (before * chance, _unless(self.is_terminal(so_far), so_far, after) if agent else after)
                for before, so_far in branches
                for chance, after in _outcomes(self, state, self.act(so_far, agent, choice(agent, so_far)))
            ]
        return branches[0][1] if len(branches) == 1 else branches

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        return self.agent_reward(0, state, next_state)

    def simultaneous_agents(self) -> tuple[SimultaneousAgent, ...]:
        return tuple(
            SimultaneousAgent(name, _reward_of(self, number)) for number, name in enumerate(self.agents[1:], start=1)
        )

    def inaction(self, state: Any) -> Any:
        return self.step(state, WAIT)


def _reward_of(scenario: SharedScenario, agent: int) -> Callable[[Any, int, Any], Any]:
    return lambda state, action, next_state: scenario.agent_reward(agent, state, next_state)


def _all_alike(state: Any, action: int) -> Any:
    """int[n]: the same action in every state."""
    return np.full(np.shape(state[0]), action)


def _outcomes(scenario: SharedScenario, state: Any, acted: Any) -> Sequence[tuple[Any, Any]]:
    """What an action may lead to, as (probability, states); ContractBroken for anything else."""
    listed = acted if isinstance(acted, list) else [(1.0, acted)]
    fits = all(isinstance(each, tuple) and len(each) == 2 and type(each[1]) is type(state) for each in listed)
    if not listed or not fits:
        name = type(state).__name__
        refuse(scenario, "act", acted, f"a {name}, or a list of (probability, {name})")
    return listed


def _unless(over: Any, before: Any, after: Any) -> Any:
    """The states after an action, or as they were where the episode is over."""
    return type(after)(*(where(over, old, new) for old, new in zip(before, after, strict=True)))
