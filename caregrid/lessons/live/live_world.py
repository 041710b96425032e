"""A solved problem as plain data for a live page: exact segments with their paths and, where there are any, its rules.

docs/live_page.md describes the format. The first start state is shown; numbers that are not finite become null.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from caregrid.lessons.live.cell_rules import CellRules, cell_rules
from caregrid.lessons.live.others_weights import others_weights
from caregrid.lessons.live.probe_maps import probe_maps
from caregrid.lessons.live.regions_data import regions_data
from caregrid.lessons.live.rules_data import rests_data, rules_data
from caregrid.lessons.live.steps_data import cells_data, steps_data
from caregrid.lessons.live.table_data import table_data
from craftworld.scenario import Scenario
from craftworld.solution.episodes import segment_episodes
from craftworld.solution.outcome import outcome_of
from craftworld.solution.problem import Problem
from craftworld.solution.solution import FROM_ZERO, chosen_segments
from engine.contracts import called
from engine.errors import BadValue
from engine.grid import Cell, GridMap
from engine.plain_values import finite_or_none, json_value
from engine.planning.trade_off.segment import Segment

FORMAT = "caregrid live world 1"


def has_one_path(problem: Problem) -> bool:
    """Whether the world is one without chance in which the agent stands on a map, as live worlds are."""
    start = problem.mdp.states[int(problem.mdp.start_states()[0])]
    return problem.mdp.is_deterministic and problem.scenario.position(start) is not None


def live_world(
    problem: Problem, make: Callable[[GridMap], Scenario] | None = None, axes: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The data of a problem without chance; BadValue where chance takes part, or where a state has no place.

    make: the scenario on another map; without it the map cannot be changed in the page. axes: two agents whose
    coefficients span a map of regions, or none.
    """
    scenario, start = problem.scenario, int(problem.mdp.start_states()[0])
    if not has_one_path(problem):
        remedy = "show a world without chance in which the agent stands on a map"
        raise BadValue("it has no one path on a map", place=scenario.name, remedy=remedy)
    segments = chosen_segments(problem, FROM_ZERO)[start]
    rules, refused = _rules(problem, make)
    features = _features(problem, segments)
    drawn = "".join(feature["glyph"] for feature in features if feature["drawn"])
    return {
        "format": FORMAT,
        "scenario": scenario.name,
        "formulation": problem.formulation,
        "rows": list(scenario.grid.rows),
        "features": features,
        "others": list(problem.others.names),
        "segments": [_segment(problem, segment, start, drawn) for segment in segments],
        "rules": rules,
        "fixed": refused,
        "regions": regions_data(problem, axes, drawn),
        "table": table_data(problem, start, drawn) if rules is None else None,
    }


def _features(problem: Problem, segments: list[Segment]) -> list[dict[str, Any]]:
    """Glyph and names of each feature on the map; drawn: whether it is seen there in every state of every path."""
    scenario, states = problem.scenario, problem.mdp.states
    scenes = [called(scenario, "scene", states[number]) for each in segments for number in set(each.path)]
    seen = [{mark[:3] for mark in scene.marks} for scene in scenes]
    result = []
    for glyph, names in scenario.legend.items():
        listed = [names] if isinstance(names, str) else list(names)
        places = {
            (*cell, glyph) for name in listed for cell in scenario.grid.cells(name) if _glyph(scenario, cell) == glyph
        }
        if places:
            drawn = all(
                any((*place[:2], scenario.glyph(name)) in marks for name in listed)
                for marks in seen
                for place in places
            )
            result.append({"glyph": glyph, "names": listed, "drawn": drawn})
    return result


def _glyph(scenario: Scenario, cell: Cell) -> str:
    return scenario.grid.rows[cell.row][cell.column]


def _segment(problem: Problem, segment: Segment, start: int, drawn: str) -> dict[str, Any]:
    outcome = outcome_of(problem, segment, start)
    acting, *newcomers = segment_episodes(problem, segment, start)
    return {
        "from": finite_or_none(segment.start),
        "to": finite_or_none(segment.stop),
        "own": finite_or_none(outcome.own),
        "others": {name: json_value(value) for name, value in outcome.others.items()},
        "total": finite_or_none(outcome.total),
        "line": [finite_or_none(segment.line.own), finite_or_none(segment.line.auxiliary)],
        "steps": steps_data(acting, drawn),
        "newcomers": [
            {"name": each.agent, "cells": cells_data(each), "ends": each.episode.ending == "terminated"}
            for each in newcomers
        ],
    }


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
