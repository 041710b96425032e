"""Off-switch game, delegation, canal, chain of supervisors: exact solutions against closed forms and plain programs."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import caregrid
from craftworld.measures import find_optima
from craftworld.scenario import Scenario
from craftworld.scenarios import SCENARIOS
from craftworld.scenarios.delegation_corridor import DelegationCorridor
from craftworld.solution.problem import Problem, make_problem
from engine.errors import BadValue

CARES = (0.0, 0.4, 1.0, 3.0, 50.0)


def find_values(problem: Problem, care: float) -> dict[Any, float]:
    """State -> the optimum of own return and care times others', of every state that can be reached."""
    start = int(problem.mdp.start_states()[0])
    return dict(zip(problem.mdp.states, problem.plan_optimum(care, start).value, strict=True))


def find_optimum(scenario: Scenario, care: float) -> float:
    problem = make_problem(scenario)
    starts = problem.mdp.start_states()
    return float(sum(problem.mdp.start[one] * problem.plan_optimum(care, int(one)).value[one] for one in starts))


def stop_best(q: Fraction, p: Fraction, gain: Fraction, loss: Fraction, care: Fraction) -> Fraction:
    """The best of acting, switching off and waiting, where the act is fine with probability q."""
    act = 1 + care * (q * gain - (1 - q) * loss)
    wait = q * p + (1 - q) * (1 - p) + care * (q * p * gain - (1 - q) * (1 - p) * loss)
    return max(act, Fraction(0), wait)


def look_best(level: int, levels: int, options: Mapping[str, Fraction], care: Fraction) -> Fraction:
    """The best of all pairs of levels at which looking stops, by the gambler's ruin of each truth (Feller, XIV.2).

    Signs are steps up with probability s if the act is fine, 1 - s if not.
    """
    s, look = options["s"], options["look"]

    def believe(number: int) -> Fraction:
        odds = options["q"] / (1 - options["q"]) * (s / (1 - s)) ** (number - levels)
        return odds / (1 + odds)

    def stop(number: int) -> Fraction:
        return stop_best(believe(number), options["p"], options["gain"], options["loss"], care)

    best = stop(level)
    for low, high in itertools.product(range(level), range(level + 1, 2 * levels + 1)):
        value = Fraction(0)
        for truth, up in ((believe(level), s), (1 - believe(level), 1 - s)):
            ratio, width, above = (1 - up) / up, high - low, level - low
            if ratio == 1:
                wins, steps = Fraction(above, width), Fraction(above * (width - above))
            else:
                wins = (1 - ratio**above) / (1 - ratio**width)
                steps = (width * wins - above) / (2 * up - 1)
            value -= truth * look * steps
            value += truth * (wins * stop(high) + (1 - wins) * stop(low))
        best = max(best, value)
    return best


@pytest.mark.parametrize(
    "text",
    [
        {"q": "1/2", "p": "9/10", "s": "3/4", "gain": "1", "loss": "2", "look": "1/20"},
        {"q": "1/5", "p": "3/5", "s": "2/3", "gain": "3", "loss": "1/2", "look": "1/100"},
        {"q": "3/4", "p": "1", "s": "1/2", "gain": "1", "loss": "5", "look": "0"},
        {"q": "9/10", "p": "1/4", "s": "9/10", "gain": "1", "loss": "20", "look": "1/4"},
    ],
    ids=["default", "weak signs", "blind signs, sure human", "contrary human"],
)
@pytest.mark.parametrize("levels", [0, 1, 4])
def test_the_off_switch_game_is_exact_at_every_level_of_belief(text: dict[str, str], levels: int) -> None:
    options = {name: Fraction(value) for name, value in text.items()}
    scenario = SCENARIOS["off_switch_game"](levels=levels, **{name: float(value) for name, value in options.items()})
    for care in CARES:
        values = find_values(make_problem(scenario), care)
        undecided = {state.belief: value for state, value in values.items() if state.decision == 0}
        assert sorted(undecided) == list(range(2 * levels + 1))
        for level, value in undecided.items():
            expected = look_best(level, levels, options, Fraction(care))
            assert value == pytest.approx(float(expected), rel=1e-9, abs=1e-9), (care, level)


