"""Environments that simulate the agent: the tempting button (Alexander et al. 2021, Example 4), and reality checks."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from caregrid.lessons.lesson import Challenge, Lesson, Phase, Prediction, Variant
from caregrid.lessons.number_lines import LiveSweep
from caregrid.programmes.extended.film import EnvironmentLabels, film_turns, run_turns
from caregrid.programmes.extended.lesson_answers import CopyGame
from caregrid.programmes.extended.programme import extended
from engine.scene import Scene
from experiments.figures.labels import format_name
from xenv.environments.tempting_buttons import BUTTON, NO_BUTTON, PUSH
from xenv.interaction_loop import run_environment

TURNS = 48
MANY_TURNS = 5000
LIVE_TURNS = 24
GAME_TURNS = 20
KEY = 1
LEARNER = "q_learning"
CHECKED = "reality_check(q_learning)"
AGENTS = {LEARNER: "learner", CHECKED: "learner with reality check"}


class Case(NamedTuple):
    """An environment: its name, its labels, the action of its copy, and the title of the strip of those actions.

    about: what is rewarded.
    """

    environment: str
    labels: EnvironmentLabels
    copy_action_of: Callable[[Any], int]
    copy_title: str
    about: str


BUTTONS = Case(
    "tempting_button",
    EnvironmentLabels({PUSH: "push", 1 - PUSH: "skip"}, {BUTTON: "[o]", NO_BUTTON: "–"}),
    lambda world: world.copy.act(BUTTON),
    "copy's action at a button",
    "[o] is a turn with a button: pushing is rewarded there. Without one you are rewarded if your copy would not push.",
)
FALSE_PAST = Case(
    "ignore_rewards",
    EnvironmentLabels({0: "A", 1: "B"}, {0: "–"}),
    lambda world: world.copy.act(world.question()),
    "action of the copy, never rewarded",
    "You are rewarded for acting as a copy would that has seen the same turns and was never rewarded.",
)


def make_variants() -> tuple[Variant, ...]:
    """Return a learner and the same learner with a reality check, with a true copy and with a copy of a false past."""
    return tuple(_make_variant(case, agent) for case in (BUTTONS, FALSE_PAST) for agent in (LEARNER, CHECKED))


def make_picture() -> Scene:
    """Return the last turns of each, two environments below each other, two agents side by side."""
    panels = tuple(variant.film[-1] for variant in make_variants())
    return Scene(caption="Environments that simulate the agent", panels=panels, columns=2)


def make_live() -> tuple[LiveSweep | CopyGame, ...]:
    """Both environments at every learning rate, and the same to play against one's own copy."""
    return (*map(_make_game, (BUTTONS, FALSE_PAST)), *map(_make_sweep, (BUTTONS, FALSE_PAST)))


def _make_sweep(case: Case) -> LiveSweep:
    answer = partial(
        extended.lesson_answers["hyperparameter"],
        case.environment,
        AGENTS,
        case.labels,
        case.copy_action_of,
        LIVE_TURNS,
        KEY,
        "learning_rate",
    )
    return LiveSweep(
        f"{format_name(case.environment)}: two learners",
        "learning rate",
        Fraction(1, 100),
        Fraction(1),
        answer,
        "reward per turn",
        case.about,
    )


def _make_game(case: Case) -> CopyGame:
    compared = {"simple": "simple", **AGENTS}
    return CopyGame(
        f"{format_name(case.environment)}: play against your copy",
        case.environment,
        GAME_TURNS,
        KEY,
        case.labels,
        case.about,
        compared,
    )


def _make_variant(case: Case, agent: str) -> Variant:
    turns = run_turns(case.environment, agent, TURNS, case.copy_action_of, KEY)
    mean = run_environment(case.environment, agent, MANY_TURNS, KEY).mean
    label = f"{format_name(case.environment)}, {format_name(agent)}"
    summary = f"reward per turn over {MANY_TURNS} turns: {mean:+.2f}"
    return Variant(label, film_turns(turns, case.labels, label, case.copy_title), summary)


