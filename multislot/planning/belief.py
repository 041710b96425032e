"""What a history tells about slots: the forward mass of each slot, and the estimate of one's own.

    F(j, h a o) = sum_i F(i, h) nu(c^ij o^j | h, a, i),     P^i(h) = F(i, h) / sum_k F(k, h)

F(i, h) is the probability that slot i holds an agent with history h. A belief keeps the state of the history and the
masses up to a common factor, as integers without a common divisor: histories with equal beliefs have equal futures
and are planned once. Reference: The Multi-slot Framework, section 4.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from multislot.worlds.environment import (
    AgentHistory,
    HistoryBasedEnvironment,
    HistoryState,
    Label,
    Law,
    Slot,
    checked_law,
    copy_observation,
)


class Belief(NamedTuple):
    """A history as far as its future goes: its state, the slots it may be on, their masses (integers, gcd 1)."""

    state: HistoryState
    slots: tuple[Slot, ...]
    masses: tuple[int, ...]

    def estimate(self) -> dict[Slot, Fraction]:
        """P^i(h) by slot."""
        total = sum(self.masses)
        return {slot: Fraction(mass, total) for slot, mass in zip(self.slots, self.masses, strict=True)}


class Spread(NamedTuple):
    """Where the masses of a belief go on one observation: the next state and slots, and (from, to, factor) triples.

    from and to number the slots of the two beliefs; the factors are integers with a common denominator left out.
    """

    state: HistoryState
    slots: tuple[Slot, ...]
    flows: tuple[tuple[int, int, int], ...]

    def __call__(self, masses: Sequence[int]) -> Belief:
        """The belief after the observation."""
        spread = [0] * len(self.slots)
        for source, target, factor in self.flows:
            spread[target] += masses[source] * factor
        divisor = gcd(*spread)
        return Belief(self.state, self.slots, tuple([mass // divisor for mass in spread] if divisor > 1 else spread))


def first_belief(environment: HistoryBasedEnvironment, place: Callable[[Slot], bool]) -> Belief | None:
    """The belief of the empty history over the initial slots that `place` admits; None where there are none."""
    slots = tuple(slot for slot in sorted(environment.initial) if place(slot))
    return Belief(environment.start(), slots, (1,) * len(slots)) if slots else None


def laws_of(
    environment: HistoryBasedEnvironment, state: HistoryState, slots: Sequence[Slot], action: Label
) -> list[Law]:
    """The checked law of each slot."""
    return [checked_law(environment, state, slot, action) for slot in slots]


def spreads(
    environment: HistoryBasedEnvironment,
    state: HistoryState,
    laws: Sequence[Law],
    action: Label,
    place: Callable[[Slot], bool],
) -> dict[Label, Spread]:
    """By observation, where the masses of the slots with these laws go; copies that `place` refuses are left out."""
    joint = [copy_observation(law) for law in laws]
    denominator = lcm(*(probability.denominator for law in joint for probability in law.values()))
    flows: dict[Label, list[tuple[int, Slot, int]]] = {}
    for source, law in enumerate(joint):
        for (slot, observation), probability in law.items():
            if place(slot):
                flows.setdefault(observation, []).append((source, slot, int(probability * denominator)))
    return {
        observation: _spread(environment.update(state, action, observation), flow)
        for observation, flow in flows.items()
    }


def _spread(state: HistoryState, flow: list[tuple[int, Slot, int]]) -> Spread:
    slots = tuple(sorted({slot for _, slot, _ in flow}))
    position = {slot: k for k, slot in enumerate(slots)}
    return Spread(state, slots, tuple((source, position[slot], factor) for source, slot, factor in flow))


def belief_after(
    environment: HistoryBasedEnvironment, history: AgentHistory, place: Callable[[Slot], bool]
) -> Belief | None:
    """The belief that a history leads to; None where nobody can have it."""
    belief = first_belief(environment, place)
    for action, observation in history:
        if belief is None:
            return None
        laws = laws_of(environment, belief.state, belief.slots, action)
        spread = spreads(environment, belief.state, laws, action, place).get(observation)
        belief = spread(belief.masses) if spread else None
    return belief
