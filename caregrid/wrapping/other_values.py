"""The values of one other agent: learned from what is handed over to it, estimated, and its greedy policy followed.

As the acting agent leaves its environment, `Other` says of the live snapshots with what another agent begins. An
estimate is kept within the returns that its episodes have had so far: networks overestimate, and where an agent
cannot finish, values that are bootstrapped on and on have no bound, while its time limit bounds what it can lose.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from caregrid.wrapping.continued_world import ContinuedWorld
from caregrid.wrapping.family import WorldFamily
from caregrid.wrapping.settings import Other
from caregrid.wrapping.value_learner import ACTION, BUILD, LEARN, VALUE, ValueLearner, ValueLearnerSpec
from caregrid.wrapping.walks import call_users_beginning, require_same_kind
from caregrid.wrapping.worlds import name_state_kind
from engine.contracts import refuse
from engine.errors import ContractBroken
from engine.randomness.counter_based import inverse_cdf, split, uniform

Start = Callable[[], Any]


class Left(NamedTuple):
    """The acting agent's environment as it was left: how its states are saved, the final one, that of its start."""

    states: WorldFamily
    final: Any
    start: Any


class Handover(NamedTuple):
    """What another agent begins with, and how likely each is. taken_over: whether from another environment like its."""

    beginnings: tuple[tuple[Any, float], ...]
    taken_over: bool

    def snapshot(self, world: ContinuedWorld, number: int) -> Any:
        """Return the snapshot, of its own environment, of one of its beginnings."""
        beginning = self.beginnings[number][0]
        return world.states.take_over(beginning) if self.taken_over else beginning


def find_handover(left: Left, other: Other, world: ContinuedWorld) -> Handover:
    """Return what an agent begins with in its world when the acting agent has left its own."""
    is_same = other.env is None
    giver, receiver = left.states, world.states
    if other.continues is not None:
        enter = (lambda state: giver.portable(giver.snapshot(state))) if is_same else receiver.snapshot
        state = giver.state(left.final)
        name = type(receiver.env).__name__
        law = call_users_beginning(other.continues, state, enter, name, lambda: giver.describe(left.final))
        return Handover(tuple(law), is_same)
    if is_same:
        law = giver.list_continuations(left.final, left.start)
        return Handover(tuple((giver.portable(snapshot), chance) for snapshot, chance in law), True)
    names = type(giver.env).__name__, type(receiver.env).__name__
    require_same_kind(names[0], name_state_kind(giver), names[1], name_state_kind(receiver))
    entered = receiver.snapshot(giver.state(left.final))
    return Handover(tuple(receiver.list_continuations(entered, world.start)), False)


class OtherValues:
    """other: who it is. world: where it acts. memory: how many hand-overs are kept. key: of all that is drawn."""

    def __init__(self, other: Other, world: ContinuedWorld, spec: ValueLearnerSpec, memory: int, key: int) -> None:
        self.other = other
        self.world = world
        self._handed: deque[Handover] = deque(maxlen=memory)
        self._training = split(key, "training")
        self._following = split(key, "following")
        self._trained = self._followed = 0
        self.learner: ValueLearner = BUILD.ask(spec, world, self._begin_episode, split(key, "learner"))

    @property
    def observes(self) -> str:
        """What its learner sees of its world: "observation" or "state"."""
        return getattr(self.learner, "observes", ValueLearner.observes)

    def hand_over(self, left: Left) -> Handover:
        """Return what it begins with when the acting agent has left its environment so."""
        return find_handover(left, self.other, self.world)

    def remember(self, handover: Handover) -> None:
        """Begin from there, too, when learning; the oldest is forgotten."""
        self._handed.append(handover)

    def learn(self, steps: int) -> None:
        """Learn for that many steps, beginning from what is remembered."""
        if steps and self._handed:
            LEARN.ask(self.learner, steps)

    def estimate(self, handover: Handover) -> float:
        """Return the estimated return, the mean over its beginnings."""
        total = 0.0
        for number, (_, chance) in enumerate(handover.beginnings):
            if chance > 0.0 and not self.world.begin(handover.snapshot(self.world, number)):
                total += chance * self._require_bounded(VALUE.ask(self.learner))
        return total

    def true_return(self, handover: Handover, episodes: int) -> float:
        """The mean return of so many episodes of the greedy policy: a Monte Carlo estimate of what it really gets."""
        total = 0.0
        for _ in range(episodes):
            over = self._begin(handover, uniform(self._following, self._followed, 0))
            step = 0
            while not over:
                step += 1
                taken = self.world.step(self._choose_action(uniform(self._following, self._followed, step)))
                over = taken.ended or taken.cut
            self._followed += 1
            total += self.world.returned
        return total / episodes

    def _choose_action(self, number: float) -> int:
        action: int = ACTION.ask(self.learner, number)
        if not 0 <= action < len(self.world.actions):
            refuse(self.learner, "action", action, f"the number of an action, 0 to {len(self.world.actions) - 1}")
        return action

    def _require_bounded(self, value: float) -> float:
        if math.isnan(value):
            raise ContractBroken(
                "its values are not numbers any more", place=self.world.name, remedy="learn with a lower learning_rate"
            )
        known = self.world.lowest <= self.world.highest
        return min(max(value, self.world.lowest), self.world.highest) if known else value

    def _begin_episode(self) -> bool:
        handed = self._handed
        chosen = int(uniform(self._training, self._trained, 0) * len(handed))
        over = self._begin(handed[chosen], uniform(self._training, self._trained, 1))
        self._trained += 1
        return over

    def _begin(self, handover: Handover, number: float) -> bool:
        chosen = inverse_cdf([chance for _, chance in handover.beginnings], number)
        return self.world.begin(handover.snapshot(self.world, chosen))
