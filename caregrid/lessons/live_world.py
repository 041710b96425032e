"""A solved problem as plain data for a live page: exact segments with their paths and, where there are any, its rules.

docs/live_page.md describes the format. The first start state is shown; numbers that are not finite become null. The
data also has a map of two coefficients with the polygon of every behaviour, and, for a world whose map cannot be
changed, a small table: steps, rewards, and what its ends are worth. The others' values enter as a weighted sum,

    F(s) = sum over i of w_i V_i(s).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from caregrid.lessons.cell_rules import (
    ActionRule,
    CellRules,
    NewcomerRules,
    find_cell_classes,
    list_rests,
    number_rest,
    observe_cell_rules,
    vary_map,
)
from caregrid.programmes.caring.scenes import describe_state
from craftworld.formulation import RewardTiming
from craftworld.others.value_distribution import ValueDistribution, compute_fingerprint
from craftworld.regions import CaringRegion, make_coefficient_axes, solve_regions
from craftworld.scenario import Scenario
from craftworld.solution.episodes import AgentEpisode, make_segment_episodes
from craftworld.solution.exact_solution import FROM_ZERO, choose_segments, describe_outcome
from craftworld.solution.problem import Problem
from engine.contracts import call_method
from engine.errors import BadValue
from engine.grid import Cell, GridMap
from engine.mdp.mdp import Floats, TabularMDP
from engine.plain_values import finite_or_none, make_json_value
from engine.planning.coefficient_regions import PlotWindow, clip_region, find_window
from engine.planning.trade_off.envelope import Segment
from engine.planning.trade_off.optimal_segments import rewards_come_at_the_end

MOST_STEPS = 400


def write_steps(part: AgentEpisode, drawn: str = "") -> list[dict[str, Any]]:
    """A step for each state: the action that led there, its reward, cell, words and marks. Long episodes are cut.

    drawn: the glyphs of the map that the page draws by itself, wherever the map shows them.
    """
    actions = [("", 0.0), *((step.action, step.reward) for step in part.episode.steps)]
    return [
        {
            "action": action,
            "reward": reward,
            "cell": list(part.scenario.position(state) or ()),
            "state": describe_state(part.scenario, state),
            "marks": [list(mark) for mark in list_loose_marks(part.scenario, state, drawn)],
        }
        for (action, reward), state in list(zip(actions, part.episode.states, strict=True))[:MOST_STEPS]
    ]


def write_cells(part: AgentEpisode) -> list[list[int]]:
    """Row and column of every state."""
    positions = map(part.scenario.position, part.episode.states[:MOST_STEPS])
    return [list(position) for position in positions if position is not None]


def list_loose_marks(scenario: Scenario, state: Any, drawn: str) -> list[tuple[int, int, str, str, str]]:
    """Row, column, glyph, name and role of what is to be seen beside the map's features and the agent."""
    marks = call_method(scenario, "scene", state).marks
    position = scenario.position(state)
    rows = scenario.grid.rows
    return [
        mark[:5]
        for mark in marks
        if mark.role != "feature"
        and not (mark[:2] == position and mark.role in ("agent", "other"))
        and not (mark.glyph in drawn and rows[mark.row][mark.column] == mark.glyph)
    ]


def find_others_weights(problem: Problem) -> list[float]:
    """w with F(s) = sum of w_i V_i(s); BadValue where a formulation is no such sum, or care does not multiply it."""
    others = problem.weighed
    formulation = problem.declaration
    mdp = problem.mdp
    place, remedy = problem.formulation, "its map cannot be changed in the page"
    if not isinstance(others, ValueDistribution) or formulation.reward_timing is not RewardTiming.AT_THE_END:
        raise BadValue("more counts here than what the others get in the end", place=place, remedy=remedy)
    reported = problem.others
    same = isinstance(reported, ValueDistribution) and np.array_equal(others.value, reported.value)
    if (mdp.discount, problem.own) != (1.0, 1.0) or others.fixed or not same:
        raise BadValue(
            "rewards are discounted or weighted, or some coefficients stay as they are", place=place, remedy=remedy
        )
    count = len(others.names)
    weights = _evaluate_formulation(problem, others, np.eye(count))
    for value in (others.value, -np.abs(np.arange(count * 3.0).reshape(count, 3) - 2.5)):
        if not np.allclose(_evaluate_formulation(problem, others, value), weights @ value, rtol=1e-12, atol=0.0):
            raise BadValue("its formulation looks at more than the sum of others' returns", place=place, remedy=remedy)
    return [float(weight) for weight in weights]


