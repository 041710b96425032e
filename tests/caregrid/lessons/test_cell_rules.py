"""Rules that know no map: which worlds have them, why others do not, and what is exported of both."""

import json

import pytest

from caregrid.lessons.cell_rules import observe_cell_rules, rearrange, vary_map
from caregrid.lessons.live_world import find_others_weights, write_live_world
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import make_problem
from engine.errors import BadValue

REFUSED = {
    "garden": "what 'up' does",
    "playroom": "where and how it starts",
    "icy_yard": "chance",
    "friend_foe": "begins in several ways",
    "side_effects_sokoban": "more than the agent moves",
    "mail_round": "31,232 states",
}


@pytest.mark.parametrize(("name", "why"), REFUSED.items(), ids=REFUSED.keys())
def test_a_world_without_cell_rules_says_why(name: str, why: str) -> None:
    scenario = SCENARIOS[name]()
    with pytest.raises(BadValue) as refused:
        observe_cell_rules([SCENARIOS[name](grid) for grid in vary_map(scenario, SCENARIOS[name])])
    assert why in str(refused.value)


def test_probe_maps_have_the_same_features_in_other_places() -> None:
    scenario = SCENARIOS["workshop"]()
    grids = vary_map(scenario, SCENARIOS["workshop"])
    glyphs = {"".join(sorted("".join(grid.rows).replace("#", "").replace(" ", "").replace(".", ""))) for grid in grids}
    assert len(glyphs) == 1
    assert len({grid.rows for grid in grids}) == len(grids) > 20
    assert rearrange(scenario.grid.rows, 3) == rearrange(scenario.grid.rows, 3)


def test_the_rules_of_the_workshop() -> None:
    scenario = SCENARIOS["workshop"]()
    rules = observe_cell_rules([SCENARIOS["workshop"](grid) for grid in vary_map(scenario, SCENARIOS["workshop"])])
    assert {"", "entrance", "key place 1", "key place 2"} < set(rules.classes)
    assert rules.start == ("entrance", 0)
    by_name = {action.name: action for action in rules.actions}
    assert [by_name[name].direction for name in ("up", "down", "left", "right", "make the box")] == [0, 1, 2, 3, None]
    pick, place = by_name["pick up the key"], rules.classes.index("key place 1")
    assert pick.rest[0, place, 0] != 0
    assert (pick.rest[0, rules.classes.index(""), 0], pick.reward[0, place, 0]) == (0, -1.0)
    assert list(rules.newcomers) == ["newcomer"]


def test_formulations_that_are_weighted_sums() -> None:
    assert find_others_weights(make_problem(SCENARIOS["workshop"]())) == [1.0]
    problem = make_problem(SCENARIOS["playroom"]())
    assert find_others_weights(problem) == pytest.approx([0.2] * 5)
    for formulation in ("worst_case", "no_worse_off"):
        with pytest.raises(BadValue):
            find_others_weights(make_problem(SCENARIOS["playroom"](), formulation))


@pytest.mark.parametrize("name", ["garden", "playroom", "mailroom", "kitchen_peanut", "island_navigation"])
def test_what_is_exported_is_plain_json(name: str) -> None:
    problem = make_problem(SCENARIOS[name]())
    world = write_live_world(problem, SCENARIOS[name])
    assert json.loads(json.dumps(world, allow_nan=False)) == world
    assert (world["rules"] is None) == bool(world["fixed"])
    for segment in world["segments"]:
        steps = segment["steps"]
        assert [step["action"] for step in steps][1:]
        assert all(world["rows"][row][column] != "#" for row, column in (step["cell"] for step in steps))
    if world["table"]:
        ends = [end for end, done in zip(world["table"]["ends"], world["table"]["terminal"], strict=True) if not done]
        assert set(ends) == {0.0}


def test_a_world_of_chance_is_refused_in_one_line() -> None:
    with pytest.raises(BadValue, match="icy_yard: it has no one path on a map"):
        write_live_world(make_problem(SCENARIOS["icy_yard"]()))
