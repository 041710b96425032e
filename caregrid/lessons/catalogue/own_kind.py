"""Whom one has in mind: the peanut kitchen, where caring for people like oneself does not help the allergic one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

from caregrid.lessons.catalogue._craftworld import make_live_problem, pose_problem
from caregrid.lessons.lesson import Challenge, Lesson, LiveProblem, Phase, Prediction, Variant
from caregrid.programmes.caring.comparison import draw_path_comparison, film_solutions, summarise_outcome
from craftworld.solution.problem import Problem
from engine.scene import Scene

SCENARIO = "kitchen_peanut"


class InMind(NamedTuple):
    """Who is expected to come next, how much the cook cares, and both in words."""

    label: str
    kind: str
    care: float


COMPARED = (
    InMind("nobody", "own", 0.0),
    InMind("people like itself", "own", 1.0),
    InMind("them, 1000 times as much", "own", 1000.0),
    InMind("the allergic one", "other", 1.0),
)


def make_variants() -> tuple[Variant, ...]:
    """Return a film for everybody whom the cook may have in mind; both newcomers are seen."""
    return tuple(
        Variant(
            thought.label,
            partial(film_solutions, _problem(thought), [thought.care]),
            summarise_outcome(_problem(thought), thought.care),
        )
        for thought in COMPARED
    )


def make_picture() -> Scene:
    """Return the cook's path and the kitchen that it leaves, a panel for everybody whom it may have in mind."""
    panels = []
    for thought in COMPARED:
        [panel] = draw_path_comparison([_problem(thought)], [thought.care]).panels
        paths = (replace(panel.overlays[0], name="path"), *panel.overlays[1:])
        panels.append(replace(panel, caption=f"{thought.label}, care {thought.care:g}", overlays=paths))
    return Scene(caption="Who comes next, in the cook's mind", panels=tuple(panels), columns=2)


def _problem(thought: InMind) -> Problem:
    return pose_problem(SCENARIO, kind=thought.kind, report="both")


def make_live() -> tuple[LiveProblem, ...]:
    """Return the kitchen with people like the cook in mind, and with the allergic one."""
    return (
        make_live_problem("people like itself in mind", SCENARIO, kind="own", report="both"),
        make_live_problem("the allergic one in mind", SCENARIO, kind="other", report="both"),
    )


own_kind = Lesson(
    number=7,
    name="own_kind",
    title="Is it enough to care for people like oneself?",
    question=(
        "A cook leaves the kitchen very dirty. One round of cleaning is enough for most people to cook there, two are "
        "needed for somebody with an allergy. The cook has no allergy, and cares for whoever comes next as much as "
        "for itself. How often does it clean?"
    ),
    command="caregrid demo own_kind --headless --out 7-own_kind.png",
    expected=(
        "If it cares for nobody, it does not clean, and nobody can cook. With people like itself in mind it cleans "
        "once, and the allergic one still cannot cook, however much it cares. With the allergic one in mind it cleans "
        "twice, which costs it one step more and serves everybody."
    ),
    answer=(
        "The coefficient says how much an agent cares; whom it has in mind is another choice, made before. An agent "
        "that considers its own future, or somebody like itself in its place, looks considerate as long as others "
        "want what it wants and can do what it can. Where they differ, more of the same care changes nothing. If it "
        "thinks that the allergic one may come, even rarely, the worst case or a little more care helps."
    ),
    parameter="in mind",
    make_variants=make_variants,
    make_picture=make_picture,
    source=(
        'The experiments published with "Be Considerate"; the kitchen for people like oneself is the baseline of V. '
        "Krakovna et al., 2020. Try `caregrid breakpoints kitchen_peanut --set probability=0.01` and "
        "`caregrid play kitchen_peanut --set role=other --set start=dirty`."
    ),
    choices=(
        Prediction(
            "Twice, if it only cares enough.",
            (
                "Move the slider as far as it goes: with people like itself in mind a second round is "
                "worth nothing to it."
            ),
        ),
        Prediction(
            "Once, however much it cares.",
            "One round serves everybody whom it has in mind. More care cannot add somebody to its mind.",
            True,
        ),
        Prediction(
            "Never, it has no allergy.",
            "One round costs a step and serves people like itself: a very small care is enough.",
        ),
    ),
    exercises=(
        (
            "Compare the two worlds at care 1. What does the second round cost the cook, what does it "
            "give the allergic one?"
        ),
        (
            "Who comes is uncertain: try `caregrid breakpoints kitchen_peanut --set probability=0.01`. "
            "How much care does a chance of one in a hundred need?"
        ),
        (
            "Change the map of the second world so that cleaning twice costs two steps more than now. "
            "Predict the break point first."
        ),
    ),
    key=(
        (
            "One step: own −10 in place of −9. It gives the allergic one 992, −8 in place of −1000. In the "
            "first world care is for people like the agent, and to them one round is enough."
        ),
        (
            "0.1008, a hundred times 1/992: the second round costs one step, and its 992 count with "
            "probability 0.01. The first round pays from 0.001018 on."
        ),
        ("4/992: two steps and two more, divided by the same gain."),
    ),
    cells=(
        (
            'for kind in ("own", "other"):\n    problem = caregrid.problem("kitchen_peanut", '
            'set={"kind": kind, "report": "both"})\n    print(kind, '
            "dict(problem.solve(1.0).outcome.others))"
        ),
        'caregrid.problem("kitchen_peanut", set={"probability": 0.01}).breakpoints().points',
    ),
    plan=(
        Phase(5, "The kitchen and its rule of dirt; predictions."),
        Phase(5, "Hands up; who thinks that more care always helps?"),
        Phase(10, "In pairs: both worlds, from care 0 to the end of the line."),
        Phase(10, "Together: how much, and whom; the future-task baseline thinks of itself."),
        Phase(10, "Exercises 2 and 3."),
        Phase(5, "Name a machine that has people like its makers in mind."),
    ),
    challenge=Challenge(
        "Draw a kitchen in which care 0.001005 is enough: where does a clean kitchen save others most?",
        "last break point below",
        0.001005,
    ),
    make_live=make_live,
)