def _find_weights_or_none(problem: Problem) -> list[float] | None:
    """How much each one's return counts in what care multiplies; None for a formulation that is no weighted sum."""
    try:
        return find_others_weights(problem)
    except BadValue:
        return None


def _evaluate_formulation(problem: Problem, others: ValueDistribution, value: Floats) -> Floats:
    """F of values f64[N, n]."""
    return np.asarray(problem.declaration.function(replace(others, value=value)), dtype=np.float64)


def write_regions(problem: Problem, axes: tuple[str, ...], drawn: str) -> dict[str, Any] | None:
    """{"axes", "window", "regions"} of two agents' coefficients from 0 on, the others' at 1; None without axes.

    drawn: the glyphs of the map that the page draws by itself.
    """
    if not axes:
        return None
    if len(axes) != 2:
        remedy = "name two"
        raise BadValue(f"{len(axes)} axes of a map of regions", place=problem.scenario.name, remedy=remedy)
    solved = solve_regions(make_coefficient_axes(problem, axes, (0.0, float("inf")), 1.0))
    window = find_window([region.region for region in solved.regions])
    regions = [_write_region(problem, region, window, drawn) for region in solved.regions]
    return {"axes": list(axes), "window": [list(side) for side in window], "regions": regions}


def _write_region(problem: Problem, region: CaringRegion, window: PlotWindow, drawn: str) -> dict[str, Any]:
    start, segment = next(iter(region.region.behaviour.items()))
    return {
        "corners": clip_region(region.region, window).tolist(),
        "own": region.outcome.own,
        "others": dict(region.outcome.others),
        "total": region.outcome.total,
        "steps": write_steps(make_segment_episodes(problem, segment, start)[0], drawn),
    }


def write_rules(rules: CellRules) -> dict[str, Any]:
    """{"classes", "count", "start", "terminal", "actions", "newcomers"}; numbers stand for classes and rests."""
    classes = list(rules.classes)
    return {
        "classes": classes,
        "count": rules.terminal.shape[1],
        "start": [classes.index(rules.start[0]), rules.start[1]],
        "terminal": np.argwhere(rules.terminal).tolist(),
        "actions": [_write_action(rule) for rule in rules.actions],
        "newcomers": [_write_newcomer(name, handover) for name, handover in rules.newcomers.items()],
    }


def write_rests(scenario: Scenario, classes: tuple[str, ...]) -> list[dict[str, Any]]:
    """Of each rest its words, and its marks: class of their cells, glyph, name, role."""
    named = find_cell_classes(scenario)
    cells = {cell: classes.index(name) for cell, name in zip(scenario.grid.floor, named, strict=True)}
    result = []
    for state in list_rests(scenario):
        position = scenario.position(state)
        seen = [mark for mark in call_method(scenario, "scene", state).marks if mark.role not in ("feature", "agent")]
        away = {(cells[mark[:2]], *mark[2:5]) for mark in seen if mark[:2] != position}
        found = [list(mark) for mark in sorted(away)]
        result.append(write_rest(scenario, state) | {"marks": found})
    return result


def write_rest(scenario: Scenario, state: Any) -> dict[str, Any]:
    """Write a state's rest: in words, and the values of its fields as recorded behaviour has them."""
    described = {name: value for name, value in scenario.describe(state).items() if name != "cell"}
    return {"state": describe_state(scenario, state), "values": make_json_value(list(described.values()))}


def list_rest_fields(scenario: Scenario) -> list[str]:
    """Return the names of the fields of a state's rest."""
    return [name for name in scenario.describe(next(iter(scenario.starts()))) if name != "cell"]


def _write_action(rule: ActionRule) -> dict[str, Any]:
    """Usually it moves (if it is a move), the rest stays, and the reward is the most frequent one; else exceptions."""
    seen = np.argwhere(rule.seen)
    usual = Counter(rule.reward[rule.seen].tolist()).most_common(1)[0][0]
    odd = rule.seen & ~(rule.moved & (rule.rest == np.arange(rule.rest.shape[2])) & (rule.reward == usual))
    return {
        "name": rule.name,
        "direction": rule.direction,
        "ahead": rule.ahead,
        "reward": usual,
        "else": [
            [*map(int, key), int(rule.moved[*key]), int(rule.rest[*key]), float(rule.reward[*key])]
            for key in np.argwhere(odd)
        ],
        "unseen": _list_unseen(rule, len(seen)),
    }


