"""A multi-slot world: panels a slot, P^i and the tree of slot histories (`--set policy=cpy`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import caregrid
from caregrid.programmes.programme import Programme, import_later

if TYPE_CHECKING:
    from caregrid.programmes.slots.values import SlotSimulation

FOLDER = "caregrid.programmes.slots"


def solve(world: str, settings: dict[str, Any]) -> SlotSimulation:
    """Run agents with a policy, by default the one that is optimal for the future of their copies."""
    from caregrid.programmes.slots.values import STEPS

    steps = settings.get("horizon", STEPS)
    numbers = {"discount": settings.get("discount"), "seed": settings.get("key", 0)}
    return caregrid.simulate_slots(world, settings.get("policy", "cpy"), steps, **numbers)


slots = Programme(
    example="teleport_move",
    worlds="slot_scenarios",
    solve=solve,
    settings=("policy", "horizon", "discount", "key"),
    game=import_later(f"{FOLDER}.game:start_slot_game"),
    game_settings=("horizon", "futures", "discount"),
    explain=import_later(f"{FOLDER}.identification:explain"),
    lesson_answers={"future": import_later(f"{FOLDER}.lesson_answers:answer_by_future")},
    suites=("copies",),
)
