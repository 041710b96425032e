"""Films and pictures of a scenario at several caring coefficients and under several formulations, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from caregrid.shows.scenes import PATH, locate, path_until, possessive, returns, solution_scene, value_text
from caregrid.shows.solved import SolvedEpisode, learned_episodes, solved_episodes
from craftworld.solution.episodes import sampled
from craftworld.solution.outcome import CaringOutcome, policy_outcome
from craftworld.solution.problem import Problem
from craftworld.solution.solution import solve
from engine.contracts import called
from engine.scene import Film, Path, Scene
from experiments.training.learned_policy import LearnedPolicy

MOST_IN_A_ROW = 4


class Followed(NamedTuple):
    """A policy that is shown: its label, its episodes, and what it leads to."""

    label: str
    episodes: Sequence[SolvedEpisode]
    outcome: CaringOutcome


def followed_policies(
    problem: Problem, cares: Sequence[float], learned: Sequence[LearnedPolicy] = (), seed: int = 0
) -> list[Followed]:
    """The optimal policy at each coefficient, then the learned ones."""
    optimal = [
        Followed(f"care {care:g}", solved_episodes(problem, care, seed), solve(problem, care)[0]) for care in cares
    ]
    return optimal + [
        Followed(policy.label, learned_episodes(problem, policy, seed), policy_outcome(problem, policy.actions))
        for policy in learned
    ]


def solution_film(
    problem: Problem, cares: Sequence[float], overlay: str = PATH, seed: int = 0, learned: Sequence[LearnedPolicy] = ()
) -> Film:
    """The acting agent's episode, then the newcomers'; one panel for each coefficient and learned policy, together.

    seed: where chance decides, which sample of it is shown.
    """
    shown = followed_policies(problem, cares, learned, seed)
    length = max(sum(map(len, each.episodes)) for each in shown)
    if len(shown) == 1:
        return tuple(_alone(problem, shown[0], cares[0], number, overlay) for number in range(length))
    title = f"{problem.scenario.name}, {problem.formulation}"
    return tuple(
        Scene(
            caption=title,
            panels=tuple(_panel(each, f"path {i}", number, overlay) for i, each in enumerate(shown)),
        )
        for number in range(length)
    )


def path_comparison(
    problems: Sequence[Problem], cares: Sequence[float], learned: Sequence[LearnedPolicy] = ()
) -> Scene:
    """One row of panels for each formulation: the agent's paths on one map, then each with its final state.

    Where chance decides, a path is one sample, and its caption says so.
    """
    panels: list[Scene] = []
    for problem in problems:
        shown = followed_policies(problem, cares, learned)
        paths = [_path(each, i) for i, each in enumerate(shown)]
        first = shown[0].episodes[0].chapter
        start = called(first.scenario, "scene", first.episode.start)
        if len(shown) > 1:
            panels.append(replace(start, overlays=tuple(paths), caption=f"{problem.formulation}{sampled(first)}"))
        for each, path in zip(shown, paths, strict=True):
            last = called(problem.scenario, "scene", each.episodes[0].chapter.episode.states[-1])
            caption = f"{problem.formulation}, {_summary(each.label, each.outcome)}{sampled(each.episodes[0].chapter)}"
            panels.append(replace(last, overlays=(path,), caption=caption))
    columns = len(shown) + 1 if len(shown) > 1 else len(problems)
    if len(problems) == 1 and columns > MOST_IN_A_ROW:
        columns = -(-columns // 2)
    return Scene(caption=problems[0].scenario.name, panels=tuple(panels), columns=columns)


def outcome_summary(problem: Problem, care: float) -> str:
    """The caring coefficient, the acting agent's return and the others' returns, in one line."""
    return _summary(f"care {care:g}", solve(problem, care)[0])


def _summary(label: str, outcome: CaringOutcome) -> str:
    every = {"agent": outcome.own, **outcome.others}
    return f"{label}: " + ", ".join(f"{agent} {value_text(value)}" for agent, value in every.items())


def _path(shown: Followed, number: int) -> Path:
    first = shown.episodes[0]
    return path_until(first, len(first) - 1, shown.label, f"path {number}")


def _alone(problem: Problem, shown: Followed, care: float, number: int, overlay: str) -> Scene:
    scene = solution_scene(shown.episodes, number, overlay)
    return replace(scene, readings=(*scene.readings, ("care", f"{care:g}"), ("formulation", problem.formulation)))


def _panel(shown: Followed, role: str, number: int, overlay: str) -> Scene:
    solved, step = locate(shown.episodes, number)
    scene = solution_scene(shown.episodes, number, overlay)
    totals = returns(shown.episodes, solved, step)
    so_far = tuple((f"{possessive(agent)} return", f"{total:g}") for agent, total in totals.items())
    overlays = (path_until(solved, step, PATH, role),) if overlay == PATH else scene.overlays
    return replace(scene, caption=f"{shown.label}: {scene.caption}", readings=so_far, overlays=overlays)
