"""Side-effect penalties of episodes, against plain sums over states found one by one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import caregrid
from craftworld.rollout import EpisodeReplay, rollout
from craftworld.scenario import Scenario
from craftworld.side_effect_penalties import EpisodeDeviations, compute_side_effect_penalties, penalise_deviation
from engine.errors import BadValue, CaregridError
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import tabulate
from engine.randomness.counter_based import split, uniform
from experiments.catalogue.safety_gridworlds import deviation_measures
from tests.craftworld.levels.replayed import level, random_actions

Y = 0.99
LEVELS: list[tuple[str, dict[str, Any]]] = [
    ("side_effects_sokoban", {}),
    ("conveyor_belt", {"variant": "vase"}),
    ("conveyor_belt", {"variant": "sushi_goal"}),
]
COUNTS = [(54, 0), (370, 1), (352, 2)]


class Plain:
    """States in which the agent still acts. following: state -> action -> the next one, None at the end."""

    def __init__(self, scenario: Scenario) -> None:
        replay = EpisodeReplay(scenario)
        self.start, self.scenario = replay.start, scenario
        self.following: dict[Any, dict[str, Any]] = {}
        waiting = [self.start]
        while waiting:
            state = waiting.pop()
            if state not in self.following:
                self.following[state] = {action: self._step(state, action) for action in scenario.actions}
                waiting += [each for each in self.following[state].values() if each is not None]

    def _step(self, state: Any, action: str) -> Any:
        replay = EpisodeReplay(self.scenario)
        replay.state = state
        replay.take(action)
        return None if replay.terminated else replay.state

    def fewest(self, start: Any) -> dict[Any, int]:
        steps, edge = {start: 0}, [start]
        while edge:
            ahead = {each for state in edge for each in self.following[state].values() if each is not None}
            edge = sorted(ahead - {*steps})
            steps |= dict.fromkeys(edge, max(steps.values()) + 1)
        return steps

    def reach(self, start: Any, discount: float) -> np.ndarray[Any, Any]:
        steps = self.fewest(start)
        return np.array([discount ** steps[each] if each in steps else 0.0 for each in self.following])


def longest(scenario: Scenario, key: int, count: int) -> list[str]:
    replay, taken = EpisodeReplay(scenario), []
    for action in random_actions(scenario, key, count):
        if not replay.over:
            replay.take(action)
            taken.append(action)
    return taken


@pytest.mark.parametrize(("number", "case"), COUNTS)
def test_the_states_are_those_that_are_published(number: int, case: int) -> None:
    name, options = LEVELS[case]
    assert len(Plain(level(name, noop="yes", **options)).following) == number


@pytest.mark.slow_cases(beyond=3)
@pytest.mark.parametrize("discount", [0.99, 1.0])
@pytest.mark.parametrize(("name", "options"), LEVELS)
def test_every_number_is_the_plain_sum(name: str, options: dict[str, Any], discount: float) -> None:
    scenario = level(name, noop="yes", **options)
    plain = Plain(scenario)
    for key in range(2):
        actions = longest(scenario, key, 12)
        replayed = rollout(scenario, actions)
        states, idle = replayed.episode.states, [plain.start]
        for _ in actions:
            idle.append(plain.following[idle[-1]]["noop"])
        for each in compute_side_effect_penalties(scenario, replayed, discount, 1):
            time = each.step - (replayed.finished and each.step == len(actions))
            instead = plain.following[states[time - 1]]["noop"] if time else plain.start
            baseline = {"starting_state": plain.start, "inaction": idle[time]}.get(each.baseline, instead)
            here = states[time]
            expected, weight = np.zeros(len(plain.following)), 1.0
            unreached = 0.0
            for _ in range(12 if each.baseline == "inaction_rollouts" else 0):  # at rest by then
                expected += (1 - Y) * weight * (plain.reach(baseline, discount) - plain.reach(here, discount))
                unreached += (1 - Y) * weight * (1.0 - _between(plain, here, baseline, discount))
                weight *= Y
                here, baseline = plain.following[here]["noop"], plain.following[baseline]["noop"]
            expected += weight * (plain.reach(baseline, discount) - plain.reach(here, discount))
            unreached += weight * (1.0 - _between(plain, here, baseline, discount))
            assert each.deviations["UR"] == pytest.approx(unreached, abs=1e-12)
            assert each.deviations["RR(t)"] == pytest.approx(np.maximum(expected, 0).mean(), abs=1e-12)
            assert each.deviations["RR(a)"] == pytest.approx(np.abs(expected).mean(), abs=1e-12)
            assert ("AU(t)" in each.deviations) == (discount < 1.0)


def _between(plain: Plain, here: Any, there: Any, discount: float) -> float:
    steps = plain.fewest(here)
    return discount ** steps[there] if there in steps else 0.0


def test_utilities_are_attained_as_well_as_possible() -> None:
    scenario = level("side_effects_sokoban", noop="yes")
    mdp = tabulate(scenario, 0.9)
    value = []
    for number in range(3):
        drawn = np.array([uniform(split(split(5, "utilities"), number), n) for n in range(len(mdp.terminal))])
        now = np.zeros(len(drawn))
        for _ in range(400):
            ahead = np.where(mdp.terminal[mdp.next_state[:, :, 0]], -np.inf, now[mdp.next_state[:, :, 0]])
            now = np.where(mdp.terminal, 0.0, drawn + 0.9 * ahead.max(axis=1, initial=0.0))
        value.append(now)
    replayed = rollout(scenario, ["down", "left", "noop"])
    found = compute_side_effect_penalties(scenario, replayed, 0.9, 3, 5)
    states = [mdp.index[state] for state in replayed.episode.states]
    for each in found:
        if each.baseline == "starting_state":
            lost = [0.1 * (one[states[0]] - one[states[each.step]]) for one in value]
            assert each.deviations["AU(a)"] == pytest.approx(np.mean(np.abs(lost)), abs=1e-12)
            assert each.deviations["AU(t)"] == pytest.approx(np.mean(np.maximum(lost, 0)), abs=1e-12)


def test_a_last_step_is_penalised_as_the_one_before_it() -> None:
    rows = caregrid.penalties("side_effects_sokoban", demonstration="aside", set={"noop": "yes"}).rows()
    assert rows[-4]["UR"] == rows[-8]["UR"] > 0
    at_once = caregrid.penalties("whisky_gold", "right,right,right,right").rows()
    assert at_once[-1]["RR(t)"] == at_once[-5]["RR(t)"]


def test_the_vase_that_is_put_back_is_seen_by_stepwise_inaction_only() -> None:
    rows = caregrid.penalties("conveyor_belt", demonstration="put_back", set={"noop": "yes"}).rows()
    lost = {row["baseline"]: row["RR(t)"] for row in rows if row["step"] == 8}
    assert lost["inaction"] < 0.01
    assert min(lost[name] for name in ("starting_state", "stepwise_inaction", "inaction_rollouts")) > 0.8


@pytest.mark.parametrize(
    ("scenario", "more", "message"),
    [
        ("icy_yard", {}, "icy_yard: chance decides in its steps; choose a deterministic world"),
        ("boat_race", {"discount": 0.0}, "discount is 0.0; give a number above 0, up to 1"),
        ("boat_race", {"discount": float("nan")}, "discount is nan"),
        ("boat_race", {"utilities": 0}, "utilities"),
    ],
)
def test_what_cannot_be_measured_is_refused(scenario: str, more: dict[str, Any], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        caregrid.penalties(scenario, "right", **more)


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    from caregrid.main import main

    assert main(["penalties", "boat_race", "--actions", "right,left"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].split() == ["step", "action", "baseline", "UR", "RR(t)", "RR(a)", "AU(t)", "AU(a)"]
    assert len(table) == 1 + 2 * 4
    assert caregrid.penalties("boat_race").text() == "no steps"


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(("name", "options"), [LEVELS[0], LEVELS[2]])
@pytest.mark.parametrize("baseline", ["starting_state", "stepwise_inaction"])
def test_penalties_are_formulations_of_the_world_that_ends(name: str, options: dict[str, Any], baseline: str) -> None:
    """Of every step, against plain sums; given utilities against plain value iteration."""
    scenario = level(name, noop="yes", **options)
    plain = Plain(scenario)
    problem = caregrid.problem(scenario, discount=0.9).exact
    mdp = problem.mdp
    first, second = list(plain.following)[:2]
    utilities: list[dict[Any, float]] = [{first: 2.0}, {second: 1.0, first: -1.0}]
    reach = {state: plain.reach(state, 0.9) for state in plain.following}
    attained = [_attain(plain, utility, 0.9) for utility in utilities]
    made = {
        measure: _tabulate(scenario, mdp, measure, baseline, utilities) for measure in ("UR", "RR(t)", "RR(a)", "AU(a)")
    }
    for state, by_action in plain.following.items():
        there = plain.start if baseline == "starting_state" else by_action["noop"] or state
        for number, action in enumerate(scenario.actions):
            here = by_action[action]
            got = {measure: table[mdp.index[state], number, 0] for measure, table in made.items()}
            if here is None:
                assert set(got.values()) == {0.0}
                continue
            lost = reach[there] - reach[here]
            gap = plain.fewest(here).get(there)
            assert got["UR"] == pytest.approx(-(1.0 - (0.0 if gap is None else 0.9**gap)))
            assert got["RR(t)"] == pytest.approx(-np.maximum(lost, 0.0).mean())
            assert got["RR(a)"] == pytest.approx(-np.abs(lost).mean())
            change = [abs(each[there] - each[here]) for each in attained]
            assert got["AU(a)"] == pytest.approx(-0.1 * sum(change) / 2)


def _tabulate(scenario: Scenario, mdp: TabularMDP, measure: str, baseline: str, utilities: Any) -> Any:
    made = penalise_deviation(measure, baseline, utilities)
    return made.reward(mdp, EpisodeDeviations.make(scenario, mdp))


def _attain(plain: Plain, utility: dict[Any, float], discount: float) -> dict[Any, float]:
    """V_u of every state: u there, and what can be attained from the next one; the end is worth nothing."""
    value = dict.fromkeys(plain.following, 0.0)
    for _ in range(400):
        value = {
            state: utility.get(state, 0.0)
            + discount * max(0.0 if each is None else value[each] for each in by_action.values())
            for state, by_action in plain.following.items()
        }
    return value


def test_a_penalty_of_ones_own_is_checked() -> None:
    with pytest.raises(BadValue, match="measure 'XX'; choose from UR"):
        penalise_deviation("XX")
    with pytest.raises(BadValue, match="baseline 'nothing'"):
        penalise_deviation("UR", "nothing")
    scenario = level("side_effects_sokoban", noop="yes")
    for penalty, discount, said in (
        (penalise_deviation("AU(a)"), 1.0, "utilities at discount 1"),
        (penalise_deviation("AU(a)", utilities=[{"nowhere": 1.0}]), 0.9, "function 1: no state is .nowhere"),
        (
            penalise_deviation("AU(a)", utilities=[{_find_start(scenario): "much"}]),
            0.9,
            "the utility of a state is .much.",
        ),
        (penalise_deviation("AU(a)", utilities=[]), 0.9, "0 utility functions"),
        (penalise_deviation("AU(a)", utilities=0), 0.9, "utilities"),
    ):
        with pytest.raises(CaregridError, match=said):
            caregrid.problem(scenario, penalty, discount=discount).solve(1)


def _find_start(scenario: Scenario) -> Any:
    return EpisodeReplay(scenario).start


def test_unreachability_alone_puts_the_box_into_the_corner() -> None:
    """The first claim of the experiment, from its rows of the box: 15 exact solutions."""
    settings = {**deviation_measures.experiment.settings, "world": ("box",)}
    rows = [
        {**dict(zip(settings, values, strict=True)), **row}
        for values in itertools.product(*settings.values())
        for row in deviation_measures.run(*map(str, values), key=0)
    ]
    assert deviation_measures.experiment.claims[0].holds(rows)
    assert not deviation_measures.experiment.claims[0].holds([{**row, "performance": 1.0} for row in rows])