def _list_unseen(rule: ActionRule, count: int) -> list[list[int]]:
    """(bumped, class) of which no step was ever seen: what happens there is not known."""
    halves = rule.seen if rule.ahead else rule.seen[:1]
    return [[int(bumped), int(number)] for bumped, number in np.argwhere(~halves.any(axis=2))] if count else []


def _write_newcomer(name: str, handover: NewcomerRules) -> dict[str, Any]:
    ends = np.argwhere(handover.rest >= 0)
    handed = [[int(number), int(rest), int(handover.rest[number, rest])] for number, rest in ends]
    rules = write_rules(handover.rules)
    return {"name": name, "begins": rules["classes"].index(handover.begins), "handed": handed, "rules": rules}


MOST_TABLE_STATES = 2000


def write_table(problem: Problem, start: int, drawn: str) -> dict[str, Any] | None:
    """Return the table; None where it is too large, discounted, or its rewards are not steps' costs and ends' values.

    drawn: the glyphs of the map that the page draws by itself.
    """
    mdp = problem.mdp
    scenario = problem.scenario
    fixed, swept = problem.compute_caring_rewards(start)
    plain = (
        mdp.discount == 1.0 and mdp.available is None and problem.declaration.reward_timing is RewardTiming.AT_THE_END
    )
    if not plain or len(mdp.states) > MOST_TABLE_STATES or fixed.any() or not rewards_come_at_the_end(mdp, swept):
        return None
    inner = ~mdp.terminal[:, None, None] & ~mdp.terminal[mdp.next_state]
    if (mdp.reward[inner] >= 0.0).any():
        return None
    rewards = problem.others.return_rewards(mdp)[1]
    rests = [int(number_rest(scenario, state)) for state in mdp.states]
    return {
        "actions": list(mdp.actions),
        "next": mdp.next_state[:, :, 0].tolist(),
        "reward": (problem.own * mdp.reward[:, :, 0]).tolist(),
        "terminal": mdp.terminal.tolist(),
        "ends": _sum_end_rewards(mdp, swept).tolist(),
        "others": {
            name: make_json_value(_sum_end_rewards(mdp, reward))
            for name, reward in zip(problem.others.names, rewards, strict=True)
        },
        "cell": [int(state.cell) for state in mdp.states],
        "rest": rests,
        "fields": list_rest_fields(scenario),
        "rests": {str(rest): write_rest(scenario, state) for rest, state in zip(rests, mdp.states, strict=True)},
        "marks": [[list(mark) for mark in list_loose_marks(scenario, state, drawn)] for state in mdp.states],
        "starts": [start],
    }


def _sum_end_rewards(mdp: TabularMDP, reward: Floats) -> Floats:
    """Return what a reward f64[S, A, K] gives for ending in each state, 0 for the states in which nothing ends."""
    ends = np.zeros(len(mdp.states))
    acting = ~mdp.terminal
    ends[mdp.next_state[acting]] = np.where(mdp.terminal[mdp.next_state[acting]], reward[acting], 0.0)
    return ends


LIVE_FORMAT = "caregrid live world 1"


def has_one_path(problem: Problem) -> bool:
    """Return whether the world is one without chance in which the agent stands on a map, as live worlds are."""
    start = problem.mdp.states[int(problem.mdp.start_states()[0])]
    return problem.mdp.is_deterministic and problem.scenario.position(start) is not None


