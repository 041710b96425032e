"""Storyboards of the workshop, explicit and automatic: action words in, drawings and described states out."""

from __future__ import annotations

import re
from typing import Any

import pytest

from craftworld.scenario import Scenario
from craftworld.scenarios.workshop import FollowerWorkshop, Workshop
from craftworld.scenarios.workshop_auto import FollowerWorkshopAuto, WorkshopAuto
from engine.errors import UnknownName
from renderers.text import draw

SMALL = """
########
#EK TWF#
#   K X#
########
"""
SHORT = {"u": "up", "d": "down", "l": "left", "r": "right"}


class Player:
    """Plays a scenario one state at a time: `do("r r, pick up the key")`."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.state: Any = next(iter(scenario.starts()))
        self.paid = 0.0

    def do(self, story: str) -> Player:
        for part in re.split(r", *", story):
            words = [SHORT[w] for w in part.split()] if set(part.split()) <= set(SHORT) else [part]
            for word in words:
                action = self.scenario.actions.index(word)
                after = self.scenario.step(self.state, action)
                self.paid += float(self.scenario.reward(self.state, action, after))
                self.state = type(self.state)(*(int(field) for field in after))
        return self

    def sees(self, **expected: Any) -> Player:
        result = self.scenario.describe(self.state)
        assert {name: result[name] for name in expected} == expected
        return self

    @property
    def over(self) -> bool:
        return bool(self.scenario.is_terminal(self.state))

    def drawing(self) -> str:
        return draw(self.scenario.scene(self.state), legend=False)


def workshop(**options: Any) -> Player:
    return Player(Workshop(Workshop.parse_map(SMALL), **options))


def auto(**options: Any) -> Player:
    return Player(WorkshopAuto(WorkshopAuto.parse_map(SMALL), **options))


def follow(player: Player) -> Player:
    """The newcomer, after the acting agent has ended where it stands."""
    newcomer = player.scenario.newcomers()[0]
    after = Player(newcomer.scenario)
    handed = player.scenario.handover(player.state, newcomer)
    after.state = type(handed)(*(int(field) for field in handed))
    return after


def test_the_papers_map() -> None:
    assert Player(Workshop()).drawing().splitlines()[-10:] == [
        "##########",
        "#@ k    T#",
        "#        #",
        "#        #",
        "#        #",
        "#     W  #",
        "#    F   #",
        "#      K #",
        "#       X#",
        "##########",
    ]
    grid = Workshop().grid
    places = {name: [(c.column, c.row) for c in cells] for name, cells in grid.features.items()}
    assert places == {
        "entrance": [(1, 1)],
        "exit": [(8, 8)],
        "key place": [(3, 1), (7, 7)],
        "toolshed": [(8, 1)],
        "wood": [(6, 5)],
        "factory": [(5, 6)],
    }


def test_the_whole_job_alone_takes_its_steps() -> None:
    story = "r r, pick up the key, r r r r r, take the hammer, d d d d l l, take wood, l d, make the box, r r r d d"
    player = Player(Workshop()).do(story.removesuffix(" d"))
    player.sees(key="held", hammer="yes", wood="yes", box="yes")
    assert not player.over
    player.do("d")
    assert player.over
    assert player.paid == -24


def test_each_interaction_is_a_step_of_cost_1_that_works_in_its_place_alone() -> None:
    player = workshop()
    player.do("pick up the key, take the hammer, take wood, make the box, put down the key, take an extra hammer")
    player.sees(cell=[1, 1], key="K1", hammer="no", wood="no", box="no", extra_hammer="none", extra_wood="none")
    assert player.paid == -6
    player.do("r, pick up the key").sees(key="held")
    player.do("r, put down the key").sees(key="held", cell=[1, 3])
    player.do("r, take the hammer").sees(hammer="yes")
    player.do("r, take wood").sees(wood="yes")
    player.do("r, make the box").sees(box="yes", key="held")
    assert player.paid == -16
    assert not player.over
    player.do("d")
    assert player.over


@pytest.mark.parametrize("missing", ["pick up the key", "take the hammer", "take wood"])
def test_a_box_needs_key_hammer_and_wood(missing: str) -> None:
    parts = ["r", "pick up the key", "r r", "take the hammer", "r", "take wood", "r", "make the box"]
    player = workshop().do(", ".join(part for part in parts if part != missing))
    player.sees(box="no")
    assert not player.do("d").over


def test_extras_are_separate_from_ones_own() -> None:
    player = workshop().do("r, pick up the key, r r, take an extra hammer, r, take extra wood, r, make the box")
    player.sees(box="no", hammer="no", wood="no", extra_hammer="carried", extra_wood="carried")


def test_extras_are_carried_to_the_factory_and_wood_costs_12_more() -> None:
    player = workshop().do("r r r, take the hammer, take an extra hammer, take an extra hammer, r, take wood")
    player.sees(extra_hammer="carried", extra_wood="none").do("take extra wood").sees(extra_wood="carried")
    player.do("leave the extra wood").sees(extra_wood="carried").do("r")
    before = player.paid
    player.do("leave the extra hammer").sees(extra_hammer="left")
    assert player.paid == before - 1
    player.do("leave the extra wood").sees(extra_wood="left")
    assert player.paid == before - 14
    player.do("leave the extra wood, leave the extra hammer")
    assert player.paid == before - 16
    assert player.drawing().splitlines()[-3:][0].count("@") == 1
    player.do("l").sees(extra_hammer="left", extra_wood="left")
    assert "w" in player.drawing()


def test_either_door_is_an_exit_with_a_box_and_none_without() -> None:
    done = "r, pick up the key, r r, take the hammer, r, take wood, r, make the box"
    assert workshop().do(f"{done}, d").over
    assert workshop().do(f"{done}, l l l l l").over
    assert not workshop().do("r l").over
    assert not workshop().do("r r r r r d").over


def test_the_key_is_put_down_only_on_key_places_and_lies_there() -> None:
    player = workshop().do("r, pick up the key, put down the key").sees(key="K1")
    player.do("pick up the key, r r d, put down the key").sees(key="K2")
    player.do("l, pick up the key").sees(key="K2")
    assert "k" in player.drawing()


def test_the_next_agent_finds_what_was_left() -> None:
    done = "r, pick up the key, r r, take the hammer, r, take wood, r, make the box"
    gone = follow(workshop().do(f"{done}, d"))
    gone.sees(cell=[1, 1], key="gone", hammer="no", wood="no", box="no", spare_hammer="no", spare_wood="no")
    gone.do("r, pick up the key").sees(key="gone")
    handed = workshop().do(f"{done}, l l, d, put down the key, u r r d")
    assert handed.over
    follow(handed).sees(key="K2")


def test_the_next_agent_may_use_the_spares_but_needs_key_and_make_step() -> None:
    story = (
        "r, pick up the key, r r, take the hammer, take an extra hammer, r, take wood, take extra wood, r, "
        "make the box, leave the extra hammer, leave the extra wood, l l d, put down the key, r r"
    )
    first = workshop().do(story)
    assert first.over
    newcomer = follow(first).sees(key="K2", spare_hammer="yes", spare_wood="yes")
    newcomer.do("r r r r r, make the box").sees(box="no")
    newcomer.do("l l d, pick up the key, r u r, make the box").sees(box="yes", hammer="no", wood="no")
    assert newcomer.do("d").over
    assert isinstance(newcomer.scenario, FollowerWorkshop)
    assert "leave the extra wood" not in newcomer.scenario.actions
    assert len(newcomer.scenario.actions) == 9


def test_auto_entering_acts() -> None:
    player = auto().do("r").sees(key="held").do("l r").sees(key="K1").do("l r").sees(key="held")
    player.do("u").sees(key="held", cell=[1, 2])
    player.do("r r").sees(hammer="yes").do("r").sees(wood="yes").do("r").sees(box="yes")
    assert player.paid == -10
    assert not player.over
    player.do("d")
    assert player.over


def test_auto_the_factory_wants_everything() -> None:
    player = auto().do("r l d r r r l r r r u").sees(cell=[1, 6], key="held", hammer="no", box="no")
    player.do("l l").sees(wood="yes", hammer="yes").do("r r").sees(box="yes")


def test_auto_provide_stays_put_and_leaves_extras_at_the_factory() -> None:
    player = auto().do("provide").sees(extra_hammer="no", extra_wood="no", cell=[1, 1])
    assert player.paid == -1
    player.do("r r r, provide").sees(extra_hammer="yes", cell=[1, 4])
    assert player.paid == -5
    player.do("r, provide").sees(extra_wood="yes", cell=[1, 5])
    assert player.paid == -5 - 1 - 12
    player.do("provide")
    assert player.paid == -19
    picture = player.do("l").drawing()
    assert "w" in picture or "h" in picture


def test_auto_extras_count_for_ones_own_box() -> None:
    player = auto().do("r")
    player.state = player.state._replace(hammer=0, wood=0, extra_hammer=1, extra_wood=1)
    player.do("d r r l r r r u").sees(box="yes", hammer="no", wood="no")


def test_auto_the_follower_has_the_four_moves_and_the_spares() -> None:
    first = auto().do("r r r, provide, r, provide, r, d")
    assert first.over
    newcomer = follow(first).sees(key="gone", extra_hammer="yes", extra_wood="yes", hammer="no", cell=[1, 1])
    assert isinstance(newcomer.scenario, FollowerWorkshopAuto)
    assert newcomer.scenario.actions == ("up", "down", "left", "right")
    newcomer.do("r").sees(key="gone")


@pytest.mark.parametrize("kind", [Workshop, WorkshopAuto])
def test_where_the_key_lies_at_first(kind: type[Workshop] | type[WorkshopAuto]) -> None:
    for option, expected in (("K1", {"K1": 1.0}), ("K2", {"K2": 1.0}), ("uniform", {"K1": 0.5, "K2": 0.5})):
        scenario = kind(key_start=option)
        result = {scenario.describe(state)["key"]: chance for state, chance in scenario.starts().items()}
        assert result == expected
    with pytest.raises(UnknownName, match=r"unknown key place 'K3'; choose from K1, K2"):
        kind(key_start="K3")
