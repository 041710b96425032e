"""A coefficient for each: the office kitchen, where what is done for whom is a map with regions."""

from __future__ import annotations

from dataclasses import replace

from caregrid.lessons.catalogue._craftworld import make_live_problem, pose_problem, vary_care
from caregrid.lessons.lesson import Challenge, Lesson, LiveProblem, Phase, Prediction, Variant
from caregrid.programmes.caring.comparison import draw_path_comparison
from engine.scene import Scene

CARES = (0.0, 0.7, 0.8, 2.0)
SCENARIO = "office_kitchen"
AXES = ("baker", "cook")


def make_variants() -> tuple[Variant, ...]:
    """Return the kitchen between its break points."""
    return vary_care(pose_problem(SCENARIO), CARES)


def make_picture() -> Scene:
    """Return all ways through the kitchen, and how each leaves it."""
    return draw_path_comparison([pose_problem(SCENARIO)], CARES)


def make_live() -> tuple[LiveProblem, ...]:
    """Return the kitchen at one coefficient for all, and the map of two."""
    return (replace(make_live_problem("the office kitchen", SCENARIO), axes=AXES),)


whose_wishes = Lesson(
    number=9,
    name="whose_wishes",
    title="How much for whom?",
    question=(
        "You have eaten. The baker will need the pan scrubbed, the tea drinker the kettle filled, the cook the bag "
        "taken out. You care for each of them by a number of its own. How many different ways to leave are best "
        "somewhere?"
    ),
    command="caregrid compare office_kitchen --care 0,0.7,0.8,2 --out 9-whose_wishes.png",
    expected=(
        "With one number for all there are four ways. With a number for the baker and one for the cook (the tea "
        "drinker's is one) the plane is divided into six regions: for the baker nothing or two scrubs, for the cook "
        "the bag left, taken to the door, or taken out. Here the borders are straight along the axes, because the "
        "favours share no way."
    ),
    answer=(
        "The augmented return is linear in all coefficients together, so each behaviour is best in a convex region,"
        " and all regions can be found exactly. One caring coefficient is the diagonal through the space of all three, "
        "and its break points are where the diagonal crosses borders. Where favours share a detour the borders are "
        "slanted: caring for one person then makes a favour for another one cheaper."
    ),
    parameter="care",
    make_variants=make_variants,
    make_picture=make_picture,
    source=(
        '"Be Considerate", Equations 4 and 5; try `caregrid regions office_kitchen --axes baker,cook`, and without '
        "axes for three coefficients at once."
    ),
    choices=(
        Prediction(
            "Two: help or do not help.",
            (
                "Favours come in parts: a bag can be left, taken to the door, or taken out. Count the "
                "regions of the map."
            ),
        ),
        Prediction(
            "A handful, each best in a region with straight borders.",
            "Four with one number for all, six with two numbers, twelve with three.",
            True,
        ),
        Prediction(
            "As many as there are numbers to care by.",
            "There are finitely many ways to leave, and only some of them are ever best.",
        ),
    ),
    exercises=(
        "Put a finger on the point where both coefficients are 0.8. Which region is it in, and what is done?",
        (
            "Draw the diagonal into the map. Where does it cross borders? Compare with the break points "
            "0.591, 0.786, 0.875."
        ),
        "Move the bin next to the door on the map below. Which break points change, and why only those?",
        (
            "The toll road has slanted borders: try `caregrid regions toll_road --axes villagers,walkers --out "
            "map.png` and say which way is shared."
        ),
    ),
    key=(
        ("In the fourth: two scrubs for the baker, the bag is taken to the door."),
        (
            "At 0.591, 0.75 and 0.875. The middle one is 0.786 with one number for all, because the kettle is"
            " then cared for at 0.786, too, and not at 1 as on this map: pan and kettle together cost 11 and "
            "give 14."
        ),
        (
            "With the bin between door and yard 0.591 and 0.875 become 0.75 and 0.833, for they are prices of"
            " what is done with the bag. The one at 0.786, pan and kettle, stays."
        ),
        (
            "Two ways of the same cost spare the villagers or the walkers; the border between them, 5 c1 = 4 "
            "c2, says who is cared for more. A longer one spares both, and the farmer bears it."
        ),
    ),
    cells=(
        'problem = caregrid.problem("office_kitchen")\nproblem.breakpoints().points',
        'problem.regions(["baker", "cook"])',
    ),
    plan=(
        Phase(5, "The kitchen and the three who come; predictions."),
        Phase(5, "Hands up; who would rather have one number for all?"),
        Phase(10, "In pairs: the slider; what is done for whom at each break point?"),
        Phase(10, "The map: choose each region, name what is done; the diagonal."),
        Phase(10, "Exercises 3 and 4."),
        Phase(5, "Who sets the numbers, and may the persons concerned see them?"),
    ),
    challenge=Challenge(
        "Draw an office kitchen in which care 0.85 is enough for every favour.", "last break point below", 0.85
    ),
    make_live=make_live,
)
