"""Ten short worlds in which a few games say how much somebody cares, found by `caregrid design`.

    caregrid design garden kitchen_cookie kitchen_peanut kitchen_salad kitchen_salt playroom office_kitchen
        side_effects_sokoban --maps=15 --choose=10 --limit=60 --yes

One after the other was taken with which the expected 90 percent interval of care (`expected`) is shortest, at the worst
of the temperatures 0.05, 0.2 and 0.5, with 10 percent slips. With 20 episodes per world it is 4 percent of the line.
"""

from __future__ import annotations

from experiments.bench.suite import Suite
from experiments.bench.suites.caring_worlds import list_caring_methods, measure_caring, takes

__all__ = ["how_much_care"]

WORLDS = (
    "playroom",
    "office_kitchen,held_out=1-4",
    "playroom,held_out=1-1",
    "garden,held_out=1-2",
    "playroom,held_out=1-13",
    "playroom,held_out=1-6",
    "kitchen_cookie,held_out=1-8",
    "kitchen_cookie,held_out=1-1",
    "playroom,held_out=1-15",
    "office_kitchen,held_out=1-5",
)

how_much_care = Suite(
    says="How much an agent cares, in ten short worlds that tell coefficients apart.",
    worlds=WORLDS,
    quick=WORLDS[:1],
    methods=list_caring_methods,
    measure=measure_caring,
    takes=lambda world, sort: takes(sort),
)
"""How much an agent cares: ten short worlds that together tell coefficients apart (`caregrid identify`)."""
