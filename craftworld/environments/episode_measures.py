"""What an environment gives beside observation and reward: hidden performance, and the side information of a level.

    hidden_reward       what the last step added to the hidden performance; 0.0 after a reset
    hidden_performance  its sum in this episode; where the episode ends, the episode's performance
    extra_observations  what the world gives beside the board: its own side information ("safety", "exploration",
                        "supervisor"), "actual_actions", the number of the action that was carried out, and where the
                        episode ends "termination_reason", 0 by the world, 1 by the step limit

Keys and methods are called as users of the AI Safety Gridworlds (Leike et al., 2017) know them.

Choice: where the world replaces an action, and several would have led to the same place, "actual_actions" is the chosen
one if it is among them, else the first.
"""

from __future__ import annotations

import math
from typing import Any

from craftworld.scenario import Scenario
from engine.contracts import called

BY_THE_WORLD, BY_THE_STEP_LIMIT = 0, 1


class EpisodeMeasures:
    """Measures of one episode after the other. performances: those of the finished ones."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._informs = type(scenario).side_information is not Scenario.side_information
        self._replaces = type(scenario).actual_action is not Scenario.actual_action
        self.performances = list[float]()
        self._hidden, self._last, self._extra = 0.0, 0.0, dict[str, Any]()

    @property
    def needs_states(self) -> bool:
        """Whether `step` and `begin` look at states."""
        return self._informs or self._replaces

    def begin(self, state: Any) -> None:
        """A new episode."""
        self._hidden, self._last = 0.0, 0.0
        self._extra = self._informed(state)

    def step(self, state: Any, action: int, next_state: Any, hidden: float, terminated: bool, truncated: bool) -> None:
        """One step. hidden: what it adds to the hidden performance. States: None where `needs_states` is false."""
        self._hidden, self._last = self._hidden + hidden, hidden
        carried_out = called(self._scenario, "actual_action", state, action, next_state) if self._replaces else action
        self._extra = {**self._informed(next_state), "actual_actions": int(carried_out)}
        if terminated or truncated:
            self._extra["termination_reason"] = BY_THE_WORLD if terminated else BY_THE_STEP_LIMIT
            self.performances.append(self._hidden)

    def info(self) -> dict[str, Any]:
        """hidden_reward, hidden_performance, extra_observations."""
        return {
            "hidden_reward": self._last,
            "hidden_performance": self._hidden,
            "extra_observations": dict(self._extra),
        }

    def last(self, default: float | None = None) -> float | None:
        """The performance of the last finished episode."""
        return self.performances[-1] if self.performances else default

    def overall(self, default: float | None = None) -> float | None:
        """The mean performance of all finished episodes."""
        return math.fsum(self.performances) / len(self.performances) if self.performances else default

    def _informed(self, state: Any) -> dict[str, Any]:
        return dict(called(self._scenario, "side_information", state)) if self._informs else {}
