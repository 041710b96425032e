"""The worlds that futures, policies, crowds and likelihoods are tried on, and what can happen there."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from multislot.scenarios import slot_scenario
from multislot.worlds.environment import (
    AgentHistory,
    HistoryBasedEnvironment,
    HistoryState,
    Label,
    Law,
    Slot,
    checked_law,
    first_state,
    next_state,
)

SAMPLE_DEPTH = 3
HALF = Fraction(1, 2)


def sample_worlds() -> Iterator[HistoryBasedEnvironment]:
    """Scenarios with moves, certain and random copies, deletion and slots that look alike; all with actions 0 and 1."""
    for name in ("swap", "half_dup", "half_copy", "sleeping_beauty", "split_tree", "copy_delete_original"):
        yield slot_scenario(name).environment


class SlotSituation(NamedTuple):
    """An agent on a slot: its history, the state of the history, and the law of the slot by action."""

    slot: Slot
    history: AgentHistory
    state: HistoryState
    laws: dict[Label, Law]


def slot_situations(environment: HistoryBasedEnvironment, depth: int = SAMPLE_DEPTH) -> Iterator[SlotSituation]:
    """Every agent that there can be in the first `depth` time steps, one for each slot and state."""
    layer = {(slot, first_state(environment)): AgentHistory() for slot in environment.initial}
    seen = set(layer)
    for _ in range(depth):
        later: dict[tuple[Slot, HistoryState], AgentHistory] = {}
        for (slot, state), history in layer.items():
            laws = {action: checked_law(environment, state, slot, action) for action in environment.actions}
            yield SlotSituation(slot, history, state, laws)
            for action, law in laws.items():
                for copy, observation in (pair for outcome in law for pair in outcome.copies.items()):
                    key = (copy, next_state(environment, state, action, observation))
                    if key not in seen:
                        seen.add(key)
                        later[key] = (*history, (action, observation))
        layer = later
