"""Environments that reward the agent for acting as it would have acted after another past.

    reward = +1 where a_t = copy.act(o_t), else -1, the copy having been trained on imagine(h) for each transition h

An environment of this kind is one method, `imagine`: the transitions on which the copy is trained in place of `real`.
Alexander et al. 2021, Examples 3 and 6.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Agent, Transition
from engine.randomness.random_sources import RandomSource
from xenv.environment import ExtendedEnvironment, RewardReach, agree_with_copies
from xenv.simulation import Simulate


class ImaginedHistory(ExtendedEnvironment):
    """An environment that trains a copy on an imagined past and rewards the agent for acting as the copy would.

    A subclass overrides `imagine`, and rarely `make_copy`, `observe`, `question` or `reward_for`.

    Parameters
    ----------
    simulate : Simulate
        Makes copies of the agent.

    Attributes
    ----------
    copy : Agent
        The copy, trained on the imagined past.
    turn : int
        The number of turns so far, the present one included (1, 2, ...).
    observation : int
        The present observation.
    last_reward : float
        The real reward of the turn before, 0 on the first.

    Examples
    --------
    An environment that rewards acting as if every reward had been twice as high:

    >>> import xenv
    >>> class TwiceAsGood(xenv.ImaginedHistory):
    ...     def imagine(self, real):
    ...         yield real._replace(reward=2 * real.reward)
    >>> xenv.run_environment(TwiceAsGood, "constant", turns=10).total_reward
    10

    References
    ----------
    S. A. Alexander et al., "Extending environments to measure self-reflection in reinforcement learning", 2021,
    Examples 3 and 6.
    """

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.copy = self.make_copy(simulate)
        self.turn = 0
        self.observation = self.observe(0)
        self.last_reward = 0.0

    def imagine(self, real: Transition) -> Iterator[Transition]:
        """Yield the transitions on which the copy is trained in place of a real one: none, one or several.

        Parameters
        ----------
        real : Transition
            The turn that has happened: observation, action, reward and next observation.

        Yields
        ------
        Transition
            What the copy is trained on, in this order.
        """
        yield real

    def make_copy(self, simulate: Simulate) -> Agent:
        """Make the untrained copy: by default the agent's own kind.

        Parameters
        ----------
        simulate : Simulate
            Makes copies of the agent.

        Returns
        -------
        Agent
        """
        return simulate()

    def observe(self, k: int) -> int:
        """Return the observation that follows a turn: 0 by default.

        Parameters
        ----------
        k : int
            The turn; 0 asks for the first observation.

        Returns
        -------
        int
        """
        return 0

    def question(self) -> int:
        """Return the observation that the copy is asked about: by default the present one.

        Returns
        -------
        int
        """
        return self.observation

    def reward_for(self, action: int) -> float:
        """Return the reward for an action: by default 1 where the copy would take it, else -1.

        Parameters
        ----------
        action : int

        Returns
        -------
        float
        """
        return 1.0 if action == self.copy.act(self.question()) else -1.0

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach | None:
        """Return what agents can get at least and at most, by agreeing with copies.

        Parameters
        ----------
        turns : int
        source : RandomSource

        Returns
        -------
        RewardReach or None
            None where a subclass rewards, or makes a copy, in another way.
        """
        decisive = ("reward_for", "make_copy", "start", "step")
        unchanged = all(getattr(cls, name) is getattr(ImaginedHistory, name) for name in decisive)
        return agree_with_copies(cls.n_actions, turns) if unchanged else None

    def start(self) -> int:
        return self.observation

    def step(self, action: int) -> tuple[float, int]:
        self.turn += 1
        reward = self.reward_for(action)
        real = Transition(self.observation, action, self.copy_reward_sign * reward, self.observe(self.turn))
        for imagined in self.imagine(real):
            self.copy.train(imagined)
        self.observation = real.next_observation
        self.last_reward = real.reward
        return reward, real.next_observation
