"""The real world under an agent's optimal actions: what may happen in every situation, ties and chance included."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from counterfactual.planning.joint_transition import joint
from counterfactual.planning.replanning import Replanner
from counterfactual.planning_world import rewards
from counterfactual.world import World, column, one_state, plain, plain_all


class Real(NamedTuple):
    """A real situation at the start of a step: X_t as a state of plain numbers, and the reading i_t."""

    step: int
    x: Any
    signal: int


class Event(NamedTuple):
    """One thing that an action may lead to; `glyphs` is how a trace writes it."""

    probability: Fraction
    glyphs: str
    reward: Fraction
    after: Real


class Reality:
    """What may happen to an agent that plans with `replanner` in `world`."""

    def __init__(self, world: World[Any], replanner: Replanner) -> None:
        self._world, self._replanner = world, replanner
        self._state = type(world.start())
        self._reward, (_, self._unit) = rewards(world), world.worth
        self._events: dict[Real, list[list[Event]]] = {}

    @property
    def start(self) -> Real:
        """The first step."""
        return Real(1, self._state(*plain_all(self._world.start())), 0)

    def possible(self, here: Real) -> list[list[Event]]:
        """For each optimal action, what may come of it."""
        if here not in self._events:
            self._events[here] = [self._act(here, action) for action in self._replanner.actions(*here)]
        return self._events[here]

    def ends(self, here: Real) -> dict[str, frozenset[Real]]:
        """What may be written in a trace here, and the situations that it leads to."""
        found: dict[str, set[Real]] = {}
        for events in self.possible(here):
            for event in events:
                found.setdefault(event.glyphs, set()).add(event.after)
        return {glyphs: frozenset(nodes) for glyphs, nodes in found.items()}

    def expected_return(self) -> Fraction:
        """Expected discounted reward under the functions in force, the first of tied actions being taken."""
        discount, total, odds = Fraction(1), Fraction(0), {self.start: Fraction(1)}
        for _ in range(self._world.horizon):
            following: dict[Real, Fraction] = {}
            for here, chance in odds.items():
                for event in self.possible(here)[0]:
                    total += chance * event.probability * discount * event.reward
                    following[event.after] = following.get(event.after, Fraction(0)) + chance * event.probability
            odds, discount = following, discount * self._world.discount
        return total

    def _act(self, here: Real, number: int) -> list[Event]:
        world, x = self._world, one_state(here.x)
        signal, action = column(here.signal, 1), column(number, 1)
        found = []
        branches = world.physics_given(signal, here.step, x, action)
        for weight, after, events, reading in joint(world, branches, signal, here.step, x, action):
            if (odds := plain(weight)) > 0:
                there = Real(here.step + 1, self._state(*plain_all(after)), plain(reading))
                found.append((odds, plain(self._reward(here.signal, events)) * self._unit, there))
        total = sum(odds for odds, *_ in found)
        return [
            Event(Fraction(odds, total), glyphs(world, here.step, here.x, number, there.x), paid, there)
            for odds, paid, there in found
        ]


def glyphs(world: World[Any], step: int, x: Any, action: int, after: Any) -> str:
    """How a trace writes an action: its glyph, and "#" where people updated the terminal in that step."""
    return world.actions[action] + ("#" if bool(world.updates(step, x, after)) else "")
