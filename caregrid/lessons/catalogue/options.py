"""Options left open: the mail room of "Be Considerate", Figure 3, where care is for what others are able to do."""

from __future__ import annotations

from caregrid.lessons.catalogue._craftworld import craftworld_problem, variants_by_care
from caregrid.lessons.lesson import Lesson, Variant
from caregrid.shows.films import path_comparison
from engine.scene import Scene

CARES = (1.0, 5.0, 25.0)
SCENARIO = "mailroom"


def variants() -> tuple[Variant, ...]:
    """Three cares, three places for the key."""
    return variants_by_care(craftworld_problem(SCENARIO), CARES)


def picture() -> Scene:
    """All paths, and where each leaves the key."""
    return path_comparison([craftworld_problem(SCENARIO)], CARES)


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
        "the number of people whose option it leaves open. The more people it serves, the longer is its walk, so "
        "their options open one after another as care grows."
    ),
    parameter="care",
    make_variants=variants,
    make_picture=picture,
    source='"Be Considerate", Equation 7, appendix A.2 and Figure 3; try `caregrid play mailroom --care 5`.',
)
