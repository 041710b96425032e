"""A world's rules as tables that know no map: what an action does depends on the features of a cell and on the rest.

A state is a cell and the rest of its fields. Cells fall into classes by the features drawn on them: plain floor,
"exit", "key place 1", "key place 2" (several of a feature are counted in reading order). In a world of cell rules

    (moved, rest', reward) = f(action, bumped into a wall, class of the cell here or ahead, rest)

holds on every map, so that f, finite, is all that a page needs in order to make the table of a map that is drawn in it.
The rules are observed on several maps: the world's own, and some with its features and walls elsewhere. A world in
which they contradict each other (a fence that blocks a cell, a rule about distances) has no cell rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from caregrid.lessons.live.observed import ObservedEffects, Seen, no_cell_rules
from caregrid.lessons.live.observed_map import ObservedMap, observed_maps
from craftworld.scenario import Scenario
from engine.contracts import called
from engine.mdp.mdp import Booleans, Floats


@dataclass(frozen=True)
class ActionRule:
    """One action. direction: which of the four moves it may make; ahead: whether the cell ahead decides.

    moved, rest, reward, seen: [2, classes, rests], the effect by whether it bumps, by class and rest, and whether it
    was observed; where `ahead` is false the first half alone is used.
    """

    name: str
    direction: int | None
    ahead: bool
    moved: Booleans
    rest: NDArray[np.int64]
    reward: Floats
    seen: Booleans


@dataclass(frozen=True)
class NewcomerRules:
    """A newcomer: the rules it acts by, the class of the cell where it begins, and [classes, rests] -> its first rest.

    rest is -1 where the acting agent does not end.
    """

    rules: CellRules
    begins: str
    rest: NDArray[np.int64]


@dataclass(frozen=True)
class CellRules:
    """All rules of one agent. start: class and rest. terminal: bool[classes, rests]. newcomers: by name."""

    classes: tuple[str, ...]
    start: tuple[str, int]
    actions: tuple[ActionRule, ...]
    terminal: Booleans
    newcomers: Mapping[str, NewcomerRules]


def cell_rules(scenarios: Sequence[Scenario]) -> CellRules:
    """The rules of a world, observed on several maps with the same features; BadValue where it has none."""
    maps = observed_maps(scenarios)
    acting, newcomers = _acting_alone(maps), called(maps[0].scenario, "newcomers")
    handovers = {newcomer.name: _handover(maps, number) for number, newcomer in enumerate(newcomers)}
    return replace(acting, newcomers=handovers)


def _acting_alone(maps: Sequence[ObservedMap]) -> CellRules:
    """The rules that one agent acts by, whoever comes afterwards."""
    first = maps[0].scenario
    classes = maps[0].classes
    terminal = Seen(first, (len(classes), maps[0].rests))
    for each in maps:
        terminal.add(each.key(), each.terminal.ravel())
    starts = {each.start for each in maps}
    if len(starts) > 1:
        raise no_cell_rules(first, "where and how it starts depends on the map")
    rules = [_action_rule(maps, action) for action in range(len(first.actions))]
    return CellRules(classes, starts.pop(), tuple(rules), terminal.values == 1.0, {})


def _action_rule(maps: Sequence[ObservedMap], action: int) -> ActionRule:
    """The rule of an action by the cell here; by the cell ahead where those contradict each other."""
    scenario = maps[0].scenario
    name = scenario.actions[action]
    steps = [each.steps(action) for each in maps]
    fits = np.logical_and.reduce([step.directions for step in steps])
    moving = any(step.moves for step in steps)
    if moving and not fits.any():
        raise no_cell_rules(scenario, f"'{name}' leads to other cells than the next one")
    direction = int(fits.argmax()) if moving else None
    shape = (2, len(maps[0].classes), maps[0].rests)
    for ahead in (False, True) if moving else (False,):
        observed = ObservedEffects(scenario, shape)
        if all(observed.add(*step.observations(direction, ahead)) for step in steps):
            return ActionRule(name, direction, ahead, *observed.columns())
    raise no_cell_rules(scenario, f"a cell's features and the rest do not say what '{name}' does")


def _handover(maps: Sequence[ObservedMap], number: int) -> NewcomerRules:
    """The rules of one who comes afterwards, and what is handed over to it."""
    listed = [each.handover(number) for each in maps]
    first = maps[0].scenario
    if len({place for place, _ in listed}) > 1:
        raise no_cell_rules(first, "where those who come afterwards begin depends on the map")
    handed = Seen(first, (len(maps[0].classes), maps[0].rests))
    for each, (_, rests) in zip(maps, listed, strict=True):
        ends = each.terminal.ravel()
        handed.add(tuple(part[ends] for part in each.key()), rests[ends])
    rules = _acting_alone(observed_maps([called(each.scenario, "newcomers")[number].scenario for each in maps]))
    return NewcomerRules(rules, listed[0][0], np.where(handed.seen, handed.values, -1).astype(np.int64))
