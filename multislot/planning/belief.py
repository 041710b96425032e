"""The slot estimate: the forward mass of each slot on which an agent with a history may be, and its update.

    F(j, h a o) = sum_i F(i, h) nu(c^ij o^j | h, a, i),     P^i(h) = F(i, h) / sum_k F(k, h)

F(i, h) is the probability that slot i holds an agent with history h. A belief keeps the state of the history and the
masses up to a common factor, as integers without a common divisor: histories with equal beliefs have equal futures
and are planned once. Reference: The Multi-slot Framework, section 4.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from engine.contracts import call_method
from multislot.worlds.environment import (
    AgentHistory,
    CheckedEnvironment,
    HistoryBasedEnvironment,
    HistoryState,
    Label,
    Law,
    Slot,
    copy_observation,
    ensure_checked,
)
from multislot.worlds.interchangeable import MOST_COMPARED, Representatives


class SlotBelief(NamedTuple):
    """A history as far as its future goes: its state, the slots it may be on, their masses (integers, gcd 1)."""

    state: HistoryState
    slots: tuple[Slot, ...]
    masses: tuple[int, ...]

    def estimate(self) -> dict[Slot, Fraction]:
        """P^i(h) by slot."""
        total = sum(self.masses)
        return {slot: Fraction(mass, total) for slot, mass in zip(self.slots, self.masses, strict=True)}


class BeliefUpdate(NamedTuple):
    """Where the masses of a belief go on one observation: the next state and slots, and (from, to, factor) triples.

    from and to are positions among the slots of the two beliefs; the factors are integers, up to a common factor.
    position: the slots that are copied to, by number -> their place among the slots of the next belief, in which one
    slot may represent several.
    """

    state: HistoryState
    slots: tuple[Slot, ...]
    flows: tuple[tuple[int, int, int], ...]
    position: Mapping[Slot, int]

    def __call__(self, masses: Sequence[int]) -> SlotBelief:
        """Return the belief after the observation."""
        after = [0] * len(self.slots)
        for source, target, factor in self.flows:
            after[target] += masses[source] * factor
        divisor = gcd(*after)
        return SlotBelief(self.state, self.slots, tuple([mass // divisor for mass in after] if divisor > 1 else after))


class BeliefTransition(NamedTuple):
    """What an action does to all beliefs with one state and slots: the law of each slot, the update by observation.

    alike: by slot, the other slots for which it stands in such beliefs, each with its law; none where no slot does.
    """

    state: HistoryState
    slots: tuple[Slot, ...]
    action: Label
    laws: tuple[Law, ...]
    updates: Mapping[Label, BeliefUpdate]
    alike: tuple[tuple[tuple[Slot, Law], ...], ...] = ()


@dataclass
class BeliefTransitions:
    """The transitions of one environment, each computed once.

    admissible: slots that may belong to one's past. representatives: of interchangeable slots, whose masses are added
    up; None where each slot stands for itself. copies: how many have been computed, as a measure of the work.
    """

    environment: CheckedEnvironment
    admissible: Callable[[Slot], bool]
    representatives: Representatives | None = None
    copies: int = 0
    _computed: dict[tuple[HistoryState, tuple[Slot, ...], Label], BeliefTransition] = field(default_factory=dict)

    def __call__(self, state: HistoryState, slots: tuple[Slot, ...], action: Label) -> BeliefTransition:
        """Return the transition of a belief's state and slots under an action. Raises what a bad law does."""
        key = (state, slots, action)
        if key not in self._computed:
            laws = tuple([self.environment.law(state, slot, action) for slot in slots])
            updates = self._make_updates(state, laws, action)
            alike = tuple([self._find_alike(state, slot, action) for slot in slots]) if self.representatives else ()
            self._follow_alike([law for others in alike for _, law in others], updates)
            self._computed[key] = BeliefTransition(*key, laws, updates, alike)
        return self._computed[key]

    def _find_alike(self, state: HistoryState, slot: Slot, action: Label) -> tuple[tuple[Slot, Law], ...]:
        assert self.representatives is not None
        others = self.representatives.list_alike(state, slot)
        return tuple([(other, self.environment.law(state, other, action)) for other in others])

    def _follow_alike(self, laws: Sequence[Law], updates: Mapping[Label, BeliefUpdate]) -> None:
        """Compare the copies of slots that others stand for, or some of them, with those that stand for these.

        No plan asks for them, and what it says of such slots is true only if they stay interchangeable.
        """
        copies = {
            (updates[observation].state, copy): None
            for law in laws
            for copy, observation in copy_observation(law)
            if observation in updates and call_method(self.admissible, "__call__", copy)
        }
        for state, copy in list(copies)[:: 1 + len(copies) // MOST_COMPARED]:
            assert self.representatives is not None
            self.representatives(state, copy)

    def first(self) -> SlotBelief | None:
        """Return the belief of the empty history over the admissible initial slots; None where there are none."""
        slots = tuple(slot for slot in self.environment.initial if call_method(self.admissible, "__call__", slot))
        return SlotBelief(self.environment.start(), slots, (1,) * len(slots)) if slots else None

    def after(self, history: AgentHistory) -> SlotBelief | None:
        """Return the belief that a history leads to; None where nobody can have it."""
        belief = self.first()
        for action, observation in history:
            if belief is None:
                return None
            update = self(belief.state, belief.slots, action).updates.get(observation)
            belief = update(belief.masses) if update else None
        return belief

    def _make_updates(self, state: HistoryState, laws: Sequence[Law], action: Label) -> dict[Label, BeliefUpdate]:
        joint = [copy_observation(law) for law in laws]
        denominator = lcm(*(probability.denominator for law in joint for probability in law.values()))
        self.copies += sum(map(len, joint))
        flows: dict[Label, list[tuple[int, Slot, int]]] = {}
        for source, law in enumerate(joint):
            for (slot, observation), probability in law.items():
                if call_method(self.admissible, "__call__", slot):
                    flows.setdefault(observation, []).append((source, slot, int(probability * denominator)))
        return {observation: self._make_update(state, action, observation, flow) for observation, flow in flows.items()}

    def _make_update(
        self, state: HistoryState, action: Label, observation: Label, flow: list[tuple[int, Slot, int]]
    ) -> BeliefUpdate:
        successor = self.environment.update(state, action, observation)
        find = self.representatives
        stands_for = {slot: find(successor, slot) if find else slot for _, slot, _ in flow}
        slots = tuple(sorted(set(stands_for.values())))
        place = {slot: k for k, slot in enumerate(slots)}
        position = {slot: place[representative] for slot, representative in stands_for.items()}
        factors: dict[tuple[int, int], int] = {}
        for source, slot, factor in flow:
            ends = source, position[slot]
            factors[ends] = factors.get(ends, 0) + factor
        return BeliefUpdate(successor, slots, tuple([(*ends, factor) for ends, factor in factors.items()]), position)


def compute_belief(
    environment: HistoryBasedEnvironment, history: AgentHistory, admissible: Callable[[Slot], bool]
) -> SlotBelief | None:
    """Return the belief that a history leads to; None where nobody can have it."""
    return BeliefTransitions(ensure_checked(environment), admissible).after(history)


def compute_slot_estimate(
    environments: Sequence[HistoryBasedEnvironment], weights: Sequence[Fraction], history: AgentHistory
) -> dict[Slot, Fraction]:
    """P^i(h) by slot, averaged over environments with posterior weights, one each; only slots of positive estimate."""
    average: dict[Slot, Fraction] = {}
    for environment, weight in zip(environments, weights, strict=True):
        belief = compute_belief(environment, history, lambda slot: True)
        for slot, probability in belief.estimate().items() if belief else ():
            average[slot] = average.get(slot, Fraction(0)) + weight * probability
    return {slot: probability for slot, probability in sorted(average.items()) if probability}
