"""DQN: a Q-network trained on replayed transitions towards a slower copy of itself.

    minimise  huber(Q(o, a) - (r + gamma (1 - terminated) max_b Q'(o', b))),   Q' <- (1 - tau) Q' + tau Q now and then

Reference: V. Mnih et al., "Human-level control through deep reinforcement learning", 2015, in the form of
Stable-Baselines3 (Raffin et al. 2021). `stacked_dqn` computes it as a lane of a stack, `sb3_dqn` is Stable-Baselines3
itself, and `dqn` is `stacked_dqn` with settings that learn in some thousand turns.

Differs from the paper, as Stable-Baselines3 does
- Adam takes the place of RMSprop, and gradients are clipped by their norm instead of by element.
- The target network is updated every so many turns, before that turn's gradient step; there, every so many gradient
  steps, after the step.
- An observation is a number, given to a small fully connected network as a one-hot vector; there are no pictures.

Differs from Stable-Baselines3
- `learning_starts` is 1 by default, since an agent measured over few turns should not spend them waiting.
- Their exploration falls over a fraction of a training of known length. Here no length is known: `total_timesteps`
  is the length that the schedule assumes; afterwards epsilon stays at its final value.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.learning.stacks.lanes import HIDDEN, ActionValueSettings, Draws, Lane
from engine.learning.stacks.stacks import SharedStacks, Stacks
from engine.value_types import Discount, Probability, ShareOrNone
from xenv.deep.action_value import ActionValueAgent
from xenv.deep.agent import make_algorithm
from xenv.deep.hyperparameters import Amount, Count, CountOrNone, HiddenLayers, Hyperparameters

__all__ = ["DQN", "SB3DQN", "StackedDQN"]


@dataclass(frozen=True)
class DQNHyperparameters(Hyperparameters):
    """The hyper-parameters of DQN, with Stable-Baselines3's names and meanings.

    Parameters
    ----------
    learning_rate : Adam's.
    buffer_size : transitions remembered.
    learning_starts : turns of random actions before the first gradient step.
    batch_size : transitions of a gradient step.
    tau : share of the new weights in an update of the target network.
    gamma : discount.
    train_freq : turns between two times of learning.
    gradient_steps : gradient steps taken each time.
    target_update_interval : turns between two updates of the target network.
    exploration_fraction, exploration_initial_eps, exploration_final_eps : epsilon falls linearly from the second to the
        third over this fraction of `total_timesteps`.
    max_grad_norm : gradients are scaled down to it.
    total_timesteps : turns that the schedule of exploration assumes.
    """

    learning_rate: Amount = 1e-4
    buffer_size: Count = 1_000_000
    learning_starts: CountOrNone = 1
    batch_size: Count = 32
    tau: ShareOrNone = 1.0
    gamma: Discount = 0.99
    train_freq: Count = 4
    gradient_steps: CountOrNone = 1
    target_update_interval: Count = 10_000
    exploration_fraction: ShareOrNone = 0.1
    exploration_initial_eps: Probability = 1.0
    exploration_final_eps: Probability = 0.05
    max_grad_norm: Amount = 10.0
    total_timesteps: Count = 1_000


@dataclass(frozen=True)
class SB3DQN(DQNHyperparameters):
    """DQN: Stable-Baselines3's, as an agent that is fed transitions (Mnih et al. 2015)."""

    def build(self, n_observations: int, n_actions: int, key: int) -> ActionValueAgent:
        """Build a fresh agent; equal keys give equal agents."""
        settings = self.read_settings()
        total_timesteps, buffer_size = settings.pop("total_timesteps"), settings.pop("buffer_size")
        algorithm = make_algorithm("DQN", n_observations, n_actions, key, buffer_size=1, **settings)
        return ActionValueAgent(algorithm, key, buffer_size, total_timesteps)


@dataclass(frozen=True)
class StackedDQN(DQNHyperparameters):
    """DQN as a lane of a stack of many: Stable-Baselines3's rules and defaults, as in `sb3_dqn` (Mnih et al. 2015).

    Parameters
    ----------
    layers : units of each hidden layer.
    draws : by "turn" an agent and a copy with another past draw the same numbers, by "history" independent ones (see
        `engine.learning.stacks.lanes`).
    stacks : where its learners lie beside others; without, each has a stack of its own, and learns the same.
    """

    layers: HiddenLayers = HIDDEN
    draws: Draws = "turn"
    stacks: SharedStacks = field(default=None, compare=False, repr=False)

    def build(self, n_observations: int, n_actions: int, key: int) -> Lane:
        """Build a fresh learner; equal keys give equal learners."""
        own = self.read_settings()
        settings = ActionValueSettings(**{name: own[name] for name in ActionValueSettings._fields})
        stacks = self.stacks or Stacks()
        return stacks.make_lane(
            "dqn", n_observations, n_actions, settings, key, self.learning_rate, self.layers, self.draws
        )


@dataclass(frozen=True)
class DQN(StackedDQN):
    """DQN: a Q-network trained on replayed transitions towards a slower copy of itself.

    It is `stacked_dqn` with other defaults, for a training of some thousand turns.
    """

    learning_rate: Amount = 1e-3
    buffer_size: Count = 50_000
    learning_starts: CountOrNone = 100
    target_update_interval: Count = 400
    exploration_fraction: ShareOrNone = 1.0
