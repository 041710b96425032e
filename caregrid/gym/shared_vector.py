"""Many copies of a world that several agents share, stepped together: PettingZoo's parallel interface, for arrays.

    from caregrid.gym.shared_vector import SharedVectorWorld

    worlds = SharedVectorWorld("common_meadow", num_envs=1024)
    seen, infos = worlds.reset(seed=0)
    seen, rewards, terminations, truncations, infos = worlds.step({agent: actions for agent, actions in ...})

PettingZoo has no vector interface of its own. What its parallel environments give and take for each agent is here an
array of n, one entry a copy. Underneath, an action of each agent is one joint action of the world as one planner for
all sees it (`craftworld.shared_scenario`), and a compiled loop steps all copies on its table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from caregrid.gym.vector import GymnasiumVectorWorld
from craftworld.others.other_agents import RewardDistribution
from craftworld.shared_scenario import ALL, SharedScenario
from engine.errors import BadValue

AgentArrays = dict[str, NDArray[Any]]
AgentInfos = dict[str, dict[str, Any]]


class SharedVectorWorld:
    """n copies of a shared world; every agent sees the state's number.

    scenario: the name of one, or an instance of `SharedScenario`. care: what a unit of the others' rewards adds to the
    first agent's (alpha_2 of Eq 6); the others get their own. num_envs: n. max_cycles: time steps until truncation, by
    default the scenario's limit. autoreset_mode: as for `GymnasiumVectorWorld`. settings: the scenario's own,
    but for `planner`.

    info["welfare"]: what all other agents have got so far in the episode, f64[n]. With the mode "SameStep" those
    whose episode has just ended are in `final_obs` and `final_info`, where `_final_obs` and `_final_info`, bool[n], say
    so. Copy i of seed s is that of seed s + i: any split has the same trajectories.
    """

    def __init__(
        self,
        scenario: str | SharedScenario,
        care: float = 0.0,
        *,
        num_envs: int = 1,
        max_cycles: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **settings: Any,
    ) -> None:
        if isinstance(scenario, str):
            settings = {**settings, "planner": ALL}
        elif isinstance(scenario, SharedScenario):
            scenario = scenario.plan_for_all()
        else:
            raise BadValue(f"{scenario!r} is not a shared world", remedy="give its name or a SharedScenario")
        self._joint = GymnasiumVectorWorld(
            scenario,
            "simultaneous",
            care,
            num_envs=num_envs,
            max_episode_steps=max_cycles,
            autoreset_mode=autoreset_mode,
            **settings,
        )
        problem = self._joint.table.problem
        assert isinstance(problem.scenario, SharedScenario)
        assert isinstance(problem.others, RewardDistribution)
        self.scenario = problem.scenario
        self.num_envs = num_envs
        self.metadata = self._joint.metadata
        self.possible_agents = list(self.scenario.agents)
        actions = len(self.scenario.agent_actions)
        self._shape = (actions,) * len(self.possible_agents)
        self._acts = batch_space(Discrete(actions), num_envs)
        own, others = problem.mdp.reward.reshape(1, -1), problem.others.reward
        self._own = np.concatenate([own, others.reshape(len(others), -1)])
        self._received = np.zeros((len(self._shape), num_envs))

    def observation_space(self, agent: str) -> Any:
        """Return the space of what an agent sees in all copies."""
        return self._joint.observation_space

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions in all copies."""
        return self._acts

    def reset(
        self, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[AgentArrays, AgentInfos]:
        """Begin an episode in every copy, or in those of `options["reset_mask"]`, bool[n]."""
        seen, _ = self._joint.reset(seed=seed, options=options)
        self._received[:, (options or {}).get("reset_mask", slice(None))] = 0.0
        return self._each(seen), self._infos()

    def step(
        self, actions: Mapping[str, NDArray[np.int64]]
    ) -> tuple[AgentArrays, AgentArrays, AgentArrays, AgentArrays, AgentInfos]:
        """Take one time step of all agents in every copy; BadValue for actions that do not exist."""
        seen, first, terminated, truncated, info = self._joint.step(self._joint_action(actions))
        transitions = self._joint.transitions
        got = np.where(transitions < 0, 0.0, self._own.take(transitions, axis=1, mode="clip"))
        self._received[:, transitions < 0] = 0.0
        self._received += got
        got[0] = first
        rewards = dict(zip(self.possible_agents, got, strict=True))
        infos: AgentInfos = {agent: {} for agent in self.possible_agents}
        if "final_obs" in info:
            ended = info["_final_obs"]
            for agent, final in self._infos(ended).items():
                infos[agent] = {name: info[name].copy() for name in ("final_obs", "_final_obs", "_final_info")}
                infos[agent]["final_info"] = final
            self._received[:, ended] = 0.0
        for agent, present in self._infos().items():
            infos[agent] |= present
        return self._each(seen), rewards, self._each(terminated), self._each(truncated), infos

    def close(self) -> None:
        """Do nothing: nothing is held open."""

    def _joint_action(self, actions: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        if set(actions) != set(self.possible_agents):
            raise BadValue(
                f"actions of {', '.join(map(str, actions))}", remedy=f"give {', '.join(self.possible_agents)}"
            )
        columns = []
        for agent in self.possible_agents:
            numbers = np.asarray(actions[agent])
            fits = numbers.shape == (self.num_envs,) and numbers.dtype.kind in "iu"
            if not fits or ((numbers < 0) | (numbers >= self._shape[0])).any():
                remedy = f"give {self.num_envs} whole numbers from 0 to {self._shape[0] - 1}"
                raise BadValue("actions out of range", place=agent, remedy=remedy)
            columns.append(numbers)
        return np.ravel_multi_index(columns, self._shape)

    def _each(self, column: NDArray[Any]) -> AgentArrays:
        """Return the same for every agent, each with an array of its own."""
        return {agent: column.copy() for agent in self.possible_agents}

    def _infos(self, which: NDArray[np.bool_] | None = None) -> AgentInfos:
        """Return what the others have got so far, in some copies, by default all: 0 in the rest."""
        here = np.ones(self.num_envs, dtype=np.bool_) if which is None else which
        others = (self._received.sum(axis=0) - self._received) * here
        return {
            agent: {"welfare": column, "_welfare": here.copy()}
            for agent, column in zip(self.possible_agents, others, strict=True)
        }
