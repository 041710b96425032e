"""What does a caring coefficient do? The workshop of "Be Considerate", Figure 1, at every care that matters."""

from __future__ import annotations

from caregrid.lessons.catalogue._craftworld import make_live_problem, pose_problem, vary_care
from caregrid.lessons.lesson import Challenge, Lesson, LiveProblem, Phase, Prediction, Variant
from caregrid.programmes.caring.comparison import draw_path_comparison
from engine.scene import Scene

CARES = (0.0, 0.2, 0.7, 2.0, 6.0)
SCENARIO = "workshop"


def make_variants() -> tuple[Variant, ...]:
    """Return the workshop between its break points."""
    return vary_care(pose_problem(SCENARIO), CARES)


def make_picture() -> Scene:
    """Return all paths, and how each leaves the workshop."""
    return draw_path_comparison([pose_problem(SCENARIO)], CARES)


def make_live() -> tuple[LiveProblem, ...]:
    """Return the workshop at every care."""
    return (make_live_problem("the workshop", SCENARIO),)


care = Lesson(
    number=1,
    name="care",
    title="What does a caring coefficient do?",
    question=(
        "An agent makes a box and leaves. Somebody will come after it. How much of its own time should it "
        "spend on them, and what does it do as that number grows?"
    ),
    command="caregrid compare workshop --care 0,0.2,0.7,2,6 --out 1-care.png",
    expected=(
        "Without care the agent leaves with the only key, and the newcomer can never finish. With a little care "
        "it drops the key on its way to the door, which costs next to nothing. With more it carries an extra "
        "hammer to the factory; then it walks back to leave the key near the entrance; then it pays for extra "
        "wood too."
    ),
    answer=(
        "The agent maximises its own return plus the caring coefficient times the return that the newcomer can "
        "still get from the state it leaves. Between two break points the optimal policy is the same; at a break "
        "point the agent gives up some of its own return for a gain of the newcomer, the cheapest gain first. Its "
        "own return never rises with care and the newcomer's never falls, but their sum is largest somewhere in "
        "the middle: beyond that the agent gives up more than the newcomer gains."
    ),
    parameter="care",
    make_variants=make_variants,
    make_picture=make_picture,
    source='"Be Considerate", section 4.1 and Figure 1; try `caregrid breakpoints workshop`.',
    choices=(
        Prediction(
            "It leaves with the key at any care.", "At care 0 it does. Find the care from which it no longer does."
        ),
        Prediction(
            "It does more and more for the newcomer, a little at a time, at every small rise of care.",
            "Between two break points nothing changes at all: a path costs a whole number of steps.",
        ),
        Prediction(
            "It changes its way at a few numbers only, and does the cheapest favour first.",
            "Each break point is the price of a favour: what the agent gives up, divided by what the newcomer gains.",
            True,
        ),
    ),
    exercises=(
        "At each break point, divide what the agent gives up by what the newcomer gains. What do you get?",
        "Which behaviour has the largest total? At which care does the agent begin to give up more than is gained?",
        (
            'Under "Change the map", move the second key place, the one near the exit, next to the entrance: choose K, '
            "click the place, then where it goes. Which break point goes away? Say why first."
        ),
        "Draw a wall that makes the newcomer's way longer. Does the first break point rise or fall?",
    ),
    key=(
        (
            "The break points themselves: 1/972, 2/5, 4/4 and 14/3. A favour is done from the care on that is"
            " its price: what it costs the agent, divided by what it gives the newcomer."
        ),
        (
            "−50, twice: from care 0.4 to 1, and from 1 to 4.667. At 1 the agent gives up 4 and the newcomer "
            "gains 4. From 4.667 on it gives up 14 for 3."
        ),
        (
            "The one at 1, where the agent walked back to leave the key near the entrance. Both places are "
            "there now. The first break point rises to 5/976, because leaving a key costs five steps and no "
            "longer one."
        ),
        (
            "It rises, as long as the agent's own ways stay as they are. The agent gives up one step, and the"
            " newcomer gains 1000 less its way, so a longer way divides the same step by less."
        ),
    ),
    cells=(
        'problem = caregrid.problem("workshop")\npoints = problem.breakpoints()\npoints',
        "problem.solve(2.0)",
        (
            'drawing = """\n##########\n#E.....KT#\n#........#\n#........#\n#........#\n#.....W..#\n'
            '#....F...#\n#......K.#\n#.......X#\n##########\n"""\ncaregrid.problem("workshop", '
            "map=drawing).breakpoints().points"
        ),
    ),
    plan=(
        Phase(5, "The story of the workshop; everybody writes down a prediction."),
        Phase(5, "Hands up for each choice; let two people argue before the slider is touched."),
        Phase(
            12,
            ("In pairs: move over each break point, fill in a row of own, newcomer and total for each behaviour."),
        ),
        Phase(8, "Together: the price of each favour, from the bars of what changed; compare with the break points."),
        Phase(10, "Exercises 3 and 4 on the changed map; predict, then draw."),
        Phase(5, "Back to the prediction: who would choose the care, and would they choose the largest total?"),
    ),
    challenge=Challenge(
        "Draw a map in which caring 6 is not enough: one more favour waits for a larger care.",
        "last break point above",
        6.0,
    ),
    make_live=make_live,
)
