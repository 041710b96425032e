"""A multi-slot world: panels a slot, P^i and the tree of slot histories (`--set policy=cpy`)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from caregrid.shows.viewable_programme import ViewableProgramme
from engine.errors import BadValue
from engine.scene import Film
from multislot.learning.mixture import single_environment
from multislot.policies import slot_policy
from multislot.policy import PolicyContext
from multislot.scenarios import slot_scenario
from multislot.simulation.film import slot_film
from multislot.simulation.simulation import simulate

MOST_STEPS = 50


def film_of_slots(name: str, settings: dict[str, Any]) -> Film:
    """A run of agents that follow a policy, by default the one that is optimal for their copies' future."""
    horizon = settings.get("horizon", 3)
    if not isinstance(horizon, int) or not 1 <= horizon <= MOST_STEPS:
        raise BadValue(f"{horizon} steps", place="--set horizon", remedy=f"choose from 1 to {MOST_STEPS}")
    world = slot_scenario(name).environment
    discount = _fraction(settings.get("discount", "1/2"))
    act = slot_policy(str(settings.get("policy", "cpy")), PolicyContext(single_environment(world), horizon, discount))
    trace = simulate(world, act, horizon, int(settings.get("key", 0)))
    return slot_film(world, trace)


def _fraction(text: Any) -> Fraction:
    try:
        return Fraction(str(text))
    except (ValueError, ZeroDivisionError) as error:
        raise BadValue(f"discount {text}", place="--set discount", remedy="write a fraction such as 1/2") from error


slots = ViewableProgramme(film_of_slots, example="teleport_move", settings=("policy", "horizon", "discount", "key"))
