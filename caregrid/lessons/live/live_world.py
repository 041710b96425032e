"""A solved problem as plain data for a live page: exact segments with their paths and, where there are any, its rules.

docs/live_page.md describes the format. The first start state is shown; numbers that are not finite become null.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from caregrid.lessons.live.cell_rules import CellRules, cell_rules
from caregrid.lessons.live.others_weights import others_weights
from caregrid.lessons.live.probe_maps import probe_maps
from caregrid.lessons.live.rules_data import rests_data, rules_data
from caregrid.lessons.live.table_data import table_data
from caregrid.shows.scenes import state_words
from craftworld.scenario import Scenario
from craftworld.solution.episodes import AgentEpisode, segment_episodes
from craftworld.solution.outcome import outcome_of
from craftworld.solution.problem import Problem
from craftworld.solution.solution import FROM_ZERO, chosen_segments
from engine.contracts import called
from engine.errors import BadValue
from engine.grid import GridMap
from engine.plain_values import finite_or_none, json_value
from engine.planning.trade_off.segment import Segment

FORMAT = "caregrid live world 1"
MOST_STEPS = 400


def live_world(problem: Problem, make: Callable[[GridMap], Scenario] | None = None) -> dict[str, Any]:
    """The data of a problem without chance; BadValue where chance takes part, or where a state has no place.

    make: the scenario on another map; without it the map cannot be changed in the page.
    """
    scenario, start = problem.scenario, int(problem.mdp.start_states()[0])
    if not problem.mdp.is_deterministic or scenario.position(problem.mdp.states[start]) is None:
        remedy = "show a world without chance in which the agent stands on a map"
        raise BadValue("it has no one path on a map", place=scenario.name, remedy=remedy)
    segments = chosen_segments(problem, FROM_ZERO)[start]
    rules, refused = _rules(problem, make)
    return {
        "format": FORMAT,
        "scenario": scenario.name,
        "formulation": problem.formulation,
        "rows": list(scenario.grid.rows),
        "features": _features(scenario),
        "others": list(problem.others.names),
        "segments": [_segment(problem, segment, start) for segment in segments],
        "rules": rules,
        "fixed": refused,
        "table": table_data(problem, start) if rules is None else None,
    }


def _features(scenario: Scenario) -> list[dict[str, Any]]:
    """Glyph, names, and which of them a map must show once or several times."""
    result = []
    for glyph, names in scenario.legend.items():
        listed = [names] if isinstance(names, str) else list(names)
        if any(scenario.grid.cells(name) for name in listed):
            result.append({"glyph": glyph, "names": listed})
    return result


def _segment(problem: Problem, segment: Segment, start: int) -> dict[str, Any]:
    outcome = outcome_of(problem, segment, start)
    acting, *newcomers = segment_episodes(problem, segment, start)
    return {
        "from": finite_or_none(segment.start),
        "to": finite_or_none(segment.stop),
        "own": finite_or_none(outcome.own),
        "others": {name: json_value(value) for name, value in outcome.others.items()},
        "total": finite_or_none(outcome.total),
        "line": [finite_or_none(segment.line.own), finite_or_none(segment.line.auxiliary)],
        "steps": _steps(acting),
        "newcomers": [
            {"name": each.agent, "cells": _cells(each), "ends": each.episode.ending == "terminated"}
            for each in newcomers
        ],
    }


def _steps(part: AgentEpisode) -> list[dict[str, Any]]:
    """A step for each state: the action that led there, cell, words and marks. Long episodes are cut."""
    actions = ["", *(step.action for step in part.episode.steps)]
    return [
        {
            "action": action,
            "cell": list(part.scenario.position(state) or ()),
            "state": state_words(part.scenario, state),
            "marks": [list(mark) for mark in loose_marks(part.scenario, state)],
        }
        for action, state in list(zip(actions, part.episode.states, strict=True))[:MOST_STEPS]
    ]


def _cells(part: AgentEpisode) -> list[list[int]]:
    places = map(part.scenario.position, part.episode.states[:MOST_STEPS])
    return [list(place) for place in places if place is not None]


def loose_marks(scenario: Scenario, state: Any) -> list[tuple[int, int, str, str, str]]:
    """Row, column, glyph, name and role of what is to be seen beside the map's features and the agent."""
    marks = called(scenario, "scene", state).marks
    place = scenario.position(state)
    return [
        mark[:5]
        for mark in marks
        if mark.role != "feature" and not (mark[:2] == place and mark.role in ("agent", "other"))
    ]


def _rules(problem: Problem, make: Callable[[GridMap], Scenario] | None) -> tuple[dict[str, Any] | None, str]:
    """The rules for other maps, or None and why there are none."""
    scenario = problem.scenario
    if make is None:
        return None, "this lesson keeps its map"
    try:
        weights = others_weights(problem)
        rules = cell_rules([make(grid) for grid in probe_maps(scenario, make)])
        _require_costs(rules, scenario.name)
    except BadValue as error:
        return None, error.problem
    data = rules_data(rules) | {"rests": rests_data(scenario, rules.classes), "weights": weights}
    return data | {"probability": _probability(problem), "limits": _limits(scenario)}, ""


def _require_costs(rules: CellRules, name: str) -> None:
    """BadValue where a step costs nothing: the page's solver goes by shortest paths."""
    every = [rules, *(handover.rules for handover in rules.newcomers.values())]
    if any((action.reward[action.seen] >= 0.0).any() for each in every for action in each.actions):
        raise BadValue("some steps cost nothing", place=name, remedy="its map cannot be changed in the page")


def _probability(problem: Problem) -> list[float]:
    """How likely each of the others' values is."""
    return [float(each) for each in getattr(problem.others, "probability", ())]


def _limits(scenario: Scenario) -> dict[str, int]:
    """The time limit of each newcomer's world."""
    return {newcomer.name: newcomer.scenario.time_limit for newcomer in called(scenario, "newcomers")}
