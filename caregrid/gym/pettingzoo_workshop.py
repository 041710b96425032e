"""The shared workshop as a PettingZoo environment: both agents are played, in parallel or (converted) in turn.

    from caregrid.gym.pettingzoo_workshop import parallel_env, env

Within a time step agent_1 acts, then agent_2 on what that leaves, by the rules of `craftworld.scenarios`'s
workshop_shared ("Be Considerate", section 4.3). Both stay until the episode is over: who has left does nothing, and
agent_1's reward can still be touched by what agent_2 gets (Eq 6).

The scenario's rules are for columns of states, where one state costs as much as a thousand. Here they are tables for
one state at a time, which fill while it is played. What an agent's action does depends on its own part and the key,
and what both get on everything but where they stand: both are soon complete.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from caregrid.gym.scenario import RENDER_MODES, Picturing
from craftworld.scenario import TIME_LIMIT
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios.workshop_shared import Worker, WorkshopShared, WorkshopSharedState
from engine.errors import BadValue

KEY = WorkshopSharedState._fields.index("key")
SECOND = WorkshopSharedState._fields.index("second_cell")
OWN = slice(KEY), slice(SECOND, None)


class SharedRules:
    """The rules for states of plain integers. scenario: whose they are."""

    def __init__(self, scenario: WorkshopShared) -> None:
        self.scenario = scenario
        self._places = [list(scenario.coordinates(cell)) for cell in range(len(scenario.grid.floor))]
        self._acted: dict[tuple[Any, ...], tuple[list[int], int]] = {}
        self._got: dict[tuple[Any, ...], tuple[float, float, bool]] = {}

    def act_alone(self, state: WorkshopSharedState, agent: int, action: int, fails: bool) -> WorkshopSharedState:
        """Return the state after one agent's action; fails: whether a move comes to nothing."""
        own = OWN[agent]
        case = (agent, state[own], state.key, action, fails)
        if case not in self._acted:
            after: Any = self.scenario.apply_action(_columns(state), agent, np.array([action]), fails)
            fields = [int(field[0]) for field in after]
            self._acted[case] = (fields[own], fields[KEY])
        fields = list(state)
        fields[own], fields[KEY] = self._acted[case]
        return WorkshopSharedState._make(fields)

    def got(self, before: WorkshopSharedState, after: WorkshopSharedState) -> tuple[float, float, bool]:
        """Return what each agent gets in a time step, and whether it was the last one."""
        case = (before[1:SECOND], before[SECOND + 1 :], after[1:SECOND], after[SECOND + 1 :])
        if case not in self._got:
            states = _columns(before), _columns(after)
            first, second = (float(self.scenario.agent_reward(agent, *states)[0]) for agent in (0, 1))
            self._got[case] = (first, second, bool(self.scenario.is_terminal(states[1])[0]))
        return self._got[case]

    def observe(self, state: WorkshopSharedState, agent: int) -> list[int]:
        """Return own row, column, hammer, wood, box, left; the key; the other's six."""
        held = self.scenario.held
        key = state.key
        own_key = {held[agent]: held[0], held[1 - agent]: held[1]}.get(key, key)
        parts = Worker(*state[:KEY]), Worker(*state[SECOND:])
        mine, theirs = ([*self._places[part.cell], *part[1:]] for part in (parts[agent], parts[1 - agent]))
        return [*mine, own_key, *theirs]


def _columns(state: WorkshopSharedState) -> Any:
    """Return a state of plain integers as columns of length one."""
    return WorkshopSharedState._make(np.array([field]) for field in state)


Observations = dict[str, NDArray[np.int64]]


