"""A multi-slot world: panels a slot, P^i and the tree of slot histories (`--set policy=cpy`)."""

from __future__ import annotations

from typing import Any

from engine.errors import BadValue, argument
from engine.plain_values import parse_rational
from engine.scene import Film
from multislot.film import make_slot_film
from multislot.learning import make_single_environment
from multislot.policies import PolicyContext, make_slot_policy
from multislot.scenarios import slot_scenario
from multislot.simulation import simulate_slots

MOST_FILM_STEPS = 50


def film_slots(name: str, settings: dict[str, Any]) -> Film:
    """A simulation of agents with a policy, by default the one that is optimal for the future of their copies."""
    horizon = settings.get("horizon", 3)
    if not isinstance(horizon, int) or not 1 <= horizon <= MOST_FILM_STEPS:
        remedy = f"choose from 1 to {MOST_FILM_STEPS}"
        raise BadValue(f"{horizon} steps", place=argument("horizon", option="--set horizon"), remedy=remedy)
    world = slot_scenario(name).environment
    place = argument("discount", option="--set discount")
    discount = parse_rational(settings.get("discount", "1/2"), "discount", place)
    act = make_slot_policy(
        str(settings.get("policy", "cpy")), PolicyContext(make_single_environment(world), horizon, discount)
    )
    trace = simulate_slots(world, act, horizon, int(settings.get("key", 0)))
    return make_slot_film(world, trace)
