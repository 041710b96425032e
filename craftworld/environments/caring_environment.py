"""A scenario with its augmented reward as a Gymnasium environment without pictures, stepping on the table."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete

from craftworld.environments.caring_table import CaringTable, LazyTransitions, caring_table
from craftworld.environments.episode_measures import EpisodeMeasures
from craftworld.scenario import Scenario
from engine.errors import BadValue


class CaringEnvironment(gymnasium.Env[Any, Any]):
    """observation: the state's number. reward: the augmented reward. truncated: at the scenario's step limit. info:
    performance, the others' welfare; what `EpisodeMeasures` says of hidden performance and side information;
    action_mask, int8[A], 1 for the actions that are available. Another action does what the first available one does.

    scenario, formulation, care, own, discount, map_file and options: see `caring_table`; or a table that is made.
    """

    def __init__(
        self,
        scenario: str | Scenario | CaringTable,
        formulation: str | None = None,
        care: float = 1.0,
        **settings: Any,
    ) -> None:
        if isinstance(scenario, CaringTable):
            self.table = scenario
        else:
            self.table = caring_table(scenario, formulation, care, **settings)
        self.mdp = self.table.problem.mdp
        self.observation_space, self.action_space = Discrete(len(self.mdp.terminal)), Discrete(len(self.mdp.actions))
        self._start, self._state = 0, int(self.table.starts[0])
        self.measures = EpisodeMeasures(self.table.problem.scenario)
        self._received, self._steps = 0.0, 0
        self.measures.begin(self._present_state())

    @property
    def P(self) -> LazyTransitions:
        """`P[state][action]`: (probability, next state, reward, terminated) of every possible outcome."""
        return LazyTransitions(self.table, self._start)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """Begin an episode; several start states are drawn by their probabilities."""
        super().reset(seed=seed)
        self._start = int(self.table.draw_start(self.np_random.random()))
        self._state = int(self.table.starts[self._start])
        self._received, self._steps = 0.0, 0
        self.measures.begin(self._present_state())
        return self._state, self._info()

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Take an action (its number); BadValue for one that does not exist."""
        if not 0 <= action < len(self.mdp.actions):
            raise BadValue(f"action {action}", remedy=f"choose from 0 to {len(self.mdp.actions) - 1}")
        state, action = self._state, int(action)
        slot = int(self.table.draw_successor(state, action, self.np_random.random()))
        before, self._state = self._present_state(), int(self.mdp.next_state[state, action, slot])
        self._received += float(self.table.step_reward[state, action, slot])
        reward = float(self.table.reward[self._start, state, action, slot])
        hidden = float(self.table.hidden_performance[state, action, slot])
        self._steps += 1
        terminated = bool(self.mdp.terminal[self._state])
        truncated = (
            self._steps >= self.table.problem.scenario.time_limit
        )  # as TimeLimit: also where the last step ends it
        if not self.mdp.action_mask(state)[action]:
            action = int(np.argmax(self.mdp.action_mask(state)))
        self.measures.step(before, action, self._present_state(), hidden, terminated, truncated)
        return self._state, reward, terminated, truncated, self._info()

    def _present_state(self) -> Any:
        """The present state where the scenario gives side information on states, else None."""
        return self.mdp.states[self._state] if self.measures.needs_states else None

    def get_last_performance(self, default: float | None = None) -> float | None:
        """The hidden performance of the last finished episode."""
        return self.measures.last(default)

    def get_overall_performance(self, default: float | None = None) -> float | None:
        """The mean hidden performance of all finished episodes."""
        return self.measures.overall(default)

    def _info(self) -> dict[str, Any]:
        return {
            "performance": self._received + float(self.table.performance[self._state]),
            **self.measures.info(),
            "action_mask": self.table.action_mask(self._state),
        }
