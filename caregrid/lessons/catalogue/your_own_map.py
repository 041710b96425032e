"""Bring your own map: a kitchen that is drawn by the class, solved in the page and on the desktop."""

from __future__ import annotations

from caregrid.lessons.catalogue._craftworld import make_live_problem, pose_problem, vary_care
from caregrid.lessons.lesson import Challenge, Lesson, LiveProblem, Phase, Prediction, Variant
from caregrid.programmes.caring.comparison import draw_path_comparison
from engine.scene import Scene

CARES = (0.0, 0.5, 3.0, 8.0)
SCENARIO = "workshop_auto"


def make_variants() -> tuple[Variant, ...]:
    """Return the workshop of implicit actions between its break points."""
    return vary_care(pose_problem(SCENARIO), CARES)


def make_picture() -> Scene:
    """Return all paths, and how each leaves the workshop."""
    return draw_path_comparison([pose_problem(SCENARIO)], CARES)


def make_live() -> tuple[LiveProblem, ...]:
    """Return two workshops and a kitchen, to be drawn anew."""
    return (
        make_live_problem("workshop, things are taken by walking", SCENARIO),
        make_live_problem("workshop, every action by itself", "workshop"),
        make_live_problem("kitchen, cookies", "kitchen_cookie"),
    )


your_own_map = Lesson(
    number=11,
    name="your_own_map",
    title="Does it hold in a room of your own?",
    question=(
        "So far somebody else drew the map. Draw your own room: where are the door, the key, the work? Can you draw"
        " one in which caring never costs the agent anything?"
    ),
    command="caregrid compare workshop_auto --care 0,0.5,3,8 --out 11-your_own_map.png",
    expected=(
        "Every wall moves break points: they are prices, and prices are differences of distances. Where the last place "
        "that the agent passes anyway is also where the newcomer would like to find the key, the favour is free, "
        "and the break point is at zero or gone."
    ),
    answer=(
        "An optimal agent that does not care may still leave things well, by accident of the map. That is why a good "
        "outcome in one room says little about what an agent cares for: change the room and look again. Rooms in which "
        "the favour is expensive are the ones that tell agents apart."
    ),
    parameter="care",
    make_variants=make_variants,
    make_picture=make_picture,
    source='"Be Considerate", section 4.1; docs/live_page.md says how the page solves a map.',
    choices=(
        Prediction(
            "No: a favour always costs at least a step.",
            "It need not: draw the place where the key helps on the way that the agent takes anyway.",
        ),
        Prediction(
            "Yes: put what others need on the way that the agent takes anyway.",
            "Then the favour is free, and no break point is needed for it.",
            True,
        ),
        Prediction(
            "Yes: a room without others.",
            "Without others nothing is cared for. The question is about a room in which the favour is free.",
        ),
    ),
    exercises=(
        (
            "Draw a room with as few break points as you can. Save it, and check it: `caregrid "
            "breakpoints workshop_auto --map map.txt`."
        ),
        "Draw a room with a break point above 10. What makes the favour so expensive?",
        "Swap rooms with your neighbours: predict their break points' order before you move the slider.",
        "Draw your own flat as a kitchen. Who comes after you, and where does it cost you most to be considerate?",
    ),
    key=(
        (
            "None at all is possible: the rows `########`, `#ETWFKX#`, `#......#`, `#K.....#`, `########`. "
            "Leaving the key by the exit is on the way."
        ),
        (
            "A long way of the agent that saves the newcomer little: toolshed and wood far from the factory, "
            "for somebody who would have had a short way to them."
        ),
        ("Sort the favours by steps lost, divided by steps gained; the smallest quotient comes first."),
        (
            "There is no one answer. Ask for the two numbers of each favour, and whether the map or the agent"
            " is considerate."
        ),
    ),
    cells=(
        (
            'drawing = """\n########\n#E.K..T#\n#......#\n#..##..#\n#.W..F.#\n#..K...#\n#X.....#\n'
            '########\n"""\ncaregrid.problem("workshop_auto", map=drawing).breakpoints()'
        ),
    ),
    plan=(
        Phase(5, "The question; everybody sketches a room on paper and predicts."),
        Phase(5, "One sketch on the board; where will the break points be?"),
        Phase(15, "In pairs: draw, look, change; exercise 1 or 2."),
        Phase(10, "Swap rooms; exercise 3."),
        Phase(5, "Two rooms on the projector: accident or care?"),
        Phase(5, "What would one have to see to know what an agent cares for?"),
    ),
    challenge=Challenge(
        "Draw a workshop, things taken by walking, in which caring 8 is not enough.", "last break point above", 8.0
    ),
    make_live=make_live,
)
