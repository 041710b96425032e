"""Films and pictures of a scenario under several cares and formulations, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from caregrid.shows.scenes import PATH, locate, returns, scene_of, spoken, trail, whose
from caregrid.shows.solved import Act, acts_of
from craftworld.solution.solution import Problem, solve
from engine.scene import Film, Path, Scene

MOST_IN_A_ROW = 4


def film_of(problem: Problem, cares: Sequence[float], overlay: str = PATH) -> Film:
    """The acting agent and then the newcomers, step by step; of several cares each has a panel, all in step."""
    told = [acts_of(problem, care) for care in cares]
    length = max(sum(map(len, acts)) for acts in told)
    if len(cares) == 1:
        return tuple(_alone(problem, told[0], cares[0], number, overlay) for number in range(length))
    title = f"{problem.scenario.name}, {problem.formulation}"
    return tuple(
        Scene(
            caption=title,
            panels=tuple(_panel(acts, cares[i], f"path {i}", number, overlay) for i, acts in enumerate(told)),
        )
        for number in range(length)
    )


def paths_picture(problems: Sequence[Problem], cares: Sequence[float]) -> Scene:
    """A row of panels a formulation: all the acting agent's paths on one map, then each with how it left the world."""
    panels: list[Scene] = []
    for problem in problems:
        acts = [acts_of(problem, care) for care in cares]
        paths = [_path(told[0], i, care) for i, (told, care) in enumerate(zip(acts, cares, strict=True))]
        first = acts[0][0]
        start = first.chapter.scenario.scene(first.chapter.episode.start)
        if len(cares) > 1:
            panels.append(replace(start, overlays=tuple(paths), caption=problem.formulation))
        for told, path, care in zip(acts, paths, cares, strict=True):
            last = told[0].chapter.scenario.scene(told[0].chapter.episode.states[-1])
            panels.append(replace(last, overlays=(path,), caption=f"{problem.formulation}, {summary(problem, care)}"))
    columns = len(cares) + 1 if len(cares) > 1 else len(problems)
    if len(problems) == 1 and columns > MOST_IN_A_ROW:
        columns = -(-columns // 2)
    return Scene(caption=problems[0].scenario.name, panels=tuple(panels), columns=columns)


def summary(problem: Problem, care: float) -> str:
    """The care, the acting agent's return and what it leaves to each of the others, in one line."""
    outcome, _ = solve(problem, care)
    told = {"agent": outcome.own, **outcome.others}
    return f"care {care:g}: " + ", ".join(f"{who} {spoken(worth)}" for who, worth in told.items())


def _path(act: Act, number: int, care: float) -> Path:
    return trail(act, len(act) - 1, f"care {care:g}", f"path {number}")


def _alone(problem: Problem, acts: Sequence[Act], care: float, number: int, overlay: str) -> Scene:
    scene = scene_of(acts, number, overlay)
    return replace(scene, readings=(*scene.readings, ("care", f"{care:g}"), ("formulation", problem.formulation)))


def _panel(acts: Sequence[Act], care: float, role: str, number: int, overlay: str) -> Scene:
    act, step = locate(acts, number)
    scene = scene_of(acts, number, overlay)
    so_far = tuple((f"{whose(who)} return", f"{total:g}") for who, total in returns(acts, act, step).items())
    overlays = (trail(act, step, PATH, role),) if overlay == PATH else scene.overlays
    return replace(scene, caption=f"care {care:g}: {scene.caption}", readings=so_far, overlays=overlays)
