"""Scenes of acts: the world's own picture, one overlay, and readings of who did what and what it was worth."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from caregrid.shows.solved import Act
from engine.mdp.mdp import Floats
from engine.scene import Arrows, Heat, Overlay, Path, Scene

PATH, POLICY, VISITS, NOTHING = "path", "policy", "visit counts", "none"
LONGEST_TRAIL = 400
YOU = "you"


def overlay_names(acts: Sequence[Act]) -> tuple[str, ...]:
    """Path, policy, every value function of the acting agent's act, visit counts, none."""
    return (PATH, POLICY, *acts[0].foresight.values, VISITS, NOTHING)


def locate(acts: Sequence[Act], number: int) -> tuple[Act, int]:
    """The act and the step in it of a scene, numbered through all acts."""
    for act in acts:
        if number < len(act):
            return act, number
        number -= len(act)
    return acts[-1], len(acts[-1]) - 1


def scene_of(acts: Sequence[Act], number: int, overlay: str = PATH) -> Scene:
    """A scene, numbered through all acts, with one overlay and its readings."""
    act, step = locate(acts, number)
    state = act.chapter.episode.states[step]
    picture = act.chapter.scenario.scene(state)
    deed = act.chapter.episode.steps[step - 1].action if step else "starts"
    laid = lay(act, step, overlay)
    overlays = () if laid is None else (laid, *(trails_of_others(act, step) if overlay == PATH else ()))
    readings = [("acting", act.chapter.who), ("step", f"{step} of {len(act) - 1}"), ("action", deed)]
    readings += [(f"{whose(who)} reward", f"{paid[step - 1]:g}") for who, paid in act.paid.items() if step]
    readings += [(f"{whose(who)} return", f"{so_far:g}") for who, so_far in returns(acts, act, step).items()]
    readings += worth(act, step).items()
    if said := circumstances(act, state):
        readings.append(("state", said))
    lost = act.chapter.episode.ending == "truncated" and step == len(act) - 1 and act.chapter.who != YOU
    caption = f"{act.chapter.who}, step {step}: {deed}{' ... and never finishes' if lost else ''}"
    return replace(picture, overlays=overlays, caption=caption, readings=tuple(readings))


def returns(acts: Sequence[Act], until: Act, step: int) -> dict[str, float]:
    """Each agent's return up to a step of an act, 0 for those whose turn has not come."""
    totals: dict[str, float] = {}
    past = True
    for act in acts:
        here = act is until
        for who, paid in act.paid.items():
            counted = sum(paid if past and not here else paid[:step] if here else ())
            totals[who] = totals.get(who, 0.0) + counted
        past = past and not here
    return totals


def worth(act: Act, step: int) -> dict[str, str]:
    """Every value function at a step, in words."""
    table, _, values = act.foresight
    number = table.index.get(act.chapter.episode.states[step])
    return {} if number is None else {name: spoken(float(value[number])) for name, value in values.items()}


def whose(who: str) -> str:
    """The possessive."""
    return "your" if who == YOU else f"{who}'s"


def circumstances(act: Act, state: Any) -> str:
    """What a state says besides places, as far as it says anything: "key held, hammer yes"."""
    described = act.chapter.scenario.describe(state)
    said = ((name, value) for name, value in described.items() if not isinstance(value, list))
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in said if value not in ("no", "none", 0))


def spoken(number: float) -> str:
    """A number in words a panel can hold."""
    return f"{number:.4g}" if math.isfinite(number) else "never ends"


def lay(act: Act, step: int, overlay: str) -> Overlay | None:
    """An overlay by its name, at a step of an act; None where the act does not know it."""
    if overlay == PATH:
        return trail(act, step)
    if overlay == VISITS:
        counts = Counter(cells_walked(act, step))
        return Heat(VISITS, tuple((row, column, float(count)) for (row, column), count in sorted(counts.items())))
    table, policy, values = act.foresight
    state, grid = act.chapter.episode.states[step], act.chapter.scenario.grid
    elsewhere = [(place, table.index.get(moved(state, n))) for n, place in enumerate(grid.floor)]
    known = [(place, number) for place, number in elsewhere if number is not None]
    if overlay == POLICY:
        able = [(place, number) for place, number in known if not table.terminal[number]]
        return Arrows(POLICY, tuple((*place, table.actions[policy[number]]) for place, number in able))
    if overlay in values:
        return Heat(overlay, _finite(known, values[overlay]))
    return None


def trail(act: Act, step: int, name: str = PATH, role: str = "path 0") -> Path:
    """The way walked up to a step; of a long one the last part."""
    return Path(name, cells_walked(act, step)[-LONGEST_TRAIL:], role)


def trails_of_others(act: Act, step: int) -> tuple[Path, ...]:
    """The ways of those who live through the act at the same time, by the marks of role "other" in its scenes."""
    if len(act.paid) == 1:
        return ()
    walked: dict[str, list[tuple[int, int]]] = {}
    for state in act.chapter.episode.states[: step + 1][-LONGEST_TRAIL:]:
        for mark in act.chapter.scenario.scene(state).marks:
            if mark.role == "other":
                walked.setdefault(mark.name, []).append((mark.row, mark.column))
    return tuple(Path(f"{whose(name)} path", tuple(cells), "path 3") for name, cells in walked.items())


def cells_walked(act: Act, step: int) -> tuple[tuple[int, int], ...]:
    """(row, column) of the agent in every state up to a step."""
    place = act.chapter.scenario.place
    return tuple(tuple(place(state.cell)) for state in act.chapter.episode.states[: step + 1])  # type: ignore[misc]


def moved(state: Any, cell: int) -> Any:
    """The same state with the agent elsewhere."""
    return state._replace(cell=cell)


def _finite(known: Sequence[tuple[Any, int]], value: Floats) -> tuple[tuple[int, int, float], ...]:
    numbers = [(place, float(value[number])) for place, number in known]
    return tuple((*place, number) for place, number in numbers if math.isfinite(number))
