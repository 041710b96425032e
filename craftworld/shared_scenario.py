"""Worlds that several agents share: within a time step all of them act ("Be Considerate", section 3.3, Eq 6).

A class says what one agent's action does (`act`), what each is rewarded with (`agent_reward`) and, optionally, what
those who are not planned for do (`policy`). What follows from it:

    planner "first"   the acting agent plans, the others follow their policies, which are part of `step`
    planner "all"     one planner acts for everybody: an action is one action of each

In both the others' rewards are those of `simultaneous_agents`, so that every formulation of Eq 6, every solver,
sweep, map of coefficients and film applies. What each agent's own planning leads to is `engine.planning.games`, on
the game that this file makes of a shared scenario: each agent's rewards on the table of joint actions, and policies
to begin with.

Choices: what is chosen in a time step takes effect in the agents' order, so that a conflict goes to whoever is
listed first; once a state is terminal, nobody acts any more. Rewards are functions of the state and the next state
alone.
"""

from __future__ import annotations

import copy
import itertools
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from craftworld.others.other_agents import tabulate_simultaneous_rewards
from craftworld.scenario import Scenario, SimultaneousAgent, where
from engine.contracts import refuse
from engine.errors import BadValue, UnknownName
from engine.grid import GridMap
from engine.mdp.columns import ColumnStates
from engine.mdp.mdp import Floats
from engine.mdp.tabulate import tabulate
from engine.planning.dynamic_programming import plan
from engine.planning.games import MarkovGame, make_deterministic
from engine.user_code import describe_place, user_code

FIRST, ALL = "first", "all"
WAIT = 0
ACTION_SEPARATOR = " | "
MOST_JOINT_ACTIONS = 4096
FEWEST_AGENTS = 2


class SharedScenario(Scenario):
    """A world of several agents who act at once; rules get n states at once, as in every scenario.

    A subclass defines `act`, `agent_reward`, and the rest of `Scenario` without `actions`, `step` and `reward`: these
    follow.

    Parameters
    ----------
    grid : GridMap, optional
        A map drawn with the scenario's legend.
    planner : {"first", "all"}
        Who is planned for: the acting agent, or everybody at once.
    **more
        Options of the other base class, if any.

    Attributes
    ----------
    agents : tuple of str
        Their names, the acting agent first.
    agent_actions : tuple of str
        The actions of every agent, waiting first.

    Raises
    ------
    UnknownName
        For another planner.
    BadValue
        If one planner for all has too many joint actions.

    References
    ----------
    "Be Considerate", section 3.3, Eq 6.
    """

    default_formulation = "simultaneous"
    agents: ClassVar[tuple[str, ...]]
    agent_actions: ClassVar[tuple[str, ...]]

    def __init__(self, grid: GridMap | None = None, *, planner: str = FIRST, **more: Any) -> None:
        super().__init__(grid, **more)
        self._plan_for(planner)

    def _plan_for(self, planner: str) -> None:
        for name in ("agents", "agent_actions"):
            words = getattr(self, name, None)
            if not isinstance(words, tuple) or len(words) < FEWEST_AGENTS or len({*map(str, words)}) < len(words):
                refuse(self, name, words, "a tuple of two different words or more")
        if planner not in (FIRST, ALL):
            raise UnknownName("planner", planner, (FIRST, ALL), place=type(self).__name__)
        self.planner = planner
        self.rules = type(self).rules if planner == FIRST else ""  # they speak to the first agent
        self.actions = self.agent_actions
        if planner == FIRST:
            return
        count = len(self.agent_actions) ** len(self.agents)
        if count > MOST_JOINT_ACTIONS:
            raise BadValue(
                f"{len(self.agents)} agents of {len(self.agent_actions)} actions have {count:,} joint actions",
                place=type(self).__name__,
                remedy=f"plan for the first agent alone, or for fewer agents: at most {MOST_JOINT_ACTIONS:,}",
            )
        self.actions = tuple(map(ACTION_SEPARATOR.join, itertools.product(self.agent_actions, repeat=len(self.agents))))

    def plan_for_all(self) -> Self:
        """Return the same world with one planner for everybody."""
        twin = copy.copy(self)
        twin._plan_for(ALL)
        return twin

    @abstractmethod
    def act(self, state: Any, agent: int, action: Any) -> Any:
        """Return the states after one agent's actions, int[n], as `step` does; an impossible action changes nothing."""

    @abstractmethod
    def agent_reward(self, agent: int, state: Any, next_state: Any) -> Any:
        """Return an agent's reward for a time step, a number or f64[n]."""

    def policy(self, agent: int, state: Any, so_far: Any) -> Any:
        """int[n]: the actions of an agent that is not planned for; it waits by default.

        state: at the beginning of the time step. so_far: after the agents that act before it in this step.
        """
        return _repeat_action(state, WAIT)

    def step(self, state: Any, action: int) -> Any:
        count = len(self.agents)
        if self.planner == ALL:
            chosen = np.unravel_index(action, (len(self.agent_actions),) * count)
            return self.act_together(state, lambda agent, so_far: _repeat_action(state, int(chosen[agent])))
        return self.act_together(
            state, lambda agent, so_far: self.policy(agent, state, so_far) if agent else _repeat_action(state, action)
        )

    def act_together(self, state: Any, choice: Callable[[int, Any], Any]) -> Any:
        """Return the states after everybody has acted, as `step` does. choice: (agent, states so far) -> int[n]."""
        branches: list[tuple[Any, Any]] = [(1.0, state)]
        for agent in range(len(self.agents)):
            branches = [
                (before * chance, _keep_ended(self.is_terminal(so_far), so_far, after) if agent else after)
                for before, so_far in branches
                for chance, after in _list_outcomes(self, state, self.act(so_far, agent, choice(agent, so_far)))
            ]
        return branches[0][1] if len(branches) == 1 else branches

    def reward(self, state: Any, action: int, next_state: Any) -> Any:
        return self.agent_reward(0, state, next_state)

    def simultaneous_agents(self) -> tuple[SimultaneousAgent, ...]:
        return tuple(
            SimultaneousAgent(name, _make_reward(self, number)) for number, name in enumerate(self.agents[1:], start=1)
        )

    def inaction(self, state: Any) -> Any:
        return self.step(state, WAIT)


