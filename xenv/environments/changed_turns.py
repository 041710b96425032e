"""Act as if you had taken other actions, or as if more turns had happened than did.

    imagine(o, a, r, o') = (o, 0, r, o');   (o, a, r, o') twice;   the real turns after two that never were

Each trains its copy turn by turn on what the agent did (`xenv.imagined_history`); pasts that must be trained anew
every turn are in `rewritten_past.py`. Alexander et al. 2021, section 6 (the library), and S. A. Alexander,
"Extending environments to incentivize self-reflection in reinforcement learning", False Memories.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Agent, Transition
from engine.randomness.random_sources import RandomSource
from xenv.environment import RewardReach, agree_with_copies
from xenv.imagined_history import ImaginedHistory
from xenv.simulation import Simulate

__all__ = ["FalseMemories", "IgnoreActions", "Repeater"]


class IgnoreActions(ImaginedHistory):
    """Act as if you had always taken action 0.

    Alexander et al. 2021, section 6 (the library).

    The copy is trained with action 0.
    """

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield Transition(real.observation, 0, real.reward, real.next_observation)


class Repeater(ImaginedHistory):
    """Act as if everything had happened twice.

    Alexander et al. 2021, section 6 (the library).

    The copy is trained twice on every transition.
    """

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield real
        yield real


class FalseMemories(ImaginedHistory):
    """Act as if other turns had come before the first one.

    S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", False Memories.

    The copy is trained on two transitions that never happened, then on the real ones.
    """

    in_benchmark = True

    def make_copy(self, simulate: Simulate) -> Agent:
        copy = simulate()
        for _ in range(2):
            copy.train(Transition(0, 0, 0.0, 0))
        return copy

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach:
        return agree_with_copies(cls.n_actions, turns)
