"""Demonstrations in a file: from which start a newcomer began, in words, and what it did.

    {"demonstrations": [{"start": {"cell": [5, 4], "pan": "dirty", ...}, "actions": ["up", "do the chore"]}]}

A start names the fields of a state as `caregrid solve` does in its "handover"; it must be one that the acting agent may
hand over. Where chance decides a step, "states" lists the state after each action, in words too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from craftworld.inference.candidates import Candidate
from craftworld.inference.posterior import ShownActions
from engine.errors import BadFile, BadValue
from engine.files import read_text

KEYS = {"start", "actions", "states"}


def read_demonstrations(path: str | Path, candidates: Sequence[Candidate]) -> list[ShownActions]:
    """The demonstrations of a file; BadFile or BadValue, naming the entry, for what cannot be one."""
    place = str(path)
    text = read_text(path, remedy="name a file of demonstrations")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFile(f"it is not JSON: {error}", place=place, remedy='write {"demonstrations": [...]}') from None
    if (
        not isinstance(content, dict)
        or set(content) != {"demonstrations"}
        or not isinstance(content["demonstrations"], list)
    ):
        raise BadFile("it is not a list of demonstrations", place=place, remedy='write {"demonstrations": [...]}')
    return [
        demonstration_of(entry, candidates, f"{place}, demonstration {number}")
        for number, entry in enumerate(content["demonstrations"], start=1)
    ]


def demonstration_of(entry: Any, candidates: Sequence[Candidate], place: str = "demonstrations") -> ShownActions:
    """(state, action) pairs from an entry as in a file; BadValue, with the place, for one that cannot be."""
    remedy = 'give {"start": {...}, "actions": [...]}'
    if not isinstance(entry, Mapping) or not {"start", "actions"} <= set(entry) <= KEYS:
        raise BadValue("no start and actions", place=place, remedy=remedy)
    actions = entry["actions"]
    if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
        raise BadValue("its actions are not a list of names", place=place, remedy=remedy)
    later = entry.get("states", [None] * len(actions))
    if not isinstance(later, list) or len(later) != len(actions):
        raise BadValue("not one state for each action", place=place, remedy="list the state after each action")
    last = None
    for candidate in candidates:  # one in whose world it is possible says which states are passed
        try:
            return _walk(candidate, entry["start"], actions, later, place)
        except BadValue as error:
            last = error
    assert last is not None
    raise last


def _walk(candidate: Candidate, start: Any, actions: list[str], later: list[Any], place: str) -> ShownActions:
    table, scenario = candidate.table, candidate.newcomer.scenario
    starts = {json.dumps(scenario.describe(table.states[n]), sort_keys=True): int(n) for n in table.start_states()}
    number = starts.get(json.dumps(start, sort_keys=True, default=str))
    if number is None:
        raise BadValue(
            "its start is none that can be handed over", place=place, remedy=f"give one like {next(iter(starts))}"
        )
    pairs: list[tuple[object, str]] = []
    for action, after in zip(actions, later, strict=True):
        if action not in table.actions:
            raise BadValue(f"unknown action '{action}'", place=place, remedy=f"use {', '.join(table.actions)}")
        if table.terminal[number]:
            raise BadValue(
                f"its episode is over before action {len(pairs) + 1}", place=place, remedy="leave out what follows"
            )
        pairs.append((table.states[number], action))
        number = _next(candidate, number, table.actions.index(action), after, place)
    return pairs


def _next(candidate: Candidate, number: int, action: int, after: Any, place: str) -> int:
    table, scenario = candidate.table, candidate.newcomer.scenario
    possible = sorted({int(n) for n in table.next_state[number, action][table.probability[number, action] > 0.0]})
    if after is None:
        if len(possible) > 1:
            raise BadValue("chance decides a step", place=place, remedy='list the state after each action as "states"')
        return possible[0]
    words = json.dumps(after, sort_keys=True, default=str)
    for each in possible:
        if json.dumps(scenario.describe(table.states[each]), sort_keys=True) == words:
            return each
    raise BadValue(f"a state that cannot follow: {words}", place=place, remedy="correct its states")


def shown(candidate: Candidate, seed: int) -> ShownActions:
    """A demonstration that a candidate would give; a function of the seed."""
    walk, table = candidate.trajectory(seed), candidate.table
    return [
        (table.states[state], table.actions[action]) for state, action in zip(walk.states, walk.actions, strict=False)
    ]


def as_entry(candidate: Candidate, seed: int) -> dict[str, Any]:
    """The same as an entry of a file, its states listed."""
    walk, table, scenario = candidate.trajectory(seed), candidate.table, candidate.newcomer.scenario
    states = [scenario.describe(table.states[state]) for state in walk.states]
    actions = [table.actions[action] for action in walk.actions]
    return {"start": states[0], "actions": actions, "states": states[1:]}
