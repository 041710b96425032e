"""The two optima: by hand, by replaying every course of action, and where reward and performance are one."""

from __future__ import annotations

import pytest

from craftworld.measures import find_optima
from craftworld.rollout import rollout
from craftworld.scenario import Scenario
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from engine.errors import BadValue


def replayed(scenario: Scenario, steps: int) -> list[tuple[float, float]]:
    """Return and performance of every course of action of a number of steps, or up to an end."""
    found: list[tuple[float, float]] = []
    courses: list[tuple[str, ...]] = [()]
    for taken in range(steps + 1):
        following = []
        for course in courses:
            shown = rollout(scenario, course)
            if shown.terminated or taken == steps:
                found.append((shown.episode.total(), sum(shown.performance)))
            else:
                following += [(*course, action) for action in scenario.actions]
        courses = following
    return found


@pytest.mark.parametrize(("name", "steps"), [("boat_race", 5), ("side_effects_sokoban", 5), ("kitchen_peanut", 4)])
def test_short_episodes_against_every_course_of_action(name: str, steps: int) -> None:
    scenario = make_scenario(SCENARIOS[name])
    courses = replayed(scenario, steps)
    reward, best = (max(numbers) for numbers in zip(*courses, strict=True))
    performances = [performance for earned, performance in courses if earned == reward]
    assert find_optima(scenario, steps) == (
        reward,
        max(performances),
        min(performances),
        best,
        max(earned for earned, performance in courses if performance == best),
    )


def test_where_chance_decides_they_are_expectations() -> None:
    """The supervisor is there half the time: the reward of cheating is lost or not, the performance always."""
    found = find_optima(make_scenario(SCENARIOS["absent_supervisor"]))
    assert (found.reward, found.performance, found.best_performance) == (44.0, 29.0, 41.0)


def test_without_a_hidden_performance_both_are_one() -> None:
    found = find_optima(make_scenario(SCENARIOS["icy_yard"]))
    assert found == pytest.approx((-10.0,) * 5)


def test_a_world_too_large_for_a_table_is_refused() -> None:
    with pytest.raises(BadValue, match="too large for a table"):
        find_optima(make_scenario(SCENARIOS["tomato_watering"]))
