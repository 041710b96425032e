"""DQN: a Q-network trained on replayed transitions towards a slower copy of itself.

    minimise huber(Q(o, a) - target),   target = r + discount (1 - terminated) max_b Q'(o', b),   Q' <- Q now and then

Reference: V. Mnih et al., "Human-level control through deep reinforcement learning", 2015.

Differs from the paper
- An observation is a number, given to a small fully connected network as a one-hot vector; there are no pictures.
- Adam takes the place of RMSprop, and gradients are clipped by their norm instead of by element.
- Exploration falls linearly over `exploration_turns`; a learner does not know how long it will be trained, and
  explores on at its final rate.
- Every draw (initial weights, exploration, minibatches) is a function of the key and a counter, so that asking twice
  changes nothing and a fork needs no generator.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agent import Agent, AgentSpec, Transition
from engine.errors import BadValue, MissingExtra
from engine.learning.deep import Replay, flatten_optimizer
from engine.randomness.counter_based import randrange, split, uniform
from engine.randomness.library_generators import seed_torch, use_one_thread


@dataclass(frozen=True)
class DQN(AgentSpec):
    """Hyper-parameters of a deep Q-network agent.

    learning_rate: Adam's. discount: gamma. layers: widths of the hidden layers. replay_size: transitions remembered.
    batch_size: transitions a gradient step. learning_starts: turns before the first one. train_every: turns between two
    of them. target_every: gradient steps between two updates of the target network. exploration: epsilon in the end; it
    falls to that from 1 over exploration_turns. max_gradient_norm: gradients are scaled down to it.
    """

    learning_rate: float = 1e-3
    discount: float = 0.99
    layers: tuple[int, ...] = (64, 64)
    replay_size: int = 50_000
    batch_size: int = 32
    learning_starts: int = 100
    train_every: int = 4
    target_every: int = 100
    exploration: float = 0.05
    exploration_turns: int = 1_000
    max_gradient_norm: float = 10.0

    def __post_init__(self) -> None:
        for name in ("discount", "exploration"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadValue(f"{name} is {getattr(self, name)}", place="dqn", remedy="choose from 0 to 1")
        for name in ("replay_size", "batch_size", "train_every", "target_every"):
            if getattr(self, name) < 1:
                raise BadValue(f"{name} is {getattr(self, name)}", place="dqn", remedy="choose at least 1")
        if self.learning_rate < 0 or not all(width >= 1 for width in self.layers):
            raise BadValue("a negative learning rate or an empty layer", place="dqn", remedy="choose positive ones")

    def build(self, n_observations: int, n_actions: int, key: int) -> DeepQLearner:
        """Build a fresh agent; equal keys give equal agents. Raises MissingExtra where torch is absent."""
        return DeepQLearner(self, n_observations, n_actions, key)


class DeepQLearner(Agent):
    """The agent that a `DQN` spec builds."""

    def __init__(self, spec: DQN, n_observations: int, n_actions: int, key: int) -> None:
        try:
            import torch
        except ImportError as error:
            raise MissingExtra("torch is needed", place="dqn", remedy="pip install 'caregrid[deep]'") from error
        self.spec = spec
        self.n_observations = n_observations
        self.n_actions = n_actions
        self._exploration = split(key, "exploration")
        self._replay = Replay(spec.replay_size, key)
        with seed_torch(split(key, "weights")):
            self.network = _build_perceptron((n_observations, *spec.layers, n_actions))
        self._target = copy.deepcopy(self.network)
        self._optimizer = flatten_optimizer(torch.optim.Adam(self.network.parameters(), lr=spec.learning_rate))

    def act(self, observation: int) -> int:
        """Return the epsilon-greedy action, ties to the lowest; change nothing."""
        turn = self._replay.added
        if uniform(self._exploration, turn, 0) < self.exploration_rate:
            return randrange(self.n_actions, self._exploration, turn, 1)
        return int(self.action_values(np.array([observation])).argmax())

    @property
    def learning_rate(self) -> float:
        """The optimiser's learning rate."""
        return self.spec.learning_rate

    @property
    def exploration_rate(self) -> float:
        """The probability of a random action on this turn."""
        spec = self.spec
        progress = min(1.0, self._replay.added / max(1, spec.exploration_turns))
        return 1.0 + progress * (spec.exploration - 1.0)

    def action_values(self, observations: NDArray[np.int64]) -> NDArray[np.float32]:
        """Q(o, a) for observations int64[n]: float32[n, actions]."""
        import torch

        with torch.no_grad(), use_one_thread():
            values: NDArray[np.float32] = self.network(self._one_hot(observations)).numpy()
        return values

    def train(self, transition: Transition) -> None:
        """Remember a transition; every `train_every` turns take one gradient step."""
        self._replay.add(transition)
        turn, spec = self._replay.added, self.spec
        if turn % spec.train_every or turn < spec.learning_starts:
            return
        with use_one_thread():
            self._gradient_step()
        if turn // spec.train_every % spec.target_every == 0:
            self._target.load_state_dict(self.network.state_dict())

    def _gradient_step(self) -> None:
        import torch

        batch = self._replay.draw(self.spec.batch_size)
        with torch.no_grad():
            following = self._target(self._one_hot(batch.next_observation)).max(dim=1).values
            continues = 1 - torch.from_numpy(batch.terminated)
            target = torch.from_numpy(batch.reward) + self.spec.discount * continues * following
        predicted = self.network(self._one_hot(batch.observation))
        taken = predicted.gather(1, torch.from_numpy(batch.action)[:, None])[:, 0]
        loss: Any = torch.nn.functional.smooth_l1_loss(taken, target)
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.spec.max_gradient_norm)
        self._optimizer.step()

    def _one_hot(self, observations: NDArray[np.int64]) -> Any:
        """One-hot rows, float32[n, observations]."""
        import torch

        return torch.nn.functional.one_hot(torch.from_numpy(observations), self.n_observations).float()

    def fork(self) -> DeepQLearner:
        """Return an independent twin: same weights, optimiser state, memory and counters."""
        return copy.deepcopy(self)


def _build_perceptron(widths: tuple[int, ...]) -> Any:
    """Linear layers with rectifiers between them."""
    from torch import nn

    layers: list[Any] = []
    for inputs, outputs in pairwise(widths):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])
