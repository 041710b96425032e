"""Films and pictures of a scenario at several caring coefficients and under several formulations, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from caregrid.shows.scenes import PATH, locate, path_until, possessive, returns, solution_scene, value_text
from caregrid.shows.solved import SolvedEpisode, solved_episodes
from craftworld.solution.episodes import sampled
from craftworld.solution.problem import Problem
from craftworld.solution.solution import solve
from engine.scene import Film, Path, Scene

MOST_IN_A_ROW = 4


def solution_film(problem: Problem, cares: Sequence[float], overlay: str = PATH, seed: int = 0) -> Film:
    """The acting agent's episode, then the newcomers'; with several coefficients one panel each, played together.

    seed: where chance decides, which sample of it is shown.
    """
    solved = [solved_episodes(problem, care, seed) for care in cares]
    length = max(sum(map(len, episodes)) for episodes in solved)
    if len(cares) == 1:
        return tuple(_alone(problem, solved[0], cares[0], number, overlay) for number in range(length))
    title = f"{problem.scenario.name}, {problem.formulation}"
    return tuple(
        Scene(
            caption=title,
            panels=tuple(_panel(episodes, cares[i], f"path {i}", number, overlay) for i, episodes in enumerate(solved)),
        )
        for number in range(length)
    )


def path_comparison(problems: Sequence[Problem], cares: Sequence[float]) -> Scene:
    """One row of panels for each formulation: the agent's paths on one map, then each with its final state.

    Where chance decides, a path is one sample, and its caption says so.
    """
    panels: list[Scene] = []
    for problem in problems:
        solved = [solved_episodes(problem, care)[0] for care in cares]
        paths = [_path(episode, i, care) for i, (episode, care) in enumerate(zip(solved, cares, strict=True))]
        start = solved[0].chapter.scenario.scene(solved[0].chapter.episode.start)
        if len(cares) > 1:
            caption = f"{problem.formulation}{sampled(solved[0].chapter)}"
            panels.append(replace(start, overlays=tuple(paths), caption=caption))
        for episode, path, care in zip(solved, paths, cares, strict=True):
            last = episode.chapter.scenario.scene(episode.chapter.episode.states[-1])
            caption = f"{problem.formulation}, {outcome_summary(problem, care)}{sampled(episode.chapter)}"
            panels.append(replace(last, overlays=(path,), caption=caption))
    columns = len(cares) + 1 if len(cares) > 1 else len(problems)
    if len(problems) == 1 and columns > MOST_IN_A_ROW:
        columns = -(-columns // 2)
    return Scene(caption=problems[0].scenario.name, panels=tuple(panels), columns=columns)


def outcome_summary(problem: Problem, care: float) -> str:
    """The caring coefficient, the acting agent's return and the others' returns, in one line."""
    outcome, _ = solve(problem, care)
    every = {"agent": outcome.own, **outcome.others}
    return f"care {care:g}: " + ", ".join(f"{agent} {value_text(value)}" for agent, value in every.items())


def _path(solved: SolvedEpisode, number: int, care: float) -> Path:
    return path_until(solved, len(solved) - 1, f"care {care:g}", f"path {number}")


def _alone(problem: Problem, episodes: Sequence[SolvedEpisode], care: float, number: int, overlay: str) -> Scene:
    scene = solution_scene(episodes, number, overlay)
    return replace(scene, readings=(*scene.readings, ("care", f"{care:g}"), ("formulation", problem.formulation)))


def _panel(episodes: Sequence[SolvedEpisode], care: float, role: str, number: int, overlay: str) -> Scene:
    solved, step = locate(episodes, number)
    scene = solution_scene(episodes, number, overlay)
    totals = returns(episodes, solved, step)
    so_far = tuple((f"{possessive(agent)} return", f"{total:g}") for agent, total in totals.items())
    overlays = (path_until(solved, step, PATH, role),) if overlay == PATH else scene.overlays
    return replace(scene, caption=f"care {care:g}: {scene.caption}", readings=so_far, overlays=overlays)
