"""Worlds that agents share: the meadow by brute force, joint plans, one's own worlds, and what is refused."""

from __future__ import annotations

import functools
import heapq
import itertools
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest

import caregrid
from craftworld.scenario_contract import check_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.scenarios.common_meadow import CommonMeadow
from craftworld.shared_scenario import SharedScenario, make_shared_game, plan_joint_policies, read_policies
from engine.errors import BadValue, ContractBroken, UnknownName
from engine.planning.dynamic_programming import plan
from engine.scene import Scene


def after_season(grass: int, largest: int, wanted: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    taken = []
    for each in wanted:
        taken.append(min(each, grass))
        grass -= taken[-1]
    return min(grass + grass // 2, largest), tuple(taken)


def best_total(grass: int, largest: int, seasons: int, weights: tuple[float, ...]) -> float:
    """What one planner for three herders reaches, by trying everything."""

    @functools.cache
    def best(grass: int, left: int) -> float:
        if not left:
            return 0.0
        values = []
        for wanted in itertools.product(range(3), repeat=3):
            rest, taken = after_season(grass, largest, wanted)
            values.append(sum(w * t for w, t in zip(weights, taken, strict=True)) + best(rest, left - 1))
        return max(values)

    return best(grass, seasons)


@pytest.mark.parametrize(("grass", "largest", "seasons"), [(6, 12, 4), (3, 5, 3), (1, 9, 6)])
@pytest.mark.parametrize("care", [0.0, 0.3, 1.0, 2.5])
def test_the_joint_plan_of_the_meadow(grass: int, largest: int, seasons: int, care: float) -> None:
    options = {"grass": grass, "largest": largest, "seasons": seasons, "planner": "all"}
    found = caregrid.problem("common_meadow", set=options).solve(care).outcome
    total = found.own + care * sum(found.others.values())
    assert total == pytest.approx(best_total(grass, largest, seasons, (1.0, care, care)))


def test_the_map_of_joint_plans_has_each_herder_as_an_axis() -> None:
    found = caregrid.problem("common_meadow", set={"planner": "all"}).regions()
    assert found.axes == ("herder 2", "herder 3")
    assert len(found.regions) > 10
    for weights in ((0.5, 0.1), (1.0, 2.0), (4.0, 4.0)):
        region = found.at(*weights).region
        assert region.value_at(np.array(weights)) == pytest.approx(best_total(6, 12, 4, (1.0, *weights)))


def test_a_best_response_to_declared_policies_is_what_the_acting_agent_alone_would_plan() -> None:
    """In the meadow the others look at nothing that is done within the season."""
    scenario = CommonMeadow()
    game = make_shared_game(scenario)
    policies = read_policies(scenario, game)
    for care in (0.0, 0.4, 1.5):
        alone = caregrid.problem("common_meadow").solve(care).outcome
        table = game.fix_others(0, policies, np.array([1.0, care, care]))
        start = int(table.start_states()[0])
        assert plan(table).value[start] == pytest.approx(alone.own + care * sum(alone.others.values()))


def test_the_tragedy_and_what_caring_mends() -> None:
    problem = caregrid.problem("common_meadow")
    selfish, caring = problem.best_responses(), problem.best_responses(1.0)
    assert selfish.found.is_markov_perfect
    assert sum(selfish.returns.values()) == 6.0
    assert caring.found.is_markov_perfect
    assert sum(caring.returns.values()) == caring.together.sum() == 14.0
    assert selfish.actions is not None
    assert selfish.actions[0] == ("take two",) * 3
    one_sided = problem.best_responses(1.0, coefficient={"herder 3": {"herder 1": 0.0, "herder 2": 0.0}})
    assert one_sided.returns["herder 3"] > caring.returns["herder 3"]


def test_several_who_agree_may_begin_and_stay_with_the_joint_plan() -> None:
    found = caregrid.problem("common_meadow").best_responses(1.0, begin="joint")
    assert (len(found.found.rounds), found.found.is_markov_perfect) == (1, True)
    damped = caregrid.problem("common_meadow").best_responses(order="at once", damping=0.5, rounds=200)
    assert damped.found.is_markov_perfect
    assert sum(damped.returns.values()) == 6.0


def shortest_joint_walk() -> float:
    """The least number of steps of all three walkers together, by Dijkstra's algorithm on the rules written anew."""
    rows = ("#########", "#L.....R#", "##.##P###", "#########")
    goals = ((1, 7), (1, 1), (1, 7))
    first: tuple[tuple[int, int] | None, ...] = ((1, 1), (1, 7), (2, 5))
    cost, waiting = {first: 0}, [(0, 0, first)]
    while waiting:
        paid, _, places = heapq.heappop(waiting)
        if not any(places):
            return float(paid)
        if paid > cost[places]:
            continue
        for choice in itertools.product(((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0)), repeat=3):
            now = list(places)
            for walker, (down, right) in enumerate(choice):
                here = now[walker]
                if here is None:
                    continue
                there = (here[0] + down, here[1] + right)
                if rows[there[0]][there[1]] != "#" and there not in now:
                    now[walker] = None if there == goals[walker] else there
            total, after = paid + sum(place is not None for place in places), tuple(now)
            if total < cost.get(after, 10**9):
                cost[after] = total
                heapq.heappush(waiting, (total, len(cost), after))
    raise AssertionError


def test_three_walkers_pass_each_other_as_well_as_can_be() -> None:
    joint = caregrid.problem("passing_places", set={"planner": "all"}).solve(1.0).outcome
    assert -(joint.own + sum(joint.others.values())) == shortest_joint_walk() == 23.0
    found = caregrid.problem("passing_places").best_responses()
    assert found.found.rounds[0].returns.tolist() == [-np.inf] * 3  # walker 1 waits for ever: nobody gets through
    assert found.found.is_markov_perfect
    assert sum(found.returns.values()) == -23.0
    assert found.as_dict()["rounds"][0]["return walker 1"] is None
    json.dumps(found.as_dict(), allow_nan=False)


class PairState(NamedTuple):
    first: int
    second: int


class Pair(SharedScenario):
    """Two who each leave when they like; whoever leaves first slips with a chance of a half."""

    art = "###\n#A#\n###"
    legend = {"A": "entrance"}  # noqa: RUF012
    agents = ("one", "two")
    agent_actions = ("wait", "leave")
    sizes = (2, 2)

    def starts(self) -> Mapping[Any, float]:
        return {PairState(0, 0): 1.0}

    def act(self, state: Any, agent: int, action: Any) -> Any:
        gone = state._replace(**{state._fields[agent]: np.maximum(state[agent], action)})
        return [(0.5, gone), (0.5, state)] if agent == 0 else gone

    def policy(self, agent: int, state: Any, so_far: Any) -> Any:
        return np.ones(np.shape(state.first), dtype=np.int64)

    def agent_reward(self, agent: int, state: Any, next_state: Any) -> Any:
        return np.where(np.asarray(state[agent]) == 1, 0.0, -1.0)

    def is_terminal(self, state: Any) -> Any:
        return (np.asarray(state.first) == 1) & (np.asarray(state.second) == 1)

    def scene(self, state: Any) -> Scene:
        return self.picture(0)


def test_a_world_of_ones_own_with_chance() -> None:
    check_scenario(Pair)
    joint = caregrid.problem(Pair(planner="all")).solve(1.0).outcome
    assert (joint.own, joint.others["two"]) == (pytest.approx(-2.0), pytest.approx(-1.0))
    found = caregrid.problem(Pair).best_responses()
    assert found.returns == {"one": pytest.approx(-2.0), "two": pytest.approx(-1.0)}
    assert found.actions is None


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'all'"):
        CommonMeadow(planner="al")
    with pytest.raises(BadValue, match="4,913 joint actions"):
        type("Many", (CommonMeadow,), {"agent_actions": tuple(f"a{n}" for n in range(17))})(planner="all")
    for name, value in (("seasons", 0), ("grass", 13), ("largest", "x"), ("grass", True)):
        with pytest.raises(BadValue, match=name):
            CommonMeadow(**{name: value})
    with pytest.raises(ContractBroken, match="agents"):
        type("Alone", (Pair,), {"agents": ("one",)})()
    odd = type("Odd", (Pair,), {"policy": lambda self, agent, state, so_far: np.full(np.shape(state.first), 9)})()
    with pytest.raises(ContractBroken, match="policy"):
        read_policies(odd, make_shared_game(odd))
    with pytest.raises(ContractBroken, match="act"):
        check_scenario(type("Bad", (Pair,), {"act": lambda self, state, agent, action: 3}))
    with pytest.raises(BadValue, match="common_meadow"):
        make_shared_game(SCENARIOS["workshop"]())


def test_everybodys_share_of_the_joint_plan() -> None:
    game = make_shared_game(CommonMeadow())
    policies = plan_joint_policies(game, np.array([1.0, 0.0, 0.0]))
    start = int(game.table.start_states()[0])
    assert [policy[start].sum() for policy in policies] == [1.0] * 3
    for number in np.flatnonzero(~game.table.terminal)[:50]:
        assert policies[1][number].argmax() == policies[2][number].argmax() == 0 or game.table.states[number].grass < 3