class PettingZooWorkshop(ParallelEnv[str, NDArray[np.int64], int]):  # type: ignore[misc]  # PettingZoo has no types
    """observation: int64[13]: own row, column, hammer, wood, box, left; the key (its place's number, one more: I hold
    it, two more: the other does); the other's six. action: one of the scenario's, by number.

    care: what a unit of agent_2's reward adds to agent_1's (alpha_2 of Eq 6). max_cycles: time steps until truncation.
    render_mode: "ansi", "rgb_array" or None. map_file and options: the scenario's own.
    info["welfare"]: what the other agent has got so far.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "name": "caregrid_workshop_shared_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": True,
    }

    def __init__(
        self,
        care: float = 0.0,
        *,
        max_cycles: int = TIME_LIMIT,
        render_mode: str | None = None,
        map_file: str | Path | None = None,
        **options: Any,
    ) -> None:
        scenario = make_scenario(WorkshopShared, map_file, **options)
        assert isinstance(scenario, WorkshopShared)
        self.scenario = scenario
        self._rules = SharedRules(scenario)
        self.care = care
        self.max_cycles = max_cycles
        self.render_mode = render_mode
        self._pictures = Picturing(self.scenario, render_mode)
        self.possible_agents = ["agent_1", "agent_2"]
        self.agents: list[str] = []
        worker = [len(self.scenario.grid.rows), len(self.scenario.grid.rows[0]), 2, 2, 2, 2]
        seen = [*worker, self.scenario.held[1] + 1, *worker]
        highest = np.array(seen) - 1
        self._observed = {agent: Box(np.zeros_like(highest), highest, dtype=np.int64) for agent in self.possible_agents}
        self._acts = {agent: Discrete(len(self.scenario.agent_actions)) for agent in self.possible_agents}
        self._random, _ = seeding.np_random()
        self._begin()

    def observation_space(self, agent: str) -> Box:
        """Return the space of what an agent sees."""
        return self._observed[agent]

    def action_space(self, agent: str) -> Discrete[np.int64]:
        """Return the space of action numbers."""
        return self._acts[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, dict[str, Any]]]:
        """Begin an episode; several places where the key may lie are drawn by their probabilities."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self.agents = list(self.possible_agents)
        self._begin()
        return self._observations(), self._infos()

    def _begin(self) -> None:
        starts = self.scenario.starts()
        drawn = int(self._random.choice(len(starts), p=list(starts.values())))
        self._state = list(starts)[drawn]
        self._steps, self._received = 0, dict.fromkeys(self.possible_agents, 0.0)

    def step(
        self, actions: dict[str, int]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Take one time step of both agents; BadValue for an action that does not exist."""
        for agent, action in actions.items():
            if not 0 <= action < len(self.scenario.agent_actions):
                last = len(self.scenario.agent_actions) - 1
                raise BadValue(f"action {action}", place=agent, remedy=f"choose from 0 to {last}")
        before = self._state
        self._state = self._after(actions)
        self._steps += 1
        first, second, terminated = self._rules.got(before, self._state)
        self._received["agent_1"] += first
        self._received["agent_2"] += second
        truncated = self._steps >= self.max_cycles and not terminated
        result = (
            self._observations(),
            {"agent_1": first + self.care * second, "agent_2": second},
            dict.fromkeys(self.agents, terminated),
            dict.fromkeys(self.agents, truncated),
            self._infos(),
        )
        if terminated or truncated:
            self.agents = []
        return result

    def _after(self, actions: dict[str, int]) -> Any:
        """Return the next state: agent_1 acts, then agent_2 unless that was the end; each may slip."""
        fails, second_fails = self._random.random(2) < self.scenario.slip if self.scenario.slip else (False, False)
        halfway = self._rules.act_alone(self._state, 0, int(actions["agent_1"]), bool(fails))
        if self._rules.got(self._state, halfway)[2]:
            return halfway
        return self._rules.act_alone(halfway, 1, int(actions["agent_2"]), bool(second_fails))

    def _observations(self) -> Observations:
        numbers = {agent: self._rules.observe(self._state, self.possible_agents.index(agent)) for agent in self.agents}
        return {agent: np.array(seen, dtype=np.int64) for agent, seen in numbers.items()}

    def _infos(self) -> dict[str, dict[str, Any]]:
        other = dict(zip(self.possible_agents, reversed(self.possible_agents), strict=True))
        return {agent: {"welfare": self._received[other[agent]]} for agent in self.agents}

    def state(self) -> NDArray[np.int64]:
        """Return every field of the state, int64[fields]."""
        return np.array(self._state, dtype=np.int64)

    def render(self) -> Any:
        """Return the present state as the render mode says."""
        return self._pictures.draw(self._state)

    def close(self) -> None:
        """Do nothing: nothing is held open."""


def parallel_env(**settings: Any) -> PettingZooWorkshop:
    """Return the environment in which both agents act at once; settings: those of `PettingZooWorkshop`."""
    return PettingZooWorkshop(**settings)


def env(**settings: Any) -> Any:
    """Return the same, converted to PettingZoo's turn-taking interface."""
    return parallel_to_aec(PettingZooWorkshop(**settings))
