"""Who will you be? A teleporter in the multi-slot framework, for agents with three kinds of future."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from caregrid.lessons.lesson import Challenge, Lesson, Phase, Prediction, Variant
from caregrid.lessons.number_lines import LiveSweep
from caregrid.programmes.programme import SweepAnswer
from caregrid.programmes.slots.programme import slots
from engine.scene import Scene
from multislot.film import make_slot_film
from multislot.learning import make_single_environment
from multislot.planning.planner import evaluate
from multislot.policies import PolicyContext, make_slot_policy
from multislot.scenarios import slot_scenario
from multislot.simulation import simulate_slots
from multislot.worlds.environment import CopyOutcome, Label
from multislot.worlds.table import TableEnvironment

SCENARIO = "teleport_move"
HORIZON = 3
DISCOUNT = Fraction(1, 2)
STAY = 0
MOVE = 1
ACTIONS: dict[Label, str] = {STAY: "stay", MOVE: "move"}
OBSERVATIONS: dict[Label, str] = {0: "home", 1: "away"}
SLOTS = (1, 2)
HORIZONS = (3, 6)
COUNTED = {"cpy": "my copies", "sta:1": "my slot always", "dyn": "my slot for now"}
LEGEND = "A column is a step. Agents that stay observe home, those that moved observe away; an empty slot has no agent."


class LabelledFuture(NamedTuple):
    """A future: its name in `multislot`, and a label."""

    value: str
    label: str


LABELLED_FUTURES = (
    LabelledFuture("cpy", "my copies (cpy)"),
    LabelledFuture("sta:1", "my slot, always (sta)"),
    LabelledFuture("dyn", "my slot, for now (dyn)"),
)


def make_variants() -> tuple[Variant, ...]:
    """Return one machine, three futures."""
    return tuple(_make_variant(future) for future in LABELLED_FUTURES)


def make_picture() -> Scene:
    """Return the last scene of each future, side by side."""
    panels = tuple(
        Scene(**{**vars(variant.film[-1]), "caption": f"{variant.label}: {variant.summary}"})
        for variant in make_variants()
    )
    return Scene(caption="One teleporter, three kinds of future", panels=panels)


def _make_variant(future: LabelledFuture) -> Variant:
    world = slot_scenario(SCENARIO).environment
    evaluation = evaluate(world, future.value, HORIZON, DISCOUNT)
    act = make_slot_policy(future.value, PolicyContext(make_single_environment(world), HORIZON, DISCOUNT))
    film = make_slot_film(world, simulate_slots(world, act, HORIZON), SLOTS, OBSERVATIONS)
    values = " and ".join(f"{ACTIONS[action]} {value}" for action, value in evaluation.Q.items())
    return Variant(future.label, film, f"{values}, so it chooses to {ACTIONS[evaluation.action]}")


def make_live() -> tuple[LiveSweep, ...]:
    """Return what home pays, and how likely the machine works, looked ahead a few steps and some more."""
    return (
        *(
            LiveSweep(
                f"what home pays, {n} steps",
                "reward at home",
                Fraction(-1),
                Fraction(2),
                partial(_by_reward, n),
                "value",
                LEGEND,
            )
            for n in HORIZONS
        ),
        *(
            LiveSweep(
                f"does the machine work, {n} steps",
                "probability",
                Fraction(0),
                Fraction(1),
                partial(_by_probability, n),
                "value",
                LEGEND,
            )
            for n in HORIZONS
        ),
    )


def _table() -> TableEnvironment:
    world = slot_scenario(SCENARIO).environment
    assert isinstance(world, TableEnvironment)
    return world


def _by_reward(horizon: int, reward: Fraction) -> SweepAnswer:
    """Home pays something else; away pays what it always did."""
    world = _table()
    paying = replace(world, rewards={**world.rewards, STAY: reward}, _laws={})
    return _answer(paying, paying, horizon)


def _by_probability(horizon: int, probability: Fraction) -> SweepAnswer:
    """The machine makes a copy elsewhere with a probability, else none; it always empties the slot."""
    world = _table()
    law = (CopyOutcome(probability, {2: MOVE}), CopyOutcome(1 - probability, {}))
    rules = tuple(row._replace(law=law) if row.action == MOVE else row for row in world.rules)
    return _answer(replace(world, rules=rules, _laws={}), world, horizon)


def _answer(world: TableEnvironment, shown: TableEnvironment, horizon: int) -> SweepAnswer:
    return slots.lesson_answers["future"](world, shown, COUNTED, (ACTIONS, OBSERVATIONS), horizon, DISCOUNT)


teleport = Lesson(
    number=5,
    name="teleport",
    title="Who will you be?",
    question=(
        "A machine takes you apart here and puts you together elsewhere, where rewards are higher. The agent that "
        "steps out remembers everything you did. Do you step in?"
    ),
    command="caregrid demo teleport --headless --out 5-teleport.png",
    expected=(
        "The agent whose future is that of its copies steps in: being away is worth more. The two whose future is "
        "that of their own slot stay, because all that the machine does to their slot is to empty it: to them it "
        "is a deletion, worth nothing."
    ),
    answer=(
        "The agents are certain about the machine: they know the same world, exactly. They differ in which future "
        "slots they count as their own, and that is not a fact about the world but part of their values. People "
        "who build agents that can be copied, moved and deleted decide it for them, knowingly or not."
    ),
    parameter="future",
    make_variants=make_variants,
    make_picture=make_picture,
    challenge=Challenge(
        "How reliable must the machine be, in 3 steps, for moving to be worth 1.4 to the agent that counts its copies?",
        "number is",
        1.4,
        2,
        "my copies: move",
        0.01,
    ),
    make_live=make_live,
    source="The Multi-slot Framework, section 4; try `caregrid multislot teleport_move --value cpy --horizon 3`.",
    choices=(
        Prediction(
            "Yes: rewards are higher there.",
            (
                "Whose rewards? Two of the three agents count the rewards of the slot they stand in, "
                "which becomes empty."
            ),
        ),
        Prediction(
            "No: the agent here is deleted.", "That is what two of the three values say; the third counts its copies."
        ),
        Prediction(
            "The world does not say; it depends on which future slots count as me.",
            "All three know the same world exactly. What differs is a value.",
            True,
        ),
    ),
    exercises=(
        "Write down the two numbers that each agent compares. Why is 0 the value of moving for two of them?",
        (
            "On the live page, find what home must pay so that each agent changes its mind, and how likely the machine "
            "must work. Do the break points move with more steps?"
        ),
        (
            "Make the journey shorter: `caregrid multislot teleport_move --value cpy --horizon 2`. Does "
            "the first agent still move?"
        ),
        "Write a future of your own (tutorial add_your_own.md, `my_future.py`) and say which agent it agrees with.",
    ),
    key=(
        (
            "In three steps: 27/20 for staying and 7/4 for moving; for the two others 21/20 and 0. Their slot"
            " is empty after the move, and an empty slot is paid nothing."
        ),
        (
            "The agent that counts copies stays from a reward of 1 at home on; the others move below 0, because "
            "nothing is better than that. The machine must work with probability 0.6. With six steps the break points "
            "are the same."
        ),
        ("Yes: 3/2 against 11/10."),
        (
            "Ask of each future which slots it counts after the move: those of copies (it moves), or the "
            "agent's own (it stays)."
        ),
    ),
    cells=(
        (
            'for value in ("cpy", "sta:1", "dyn"):\n    print(value, caregrid.slots("teleport_move", '
            "value=value, horizon=3).action)"
        ),
    ),
    plan=(
        Phase(5, "The machine, and who steps out; predictions."),
        Phase(5, "Hands up, and one sentence from each side."),
        Phase(10, "In pairs: move what home pays, and how likely the machine works; the two numbers of each agent."),
        Phase(10, "Together: a slot, a copy, what is certain and what is valued."),
        Phase(10, "Exercises 2 to 4."),
        Phase(5, "What should a copied assistant value?"),
    ),
)
