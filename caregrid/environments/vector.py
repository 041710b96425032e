"""Many copies of one scenario at once: a Gymnasium vector environment that steps all of them in one compiled loop.

gymnasium.make_vec("caregrid/workshop-v0", num_envs=1024, care=2)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from caregrid.environments.lanes import fresh_lanes, lane_tables, seed_lanes
from caregrid.wrapping.gym_names import named_scenario
from craftworld.environments.caring_table import caring_table
from craftworld.scenario import Scenario
from engine.errors import BadValue
from engine.limits.whole_numbers import SEEDS, shown
from engine.printable import shown_value


class GymnasiumVectorWorld(VectorEnv[Any, Any, Any]):
    """n sub-environments, stepped together.

    num_envs: n. max_episode_steps: where an episode is truncated, by default at the scenario's step limit.
    autoreset_mode: when a sub-environment whose episode is over is reset, as in Gymnasium's own vector environments: at
    its next step, whose reward is 0 (the default), in the same one, whose info has `final_obs` and `final_info`, or by
    `reset(options={"reset_mask": ...})` alone. The other arguments are those of `GymnasiumWorld`.

    transitions: int64[n], the one that each has taken last, as a place in the table's flat f64[S, A, K]; -1 where it
    began an episode instead.

    Sub-environment i of seed s is that of seed s + i: one environment of 1,024 and two of 512, the second with a seed
    that is 512 larger, have the same trajectories.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        scenario: str | Scenario,
        formulation: str | None = None,
        care: float = 1.0,
        *,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **settings: Any,
    ) -> None:
        if num_envs < 1 or (max_episode_steps is not None and max_episode_steps < 1):
            raise BadValue(f"{num_envs} sub-environments of {max_episode_steps} steps", remedy="ask for at least 1")
        self._mode = _mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self._mode}
        named, options = named_scenario(scenario)
        self.table = caring_table(named, formulation, care, **options, **settings)
        self.mdp = self.table.problem.mdp
        limit = self.table.problem.scenario.time_limit
        self.num_envs, self._limit = num_envs, limit if max_episode_steps is None else min(limit, max_episode_steps)
        self.single_observation_space = Discrete(len(self.mdp.terminal))
        self.single_action_space = Discrete(len(self.mdp.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._tables, self._lanes, self._seeded = lane_tables(self.table), fresh_lanes(num_envs), False
        self._welfare = np.ascontiguousarray(self.table.performance)
        self.transitions = np.full(num_envs, -1)
        self._masks = self.table.action_mask(np.arange(len(self.mdp.terminal)))

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Begin an episode in every sub-environment, or in those of `options["reset_mask"]`, bool[n].

        seed: a number, from which each counts on, or one for each; None goes on with the numbers of before.
        """
        which = _mask(options, self.num_envs)
        self._seed(seed)
        self._begin(which)
        return self._lanes.state.copy(), self._info(which)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take an action in every sub-environment: observations, rewards, terminated, truncated, info, each [n]."""
        from caregrid.environments.lane_kernel import step_lanes

        n, taken = self.num_envs, np.asarray(actions)
        if taken.shape != (n,) or taken.dtype.kind not in "iu":
            problem = f"actions are an array of {taken.dtype} of shape {taken.shape}"
            raise BadValue(problem, remedy=f"give {n} whole numbers below {len(self.mdp.actions)}")
        if not self._seeded:
            raise BadValue("a step before the first reset", remedy="call reset first")
        if self._mode is AutoresetMode.DISABLED and self._lanes.over.any():
            over = int(self._lanes.over.argmax())
            raise BadValue(f"the episode of sub-environment {over} is over", remedy="reset it: options['reset_mask']")
        rewards, (terminated, truncated) = np.empty(n), np.empty((2, n), dtype=np.bool_)
        at_next_step = self._mode is AutoresetMode.NEXT_STEP
        tables, lanes = tuple(self._tables), tuple(self._lanes)
        given = taken.astype(np.int64, copy=False)
        results = rewards, terminated, truncated, self.transitions
        wrong = step_lanes(given, self._limit, at_next_step, tables, lanes, *results)
        if wrong >= 0:
            problem = f"action {taken[wrong]} of sub-environment {wrong} is out of range"
            raise BadValue(problem, remedy=f"give {n} below {len(self.mdp.actions)}")
        final = self._final() if self._mode is AutoresetMode.SAME_STEP else {}
        return self._lanes.state.copy(), rewards, terminated, truncated, self._info() | final

    def _seed(self, seed: int | Sequence[int | None] | None) -> None:
        """The keys of the lanes; without any seed, ever, from the machine's own randomness."""
        seeds = _seeds(seed, self.num_envs)
        super().reset(seed=None if isinstance(seed, Sequence | None) else seeds[0])
        if not self._seeded:
            own = self.np_random.integers(SEEDS.most, size=self.num_envs)
            seed_lanes(self._lanes, own.tolist())
            self._seeded = True
        seed_lanes(self._lanes, seeds)

    def _begin(self, which: NDArray[np.bool_]) -> None:
        from caregrid.environments.lane_kernel import begin_lane

        for lane in np.flatnonzero(which).tolist():
            begin_lane(lane, tuple(self._tables), tuple(self._lanes))

    def _final(self) -> dict[str, Any]:
        """What those saw at last whose episode has just ended, before they begin another one."""
        ended = self._lanes.over.copy()
        if not ended.any():
            return {}
        seen = np.full(self.num_envs, None, dtype=object)
        seen[ended] = self._lanes.state[ended]
        info = self._info(ended)
        self._begin(ended)
        return {"final_obs": seen, "_final_obs": ended, "final_info": info, "_final_info": ended.copy()}

    def _info(self, which: NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """Welfare, hidden performance and available actions, and which sub-environments they are of, by default all."""
        lanes = self._lanes
        values: dict[str, NDArray[Any]] = {
            "performance": lanes.received + self._welfare.take(lanes.state),
            "hidden_performance": lanes.hidden.copy(),
            "action_mask": self._masks.take(lanes.state, axis=0),
        }
        if which is None:
            return values | {f"_{name}": np.ones(self.num_envs, dtype=np.bool_) for name in values}
        for value in values.values():
            value[~which] = 0
        return values | {f"_{name}": which.copy() for name in values}


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    """BadValue for a mode that Gymnasium does not have."""
    for mode in AutoresetMode:
        if given in (mode, mode.value, mode.name):
            return mode
    names = ", ".join(mode.value for mode in AutoresetMode)
    raise BadValue(f"autoreset_mode {shown_value(given)}", remedy=f"choose from {names}")


def _seeds(given: int | Sequence[int | None] | None, n: int) -> list[int | None]:
    """The seed of each sub-environment, None for one that goes on; BadValue for what are not seeds."""
    if given is None:
        return [None] * n
    seeds: list[int | None] = list(given) if isinstance(given, Sequence) else [given]
    for seed in seeds:
        if seed is not None and not SEEDS.admit(seed):
            raise BadValue(f"seed {shown(seed)}", remedy=f"give whole numbers, {SEEDS}")
    if not isinstance(given, Sequence):
        return list(range(int(given), int(given) + n))
    if len(seeds) != n:
        raise BadValue(f"{len(seeds)} seeds", remedy=f"give {n}, or one to count from")
    return seeds


def _mask(options: dict[str, Any] | None, n: int) -> NDArray[np.bool_]:
    """Which sub-environments are reset, bool[n]; BadValue for a mask of another kind."""
    if not options or "reset_mask" not in options:
        return np.ones(n, dtype=np.bool_)
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.shape != (n,) or mask.dtype != np.bool_ or not mask.any():
        raise BadValue(
            "reset_mask is not a choice of sub-environments", remedy=f"give a numpy array of {n} bool, one true"
        )
    return mask
