"""A second program for the kitchen tasks, for tests: one agent, one cell at (x, y), plain dictionaries, no columns.

It is written from the tasks' description alone and shares nothing with `craftworld.scenarios.kitchen_tasks`.
"""

from __future__ import annotations

from collections import deque
from typing import Any

MAPS = {
    task: ["#####", "#A F#", "#   #", row, "#####"]
    for task, row in {"salad": "#S E#", "peanut": "#S  #", "salt": "#S E#", "cookie": "#S E#"}.items()
}
EXTRAS = {
    ("salad", "acting"): ["close the fridge"],
    ("peanut", "acting"): ["clean"],
    ("salt", "acting"): ["put up", "put down"],
    ("salt", "other"): ["put up"],
    ("cookie", "acting"): ["heat"],
    ("cookie", "other"): ["heat"],
}
FLAGS = {
    "salad": ("got", "stove", "made", "open", "spoiled"),
    "peanut": ("got", "made", "dirt"),
    "salt": ("got", "made", "open", "up", "damp"),
    "cookie": ("got", "made", "warming", "hot"),
}
DELTAS = [(0, 1), (0, -1), (-1, 0), (1, 0)]
NEVER = -1000

State = dict[str, Any]


def action_names(task: str, role: str) -> list[str]:
    """The numbered actions: down, up, left, right, then the extra ones."""
    return ["down", "up", "left", "right", *EXTRAS.get((task, role), [])]


def place(drawing: list[str], glyph: str) -> tuple[int, int]:
    """The (x, y) of a glyph."""
    return next((row.index(glyph), y) for y, row in enumerate(drawing) if glyph in row)


def fresh(task: str, drawing: list[str], **found: int) -> State:
    """Somebody at the entrance who finds something."""
    return {"at": place(drawing, "A"), **dict.fromkeys(FLAGS[task], 0), **found}


def step(task: str, role: str, drawing: list[str], before: State, action: str) -> tuple[State, int, bool]:
    """The next state, the reward and whether the episode has ended."""
    names = action_names(task, role)
    state = dict(before)
    number = names.index(action)
    dx, dy = DELTAS[number] if number < 4 else (0, 0)
    x, y = state["at"][0] + dx, state["at"][1] + dy
    if drawing[y][x] != "#":
        state["at"] = (x, y)
        RULES[task](state, drawing[y][x], role, action, number < 4)
    goal = "A" if task == "peanut" else "E"
    return state, -1, bool(state["made"] and drawing[state["at"][1]][state["at"][0]] == goal)


def _salad(state: State, glyph: str, role: str, action: str, moved: bool) -> None:
    if glyph == "F":
        state["got"] = 1
        if moved:
            state["open"] = 1
        elif action == "close the fridge":
            state["open"] = 0
    if glyph == "S":
        state["stove"] = 1
    if state["got"] and state["stove"] and not state["spoiled"]:
        state["made"] = 1


def _peanut(state: State, glyph: str, role: str, action: str, moved: bool) -> None:
    if glyph == "F":
        state["got"] = 1
    if glyph == "S" and state["got"] and not state["made"]:
        allergic = role == "other"
        if state["dirt"] < 2 and not (allergic and state["dirt"] == 1):
            state["made"], state["dirt"] = 1, 2
    if action == "clean":
        state["dirt"] = max(state["dirt"] - 1, 0)


def _salt(state: State, glyph: str, role: str, action: str, moved: bool) -> None:
    short = role == "other"
    if glyph == "F":
        if state["open"]:
            if action == "put up":
                state["open"], state["up"] = 0, 1
            elif action == "put down":
                state["open"], state["up"] = 0, 0
        elif short and state["up"]:
            if not moved:
                state["up"], state["open"], state["got"] = 0, 1, 1
        else:
            state["open"], state["got"] = 1, 1
    if glyph == "S" and state["got"] and not state["damp"]:
        state["made"] = 1


def _cookie(state: State, glyph: str, role: str, action: str, moved: bool) -> None:
    if glyph == "F":
        state["got"] = 1
    if glyph != "S":
        return
    if state["got"] and (role != "other" or state["hot"]):
        state["made"] = 1
    if action == "heat":
        if state["warming"]:
            state["warming"], state["hot"] = 0, 1
            if state["got"]:
                state["made"] = 1
        else:
            state["warming"] = 1


RULES = {"salad": _salad, "peanut": _peanut, "salt": _salt, "cookie": _cookie}


def handed_over(task: str, state: State) -> dict[str, int]:
    """What the newcomer finds."""
    if task == "salad":
        return {"spoiled": state["open"]}
    if task == "peanut":
        return {"dirt": state["dirt"]}
    return {"damp": state["open"], "up": state["up"]} if task == "salt" else {"hot": state["warming"]}


def best_return(task: str, role: str, drawing: list[str], start: State) -> int:
    """Minus the fewest steps to an end, by breadth first; -1000 where there is none."""
    reached = {frozenset(start.items())}
    line = deque([(start, 0)])
    while line:
        state, steps = line.popleft()
        for action in action_names(task, role):
            after, reward, ended = step(task, role, drawing, state, action)
            if ended:
                return steps + reward
            if (key := frozenset(after.items())) not in reached:
                reached.add(key)
                line.append((after, steps + reward))
    return NEVER


def ends(task: str, drawing: list[str], start: State) -> dict[tuple[tuple[str, int], ...], int]:
    """What the acting agent can hand over (as sorted pairs), and its own best return when it does."""
    found: dict[tuple[tuple[str, int], ...], int] = {}
    reached = {frozenset(start.items())}
    line = deque([(start, 0)])
    while line:
        state, steps = line.popleft()
        for action in action_names(task, "acting"):
            after, reward, ended = step(task, "acting", drawing, state, action)
            if ended:
                found.setdefault(tuple(sorted(handed_over(task, after).items())), steps + reward)
            elif (key := frozenset(after.items())) not in reached:
                reached.add(key)
                line.append((after, steps + reward))
    return found