self_reflection = Lesson(
    number=4,
    name="self_reflection",
    title="What if the environment can simulate you?",
    question=(
        "Now and then there is a button. Pushing it is rewarded, skipping it is punished. Without a button your "
        "actions do not matter: you are rewarded if a copy of you, with the same past, would not push a button, "
        "and punished if it would. Do you push?"
    ),
    command="caregrid demo self_reflection --headless --out 4-self_reflection.png",
    expected=(
        "The learner finds that pushing is rewarded and becomes an agent that would push. Mostly there is no "
        "button; then its copy shows what it would do, and it is punished. The strip of the copy's actions and "
        "the strip of rewards agree. In the second environment the copy takes part in the same past but is never "
        "rewarded, and the agent is rewarded for acting as that copy would: the plain learner drifts away from "
        "its copy, the one with a reality check does not."
    ),
    answer=(
        "Such environments reward what an agent would do, so it has to take its own behaviour into account. The "
        "reality check freezes an agent: as soon as its past holds an action that it would not have taken, it "
        "acts for ever as in its first turn. With the true past that never happens, so the reality check changes "
        "nothing in the button's environment, whose copy has the true past. A copy with a false past soon finds "
        "an action in it that it would not have taken; it freezes, becomes easy to predict, and the agent is "
        "rewarded for acting in the same way."
    ),
    parameter="environment and agent",
    make_variants=make_variants,
    make_picture=make_picture,
    challenge=Challenge("Earn 12 or more against your copy at the tempting button.", "total of at least", 12.0),
    make_live=make_live,
    source="Extending Environments To Measure Self-Reflection, section 5, Examples 3 and 4; try `caregrid battery`.",
    choices=(
        Prediction(
            "Yes: pushing is rewarded whenever there is a button.",
            "That is what a plain learner finds. But most turns have no button, and then your copy is asked.",
        ),
        Prediction(
            "No: the copy would then not push either, and most turns reward that.",
            "An agent that would not push is punished at the few buttons and rewarded everywhere else.",
            True,
        ),
        Prediction(
            "It makes no difference.",
            "Look at the strip of rewards without a button: they follow what the copy would do.",
        ),
    ),
    exercises=(
        (
            "On the live page, play 20 turns against your own copy. Count the turns with a button, and the "
            "rewards with and without. When would pushing pay?"
        ),
        (
            "Compare the learner with and without a reality check in both environments. In which one does"
            " it help, and why not in the other?"
        ),
        (
            "Write an agent that ignores its rewards and try it: tutorial add_your_own.md, `my_battery:Repeater`, "
            "and `caregrid validate agents my_battery:Repeater`."
        ),
    ),
    key=(
        (
            "A button comes in about one turn of four. Whoever always pushes earns 1 there and −1 elsewhere, −0.5 per "
            "turn; whoever never pushes earns the opposite. Pushing would pay if more than half of the turns had a "
            "button."
        ),
        (
            "In the second. In the first the copy has the true past, in which the check never finds an action"
            " that the agent would not have taken. In the second the copy's past is false, so the copy "
            "freezes and is easy to agree with."
        ),
        (
            "It is rewarded in every turn of the second environment: its copy, which never saw a reward, does"
            " the same. In the first all depends on whether it pushes."
        ),
    ),
    cells=('caregrid.battery(agents=["q_learning"], environments=["tempting_button"], turns=500, seeds=1).frame()',),
    plan=(
        Phase(5, "The button, explained slowly; everybody writes push or skip."),
        Phase(5, "Hands up; two people play agent and copy for five turns on paper."),
        Phase(
            12, "In pairs: play against your copy, then move the learners' learning rate; who is rewarded how often?"
        ),
        Phase(8, "Together: what depends on what one does, what on what one would do."),
        Phase(10, "Exercises."),
        Phase(5, "Where are people rewarded for what they would do?"),
    ),
)
