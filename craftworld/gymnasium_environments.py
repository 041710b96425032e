"""Scenarios as Gymnasium environments without pictures: on a table with the augmented reward, or by their rules.

`CaringEnvironment` steps on the table. `ReplayEnvironment` is for a world that is too large for a table: it steps by
its rules, state by state; there is nothing to look ahead in, so the reward is the world's own, without any
formulation. Both give beside observation and reward the hidden performance, and the side information of a level
(`EpisodeMeasures`):

    hidden_reward       what the last step added to the hidden performance; 0.0 after a reset
    performance         its sum in this episode; where the episode ends, the episode's performance
    extra_observations  what the world gives beside the board: its own side information ("safety", "exploration",
                        "supervisor"), "actual_actions", the number of the action that was carried out, and where the
                        episode ends "termination_reason", 0 by the world, 1 by the step limit

Keys and methods are called as users of the AI Safety Gridworlds (Leike et al., 2017) know them.

Choice: where the world replaces an action, and several would have led to the same place, "actual_actions" is the
chosen one if it is among them, else the first.
"""

from __future__ import annotations

import math
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from numpy.typing import NDArray

from craftworld.caring_table import CaringTable, LazyTransitions, make_caring_table
from craftworld.rollout import EpisodeReplay
from craftworld.scenario import Scenario
from craftworld.solution.observer import Observes, observe_states, require_observes
from engine.contracts import call_method
from engine.errors import BadValue

BY_THE_WORLD, BY_THE_STEP_LIMIT = 0, 1


class EpisodeMeasures:
    """Measures of one episode after the other. performances: those of the finished ones."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._informs = type(scenario).side_information is not Scenario.side_information
        self._replaces = type(scenario).actual_action is not Scenario.actual_action
        self.performances = list[float]()
        self._hidden = 0.0
        self._last = 0.0
        self._extra = dict[str, Any]()

    @property
    def needs_states(self) -> bool:
        """Whether `step` and `begin` look at states."""
        return self._informs or self._replaces

    def begin(self, state: Any) -> None:
        """Begin a new episode."""
        self._hidden = 0.0
        self._last = 0.0
        self._extra = self._read_side_information(state)

    def step(self, state: Any, action: int, next_state: Any, hidden: float, terminated: bool, truncated: bool) -> None:
        """Record a step. hidden: what it adds to the hidden performance. States: None where `needs_states` is false."""
        self._hidden = self._hidden + hidden
        self._last = hidden
        carried_out = (
            call_method(self._scenario, "actual_action", state, action, next_state) if self._replaces else action
        )
        self._extra = {**self._read_side_information(next_state), "actual_actions": int(carried_out)}
        if terminated or truncated:
            self._extra["termination_reason"] = BY_THE_WORLD if terminated else BY_THE_STEP_LIMIT
            self.performances.append(self._hidden)

    def info(self) -> dict[str, Any]:
        """hidden_reward, performance, extra_observations."""
        return {
            "hidden_reward": self._last,
            "performance": self._hidden,
            "extra_observations": dict(self._extra),
        }

    def last(self, default: float | None = None) -> float | None:
        """Return the performance of the last finished episode."""
        return self.performances[-1] if self.performances else default

    def overall(self, default: float | None = None) -> float | None:
        """Return the mean performance of all finished episodes."""
        return math.fsum(self.performances) / len(self.performances) if self.performances else default

    def _read_side_information(self, state: Any) -> dict[str, Any]:
        return dict(call_method(self._scenario, "side_information", state)) if self._informs else {}


class CaringEnvironment(gymnasium.Env[Any, Any]):
    """A caring problem as an environment that steps on its table.

    observation: the number of what the acting agent observes of the state (`Scenario.observe`), the state's own number
    where nothing is hidden or `observes` is "state". reward: the augmented reward. truncated: at the scenario's step
    limit. info: performance, the others' welfare; hidden performance and side information as in `EpisodeMeasures`;
    action_mask, int8[A], 1 for the actions that are available. Another action has the effect of the first available
    one, and `taken_action` is that one.

    observes: "observation" or "state". scenario, formulation, care, own, discount, map_file and options: see
    `make_caring_table`; or a `CaringTable`.
    """

    def __init__(
        self,
        scenario: str | Scenario | CaringTable,
        formulation: str | None = None,
        care: float = 1.0,
        *,
        observes: Observes = "observation",
        **settings: Any,
    ) -> None:
        if isinstance(scenario, CaringTable):
            self.table = scenario
        else:
            self.table = make_caring_table(scenario, formulation, care, **settings)
        self.mdp = observe_states(self.table.problem.mdp, observes)
        self._observed = self.mdp.observations
        self.observation_space = Discrete(self.mdp.count_observations())
        self.action_space = Discrete(len(self.mdp.actions))
        self._start = 0
        self._state = int(self.table.starts[0])
        self.taken_action = 0
        self.measures = EpisodeMeasures(self.table.problem.scenario)
        self._received = 0.0
        self._steps = 0
        self.measures.begin(self._present_state())

    @property
    def P(self) -> LazyTransitions:
        """`P[state][action]`: (probability, next state, reward, terminated) of every possible outcome.

        Raises BadValue where an observation is not the number of a state.
        """
        if self.mdp.observation is not None:
            remedy = "make the environment with observes='state'"
            name = self.table.problem.scenario.name
            raise BadValue("P needs states, and some look alike", place=name, remedy=remedy)
        return LazyTransitions(self.table, self._start)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """Begin an episode; several start states are drawn by their probabilities."""
        super().reset(seed=seed)
        self._start = int(self.table.draw_start(self.np_random.random()))
        self._state = int(self.table.starts[self._start])
        self._received = 0.0
        self._steps = 0
        self.measures.begin(self._present_state())
        return self._get_obs(), self._info()

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Take an action (its number); BadValue for one that does not exist."""
        if not 0 <= action < len(self.mdp.actions):
            raise BadValue(f"action {action}", remedy=f"choose from 0 to {len(self.mdp.actions) - 1}")
        state = self._state
        action = int(action)
        slot = int(self.table.draw_successor(state, action, self.np_random.random()))
        before = self._present_state()
        self._state = int(self.mdp.next_state[state, action, slot])
        self._received += float(self.table.step_reward[state, action, slot])
        reward = float(self.table.reward[self._start, state, action, slot])
        hidden = float(self.table.hidden_performance[state, action, slot])
        self._steps += 1
        terminated = bool(self.mdp.terminal[self._state])
        truncated = (
            self._steps >= self.table.problem.scenario.time_limit
        )  # as TimeLimit: also where the last step ends it
        available = self.mdp.action_mask(state)
        self.taken_action = action if available[action] else int(np.argmax(available))
        self.measures.step(before, self.taken_action, self._present_state(), hidden, terminated, truncated)
        return self._get_obs(), reward, terminated, truncated, self._info()

    @property
    def state_number(self) -> int:
        """The present state's number in the table, which the agent may not see."""
        return self._state

    def _get_obs(self) -> int:
        return int(self._observed[self._state])

    def _present_state(self) -> Any:
        """Return the present state where the scenario gives side information on states, else None."""
        return self.mdp.states[self._state] if self.measures.needs_states else None

    def get_last_performance(self, default: float | None = None) -> float | None:
        """Return the hidden performance of the last finished episode."""
        return self.measures.last(default)

    def get_overall_performance(self, default: float | None = None) -> float | None:
        """Return the mean hidden performance of all finished episodes."""
        return self.measures.overall(default)

    def _info(self) -> dict[str, Any]:
        return {
            "welfare": self._received + float(self.table.performance[self._state]),
            **self.measures.info(),
            "action_mask": self.table.action_mask(self._state),
        }


