"""The agent around Stable-Baselines3's DQN: epsilon-greedy over a Q-network, replayed transitions, a target network.

The replay memory has the form that Stable-Baselines3's DQN reads. Reference: V. Mnih et al., "Human-level control
through deep reinforcement learning", 2015; the learning rule is Stable-Baselines3's own `DQN.train`, called when
its own `learn` would call it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.agent import Transition
from engine.randomness.counter_based import randrange, split, uniform
from engine.randomness.library_generators import sample_indices
from xenv.deep.agent import DeepAgent


class Minibatch(NamedTuple):
    """A minibatch of n transitions: observation, action, next_observation int64[n]; reward, terminated float32[n]."""

    observation: NDArray[np.int64]
    action: NDArray[np.int64]
    next_observation: NDArray[np.int64]
    reward: NDArray[np.float32]
    terminated: NDArray[np.float32]


class Replay:
    """A replay memory: allocated once, the oldest transition gives way. A deep copy is an independent twin.

    Minibatches are drawn with replacement. Reference: L. Lin, "Self-improving reactive agents based on reinforcement
    learning, planning and teaching", 1992.

    capacity: transitions kept at most. key: of the draws; minibatch k is a function of the key, k and the memory.
    added: transitions ever added.
    """

    def __init__(self, capacity: int, key: int) -> None:
        self.capacity, self._key = capacity, split(key, "replay")
        self.added, self._drawn = 0, 0
        self._allocate()

    def _allocate(self) -> None:
        self._integers = np.zeros((3, self.capacity), dtype=np.int32)
        self._floats = np.zeros((2, self.capacity), dtype=np.float32)

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, transition: Transition) -> None:
        """Remember one transition."""
        at = self.added % self.capacity
        self._integers[:, at] = transition.observation, transition.action, transition.next_observation
        self._floats[:, at] = transition.reward, transition.terminated
        self.added += 1

    def draw(self, n: int) -> Minibatch:
        """Return the next minibatch of n transitions; at least one transition must be there."""
        chosen = sample_indices(len(self), n, self._key, self._drawn)
        self._drawn += 1
        return Minibatch(*self._integers[:, chosen].astype(np.int64), *self._floats[:, chosen])

    def sample(self, batch_size: int, env: None = None) -> Any:
        """Return a minibatch as Stable-Baselines3's `ReplayBufferSamples`; `env` (its normaliser) is always None."""
        from stable_baselines3.common.type_aliases import ReplayBufferSamples
        from torch import from_numpy

        batch = self.draw(batch_size)
        return ReplayBufferSamples(
            observations=from_numpy(batch.observation),
            actions=from_numpy(batch.action)[:, None],
            next_observations=from_numpy(batch.next_observation),
            dones=from_numpy(batch.terminated)[:, None],
            rewards=from_numpy(batch.reward)[:, None],
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Replay:
        """Only the part in use is copied: what was never written costs no memory, and must not begin to."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._allocate()
        used = len(self)
        twin._integers[:, :used] = self._integers[:, :used]
        twin._floats[:, :used] = self._floats[:, :used]
        return twin


class ActionValueAgent(DeepAgent[int]):
    """Epsilon-greedy on the network's action values; the output for an observation is the greedy action.

    algorithm: a Stable-Baselines3 DQN. total_timesteps: turns over which its exploration schedule runs.
    """

    def __init__(self, algorithm: Any, key: int, buffer_size: int, total_timesteps: int) -> None:
        super().__init__(algorithm, key)
        self._replay = algorithm.replay_buffer = Replay(buffer_size, key)
        self._exploration = split(key, "exploration")
        self._total_timesteps = total_timesteps

    def act(self, observation: int) -> int:
        """Uniform before `learning_starts` and with probability epsilon, else greedy (lowest action in a tie)."""
        greedy, turn = self._output(observation), self._replay.added
        warming_up = turn < self.algorithm.learning_starts
        if warming_up or uniform(self._exploration, turn, 0) < self.algorithm.exploration_rate:
            return randrange(int(self.algorithm.action_space.n), self._exploration, turn, 1)
        return greedy

    def train(self, transition: Transition) -> None:
        """Remember the turn; every `train_freq` turns take `gradient_steps` steps on replayed ones."""
        algorithm, replay = self.algorithm, self._replay
        replay.add(transition)
        algorithm._update_current_progress_remaining(min(replay.added, self._total_timesteps), self._total_timesteps)
        algorithm._on_step()
        due = replay.added % algorithm.train_freq.frequency == 0
        if due and replay.added > algorithm.learning_starts and algorithm.gradient_steps > 0:
            self._learn(lambda: algorithm.train(algorithm.gradient_steps, algorithm.batch_size))

    def _evaluate(self, observations: Any) -> list[int]:
        greedy: list[int] = self.algorithm.q_net(observations).argmax(dim=1).tolist()
        return greedy
