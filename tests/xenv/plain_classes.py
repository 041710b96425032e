"""Classes as a user writes them: no base of ours, the paper's form, arrays for tables."""

from typing import Any, ClassVar

import numpy as np


class ArrayLearner:
    """Q-learning on an array."""

    def __init__(self, n_observations: int, n_actions: int) -> None:
        self.values = np.zeros((n_observations, n_actions))

    def act(self, observation: int) -> int:
        return int(self.values[observation].argmax())

    def train(self, observation: int, action: int, reward: float, following: int) -> None:
        goal = reward + 0.9 * self.values[following].max()
        self.values[observation, action] += 0.1 * (goal - self.values[observation, action])


class ListLearner:
    """The same on lists, which compiled code does not hold."""

    def __init__(self, n_observations: int, n_actions: int) -> None:
        self.values = [[0.0] * n_actions for _ in range(n_observations)]

    def act(self, observation: int) -> int:
        return self.values[observation].index(max(self.values[observation]))

    def train(self, observation: int, action: int, reward: float, following: int) -> None:
        self.values[observation][action] += 0.1 * (reward - self.values[observation][action])


class ForgetfulLearner(ArrayLearner):
    """Its fork is not a copy."""

    def fork(self) -> ArrayLearner:
        return ForgetfulLearner(*self.values.shape)


class Flatterer:
    """Rewards what a copy would do, and shows two rooms in turn."""

    n_observations = 2
    n_actions = 2

    def __init__(self, A: Any) -> None:
        self.copy = A()
        self.room = 0

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        reward = 1.0 if action == self.copy.act(self.room) else -1.0
        following = 1 - self.room
        self.copy.train(self.room, action, -reward, following)
        self.room = following
        return reward, following


class PlainNet:
    """An object that holds others."""

    def __init__(self, depth: int) -> None:
        self.weights = np.zeros(2)
        if depth:
            self.inner = self.same = PlainNet(depth - 1)


class Registered:
    """A class that keeps a list of those derived from it."""

    known: ClassVar[list[type]] = []

    def __init_subclass__(cls) -> None:
        Registered.known.append(cls)
