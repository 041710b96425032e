"""The real world as a table: what policies earn and how often they manipulate, against a recursion in fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.simulation.real_world import RealWorld, find_allowed_actions, list_real_outcomes
from counterfactual.simulation.simulate import simulate
from counterfactual.worlds import FIRST, TERMINAL_WORLDS
from engine.mdp.policies import follow_policy, make_random_policy
from engine.planning.finite_horizon import compute_limited_return, find_return_hull

WORLDS = {"barricade": 4, "off_switch": 3, "tamper_grid": 4, "car_factory": 4}
FINES = (Fraction(0), Fraction(1, 3), Fraction(2), Fraction(50))


def earn(world: Any, fine: Fraction, best: bool) -> Fraction:
    """The most, or the mean over allowed actions, of the discounted rewards less a fine for each manipulation."""

    @cache
    def value(step: int, x: Any, signal: int) -> Fraction:
        if step > world.horizon:
            return Fraction(0)
        found = []
        for action, allowed in enumerate(find_allowed_actions(world, step, x)):
            if allowed:
                found.append(
                    sum(
                        each.probability
                        * (
                            world.discount ** (step - 1) * each.reward
                            - fine * each.manipulated
                            + value(step + 1, each.x, each.signal)
                        )
                        for each in list_real_outcomes(world, step, x, signal, action)
                    )
                )
        return max(found) if best else sum(found, Fraction(0)) / len(found)

    return value(1, world.start(), FIRST)


@pytest.mark.parametrize("name", WORLDS)
def test_the_table_is_the_real_world(name: str) -> None:
    world = TERMINAL_WORLDS[name].make({"horizon": str(WORLDS[name])})
    table, manipulated = RealWorld(world, PLANNING_AGENTS["itf"]).tabulate()
    hull = find_return_hull(table, -manipulated, world.horizon)
    for fine in FINES:
        most = max(point.first + float(fine) * point.second for point in hull)
        assert most == pytest.approx(float(earn(world, fine, best=True)), abs=1e-9)
        followed = follow_policy(table.with_reward(table.reward - float(fine) * manipulated), make_random_policy(table))
        [random] = compute_limited_return(followed.table, followed.still, world.horizon)[table.start > 0.0]
        assert random == pytest.approx(float(earn(world, fine, best=False)), abs=1e-9)


def test_itf_with_perfect_knowledge_earns_the_most() -> None:
    for name in WORLDS:
        world = TERMINAL_WORLDS[name].make({})
        table, manipulated = RealWorld(world, PLANNING_AGENTS["itf"]).tabulate()
        most = find_return_hull(table, -manipulated, world.horizon)[0].first
        assert most == pytest.approx(float(simulate(world, PLANNING_AGENTS["itf"]).real_return))
