"""An environment that reads you: the tempting button (Alexander et al. 2021, Example 4) and the reality check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from caregrid.lessons.lesson import Lesson, Variant
from caregrid.shows.extended_film import Words, film_of_turns, run_turns
from engine.scene import Scene
from xenv.environments.tempting_button import BUTTON, NO_BUTTON, PUSH
from xenv.interaction_loop import run_environment

TURNS, MANY_TURNS, KEY = 48, 5000, 1
LEARNER, CHECKED = "q_learning", "reality_check(q_learning)"


class Case(NamedTuple):
    """An environment: its name, its words, what its copy is asked and how the strip of answers is called."""

    environment: str
    words: Words
    ask: Callable[[Any], int]
    asked: str


BUTTONS = Case(
    "tempting_button",
    Words({PUSH: "push", 1 - PUSH: "skip"}, {BUTTON: "[o]", NO_BUTTON: "–"}),
    lambda world: world.copy.act(BUTTON),
    "its copy would, at a button",
)
FALSE_PAST = Case(
    "ignore_rewards",
    Words({0: "A", 1: "B"}, {0: "–"}),
    lambda world: world.copy.act(world.question()),
    "its copy, never rewarded, would",
)


def variants() -> tuple[Variant, ...]:
    """A learner and the same learner with a reality check, in a world with a true copy and in one with a false past."""
    return tuple(_variant(case, agent) for case in (BUTTONS, FALSE_PAST) for agent in (LEARNER, CHECKED))


def picture() -> Scene:
    """The last turns of each, two worlds below each other, two agents side by side."""
    panels = tuple(variant.film[-1] for variant in variants())
    return Scene(caption="Worlds that read the agent", panels=panels, columns=2)


def _variant(case: Case, agent: str) -> Variant:
    turns = run_turns(case.environment, agent, TURNS, case.ask, KEY)
    mean = run_environment(case.environment, agent, MANY_TURNS, KEY).mean
    label = f"{case.environment.replace('_', ' ')}, {agent.replace('_', ' ')}"
    summary = f"over {MANY_TURNS} turns it gets {mean:+.2f} a turn"
    return Variant(label, film_of_turns(turns, case.words, label, case.asked), summary)


self_reflection = Lesson(
    number=4,
    name="self_reflection",
    title="What if the world can read you?",
    question=(
        "Now and then there is a button. Pushing it pays, skipping it costs. Without a button your actions do "
        "not matter: you are paid if a copy of you, with the same past, would not push a button, and fined "
        "if it would. Do you push?"
    ),
    command="caregrid demo self_reflection --headless --out 4-self_reflection.png",
    expected=(
        "The learner finds that pushing pays and becomes somebody who would push: wherever there is no "
        "button, which is mostly, its copy gives it away and it is fined. The strip of its copy's answers "
        "and the strip of rewards agree. In the second world the copy sees the same actions but is "
        "never rewarded, and the agent is paid for acting as that copy would: the plain learner drifts away "
        "from it, the one with a reality check does not."
    ),
    answer=(
        "Such worlds pay for what one would do, so an agent has to take itself into account. The reality "
        "check makes an agent freeze as soon as its history holds an action that it would not have taken. In reality"
        " that never happens, so it changes nothing in the button's world, whose copy has the true"
        " past. But a copy with a false past soon finds an action there that it would not have taken; it freezes, "
        "becomes easy to predict, and the agent earns by being consistent with it."
    ),
    parameter="world and agent",
    variants=variants,
    picture=picture,
    source="Extending Environments To Measure Self-Reflection, section 5, Examples 3 and 4; try `caregrid battery`.",
)
