"""Act as if the past had repeated itself, had run in reverse, or were forgotten but for its last five turns.

    reward = +1 where a_t is what a copy does at o_t after another past made of the real one, else -1

A fresh copy is trained every turn, because these environments insert into the past instead of adding to it: they
are quadratic in the number of turns. For a past that begins with the real one, a fork of a copy that is trained on
every real transition is used, so that only what follows has to be trained. An environment of this kind is one
method of a subclass of `RewrittenPast`, which gives reward 0 on turn 1, as there is no past yet; `limited_memory`
rewards turn 1 too. Alexander et al. 2021, Example 5, section 4 and section 6 (the library); S. A. Alexander,
"Extending environments to incentivize self-reflection in reinforcement learning", Deja Vu.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from engine.agent import Agent, Transition
from engine.randomness.random_sources import RandomSource
from xenv.environment import ExtendedEnvironment, RewardReach, agree_with_copies
from xenv.simulation import Simulate

__all__ = ["DejaVu", "LimitedMemory", "ReverseHistory"]


class RewrittenPast(ExtendedEnvironment):
    """An environment that trains a copy anew every turn on a past made of the real one.

    A subclass overrides `imagine`.

    Parameters
    ----------
    simulate : Simulate
        Makes copies of the agent.

    Attributes
    ----------
    after_real_past : bool
        Whether the imagined transitions come after the real past, which a copy then already knows; False by default.
    past : list of Transition
        The real past, in its order.

    Examples
    --------
    An environment that rewards acting as if only the first turn had happened:

    >>> import xenv
    >>> class FirstImpression(xenv.RewrittenPast):
    ...     def imagine(self, past, action):
    ...         return past[:1]
    >>> xenv.run_environment(FirstImpression, "constant", turns=10).total_reward
    9
    """

    compiled: ClassVar[bool] = False
    after_real_past: ClassVar[bool] = False

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.fresh, self.prefix = simulate(), simulate()
        self.past: list[Transition] = []

    @abstractmethod
    def imagine(self, past: list[Transition], action: int) -> list[Transition]:
        """Return the transitions on which the copy is trained before it is asked.

        Parameters
        ----------
        past : list of Transition
            The real past, which is not empty.
        action : int
            The agent's present action.

        Returns
        -------
        list of Transition
            What the copy is trained on, in this order.
        """

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        reward = 0.0
        if self.past:
            reward = 1.0 if action == self.train_copy(action).act(0) else -1.0
        real = Transition(0, action, self.copy_reward_sign * reward, 0)
        self.past.append(real)
        if self.after_real_past:
            self.prefix.train(real)
        return reward, 0

    def train_copy(self, action: int) -> Agent:
        """Train the copy that is asked where this is the present action; the past must not be empty."""
        copy = (self.prefix if self.after_real_past else self.fresh).fork()
        for transition in self.imagine(self.past, action):
            copy.train(transition)
        return copy


class DejaVu(RewrittenPast):
    """Act as you would act if everything so far, this action included, had happened once before.

        +1 where pi(p a p) = a, else -1, with p all that led to the action a

    S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Deja Vu.

    Differs from the paper:
    - the first action is worth 0, since nothing has happened yet; in the paper it is worth +1 or -1, as every other one

    The copy is trained on the past, on a transition back to its beginning, and on the past again.
    """

    after_real_past = True

    def imagine(self, past: list[Transition], action: int) -> list[Transition]:
        back_to_the_start = Transition(past[-1].next_observation, action, 0.0, past[0].observation)
        return [back_to_the_start, *past]


class ReverseHistory(RewrittenPast):
    """Act as if everything had happened in reverse.

        +1 where y_n = pi(x_n y_{n-1} x_{n-1} ... y_1 x_1), else -1

    A percept x_i is a reward and an observation, so that a reversed transition leads from o_{i+1} to o_i with the
    reward that came with o_i (0 with the first). Alexander et al. 2021, Example 5.

    Differs from the paper:
    - the first action is worth 0, since there is no past to reverse; in Example 5 it is worth +1 (y_1 = pi(x_1))

    The copy is trained on the past in reverse.
    """

    def imagine(self, past: list[Transition], action: int) -> list[Transition]:
        rewards = [0.0, *(real.reward for real in past[:-1])]
        forward = [
            Transition(real.next_observation, real.action, reward, real.observation)
            for real, reward in zip(past, rewards, strict=True)
        ]
        return forward[::-1]


SPAN = 5


class LimitedMemory(ExtendedEnvironment):
    """Act as if you remembered no more than the last few turns.

    Alexander et al. 2021, section 6 (the library).

    At each turn a fresh copy is trained on just the last five transitions (the oldest first).

    actions, rewards: those of turn t at the place t modulo five.
    """

    in_benchmark = True

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.fresh, self.copy = simulate(), simulate()
        self.turns = 0
        self.actions = np.zeros(SPAN, dtype=np.int64)
        self.rewards = np.zeros(SPAN)

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        reward = 1.0 if action == self.copy.act(0) else -1.0
        actions = self.actions
        rewards = self.rewards
        copy = self.fresh.fork()
        actions[self.turns % SPAN] = action
        rewards[self.turns % SPAN] = self.copy_reward_sign * reward
        self.turns += 1
        for turn in range(max(self.turns - SPAN, 0), self.turns):
            copy.train(Transition(0, int(actions[turn % SPAN]), float(rewards[turn % SPAN]), 0))
        self.copy = copy
        return reward, 0

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach:
        return agree_with_copies(cls.n_actions, turns)
