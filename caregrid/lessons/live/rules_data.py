"""Cell rules as plain data: of every action what it usually does, and the cases in which it does something else."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from caregrid.lessons.live.cell_rules import ActionRule, CellRules, NewcomerRules
from caregrid.lessons.live.observed_map import cell_classes, every_rest
from caregrid.shows.scenes import state_words
from craftworld.scenario import Scenario
from engine.contracts import called


def rules_data(rules: CellRules) -> dict[str, Any]:
    """{"classes", "count", "start", "terminal", "actions", "newcomers"}; numbers stand for classes and rests."""
    classes = list(rules.classes)
    return {
        "classes": classes,
        "count": rules.terminal.shape[1],
        "start": [classes.index(rules.start[0]), rules.start[1]],
        "terminal": np.argwhere(rules.terminal).tolist(),
        "actions": [_action(rule) for rule in rules.actions],
        "newcomers": [_newcomer(name, handover) for name, handover in rules.newcomers.items()],
    }


def rests_data(scenario: Scenario, classes: tuple[str, ...]) -> list[dict[str, Any]]:
    """Of each rest its words, and its marks: class of their cells, glyph, name, role."""
    named = cell_classes(scenario)
    cells = {cell: classes.index(name) for cell, name in zip(scenario.grid.floor, named, strict=True)}
    result = []
    for state in every_rest(scenario):
        place = scenario.position(state)
        seen = [mark for mark in called(scenario, "scene", state).marks if mark.role not in ("feature", "agent")]
        away = {(cells[mark[:2]], *mark[2:5]) for mark in seen if mark[:2] != place}
        found = [list(mark) for mark in sorted(away)]
        result.append({"state": state_words(scenario, state), "marks": found})
    return result


def _action(rule: ActionRule) -> dict[str, Any]:
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
        "unseen": _unseen(rule, len(seen)),
    }


def _unseen(rule: ActionRule, count: int) -> list[list[int]]:
    """(bumped, class) of which no step was ever seen: what happens there is not known."""
    halves = rule.seen if rule.ahead else rule.seen[:1]
    return [[int(bumped), int(number)] for bumped, number in np.argwhere(~halves.any(axis=2))] if count else []


def _newcomer(name: str, handover: NewcomerRules) -> dict[str, Any]:
    ends = np.argwhere(handover.rest >= 0)
    given = [[int(number), int(rest), int(handover.rest[number, rest])] for number, rest in ends]
    rules = rules_data(handover.rules)
    return {"name": name, "begins": rules["classes"].index(handover.begins), "handed": given, "rules": rules}
