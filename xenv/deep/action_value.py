"""The agent around Stable-Baselines3's DQN: epsilon-greedy over a Q-network, replayed transitions, a target network.

The replay memory has the form that Stable-Baselines3's DQN reads. Reference: V. Mnih et al., "Human-level control
through deep reinforcement learning", 2015; the learning rule is Stable-Baselines3's own `DQN.train`, called when
its own `learn` would call it.
"""

from __future__ import annotations

from typing import Any

from engine.agent import Transition
from engine.learning.deep import Replay
from engine.randomness.counter_based import randrange, split, uniform
from xenv.deep.agent import DeepAgent


class TensorReplay(Replay):
    """A replay memory whose `sample` gives their tensors."""

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


class ActionValueAgent(DeepAgent[int]):
    """Epsilon-greedy on the network's action values; the output for an observation is the greedy action.

    algorithm: a Stable-Baselines3 DQN. total_timesteps: turns over which its exploration schedule runs.
    """

    def __init__(self, algorithm: Any, key: int, buffer_size: int, total_timesteps: int) -> None:
        super().__init__(algorithm, key)
        self._replay = algorithm.replay_buffer = TensorReplay(buffer_size, key)
        self._exploration, self._total_timesteps = split(key, "exploration"), total_timesteps

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
