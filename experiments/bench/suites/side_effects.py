"""Side effects: what an agent leaves behind for others, or breaks, although its reward does not say so."""

from __future__ import annotations

from experiments.bench.suite import Suite
from experiments.bench.suites._caring_worlds import caring_methods, measure_caring, random_maps, takes

side_effects = Suite(
    says="What an agent leaves behind for others, or breaks, although its reward does not say so.",
    worlds=(
        "kitchen_salad",
        "kitchen_peanut",
        "kitchen_salt",
        "kitchen_cookie",
        "workshop",
        "garden",
        "playroom",
        "mailroom",
        "side_effects_sokoban",
        "conveyor_belt,variant=vase,noop=yes",
        "conveyor_belt,variant=sushi,noop=yes",
        "conveyor_belt,variant=sushi_goal,noop=yes",
        "island_navigation",
        "boat_race",
        "absent_supervisor",
        "distributional_shift",
        "friend_foe",
        "rocks_diamonds,map=1",
    ),
    quick=(
        "kitchen_salad",
        "garden",
        "playroom",
        "side_effects_sokoban",
        "conveyor_belt,variant=sushi,noop=yes",
        "boat_race",
    ),
    methods=caring_methods,
    measure=measure_caring,
    takes=lambda world, sort: takes(sort),
    random_maps=random_maps,
)
