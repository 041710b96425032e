"""The contract of a scenario, executable: it is made, tabulated and drawn as users would."""

from __future__ import annotations

import json
from typing import Any

from craftworld.checkers.declaration import accept_scenario_maker
from craftworld.checkers.other_agents import check_other_agents
from craftworld.checkers.rules import check_end_is_reachable, check_inaction, check_rules, check_starts, evenly_spread
from craftworld.others.applicability import require_applicable
from craftworld.rollout import random_walk
from craftworld.scenario import LearningProtocol, Scenario, require_declared
from craftworld.scenario_maker import make_scenario
from engine.contracts import called, refuse
from engine.errors import BadValue, ContractBroken, UnknownName
from engine.mdp.codes import ColumnStates
from engine.mdp.columns import read_only
from engine.mdp.mdp import TabularMDP
from engine.scene import Mark, Scene
from engine.user_code import place_of

MOST_DRAWINGS = 20_000
WALKS = 5


def check_scenario(thing: Any) -> None:
    """Pass, or raise ContractBroken with one line: file and class, the method, what it gave, what was expected.

    thing: a scenario, or what makes one: its class or a function, called without a map or options. Rules are called in
    columns and on single states, `inaction` in columns, everybody's world is tabulated, every state is drawn and
    described (of more than 20,000 an even sample). A world that is too large for a table is looked at on random walks.
    """
    maker = accept_scenario_maker(thing)
    scenario = require_declared(thing) if isinstance(thing, Scenario) else make_scenario(maker)
    _check_settings(scenario)
    if scenario.replay_only:
        _check_walks(scenario)
        return
    mdp = check_rules(scenario)
    check_end_is_reachable(scenario, mdp)
    assert isinstance(mdp.states, ColumnStates)
    check_inaction(scenario, read_only(mdp.states.columns()), len(mdp.states))
    _check_drawings(scenario, mdp)
    for newcomer, table in check_other_agents(scenario, mdp):
        _check_drawings(newcomer.scenario, table)
    try:
        require_applicable(scenario, scenario.default_formulation, place_of(scenario))
    except (BadValue, UnknownName) as error:
        raise ContractBroken(error.problem, place=place_of(scenario), remedy=error.remedy) from None


def _check_walks(scenario: Scenario) -> None:
    """Random episodes of a world that is too large for a table: steps, rewards, fields within `sizes`, drawings."""
    check_starts(scenario, called(scenario, "starts"))
    for seed in range(WALKS):
        walked, again = (random_walk(scenario, seed) for _ in range(2))
        if walked != again:
            refuse(scenario, "step", "two answers", "the same twice: list what may happen with its probability")
        for state in walked.episode.states:
            for name, value, size in zip(state._fields, state, scenario.sizes, strict=True):
                if not 0 <= value < size:
                    refuse(scenario, "step", value, f"0 to {size - 1} in field '{name}'")
        for state in dict.fromkeys(walked.episode.states):
            called(scenario, "inaction", state)
            _check_drawing(scenario, state)


def _check_settings(scenario: Scenario) -> None:
    if not 0.0 <= scenario.discount <= 1.0:
        refuse(scenario, "discount", scenario.discount, "a number from 0 to 1")
    if not isinstance(scenario.time_limit, int) or scenario.time_limit < 1:
        refuse(scenario, "time_limit", scenario.time_limit, "a number of steps, at least 1")
    learning = scenario.learning
    if not isinstance(learning, LearningProtocol) or learning.steps < 1 or not 0.0 <= learning.epsilon <= 1.0:
        refuse(scenario, "learning", learning, "a LearningProtocol of at least 1 step, epsilon from 0 to 1")


def _check_drawings(scenario: Scenario, mdp: TabularMDP) -> None:
    assert isinstance(mdp.states, ColumnStates)
    shown = evenly_spread(len(mdp.states), MOST_DRAWINGS)
    for fields in zip(*(field[shown].tolist() for field in mdp.states.columns()), strict=True):
        _check_drawing(scenario, mdp.states.codec.kind(*fields))


def _check_drawing(scenario: Scenario, state: Any) -> None:
    _check_scene(scenario, called(scenario, "scene", state), state)
    described = called(scenario, "describe", state)
    try:
        json.dumps(described)
    except TypeError:
        refuse(scenario, "describe", described, "words, numbers and lists that JSON can hold")


def _check_scene(scenario: Scenario, scene: Any, state: Any) -> None:
    """A Scene whose floor is a rectangle and whose marks stand on it."""
    if not isinstance(scene, Scene):
        refuse(scenario, "scene", scene, "a Scene")
    widths = {len(row) for row in scene.floor}
    if len(widths) > 1 or any(set(row) - set("# ") for row in scene.floor):
        refuse(scenario, "scene", scene.floor, "a floor of rows of equal length, '#' and ' '")
    for mark in scene.marks:
        if not isinstance(mark, Mark) or not _typed(mark):
            refuse(scenario, f"scene of {state}", mark, "a Mark of two integers, a glyph, a name and a role")
        inside = 0 <= mark.row < len(scene.floor) and 0 <= mark.column < len(scene.floor[0])
        if not inside or len(mark.glyph) != 1:
            refuse(scenario, f"scene of {state}", mark, "one letter on the floor")


def _typed(mark: Mark) -> bool:
    """Whether a mark's fields are of the kinds that it declares."""
    words = (mark.glyph, mark.name, mark.role)
    return all(hasattr(n, "__index__") for n in mark[:2]) and all(isinstance(word, str) for word in words)
