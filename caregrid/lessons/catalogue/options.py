"""Options left open: the mail room of "Be Considerate", Figure 3, where care is for what others are able to do."""

from __future__ import annotations

from caregrid.lessons.catalogue._craftworld import make_live_problem, pose_problem, vary_care
from caregrid.lessons.lesson import Challenge, Lesson, LiveProblem, Phase, Prediction, Variant
from caregrid.programmes.caring.comparison import draw_path_comparison
from engine.scene import Scene

CARES = (1.0, 5.0, 25.0)
SCENARIO = "mailroom"


def make_variants() -> tuple[Variant, ...]:
    """Three cares, three places for the key."""
    return vary_care(pose_problem(SCENARIO), CARES)


def make_picture() -> Scene:
    """Return all paths, and where each leaves the key."""
    return draw_path_comparison([pose_problem(SCENARIO)], CARES)


def make_live() -> tuple[LiveProblem, ...]:
    """Return the mail room at every care."""
    return (make_live_problem("the mail room", SCENARIO),)


options = Lesson(
    number=3,
    name="options",
    title="What can others still do?",
    question=(
        "The mail room needs a key. Two agents may enter Room 1, four may enter Room 2, all five the common "
        "area. You have fetched your parcel: where do you leave the key?"
    ),
    command="caregrid compare mailroom --care 1,5,25 --out 3-options.png",
    expected=(
        "With little care the key goes back to Room 1, the nearest place. With more it goes to Room 2. Only "
        "with much care is it carried all the way to the common area, where everybody can reach it."
    ),
    answer=(
        "The agent needs to know neither what the others want nor how they will do it: it is enough to know from "
        "which states each of them could start. That is an option's initiation set, and the agent is rewarded for "
        "the number of people whose option it leaves open. The more people it serves, the longer its walk, so "
        "their options open one after another as care grows."
    ),
    parameter="care",
    make_variants=make_variants,
    make_picture=make_picture,
    source='"Be Considerate", Equation 7, appendix A.2 and Figure 3; try `caregrid play mailroom --care 5`.',
    choices=(
        Prediction(
            "In the common area, as soon as it cares at all.",
            "That walk is long: it takes a care of 25 to be worth it. Start with the nearest room.",
        ),
        Prediction(
            "In the nearest room at first, further away as care grows.",
            "Each break point is what one more person costs, five times over: each comes with probability 1/5.",
            True,
        ),
        Prediction(
            "It cannot say without knowing what the others want to do.",
            "It needs to know only from where they can start, not what they will do.",
        ),
    ),
    exercises=(
        (
            "How many people can start in each of the three behaviours? Divide the extra steps by the "
            "extra people: what do you get?"
        ),
        (
            "The mail room is worth the same to everybody here. What would change if agent E's parcel "
            'mattered ten times as much? Try `caregrid regions mailroom --axes "agent E,agent A"`.'
        ),
        "Draw a map of your own in a file and try it: `caregrid breakpoints mailroom --map map.txt`.",
    ),
    key=(
        (
            "Two, four and five. A step for two people is half a step per person, then five steps for one. "
            "Each comes with probability 1/5, so the break points are five times that: 2.5 and 25."
        ),
        (
            "All weights but E's are 1. At ten times the weight E's parcel is worth the walk from a tenth of "
            "the care on, 2.5, where the other break point is, too: the agent goes to the common area at "
            "once. On the map, E's coefficient is the axis across."
        ),
        (
            "The break points are prices again: the extra steps to the next room, divided by the extra "
            "people, times five."
        ),
    ),
    cells=(
        'problem = caregrid.problem("mailroom")\nproblem.breakpoints()',
        'problem.regions(["agent E", "agent A"])',
    ),
    plan=(
        Phase(5, "The story, the rooms, who may enter where; predictions."),
        Phase(5, "Hands up; what would each of the five prefer?"),
        Phase(10, "In pairs: move over both break points; note steps and who can start."),
        Phase(10, "Together: initiation sets; why no wishes need to be known."),
        Phase(10, "Exercises 2 and 3."),
        Phase(5, "When is leaving options open not enough?"),
    ),
    challenge=Challenge("Walk a path that is optimal at care 5, without looking at it.", "walk optimal at", 5.0),
    make_live=make_live,
)