def test_the_robot_of_the_paper_waits_for_a_human_who_errs_seldom() -> None:
    """Without signs and without reward of its own: the incentive to wait is E[pi U] - max(E[U], 0) (Theorem 1)."""
    for q, p in itertools.product((0.05, 0.3, 0.7, 0.95), (0.5, 0.8, 1.0)):
        scenario = SCENARIOS["off_switch_game"](q=q, p=p, levels=0, gain=1.0, loss=1.0)
        worth, best = q * p - (1 - q) * (1 - p), max(2 * q - 1, 0.0)
        found = caregrid.problem(scenario).solve(1e9).outcome
        assert sum(found.others.values()) == pytest.approx(max(worth, best))
        optima = find_optima(scenario)
        assert optima.best_performance == pytest.approx(max(worth, best))
        assert (optima.reward, optima.performance) == pytest.approx((1.0, 2 * q - 1))


def draw_corridor(length: int) -> str:
    return "\n".join(["#" * (length + 3), "#A" + " " * (length - 1) + "G#", "#" * (length + 3)])


@pytest.mark.slow_cases(beyond=12)
@pytest.mark.parametrize("length", [1, 2, 5, 9, 16, 30])
@pytest.mark.parametrize(("drift", "harm", "generations"), [("1/5", 8, 4), ("1/50", 3, 6), ("1", 1, 2), ("0", 5, 9)])
def test_delegation_in_a_corridor_is_a_recursion_over_its_length(
    length: int, drift: str, harm: int, generations: int
) -> None:
    lost = Fraction(drift)
    grid = DelegationCorridor.parse_map(draw_corridor(length))
    scenario = DelegationCorridor(grid, drift=float(lost), harm=float(harm), generations=generations)

    @functools.cache
    def best(left: int, generation: int, kept: bool, care: Fraction) -> Fraction:
        if left <= 0:
            return Fraction(0)
        now = -1 - (0 if kept else care * harm)
        values = [now + best(left - 1 - generation, generation, kept, care)]
        if generation < generations:
            gone = best(left, generation + 1, False, care)
            values.append(now + ((1 - lost) * best(left, generation + 1, True, care) + lost * gone if kept else gone))
        return max(values)

    for care in CARES:
        assert find_optimum(scenario, care) == pytest.approx(float(best(length, 0, True, Fraction(care))))
    fewest = min(g + -(-length // (1 + g)) for g in range(generations + 1))
    optima = find_optima(scenario)
    assert optima.reward == pytest.approx(-fewest)
    assert optima.best_performance == pytest.approx(float(best(length, 0, True, Fraction(1))))


def test_agents_stop_at_walls_and_at_the_goal() -> None:
    art = "######\n#A G #\n# ####\n#    #\n######"
    scenario = DelegationCorridor(DelegationCorridor.parse_map(art), drift=0.0)
    found = caregrid.problem(scenario).solve(0.0).outcome
    assert found.own == -2.0  # two cells: on foot, or an agent that would walk over the goal if it did not stop there


def flow(sequence: tuple[int, ...], water: int, largest: int) -> tuple[int, ...]:
    """What each farmer takes in all, if the one at the head takes 0, 1 or 2 loads or cleans (3), season by season."""
    totals = [0, 0, 0, 0]
    for chosen in sequence:
        wanted = [0 if chosen == 3 else chosen, *[1 if water else 0] * 3]
        rest = water
        for farmer, wants in enumerate(wanted):
            taken = min(wants, rest)
            rest -= taken
            totals[farmer] += taken
        water = max(0, min(largest, water - 1 + (chosen == 3)))
    return tuple(totals)


@pytest.mark.parametrize(("water", "largest", "seasons"), [(4, 5, 3), (2, 2, 5), (6, 6, 4), (0, 3, 3)])
def test_the_canal_by_brute_force_at_three_coefficients(water: int, largest: int, seasons: int) -> None:
    options = {"water": water, "largest": largest, "seasons": seasons}
    found = caregrid.problem("irrigation_canal", set=options).regions()
    assert found.axes == ("farmer 2", "farmer 3", "farmer 4")
    totals = {flow(sequence, water, largest) for sequence in itertools.product(range(4), repeat=seasons)}
    for weights in itertools.product((0.1, 0.7, 1.3, 4.0), repeat=3):
        best = max(float(np.dot((1.0, *weights), total)) for total in totals)
        assert found.at(*weights).region.value_at(np.array(weights)) == pytest.approx(best), weights


def test_one_season_of_the_canal_is_the_best_of_three_sums() -> None:
    for depth in range(1, 6):
        regions = caregrid.problem("irrigation_canal", set={"water": depth, "seasons": 1}).regions()
        for weights in itertools.product((0.0, 0.8, 1.5), repeat=3):
            best = max(take + sum(weights[: depth - take]) for take in range(min(2, depth) + 1))
            assert regions.at(*weights).region.value_at(np.array(weights)) == pytest.approx(best)


def count_reports(levels: int, p: Fraction, honest: Fraction) -> Fraction:
    """How likely an entry is reported while the first supervisor looks: over all who look and all who are honest."""
    total = Fraction(0)
    for looks in itertools.product((True, False), repeat=levels - 1):
        for honesty in itertools.product((True, False), repeat=levels):
            chance = Fraction(1)
            for each in looks:
                chance *= p if each else 1 - p
            for each in honesty:
                chance *= honest if each else 1 - honest
            reached = 0
            while not honesty[reached] and reached + 1 < levels and looks[reached]:
                reached += 1
            total += chance * honesty[reached]
    return total


@pytest.mark.parametrize(("p", "honest"), [("1/2", "1/10"), ("9/10", "1/20"), ("1/3", "1/7")])
@pytest.mark.parametrize("levels", [1, 2, 4])
def test_the_chain_of_supervisors_deters_as_often_as_all_its_cases_say(levels: int, p: str, honest: str) -> None:
    caught = float(count_reports(levels, Fraction(p), Fraction(honest)))
    options = {"levels": levels, "p": float(Fraction(p)), "honest": float(Fraction(honest))}
    scenario = SCENARIOS["supervision_chain"](**options)
    assert scenario.caught == pytest.approx(caught)
    across, around = 47.0, 41.0
    for care in CARES:
        watched = max(across - 30.0 * caught - 5.0 * care, around)
        assert find_optimum(scenario, care) == pytest.approx((watched + max(across - 5.0 * care, around)) / 2)
    optima = find_optima(scenario)
    assert optima.best_performance == pytest.approx(around)
    points = caregrid.problem(scenario).breakpoints().points
    assert points == pytest.approx([care for care in ((6.0 - 30.0 * caught) / 5.0, 6.0 / 5.0) if care > 0])


def test_no_number_of_levels_deters_where_the_limit_is_too_low() -> None:
    p, honest = 0.5, 0.1
    above = p * honest / (1 - p * (1 - honest))
    limit = honest + (1 - honest) * above
    assert SCENARIOS["supervision_chain"](levels=1000).caught == pytest.approx(limit)
    assert 30 * limit < 6
    assert find_optima(SCENARIOS["supervision_chain"](levels=1000)).performance < 41


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("off_switch_game", {"p": 1.5}, "p = 1.5"),
        ("off_switch_game", {"s": 1}, "s = 1"),
        ("off_switch_game", {"s": 0.0}, "s = 0.0"),
        ("off_switch_game", {"levels": 10**9}, "levels"),
        ("off_switch_game", {"gain": float("nan")}, "gain = nan"),
        ("off_switch_game", {"q": True}, "q = True"),
        ("delegation_corridor", {"drift": -0.1}, "drift"),
        ("delegation_corridor", {"harm": float("inf")}, "harm"),
        ("delegation_corridor", {"generations": 2.5}, "generations"),
        ("irrigation_canal", {"water": 9}, "water = 9"),
        ("irrigation_canal", {"seasons": 0}, "seasons"),
        ("supervision_chain", {"levels": 0}, "levels = 0"),
        ("supervision_chain", {"honest": "much"}, "honest"),
    ],
)
def test_other_options_are_refused_in_one_line(name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(BadValue, match=says) as refused:
        SCENARIOS[name](**options)
    assert "\n" not in str(refused.value)
