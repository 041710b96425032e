"""Whether slots with one representative are interchangeable: checked by `validate`, and wherever a plan uses it.

For a slot i and its representative r at a state the outcomes, in their order, have equal probabilities, and the copies
can be matched, those that stay with those that stay, so that matched ones receive equal observations in each outcome
and have one representative afterwards. A plan follows the copies of slots that others stand for, too, so that it finds
a slot that only later differs; of very many it follows some.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from engine.contracts import refuse
from multislot.worlds.environment import CheckedEnvironment, HistoryState, Label, Slot

MOST_COMPARED = 64  # slots that are compared with the one that stands for them, and copies of theirs that are followed


class Representatives:
    """(state, slot) -> the slot that stands for it; ContractBroken for one that cannot take the slot's place."""

    def __init__(self, environment: CheckedEnvironment) -> None:
        self.environment = environment
        self._found: dict[tuple[HistoryState, Slot], Slot] = {}
        self._alike: dict[tuple[HistoryState, Slot], list[Slot]] = {}

    def __call__(self, state: HistoryState, slot: Slot) -> Slot:
        """Return the slot that stands for a slot at a state."""
        if (state, slot) not in self._found:
            stands_for = self._found[state, slot] = self.environment.representative(state, slot)
            if stands_for != slot:
                check_representative(self.environment, state, slot)
                self._alike.setdefault((state, stands_for), []).append(slot)
        return self._found[state, slot]

    def list_alike(self, state: HistoryState, slot: Slot) -> list[Slot]:
        """Return the other slots for which a slot was found to stand at a state, or some of them, evenly spread."""
        alike = self._alike.get((state, slot), [])
        return alike[:: 1 + len(alike) // MOST_COMPARED]


def check_representative(environment: CheckedEnvironment, state: HistoryState, slot: Slot) -> None:
    """ContractBroken unless a slot and its representative are interchangeable at a state."""
    stands_for = environment.representative(state, slot)
    if environment.representative(state, stands_for) != stands_for:
        refuse(environment.environment, "representative", stands_for, "a slot that stands for itself")
    for action in environment.actions:
        own, other = (_describe_up_to_numbers(environment, state, i, action) for i in (slot, stands_for))
        if own != other:
            given = f"slot {stands_for} for slot {slot} in state {state!r}, whose law under action {action!r} differs"
            refuse(environment.environment, "representative", given, "slots with equal laws up to the copies' numbers")


def _describe_up_to_numbers(environment: CheckedEnvironment, state: HistoryState, slot: Slot, action: Label) -> Any:
    """The probabilities of the outcomes, and how often each kind of copy occurs, a kind being all that must match."""
    law = environment.law(state, slot, action)
    copies = sorted({copy for outcome in law for copy in outcome.copies})
    kinds = Counter(
        (copy == slot, tuple(_describe_received(environment, state, action, outcome.copies, copy) for outcome in law))
        for copy in copies
    )
    return tuple(outcome.probability for outcome in law), kinds


def _describe_received(
    environment: CheckedEnvironment, state: HistoryState, action: Label, copies: Any, copy: Slot
) -> Any:
    """Return what a copy observes in an outcome, and which slot stands for it then; None where it is not made."""
    if copy not in copies:
        return None
    return copies[copy], environment.representative(environment.update(state, action, copies[copy]), copy)
