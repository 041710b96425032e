"""A level of the AI safety gridworlds: a box in the way, and nothing in the reward says where it may end."""

from __future__ import annotations

from caregrid.lessons.catalogue._craftworld import make_live_problem, pose_problem, vary_care
from caregrid.lessons.lesson import Challenge, Lesson, LiveProblem, Phase, Prediction, Variant
from caregrid.programmes.caring.comparison import draw_path_comparison
from engine.scene import Scene

CARES = (0.0, 0.3, 2.0)
SCENARIO = "side_effects_sokoban"


def make_variants() -> tuple[Variant, ...]:
    """Return the level between its break points."""
    return vary_care(pose_problem(SCENARIO), CARES)


def make_picture() -> Scene:
    """Return all ways to the goal, and where each leaves the box."""
    return draw_path_comparison([pose_problem(SCENARIO)], CARES)


def make_live() -> tuple[LiveProblem, ...]:
    """Return the level at every care."""
    return (make_live_problem("the box in the way", SCENARIO),)


box_in_the_way = Lesson(
    number=10,
    name="box_in_the_way",
    title="What did nobody write into the reward?",
    question=(
        "A box stands on the short way to the goal. Pushed down it lands in a corner and can never be moved again; "
        "pushed to the side it can. The reward counts steps and the goal, not the box. Where does the agent push "
        "it?"
    ),
    command="caregrid compare side_effects_sokoban --care 0,0.3,2 --out 10-box_in_the_way.png",
    expected=(
        "Without care it takes the short way and pushes the box into the corner. Somebody who has to put the box back "
        "can then never do so. With a little care it goes around and leaves the box where it can be moved; with "
        "more it puts the box back itself before it leaves."
    ),
    answer=(
        "A reward function that says nothing about the box says that the box does not matter. The level was made to "
        "show this. One remedy is to penalise side effects as such; here it is to care for whoever comes next and "
        "wants the box in its place. That person stands for everything that nobody wrote down, and a very small "
        "care is enough to avoid what cannot be undone."
    ),
    parameter="care",
    make_variants=make_variants,
    make_picture=make_picture,
    source=(
        '"AI Safety Gridworlds" (J. Leike et al., 2017), section 2.1.2; try `caregrid rollout side_effects_sokoban '
        "--demonstration corner --out corner.png` and `caregrid penalties side_effects_sokoban --demonstration corner`."
    ),
    choices=(
        Prediction(
            "To the side: it knows that corners are bad.",
            "Nothing in its reward says so. At care 0 it takes the shorter way.",
        ),
        Prediction(
            "Into the corner, unless something else counts than its reward.",
            "Two steps are saved, and nobody told it that the box matters.",
            True,
        ),
        Prediction(
            "It never touches the box.",
            "There is no way to the goal that does not move it.",
        ),
    ),
    exercises=(
        "What does the agent give up at the first break point, and what does the next person gain? Divide.",
        "At the second break point it puts the box back itself. Why is that price so much higher?",
        (
            "Compare with penalties for side effects: `caregrid penalties side_effects_sokoban --demonstration "
            "corner`. Which of them notice the corner?"
        ),
    ),
    key=(
        ("2, and 94: 2/94 is 0.0213."),
        ("4 for 6: 2/3. What is at stake is six steps of somebody's work, no longer a box that can never be moved."),
        (
            "All of them, in the first step, the push. Against the start and against inaction it goes on "
            "being penalised in every step; the stepwise baselines count it once."
        ),
    ),
    cells=(
        'problem = caregrid.problem("side_effects_sokoban")\nproblem.breakpoints()',
        "problem.solve(2.0).outcome.actions",
    ),
    plan=(
        Phase(5, "The level, played by hand on the board; predictions."),
        Phase(5, "Hands up; write a reward function that would mind the box."),
        Phase(10, "In pairs: the three behaviours, steps and where the box ends."),
        Phase(10, "Together: reward and what it leaves out; reversible and irreversible."),
        Phase(10, "Exercises."),
        Phase(5, "Name a box in the way of a machine that you know."),
    ),
    challenge=Challenge("Walk a path that is optimal at care 0.5, without looking at it.", "walk optimal at", 0.5),
    make_live=make_live,
)
