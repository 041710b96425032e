"""What does a caring coefficient do? The workshop of "Be Considerate", Figure 1, at every care that matters."""

from __future__ import annotations

from caregrid.lessons.catalogue._craftworld import craftworld_problem, variants_by_care
from caregrid.lessons.lesson import Lesson, Variant
from caregrid.shows.films import path_comparison
from engine.scene import Scene

CARES = (0.0, 0.2, 0.7, 2.0, 6.0)
SCENARIO = "workshop"


def variants() -> tuple[Variant, ...]:
    """The workshop between its break points."""
    return variants_by_care(craftworld_problem(SCENARIO), CARES)


def picture() -> Scene:
    """All paths, and how each leaves the workshop."""
    return path_comparison([craftworld_problem(SCENARIO)], CARES)


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
    make_variants=variants,
    make_picture=picture,
    source='"Be Considerate", section 4.1 and Figure 1; try `caregrid breakpoints workshop`.',
)