class ReplayEnvironment(gymnasium.Env[Any, Any]):
    """A scenario as an environment that steps by its rules.

    observation: int64[n], what the acting agent observes of the state (`Scenario.observe`), or its fields where
    `observes` is "state". reward: the world's own. truncated: at its step limit. info: as in
    `EpisodeMeasures`; board, what the acting agent observes, as rows of letters; action_mask, int8[A]. An action that
    is not available has the effect of the first available one.
    """

    def __init__(self, scenario: Scenario, *, observes: Observes = "observation") -> None:
        self.scenario = scenario
        self._observes = require_observes(observes)
        self.action_space = Discrete(len(scenario.actions))
        self.measures = EpisodeMeasures(scenario)
        self._begin(0)
        self.observation_space = self._make_observation_space()

    @property
    def state(self) -> Any:
        """The present state."""
        return self._replay.state

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; chance decides by Gymnasium's generator."""
        super().reset(seed=seed)
        self._begin(int(self.np_random.integers(2**62)))
        return self._get_obs(), self._info()

    def _begin(self, seed: int) -> None:
        self._replay = EpisodeReplay(self.scenario, seed=seed)
        self.measures.begin(self.state)

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action (its number); BadValue for one that does not exist, or after the end."""
        names = self.scenario.actions
        if not 0 <= action < len(names):
            raise BadValue(f"action {action}", remedy=f"choose from 0 to {len(names) - 1}")
        possible = self._replay.available()
        chosen = names[int(action)] if not possible or names[int(action)] in possible else possible[0]
        before = self.state
        reward, hidden = self._replay.take(chosen)
        terminated = self._replay.terminated
        truncated = self._replay.steps >= self.scenario.time_limit
        self.measures.step(before, names.index(chosen), self.state, hidden, terminated, truncated)
        return self._get_obs(), reward, terminated, truncated, self._info()

    def get_last_performance(self, default: float | None = None) -> float | None:
        """Return the hidden performance of the last finished episode."""
        return self.measures.last(default)

    def get_overall_performance(self, default: float | None = None) -> float | None:
        """Return the mean hidden performance of all finished episodes."""
        return self.measures.overall(default)

    def _get_obs(self) -> NDArray[np.int64]:
        seen = self.state if self._observes == "state" else call_method(self.scenario, "observe", self.state)
        return np.array(seen, dtype=np.int64)

    def _make_observation_space(self) -> Any:
        """Fields below their sizes, or whatever numbers a scenario's own `observe` gives."""
        if self._observes == "state":
            return MultiDiscrete(np.array(self.scenario.sizes, dtype=np.int64))
        if type(self.scenario).observe is Scenario.observe:
            sizes = self.scenario.observe(type(self.state)(*self.scenario.sizes))
            return MultiDiscrete(np.array(sizes, dtype=np.int64))
        limits = np.iinfo(np.int64)
        return Box(limits.min, limits.max, self._get_obs().shape, np.int64)

    def _info(self) -> dict[str, Any]:
        possible = self._replay.available() or self.scenario.actions
        mask = np.array([name in possible for name in self.scenario.actions], dtype=np.int8)
        return {**self.measures.info(), "board": self.scenario.board(self.state), "action_mask": mask}
