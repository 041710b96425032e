"""Attainable utility preservation against plain value iteration, a closed form, and its table of ablations."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import caregrid
from craftworld.levels.pacing_human import PacingHuman
from craftworld.levels.timed_shutdown import TimedShutdown
from craftworld.rollout import EpisodeReplay, rollout
from craftworld.scenario import Scenario
from craftworld.side_effect_penalties import compute_side_effect_penalties, penalise_deviation
from craftworld.solution.problem import make_problem
from engine.errors import BadValue
from experiments.catalogue.safety_gridworlds import attainable_utility, future_tasks
from experiments.experiment import Rows
from tests.craftworld.levels.replayed import level, longest, random_actions

G = 0.9


class Plain:
    """A world state by state: following[state][action] -> (next state, whether the episode ends)."""

    def __init__(self, scenario: Scenario) -> None:
        replay = EpisodeReplay(scenario)
        self.start = replay.start
        self.following: dict[Any, dict[str, tuple[Any, bool]]] = {}
        waiting = [self.start]
        while waiting:
            state = waiting.pop()
            if state in self.following:
                continue
            self.following[state] = {}
            for action in scenario.actions:
                replay = EpisodeReplay(scenario)
                replay.state = state
                replay.take(action)
                self.following[state][action] = replay.state, replay.terminated
                if not replay.terminated:
                    waiting.append(replay.state)

    def attain(self, utility: dict[Any, float]) -> tuple[dict[Any, float], Any]:
        """V_u of every state, and Q_u as a function of (next state, whether the episode ends)."""
        value = dict.fromkeys(self.following, 0.0)

        def worth(after: tuple[Any, bool]) -> float:
            return utility.get(after[0], 0.0) + (0.0 if after[1] else G * value[after[0]])

        for _ in range(300):
            value |= {state: max(map(worth, steps.values())) for state, steps in self.following.items()}
        return value, worth


@pytest.mark.parametrize("make", [TimedShutdown, PacingHuman])
@pytest.mark.parametrize("baseline", ["starting_state", "stepwise_inaction", "inaction"])
def test_every_step_is_penalised_as_by_plain_value_iteration(make: Any, baseline: str) -> None:
    scenario = make(noop="yes")
    plain = Plain(scenario)
    some = list(plain.following)
    off = plain.following[some[0]]["noop"][0]
    utilities: list[dict[Any, float]] = [{some[1]: 2.0, some[2]: 0.5}, {some[-1]: 1.0, off: 0.25, plain.start: -0.5}]
    found = [plain.attain(utility) for utility in utilities]
    idle: list[tuple[Any, bool]] = [plain.following[plain.start]["noop"]]  # after 1, 2, ... steps of doing nothing
    while len(idle) < 40:
        state, over = idle[-1]
        idle.append((state, over) if over else plain.following[state]["noop"])
    for measure, compare in (("AUP(a)", abs), ("AUP(t)", lambda lost: max(lost, 0.0))):
        problem = make_problem(scenario, penalise_deviation(measure, baseline, utilities), discount=G)
        _, penalty = problem.compute_caring_rewards(int(problem.mdp.start_states()[0]))
        for key in range(6):
            number = int(problem.mdp.start_states()[0])
            state = plain.start
            for time, action in enumerate(random_actions(scenario, key, 12)):
                after = plain.following[state][action]
                instead = {"stepwise_inaction": plain.following[state]["noop"], "inaction": idle[time]}.get(baseline)
                otherwise = [worth(instead) if instead else value[plain.start] for value, worth in found]
                lost = [one - worth(after) for one, (_, worth) in zip(otherwise, found, strict=True)]
                scale = sum(map(abs, otherwise)) or 1.0
                column = scenario.actions.index(action)
                assert penalty[number, column, 0] == pytest.approx(-sum(map(compare, lost)) / scale, abs=1e-12)
                state, number = after[0], int(problem.mdp.next_state[number, column, 0])
                if after[1]:
                    break


@pytest.mark.parametrize("discount", [0.5, 0.9, 0.996])
def test_a_constant_utility_makes_the_end_cost_the_discount(discount: float) -> None:
    """Going on is worth 1 / (1 - g), the end 1: d is g there, else 0, so that the goal is left alone from 1 / g on."""
    scenario = level("side_effects_sokoban", noop="yes", rewards="paper")
    constant = dict.fromkeys(caregrid.problem(scenario, discount=discount).exact.mdp.states, 1.0)
    for baseline in ("starting_state", "inaction", "stepwise_inaction"):
        problem = caregrid.problem(scenario, penalise_deviation("AUP(a)", baseline, [constant]), discount=discount)
        assert problem.breakpoints().points == pytest.approx((1.0 / discount,))


@pytest.mark.parametrize("options", [{"variant": "sushi_goal"}, {"variant": "vase"}])
def test_inaction_since_the_start_is_that_of_the_episode(options: dict[str, Any]) -> None:
    """Along episodes, against the penalties of episodes, which plain sums confirm; the end costs nothing here."""
    scenario = level("conveyor_belt", noop="yes", **options)
    tables = {}
    for measure in ("UR", "RR(t)", "RR(a)", "AU(a)"):
        problem = make_problem(scenario, penalise_deviation(measure, "inaction", 3, 5), discount=G)
        first = int(problem.mdp.start_states()[0])
        tables[measure] = problem.mdp.next_state, problem.compute_caring_rewards(first)[1], first
    for key in range(4):
        replayed = longest(scenario, random_actions(scenario, key, 12))
        numbers = {measure: first for measure, (_, _, first) in tables.items()}
        for each in compute_side_effect_penalties(scenario, replayed, G, 3, 5):
            if each.baseline != "inaction" or (replayed.terminated and each.step == len(replayed.episode.steps)):
                continue
            column = scenario.actions.index(each.action)
            for measure, (following, penalty, _) in tables.items():
                number = numbers[measure]
                assert penalty[number, column, 0] == pytest.approx(-each.deviations[measure], abs=1e-12)
                numbers[measure] = int(following[number, column, 0])


def _run_quickly(module: Any) -> Rows:
    settings = {name: tuple(found) for name, found in module.experiment.quick_settings.items()}
    return [
        {**dict(zip(settings, values, strict=True)), **row}
        for values in itertools.product(*settings.values())
        for row in module.experiment.run(*values, key=0)
    ]


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("module", [attainable_utility, future_tasks])
def test_claims_of_the_tables_can_fail(module: Any) -> None:
    """They hold of the rows, and each fails of rows in which all agents do the opposite."""
    rows = _run_quickly(module)
    turned = [
        {**row, "own": 1.0 - float(row["own"] or 0), "performance": -float(row["performance"] or 0)} for row in rows
    ]
    turned = [{**row, "worst_performance": row["performance"]} for row in turned]
    for claim in module.experiment.claims:
        if claim.needs is None:
            assert claim.holds(rows), claim.says
            assert not claim.holds(turned), claim.says


def test_a_preserved_utility_has_no_rollouts() -> None:
    with pytest.raises(BadValue, match=r"baseline 'inaction_rollouts'; choose from starting_state, inaction, stepwise"):
        penalise_deviation("AUP(a)", "inaction_rollouts")


def test_a_world_with_chance_is_refused() -> None:
    for baseline in ("inaction", "stepwise_inaction"):
        with pytest.raises(BadValue, match=r"chance|random"):
            caregrid.problem("icy_yard", penalise_deviation("AUP(a)", baseline), discount=G).solve(1)


def test_the_human_passes_where_the_agent_waits() -> None:
    scenario = PacingHuman(noop="yes")
    assert sum(rollout(scenario, ["noop", *["down"] * 4]).performance) == 1.0