def write_live_world(
    problem: Problem, make: Callable[[GridMap], Scenario] | None = None, axes: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the data of a problem without chance; BadValue where chance takes part, or where a state has no place.

    make: the scenario on another map; without it the map cannot be changed in the page. axes: two agents whose
    coefficients span a map of regions, or none.
    """
    scenario = problem.scenario
    start = int(problem.mdp.start_states()[0])
    if not has_one_path(problem):
        remedy = "show a world without chance in which the agent stands on a map"
        raise BadValue("it has no one path on a map", place=scenario.name, remedy=remedy)
    segments = choose_segments(problem, FROM_ZERO)[start]
    rules, refused = _write_rules_or_reason(problem, make)
    features = _list_features(problem, segments)
    drawn = "".join(feature["glyph"] for feature in features if feature["drawn"])
    return {
        "format": LIVE_FORMAT,
        "scenario": scenario.name,
        "formulation": problem.formulation,
        "fingerprint": compute_fingerprint(scenario, problem.mdp),
        "rows": list(scenario.grid.rows),
        "features": features,
        "others": list(problem.others.names),
        "weights": _find_weights_or_none(problem),
        "probability": _list_probabilities(problem),
        "segments": [_write_segment(problem, segment, start, drawn) for segment in segments],
        "rules": rules,
        "fixed": refused,
        "regions": write_regions(problem, axes, drawn),
        "table": write_table(problem, start, drawn) if rules is None else None,
    }


def _list_features(problem: Problem, segments: list[Segment]) -> list[dict[str, Any]]:
    """Glyph and names of each feature on the map; drawn: whether it is seen there in every state of every path."""
    scenario = problem.scenario
    states = problem.mdp.states
    scenes = [call_method(scenario, "scene", states[number]) for segment in segments for number in set(segment.path)]
    seen = [{mark[:3] for mark in scene.marks} for scene in scenes]
    result = []
    for glyph, names in scenario.legend.items():
        listed = [names] if isinstance(names, str) else list(names)
        cells = {
            (*cell, glyph)
            for name in listed
            for cell in scenario.grid.cells(name)
            if _find_glyph(scenario, cell) == glyph
        }
        if cells:
            drawn = all(
                any((*cell_mark[:2], scenario.glyph(name)) in marks for name in listed)
                for marks in seen
                for cell_mark in cells
            )
            result.append({"glyph": glyph, "names": listed, "drawn": drawn})
    return result


def _find_glyph(scenario: Scenario, cell: Cell) -> str:
    return scenario.grid.rows[cell.row][cell.column]


def _write_segment(problem: Problem, segment: Segment, start: int, drawn: str) -> dict[str, Any]:
    outcome = describe_outcome(problem, segment, start)
    acting, *newcomers = make_segment_episodes(problem, segment, start)
    return {
        "from": finite_or_none(segment.start),
        "to": finite_or_none(segment.stop),
        "own": finite_or_none(outcome.own),
        "others": {name: make_json_value(value) for name, value in outcome.others.items()},
        "total": finite_or_none(outcome.total),
        "line": [finite_or_none(segment.line.own), finite_or_none(segment.line.auxiliary)],
        "steps": write_steps(acting, drawn),
        "newcomers": [
            {"name": newcomer.agent, "cells": write_cells(newcomer), "ends": newcomer.episode.ending == "terminated"}
            for newcomer in newcomers
        ],
    }


def _write_rules_or_reason(
    problem: Problem, make: Callable[[GridMap], Scenario] | None
) -> tuple[dict[str, Any] | None, str]:
    """Return the rules for other maps, or None and why there are none."""
    scenario = problem.scenario
    if make is None:
        return None, "this lesson keeps its map"
    try:
        weights = find_others_weights(problem)
        rules = observe_cell_rules([make(grid) for grid in vary_map(scenario, make)])
        _require_costs(rules, scenario.name)
    except BadValue as error:
        return None, error.problem
    rests = {"fields": list_rest_fields(scenario), "rests": write_rests(scenario, rules.classes)}
    data = write_rules(rules) | rests | {"weights": weights}
    return data | {"probability": _list_probabilities(problem), "limits": _list_limits(scenario)}, ""


def _require_costs(rules: CellRules, name: str) -> None:
    """BadValue where a step costs nothing: the page's solver goes by shortest paths."""
    every = [rules, *(handover.rules for handover in rules.newcomers.values())]
    if any((action.reward[action.seen] >= 0.0).any() for part in every for action in part.actions):
        raise BadValue("some steps cost nothing", place=name, remedy="its map cannot be changed in the page")


def _list_probabilities(problem: Problem) -> list[float]:
    """Return how likely each of the others' values is."""
    return [float(probability) for probability in getattr(problem.others, "probability", ())]


def _list_limits(scenario: Scenario) -> dict[str, int]:
    """Return the time limit of each newcomer's world."""
    return {newcomer.name: newcomer.scenario.time_limit for newcomer in call_method(scenario, "newcomers")}
