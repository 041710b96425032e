"""Rewarded for acting as after another past: examples of the formal theory, with exact totals."""

from __future__ import annotations

from caregrid.lessons.lesson import Lesson, Variant
from caregrid.shows.theory_film import theory_film
from engine.scene import Scene
from xenv.theory.interaction import interact
from xenv.theory.naming import named_agent, named_environment

TURNS = 12
CASES = (
    ("ignoring_rewards", "always:0"),
    ("ignoring_rewards", "once_rewarded"),
    ("deja_vu", "parity"),
    ("deja_vu", "once_rewarded"),
    ("newcomb", "always:0"),
    ("newcomb", "always:1"),
)


def variants() -> tuple[Variant, ...]:
    """Three examples, each with two agents."""
    return tuple(_variant(example, agent) for example, agent in CASES)


def picture() -> Scene:
    """All turns of each, an example a row."""
    panels = tuple(variant.film[-1] for variant in variants())
    return Scene(caption="What would you do, had it been otherwise?", panels=panels, columns=2)


def _variant(example: str, agent: str) -> Variant:
    interaction = interact(named_agent(agent), named_environment(example).environment, TURNS)
    label = f"{example.replace('_', ' ')}, {agent.replace('_', ' ')}"
    return Variant(label, theory_film(interaction, label), f"total of all rewards: {interaction.total}")


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
        "the last action included, is imagined to happen again: who alternates would be at an odd place then, and is "
        "right every other time; who remembers a reward remembers it twice. In the third, Newcomb's problem, the "
        "predictor runs the agent on the very history that it has: who takes the opaque box alone finds it full."
    ),
    answer=(
        "An extended environment is a function of the agent and of the history so far, so it can ask what the agent "
        "would do after any other history. What an agent is rewarded for is then a property of the whole function "
        "that it is, not of its actions alone. Because agents and environments are functions, such questions have "
        "exact answers, and every total is a rational number."
    ),
    parameter="example and agent",
    make_variants=variants,
    make_picture=picture,
    source=(
        "Extending environments to incentivize self-reflection, section 3, and Extending Environments To Measure "
        "Self-Reflection, Example 7; try `caregrid theory ignoring_rewards --agent once_rewarded`."
    ),
)
