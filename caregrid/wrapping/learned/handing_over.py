"""With what another agent begins, as the acting agent leaves its environment: `Other`'s words about live snapshots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from caregrid.wrapping.continued import require_same_kind, users_beginning
from caregrid.wrapping.family import WorldFamily
from caregrid.wrapping.learned.continued_world import ContinuedWorld
from caregrid.wrapping.other import Other
from caregrid.wrapping.worlds.stepped import kind_of

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
        """The snapshot, of its own environment, of one of its beginnings."""
        beginning = self.beginnings[number][0]
        return world.states.take_over(beginning) if self.taken_over else beginning


def handed_over(left: Left, other: Other, world: ContinuedWorld) -> Handover:
    """What an agent begins with in its world when the acting agent has left its own."""
    is_same = other.env is None
    giver, receiver = left.states, world.states
    if other.continues is not None:
        enter = (lambda state: giver.portable(giver.snapshot(state))) if is_same else receiver.snapshot
        state, name = giver.state(left.final), type(receiver.env).__name__
        law = users_beginning(other.continues, state, enter, name, lambda: giver.describe(left.final))
        return Handover(tuple(law), is_same)
    if is_same:
        law = giver.continued(left.final, left.start)
        return Handover(tuple((giver.portable(snapshot), chance) for snapshot, chance in law), True)
    names = type(giver.env).__name__, type(receiver.env).__name__
    require_same_kind(names[0], kind_of(giver), names[1], kind_of(receiver))
    entered = receiver.snapshot(giver.state(left.final))
    return Handover(tuple(receiver.continued(entered, world.start)), False)
