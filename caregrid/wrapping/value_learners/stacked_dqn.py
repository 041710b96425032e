"""DQN on observations that are numbers, as a lane of a stack of networks (extra `deep`).

    minimise huber(Q(o, a) - target),   target = r + discount (1 - ended) max_b Q'(o', b),   V(o) = max_a Q(o, a)

The rule is Stable-Baselines3's (`xenv.agents.dqn`), some fifty times as fast. Learners that are given the same
`stacks`, of the others and of acting agents alike, lie side by side there, and each learns what it learns alone.
Reference: V. Mnih et al., "Human-level control through deep reinforcement learning", 2015.

Choices
- It explores less and less over the first half of `total_timesteps`, afterwards at its final rate.
- An episode that is cut goes on in its values; the last one of each time of learning is broken off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gymnasium.spaces import Discrete

from caregrid.wrapping.continued_world import BeginEpisode, ContinuedWorld
from caregrid.wrapping.value_learner import ValueLearner, ValueLearnerSpec, require_numbers
from engine.agent import Transition
from engine.errors import BadValue

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.learning.stacks.lanes import ActionValueLane
    from engine.learning.stacks.stacks import Stacks
    from xenv.agents.dqn import StackedDQN


@dataclass(frozen=True)
class StackedDqn(ValueLearnerSpec):
    """Hyper-parameters, named as by Stable-Baselines3; two hidden layers of 64 units.

    stacks: where its learners lie beside others; without, each has a stack of its own, and learns the same.
    """

    learning_rate: float = 1e-3
    buffer_size: int = 50_000
    learning_starts: int = 100
    batch_size: int = 32
    train_freq: int = 2
    gradient_steps: int = 1
    target_update_interval: int = 50
    exploration_fraction: float = 0.5
    exploration_final_eps: float = 0.2
    total_timesteps: int = 10_000
    stacks: Stacks | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        self.agent(1.0)

    def agent(self, discount: float) -> StackedDQN:
        """Return the agent with these hyper-parameters; raise BadValue where one is out of its domain."""
        from xenv.agents.dqn import StackedDQN

        return StackedDQN(gamma=discount, **vars(self))

    def build(self, world: ContinuedWorld, begin: BeginEpisode, key: int) -> StackedDqnLearner:
        """A learner of fresh weights. MissingExtra where torch is absent; BadValue for observations of another kind."""
        return StackedDqnLearner(self, world, begin, key)


class StackedDqnLearner(ValueLearner):
    """The learner that a `StackedDqn` builds. lane: its row of the stack."""

    def __init__(self, spec: StackedDqn, world: ContinuedWorld, begin: BeginEpisode, key: int) -> None:
        space = world.env.observation_space
        if not isinstance(space, Discrete):
            require_numbers(world, "stacked_dqn")
            raise BadValue(
                f"observations of {world.name} are not numbers but of the kind {type(space).__name__}",
                place="stacked_dqn",
                remedy="learn by 'dqn', or number them by an observation wrapper",
            )
        world.require_observations()
        self._world = world
        self._begin = begin
        self._first = int(space.start)
        self.lane: ActionValueLane = spec.agent(world.discount).build(int(space.n), len(world.actions), key)  # type: ignore[assignment]
        self._values: NDArray[np.float32] | None = None

    def learn(self, steps: int) -> None:
        """An episode that begins where it ends counts as one step."""
        over = True
        observation = 0
        self._values = None
        for _ in range(steps):
            if over:
                if self._begin():
                    continue
                observation = self._observe_number()
            action = self.lane.act(observation)
            taken = self._world.step(action)
            following = self._observe_number()
            self.lane.train(Transition(observation, action, taken.reward, following, taken.ended))
            observation, over = following, taken.ended or taken.cut

    def value(self) -> float:
        """Return the largest action value."""
        return float(self._action_values().max())

    def action(self, number: float) -> int:
        """Return the first action of the largest value."""
        return int(self._action_values().argmax())

    def _action_values(self) -> Any:
        if self._values is None:
            self._values = self.lane.action_values()
        return self._values[self._observe_number()]

    def _observe_number(self) -> int:
        return int(self._world.observe()) - self._first
