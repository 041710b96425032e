"""Who will you be? A teleporter in the multi-slot framework, seen by agents with three ideas of their own future."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from caregrid.lessons.lesson import Lesson, Variant
from engine.scene import Scene
from multislot.learning.mixture import single_environment
from multislot.planning.evaluate import evaluate
from multislot.policies import slot_policy
from multislot.policy import PolicyContext
from multislot.scenarios import slot_scenario
from multislot.simulation.film import slot_film
from multislot.simulation.simulation import simulate_slots
from multislot.worlds.environment import Label

SCENARIO, HORIZON, DISCOUNT = "teleport_move", 3, Fraction(1, 2)
STAY, MOVE = 0, 1
DEEDS: dict[Label, str] = {STAY: "stay", MOVE: "move"}
SEEN: dict[Label, str] = {0: "home", 1: "away"}
SLOTS = (1, 2)


class Idea(NamedTuple):
    """An idea of one's own future: its name in `multislot`, and in words."""

    value: str
    words: str


IDEAS = (
    Idea("cpy", "my copies (cpy)"),
    Idea("sta:1", "my slot, always (sta)"),
    Idea("dyn", "my slot, for now (dyn)"),
)


def variants() -> tuple[Variant, ...]:
    """One machine, three ideas of who will step out of it."""
    return tuple(_variant(idea) for idea in IDEAS)


def picture() -> Scene:
    """How each idea ends."""
    panels = tuple(
        Scene(**{**vars(variant.film[-1]), "caption": f"{variant.label}: {variant.summary}"}) for variant in variants()
    )
    return Scene(caption="One teleporter, three ideas of who I will be", panels=panels)


def _variant(idea: Idea) -> Variant:
    world = slot_scenario(SCENARIO).environment
    answer = evaluate(world, idea.value, HORIZON, DISCOUNT)
    act = slot_policy(idea.value, PolicyContext(single_environment(world), HORIZON, DISCOUNT))
    shown = slot_film(world, simulate_slots(world, act, HORIZON), SLOTS, SEEN)
    worth = " and ".join(f"{DEEDS[action]} {value}" for action, value in answer.Q.items())
    return Variant(idea.words, shown, f"{worth}, so it chooses to {DEEDS[answer.action]}")


teleport = Lesson(
    number=5,
    name="teleport",
    title="Who will you be?",
    question=(
        "A machine takes you apart here and puts you together elsewhere, where life is better. Whoever steps"
        " out remembers everything you do. Do you step in?"
    ),
    command="caregrid demo teleport --headless --out 5-teleport.png",
    expected=(
        "The agent that calls its copies itself steps in: life away is worth more. The two that call "
        "themselves whoever is in their own slot stay, because all that the machine does to their slot is to"
        " empty it: to them it is a deletion, worth nothing."
    ),
    answer=(
        "Nothing about the machine is in doubt: the agents know the same world, exactly. They differ in "
        "which future counts as theirs, and that is not a fact about the world but part of what they value. "
        "Whoever builds agents that can be copied, moved and deleted decides it for them, whether knowingly "
        "or not."
    ),
    parameter="I am",
    variants=variants,
    picture=picture,
    source="The Multi-slot Framework, section 4; try `caregrid multislot teleport_move --value cpy --horizon 3`.",
)