def _make_reward(scenario: SharedScenario, agent: int) -> Callable[[Any, int, Any], Any]:
    return lambda state, action, next_state: scenario.agent_reward(agent, state, next_state)


def _repeat_action(state: Any, action: int) -> Any:
    """int[n]: the same action in every state."""
    return np.full(np.shape(state[0]), action)


def _list_outcomes(scenario: SharedScenario, state: Any, acted: Any) -> Sequence[tuple[Any, Any]]:
    """List the outcomes of an action as (probability, states); ContractBroken for anything else."""
    listed = acted if isinstance(acted, list) else [(1.0, acted)]
    fits = all(isinstance(each, tuple) and len(each) == 2 and type(each[1]) is type(state) for each in listed)
    if not listed or not fits:
        name = type(state).__name__
        refuse(scenario, "act", acted, f"a {name}, or a list of (probability, {name})")
    return listed


def _keep_ended(over: Any, before: Any, after: Any) -> Any:
    """Keep the states as they were where the episode is over, else those after an action."""
    return type(after)(*(where(over, old, new) for old, new in zip(before, after, strict=True)))


def make_shared_game(scenario: Scenario, discount: float | None = None) -> MarkovGame:
    """Make the game of a scenario whose agents all choose at once, in the state at the beginning of a time step.

    discount: gamma, the scenario's own by default. Raises BadValue for a scenario of one agent, or too large a table.
    """
    if not isinstance(scenario, SharedScenario):
        raise BadValue(
            "nobody else plans in it",
            place=scenario.name,
            remedy="choose a scenario that several agents share (a SharedScenario), such as common_meadow",
        )
    with user_code(describe_place(scenario)):
        twin = scenario.plan_for_all()
        table = tabulate(twin, scenario.discount if discount is None else discount)
        others = tabulate_simultaneous_rewards(twin, table)
    rewards = np.concatenate([table.reward[None], others.reward])
    return MarkovGame(twin.agents, table, rewards, (twin.agent_actions,) * len(twin.agents))


def read_policies(scenario: SharedScenario, game: MarkovGame) -> list[Floats]:
    """Read the policies of the other agents from the scenario, f64[S, A] each; the first agent waits."""
    assert isinstance(game.table.states, ColumnStates)
    state = game.table.states.columns()
    result = []
    for agent in range(len(game.agents)):
        with user_code(describe_place(scenario)):
            chosen = np.asarray(scenario.policy(agent, state, state) if agent else np.full(len(state[0]), WAIT))
        count = len(game.actions[agent])
        fits = chosen.shape == np.shape(state[0]) and chosen.dtype.kind in "iu"
        if not fits or not ((chosen >= 0) & (chosen < count)).all():
            refuse(scenario, "policy", chosen, f"an action of each state, 0 to {count - 1}")
        result.append(make_deterministic(chosen, count))
    return result


def plan_joint_policies(game: MarkovGame, weights: Floats) -> list[Floats]:
    """Plan for all agents at once; return the policy of each, f64[S, A]. weights: f64[N], of the agents' rewards."""
    joint = plan(game.join(weights)).policy
    each = np.unravel_index(joint, tuple(map(len, game.actions)))
    return [make_deterministic(np.asarray(one), len(names)) for one, names in zip(each, game.actions, strict=True)]
