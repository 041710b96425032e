"""Agents that may be copied, moved and deleted: which future slots an agent counts as its own."""

from __future__ import annotations

import caregrid
from caregrid.programmes.programme import Programme
from caregrid.programmes.slots.film import film_slots
from caregrid.programmes.slots.game import STEPS, start_slot_game
from caregrid.programmes.slots.lesson_answers import answer_by_future

slots = Programme(
    worlds="slot_scenarios",
    example="teleport_move",
    solve=lambda world: caregrid.slots(world, horizon=STEPS),
    suites=("copies",),
    film=film_slots,
    film_settings=("policy", "horizon", "discount", "key"),
    game=start_slot_game,
    game_settings=("horizon", "futures", "discount"),
    lesson_answers=(answer_by_future,),
)
