"""Small environments for the tests of `caregrid.wrap`, well-behaved and otherwise."""

from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete


class Corridor(gymnasium.Env):
    """Walk from cell 0 to the last one, -1 a step; action 1 flips the light, and in the dark a step costs 2."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"]}

    def __init__(self, length: int = 4, render_mode: str | None = None) -> None:
        self.length, self.render_mode = length, render_mode
        self.observation_space, self.action_space = Box(0, length, (2,)), Discrete(2)
        self.agent_cell, self.lit = 0, False

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.agent_cell, self.lit = 0, False
        return np.array([0.0, 0.0]), {}

    def step(self, action: int) -> Any:
        cost = 1.0 if self.lit else 2.0
        if action == 0:
            self.agent_cell += 1
        else:
            self.lit = not self.lit
            cost = 1.0
        return np.array([self.agent_cell, self.lit]), -cost, self.agent_cell == self.length, False, {}

    def render(self) -> Any:
        picture = np.zeros((8, 8 * (self.length + 1), 3), dtype=np.uint8)
        picture[:, 8 * self.agent_cell : 8 * self.agent_cell + 8, int(self.lit)] = 255
        return picture


class Counting(Corridor):
    """Counts its steps without an end."""

    def step(self, action: int) -> Any:
        self.steps = getattr(self, "steps", 0) + 1
        return super().step(action)


class Slippery(Corridor):
    """A step fails with probability 1/4."""

    def step(self, action: int) -> Any:
        if self.np_random.random() < 0.25:
            return np.zeros(2), -1.0, False, False, {}
        return super().step(action)


class Hiding(Corridor):
    """From the dark, cell 2 is left backwards; an observation of the cell alone hides that."""

    def step(self, action: int) -> Any:
        if action == 0 and self.agent_cell == 2 and not self.lit:
            self.agent_cell = 1
            return np.zeros(2), -2.0, False, False, {}
        return super().step(action)


class TwoRewards(Corridor):
    """The time is one's own, the light somebody else's."""

    reward_space = Box(-2.0, 1.0, (2,))

    def step(self, action: int) -> Any:
        observation, _, *rest = super().step(action)
        return observation, np.array([-1.0, float(self.lit)]), *rest  # the light of the step that was taken


class Meeting:
    """A parallel environment: two agents walk towards each other; each is rewarded for the other's steps."""

    metadata: ClassVar[dict[str, Any]] = {"name": "meeting", "render_modes": []}
    possible_agents: Sequence[str] = ("left", "right")

    def __init__(self, length: int = 3) -> None:
        self.length, self.agents = length, list(self.possible_agents)
        self.cells = {"left": 0, "right": length}

    @property
    def unwrapped(self) -> "Meeting":
        return self

    def observation_space(self, agent: str) -> Any:
        return Discrete(self.length + 1)

    def action_space(self, agent: str) -> Any:
        return Discrete(2)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents = list(self.possible_agents)
        self.cells = {"left": 0, "right": self.length}
        return dict(self.cells), {}

    def step(self, actions: dict[str, int]) -> Any:
        self.cells["left"] += actions["left"]
        self.cells["right"] -= actions["right"]
        met = self.cells["left"] >= self.cells["right"]
        rewards = {"left": -1.0 - actions["left"], "right": float(actions["left"])}
        ended = dict.fromkeys(self.possible_agents, met)
        self.agents = [] if met else self.agents
        return dict(self.cells), rewards, ended, dict.fromkeys(self.possible_agents, False), {}
