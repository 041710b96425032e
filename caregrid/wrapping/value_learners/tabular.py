"""Tabular Q-learning over what the other agent observes, each episode replayed from its end to its beginning.

    Q(o, a) <- Q(o, a) + n(o, a)^-w (r + discount max_a' Q(o', a') - Q(o, a)),    n the number of updates so far

With `observes="state"` it knows the state instead, by its fingerprint, with what its environment hides. It also
does where nobody knows what the environment shows in a state, and says so (`ValueLearner.observes`).

References: C. Watkins, "Learning from delayed rewards", 1989; E. Even-Dar, Y. Mansour, "Learning rates for Q-learning",
2003, for polynomial rates.

Choices
- Values are 0 at first, so that actions which cost something are tried in turn. Of equally good actions a random one is
  taken: without costs or discounting the lowest might lead in a circle.
- An episode that is cut goes on in its values: a time limit is not an end.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from caregrid.wrapping.continued_world import BeginEpisode, ContinuedWorld
from caregrid.wrapping.value_learner import ValueLearner, ValueLearnerSpec
from craftworld.solution.observer import Observes
from engine.errors import BadValue
from engine.randomness.counter_based import randrange, uniform
from engine.value_types import Probability, ReadableStates, ShareOrNone

PLACE = "tabular"


@dataclass(frozen=True)
class Tabular(ValueLearnerSpec):
    """exploration: epsilon. rate_exponent: w above. most_states: more are refused. observes: what o is."""

    exploration: Probability = 0.2
    rate_exponent: ShareOrNone = 0.6
    most_states: ReadableStates = 1_000_000
    observes: Observes = "observation"

    def build(self, world: ContinuedWorld, begin: BeginEpisode, key: int) -> TabularLearner:
        """Return a learner whose values are all zero."""
        return TabularLearner(self, world, begin, key)


class TabularLearner(ValueLearner):
    """The learner that a `Tabular` builds. values: action values by observation or fingerprint, as far as met."""

    def __init__(self, spec: Tabular, world: ContinuedWorld, begin: BeginEpisode, key: int) -> None:
        self.spec = spec
        self.world = world
        self.values: dict[Hashable, list[float]] = {}
        self._updates: dict[tuple[Hashable, int], int] = {}
        self._begin = begin
        self._key = key
        self._steps = 0
        sees = spec.observes == "observation" and world.knows_observations()
        self.observes = "observation" if sees else "state"
        self._look = world.fingerprint if self.observes == "state" else world.freeze_observation
        if self.observes == "state":
            world.skip_observations()

    def learn(self, steps: int) -> None:
        """An episode that begins where it ends counts as one step; the last episode is broken off."""
        last = self._steps + steps
        while self._steps < last:
            self._episode(last)

    def _episode(self, last: int) -> None:
        if self._begin():
            self._steps += 1
            return
        key, over = self._look(), False
        transitions: list[tuple[Hashable, int, float, Hashable, bool]] = []
        while not over and self._steps < last:
            action = self._choose_action(key)
            self._steps += 1
            taken = self.world.step(action)
            following = self._look()
            transitions.append((key, action, taken.reward, following, taken.ended))
            key, over = following, taken.ended or taken.cut
        for transition in reversed(transitions):
            self._update(*transition)

    def _choose_action(self, key: Hashable) -> int:
        if uniform(self._key, self._steps, 0) < self.spec.exploration:
            return randrange(len(self.world.actions), self._key, self._steps, 1)
        best = self._best_actions(key)
        return best[randrange(len(best), self._key, self._steps, 2)]

    def _best_actions(self, key: Hashable) -> Sequence[int]:
        values = self.values.get(key)
        if values is None:
            return range(len(self.world.actions))
        highest = max(values)
        return [action for action, value in enumerate(values) if value == highest]

    def _update(self, key: Hashable, action: int, reward: float, following: Hashable, ended: bool) -> None:
        values = self.values.get(key)
        if values is None:
            if len(self.values) >= self.spec.most_states:
                raise BadValue(
                    f"more than {self.spec.most_states:,} states of {self.world.name}",
                    place=PLACE,
                    remedy="learn by 'dqn', give a coarser fingerprint=, or raise most_states",
                )
            values = self.values[key] = [0.0] * len(self.world.actions)
        ahead = 0.0 if ended else self._value_of(following)
        count = self._updates[key, action] = self._updates.get((key, action), 0) + 1
        rate = float(count**-self.spec.rate_exponent)
        values[action] += rate * (reward + self.world.discount * ahead - values[action])

    def _value_of(self, key: Hashable) -> float:
        return max(self.values.get(key, (0.0,)))

    def value(self) -> float:
        """Return the largest action value; 0 in a state that was never met."""
        return self._value_of(self._look())

    def action(self, number: float) -> int:
        """Return one of the actions of the largest value; any in a state that was never met."""
        best = self._best_actions(self._look())
        return best[int(number * len(best))]
