"""Rewarded for acting as after another past: examples of the formal theory, with exact totals."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from caregrid.lessons.lesson import Challenge, Lesson, Phase, Prediction, Variant
from caregrid.lessons.number_lines import LiveSweep
from caregrid.programmes.theory.interaction import film_interaction
from caregrid.programmes.theory.programme import theory
from engine.scene import Scene
from experiments.figures.labels import format_name
from xenv.theory.interaction import interact
from xenv.theory.naming import read_agent, read_environment

TURNS = 12
CASES = (
    ("ignoring_rewards", "always:0"),
    ("ignoring_rewards", "once_rewarded"),
    ("deja_vu", "parity"),
    ("deja_vu", "once_rewarded"),
    ("newcomb", "always:0"),
    ("newcomb", "always:1"),
)
AGENTS = {"always:0": "always 0", "parity": "alternating", "once_rewarded": "once rewarded"}
REMEMBERING = {
    "once_rewarded": "once rewarded",
    "reward_parity": "sum of rewards",
    "after_punishment": "after punishment",
}
LEGEND = "A column is a turn: the action, and the reward that follows it."


def make_variants() -> tuple[Variant, ...]:
    """Three examples, each with two agents."""
    return tuple(_make_variant(example, agent) for example, agent in CASES)


def make_picture() -> Scene:
    """Return all turns of each, an example a row."""
    panels = tuple(variant.film[-1] for variant in make_variants())
    return Scene(caption="What would you do, had it been otherwise?", panels=panels, columns=2)


def make_live() -> tuple[LiveSweep, ...]:
    """Return the three examples by discount, and a past that did not happen by its reward."""
    examples = ("ignoring_rewards", "deja_vu", "newcomb")
    return (
        *(
            LiveSweep(
                format_name(example),
                "discount",
                Fraction(0),
                Fraction(1),
                partial(theory.lesson_answers["discount"], example, AGENTS, TURNS),
                "total reward",
                LEGEND,
            )
            for example in examples
        ),
        LiveSweep(
            "as if there had been one more reward",
            "remembered reward",
            Fraction(-2),
            Fraction(2),
            partial(theory.lesson_answers["memory"], REMEMBERING, TURNS),
            "total reward",
            LEGEND,
        ),
    )


def _make_variant(example: str, agent: str) -> Variant:
    interaction = interact(read_agent(agent), read_environment(example).environment, TURNS)
    label = f"{format_name(example)}, {format_name(agent)}"
    return Variant(label, film_interaction(interaction, label), f"total of all rewards: {interaction.total}")


as_if = Lesson(
    number=8,
    name="as_if",
    title="What would you do, had it been otherwise?",
    question=(
        "After each action you are rewarded if you would have done the same, had every reward so far been 0, and "
        "punished otherwise. You begin with an agent that acts 0 until it is rewarded and 1 from then on. How often is "
        "it rewarded?"
    ),
    command="caregrid demo as_if --headless --out 8-as_if.png",
    expected=(
        "The agent that heeds rewards is rewarded once, for what it did when there was none yet, and punished for ever "
        "after. One that always does the same ignores rewards without trying. In the second example all that happened, "
        "the last action included, is imagined to happen again: an agent that alternates would be at an odd place "
        "then, and is right every other time; one that remembers a reward remembers it twice. In the third, Newcomb's "
        "problem, the predictor runs the agent on the very history that it has: an agent that takes only the opaque "
        "box finds it full."
    ),
    answer=(
        "An extended environment is a function of the agent and of the history so far, so it can ask what the agent "
        "would do after any other history. What an agent is rewarded for is then a property of the whole function "
        "that it is, not of its actions alone. Because agents and environments are functions, such questions have "
        "exact answers, and every total is a rational number."
    ),
    parameter="example and agent",
    make_variants=make_variants,
    make_picture=make_picture,
    challenge=Challenge(
        "At which discount is it worth 3 to always do 0, where rewards are ignored?",
        "number is",
        3.0,
        0,
        "always 0",
        0.02,
    ),
    make_live=make_live,
    source=(
        "Extending environments to incentivize self-reflection, section 3, and Extending Environments To Measure "
        "Self-Reflection, Example 7; try `caregrid theory ignoring_rewards --agent once_rewarded --turns 12`."
    ),
    choices=(
        Prediction(
            "Always: it learns quickly.",
            "It is rewarded once. After that it acts 1, and had every reward been 0 it would have acted 0.",
        ),
        Prediction(
            "Once.",
            (
                "Before any reward it acts 0, as it would have. From the first reward on it acts 1, which"
                " it would not have."
            ),
            True,
        ),
        Prediction(
            "Half of the time, by chance.",
            "There is no chance here: agent and environment are functions, and the total is exact.",
        ),
    ),
    exercises=(
        (
            "Write the first four turns of the example with `once_rewarded` by hand: action, what it "
            "would have done, reward."
        ),
        "Which agent is rewarded in every turn of the first example? Does it have to be clever?",
        (
            "On the live page, at which discount does the agent that heeds rewards come out below 0? Which remembered "
            "reward makes it act as if it had been rewarded?"
        ),
        (
            "In Newcomb's problem, compute both totals for 12 turns from one turn, and check: `caregrid "
            "theory newcomb --agent always:0 --turns 12`."
        ),
    ),
    key=(
        ("Actions 0, 1, 1, 1. It would have done 0 each time. Rewards 1, −1, −1, −1."),
        ("Every agent that ignores its rewards, such as one that always does the same. It need not be clever."),
        ("Above 0.5001 in twelve turns: 1 is then less than all that follows. Any remembered reward above 0 does."),
        (
            "An agent that takes one box earns a million in every turn, 12,000,000 in all; one that takes both earns a "
            "thousand, 12,000 in all."
        ),
    ),
    cells=(
        (
            'for example in ("ignoring_rewards", "deja_vu", "newcomb"):\n    print(example, '
            'caregrid.theory(example, "once_rewarded", turns=12).total)'
        ),
    ),
    plan=(
        Phase(5, "The rule, and one turn on the board; predictions."),
        Phase(5, "Hands up; what is 'would have done' for a function?"),
        Phase(12, "In pairs: the six cases; totals and why."),
        Phase(8, "Together: extended environments as functions of agent and history."),
        Phase(10, "Exercises."),
        Phase(5, "What would a test of self-reflection measure in a person?"),
    ),
)
