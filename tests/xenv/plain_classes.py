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


class Learner:
    """Constants of the class, a property and a method that may be replaced."""

    RATE, DISCOUNT = 0.1, 0.9

    def __init__(self, n_observations: int, n_actions: int) -> None:
        self.values = np.zeros((n_observations, n_actions))

    @property
    def rate(self) -> float:
        return self.RATE

    def act(self, observation: int) -> int:
        return int(self.values[observation].argmax())

    def find_goal(self, reward: float, following: int) -> float:
        return reward + self.DISCOUNT * float(self.values[following].max())

    def train(self, observation: int, action: int, reward: float, following: int) -> None:
        error = self.find_goal(reward, following) - self.values[observation, action]
        self.values[observation, action] += self.rate * error


class HastyLearner(Learner):
    """Replaces constant, property and method, and asks its parent."""

    RATE = 0.2

    @property
    def rate(self) -> float:
        return 0.5 * super().rate

    def find_goal(self, reward: float, following: int) -> float:
        return super().find_goal(reward, following) - Learner.RATE


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


class TableFlatterer(Flatterer):
    """The same, its rules written down on the class."""

    PAY = (-1.0, 1.0)
    FOLLOWING = np.array([1, 0])

    @property
    def advice(self) -> int:
        return int(self.copy.act(self.room))

    def step(self, action: int) -> tuple[float, int]:
        reward = self.PAY[1] if action == self.advice else self.PAY[0]
        following = int(self.FOLLOWING[self.room])
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
