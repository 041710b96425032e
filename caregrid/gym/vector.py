"""Many copies of one scenario at once: a Gymnasium vector environment that steps all of them in one compiled loop.

    gymnasium.make_vec("caregrid/workshop-v0", num_envs=1024, care=2)

A sub-environment is a lane: a row of columns that say where it is. The lane of seed s draws its nth number as
uniform(split(s, "lane"), n): first the start of an episode where there are several, then one number a step where the
world has chance. A lane is thus the same wherever it stands, and however many stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from caregrid.wrapping.gym_names import find_scenario
from craftworld.caring_table import CaringTable, make_caring_table
from craftworld.scenario import Scenario
from craftworld.solution.observer import Observes, observe_states
from engine.compiling.kernel import kernel
from engine.errors import BadValue
from engine.mdp.mdp import Booleans, Floats, Integers
from engine.mdp.rollouts import Thresholds, compute_thresholds
from engine.printable import show_value
from engine.randomness.compiled import bits_1
from engine.randomness.counter_based import split
from engine.value_types import SEEDS, show_whole_number

_S11 = np.uint64(11)


@kernel
def begin_lane(lane, tables, lanes):  # type: ignore[no-untyped-def]
    """Begin an episode in one lane. tables: a `LaneTables`, lanes: a `Lanes`, as plain tuples."""
    starts = tables[0]
    start_threshold = tables[1]
    keys, drawn, start, state, steps, received, hidden, over = lanes
    index = 0
    if len(start_threshold) > 0:
        number = np.int64(bits_1(keys[lane], drawn[lane]) >> _S11)
        drawn[lane] += 1
        for other in range(len(start_threshold)):
            index += number >= start_threshold[other]
    start[lane], state[lane], steps[lane] = index, starts[index], 0
    received[lane], hidden[lane], over[lane] = 0.0, 0.0, False


@kernel
def step_lanes(actions, limit, resets, tables, lanes, rewards, terminated, truncated, taken):  # type: ignore[no-untyped-def]
    """Take an action in every lane: rewards f64[n], terminated and truncated bool[n] are filled in.

    And the transitions taken, int64[n], as places in the flat table; -1 for a lane that begins an episode.

    resets: whether a lane whose episode is over begins one instead. tables: a `LaneTables`, lanes: a `Lanes`, as plain
    tuples. Gives the first lane whose action there is not, before anything has changed; -1 if there is none.
    """
    threshold, next_state, reward, step_reward, hidden_reward, terminal = tables[2:]
    keys, drawn, start, state, steps, received, hidden, over = lanes
    states, count, successors = next_state.shape
    for lane in range(len(actions)):
        if actions[lane] < 0 or actions[lane] >= count:
            return lane
    width = successors - 1
    following = next_state.reshape(-1)
    for lane in range(len(actions)):
        rewards[lane], terminated[lane], truncated[lane], taken[lane] = 0.0, False, False, -1
        if over[lane] and resets:
            begin_lane(lane, tables, lanes)
            continue
        pair = state[lane] * count + actions[lane]
        index = pair * successors
        if width > 0:
            number = np.int64(bits_1(keys[lane], drawn[lane]) >> _S11)
            drawn[lane] += 1
            for other in range(pair * width, pair * width + width):
                index += number >= threshold[other]
        taken[lane] = index
        reached = np.int64(following[index])
        rewards[lane] = reward[start[lane] * (states * count * successors) + index]
        received[lane] += step_reward[index]
        hidden[lane] += hidden_reward[index]
        state[lane] = reached
        steps[lane] += 1
        terminated[lane] = terminal[reached]
        truncated[lane] = steps[lane] >= limit
        over[lane] = terminated[lane] or truncated[lane]
    return -1


LaneColumn = NDArray[np.int64]


class LaneTables(NamedTuple):
    """What lanes step on, flat but for next_state. The order is that of `lane_kernel`.

    starts: int64[B]. start_threshold: int64[B - 1]. threshold: int64[S A (K - 1)]. next_state: int32[S, A, K]. reward:
    f64[B S A K]. step_reward, hidden: f64[S A K]. terminal: bool[S].
    """

    starts: LaneColumn
    start_threshold: Thresholds
    threshold: Thresholds
    next_state: Integers
    reward: Floats
    step_reward: Floats
    hidden: Floats
    terminal: Booleans


class Lanes(NamedTuple):
    """Where n sub-environments are, a column each. The order is that of `lane_kernel`.

    key: uint64, of its numbers. drawn: how many of them it has used. start, state: the place of its start state, the
    number of its state. steps: of its episode so far. received, hidden: what others received and the hidden performance
    in them. over: whether the episode is over.
    """

    key: NDArray[np.uint64]
    drawn: LaneColumn
    start: LaneColumn
    state: LaneColumn
    steps: LaneColumn
    received: Floats
    hidden: Floats
    over: Booleans


def make_lane_tables(table: CaringTable) -> LaneTables:
    """Return the tables of a world and its augmented reward."""
    mdp = table.problem.mdp
    flat = [
        np.ascontiguousarray(np.broadcast_to(each, mdp.next_state.shape)).reshape(-1)
        for each in (table.step_reward, table.hidden_performance)
    ]
    return LaneTables(
        table.starts,
        compute_thresholds(mdp.start[table.starts]),
        compute_thresholds(mdp.probability).reshape(-1),
        np.ascontiguousarray(mdp.next_state),
        table.reward.reshape(-1),
        flat[0],
        flat[1],
        np.ascontiguousarray(mdp.terminal),
    )


def make_lanes(count: int) -> Lanes:
    """Lanes that have no seed yet."""
    drawn, start, state, steps = np.zeros((4, count), dtype=np.int64)
    received, hidden = np.zeros((2, count))
    over = np.zeros(count, dtype=np.bool_)
    return Lanes(np.zeros(count, dtype=np.uint64), drawn, start, state, steps, received, hidden, over)


def seed_lanes(lanes: Lanes, seeds: Sequence[int | None]) -> None:
    """Give lanes the keys of their seeds; None leaves one as it is."""
    for lane, seed in enumerate(seeds):
        if seed is not None:
            lanes.key[lane], lanes.drawn[lane] = split(seed, "lane"), 0


class GymnasiumVectorWorld(VectorEnv[Any, Any, Any]):
    """n sub-environments, stepped together.

    num_envs: n. max_episode_steps: where an episode is truncated, by default at the scenario's step limit.
    autoreset_mode: when a sub-environment whose episode is over is reset, as in Gymnasium's own vector environments: at
    its next step, whose reward is 0 (the default), in the same one, whose info has `final_obs` and `final_info`, or by
    `reset(options={"reset_mask": ...})` alone. The other arguments are those of `GymnasiumWorld`.

    observes: as in `CaringEnvironment`: what each sees is the number of an observation, or of a state.

    transitions: int64[n], the last transition of each, as a place in the table's flat f64[S, A, K]; -1 where it
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
        observes: Observes = "observation",
        **settings: Any,
    ) -> None:
        if num_envs < 1 or (max_episode_steps is not None and max_episode_steps < 1):
            raise BadValue(f"{num_envs} sub-environments of {max_episode_steps} steps", remedy="ask for at least 1")
        self._mode = _read_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self._mode}
        named, options = find_scenario(scenario)
        self.table = make_caring_table(named, formulation, care, **options, **settings)
        self.mdp = observe_states(self.table.problem.mdp, observes)
        self._observed = self.mdp.observations
        limit = self.table.problem.scenario.time_limit
        self.num_envs = num_envs
        self._limit = limit if max_episode_steps is None else min(limit, max_episode_steps)
        self.single_observation_space = Discrete(self.mdp.count_observations())
        self.single_action_space = Discrete(len(self.mdp.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._tables = make_lane_tables(self.table)
        self._lanes = make_lanes(num_envs)
        self._seeded = False
        self._welfare = np.ascontiguousarray(self.table.performance)
        self.transitions = np.full(num_envs, -1)
        self._masks = self.table.action_mask(np.arange(len(self.mdp.terminal)))

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Begin an episode in every sub-environment, or in those of `options["reset_mask"]`, bool[n].

        seed: a number, from which each counts on, or one for each; None goes on with the numbers of before.
        """
        which = _read_mask(options, self.num_envs)
        self._seed(seed)
        self._begin(which)
        return self._observed[self._lanes.state], self._info(which)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take an action in every sub-environment: observations, rewards, terminated, truncated, info, each [n]."""

        n = self.num_envs
        taken = np.asarray(actions)
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
        tables = tuple(self._tables)
        lanes = tuple(self._lanes)
        numbers = taken.astype(np.int64, copy=False)
        results = rewards, terminated, truncated, self.transitions
        wrong = step_lanes(numbers, self._limit, at_next_step, tables, lanes, *results)
        if wrong >= 0:
            problem = f"action {taken[wrong]} of sub-environment {wrong} is out of range"
            raise BadValue(problem, remedy=f"give {n} below {len(self.mdp.actions)}")
        final = self._final() if self._mode is AutoresetMode.SAME_STEP else {}
        return self._observed[self._lanes.state], rewards, terminated, truncated, self._info() | final

    def _seed(self, seed: int | Sequence[int | None] | None) -> None:
        """The keys of the lanes; without any seed, ever, from the machine's own randomness."""
        seeds = _read_seeds(seed, self.num_envs)
        super().reset(seed=None if isinstance(seed, Sequence | None) else seeds[0])
        if not self._seeded:
            own = self.np_random.integers(SEEDS.most, size=self.num_envs)
            seed_lanes(self._lanes, own.tolist())
            self._seeded = True
        seed_lanes(self._lanes, seeds)

    def _begin(self, which: NDArray[np.bool_]) -> None:

        for lane in np.flatnonzero(which).tolist():
            begin_lane(lane, tuple(self._tables), tuple(self._lanes))

    def _final(self) -> dict[str, Any]:
        """Return what those saw at last whose episode has just ended, before they begin another one."""
        ended = self._lanes.over.copy()
        if not ended.any():
            return {}
        seen = np.full(self.num_envs, None, dtype=object)
        seen[ended] = self._observed[self._lanes.state[ended]]
        info = self._info(ended)
        self._begin(ended)
        return {"final_obs": seen, "_final_obs": ended, "final_info": info, "_final_info": ended.copy()}

    def _info(self, which: NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """Welfare, hidden performance and available actions, and which sub-environments they are of, by default all."""
        lanes = self._lanes
        values: dict[str, NDArray[Any]] = {
            "welfare": lanes.received + self._welfare.take(lanes.state),
            "performance": lanes.hidden.copy(),
            "action_mask": self._masks.take(lanes.state, axis=0),
        }
        if which is None:
            return values | {f"_{name}": np.ones(self.num_envs, dtype=np.bool_) for name in values}
        for value in values.values():
            value[~which] = 0
        return values | {f"_{name}": which.copy() for name in values}


def _read_mode(asked: AutoresetMode | str) -> AutoresetMode:
    """BadValue for a mode that Gymnasium does not have."""
    for mode in AutoresetMode:
        if asked in (mode, mode.value, mode.name):
            return mode
    names = ", ".join(mode.value for mode in AutoresetMode)
    raise BadValue(f"autoreset_mode {show_value(asked)}", remedy=f"choose from {names}")


def _read_seeds(asked: int | Sequence[int | None] | None, n: int) -> list[int | None]:
    """Return the seed of each sub-environment, None for a copy that goes on; BadValue for what are not seeds."""
    if asked is None:
        return [None] * n
    seeds: list[int | None] = list(asked) if isinstance(asked, Sequence) else [asked]
    for seed in seeds:
        if seed is not None and not SEEDS.admit(seed):
            raise BadValue(f"seed {show_whole_number(seed)}", remedy=f"give whole numbers, {SEEDS}")
    if not isinstance(asked, Sequence):
        return list(range(int(asked), int(asked) + n))
    if len(seeds) != n:
        raise BadValue(f"{len(seeds)} seeds", remedy=f"give {n}, or one to count from")
    return seeds


def _read_mask(options: dict[str, Any] | None, n: int) -> NDArray[np.bool_]:
    """Return which sub-environments are reset, bool[n]; BadValue for a mask of another kind."""
    if not options or "reset_mask" not in options:
        return np.ones(n, dtype=np.bool_)
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.shape != (n,) or mask.dtype != np.bool_ or not mask.any():
        raise BadValue(
            "reset_mask is not a choice of sub-environments", remedy=f"give a numpy array of {n} bool, one true"
        )
    return mask
