"""Films of a scenario at several caring coefficients, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from caregrid.shows.scenes import PATH, locate, path_roles, path_until, possessive, returns, solution_scene, value_text
from caregrid.shows.solved import SolvedEpisode, learned_episodes, solved_episodes
from craftworld.solution.outcome import CaringOutcome, policy_outcome
from craftworld.solution.problem import Problem
from craftworld.solution.solution import solve
from engine.errors import BadValue, argument
from engine.scene import Film, Scene
from experiments.figures.names import name_of
from experiments.training.learned_policy import LearnedPolicy

MOST_SIDE_BY_SIDE = 100


class Followed(NamedTuple):
    """A policy that is shown: its label, its episodes, what it leads to; care: None for a learned one."""

    label: str
    episodes: Sequence[SolvedEpisode]
    outcome: CaringOutcome
    care: float | None = None


def followed_policies(
    problem: Problem, cares: Sequence[float], learned: Sequence[LearnedPolicy] = (), seed: int = 0
) -> list[Followed]:
    """The optimal policy at each coefficient, then the learned ones."""
    optimal = [
        Followed(f"care {value_text(care)}", solved_episodes(problem, care, seed), solve(problem, care)[0], care)
        for care in cares
    ]
    return optimal + [
        Followed(policy.label, learned_episodes(problem, policy, seed), policy_outcome(problem, policy.actions))
        for policy in learned
    ]


def solution_film(
    problem: Problem, cares: Sequence[float], overlay: str = PATH, seed: int = 0, learned: Sequence[LearnedPolicy] = ()
) -> Film:
    """The acting agent's episode, then the newcomers'; one panel for each coefficient and learned policy, together.

    seed: where chance decides, which sample of it is shown. Raises BadValue, before any is solved, for too many.
    """
    if len(cares) + len(learned) > MOST_SIDE_BY_SIDE:
        paths = f"{len(cares) + len(learned)} paths side by side"
        raise BadValue(paths, place=argument("care"), remedy=f"choose at most {MOST_SIDE_BY_SIDE}")
    shown = followed_policies(problem, cares, learned, seed)
    length = max(sum(map(len, each.episodes)) for each in shown)
    if len(shown) == 1:
        return tuple(_alone(problem, shown[0], cares[0], number, overlay) for number in range(length))
    title = f"{name_of(problem.scenario.name)}, {name_of(problem.formulation)}"
    return tuple(
        Scene(
            caption=title,
            panels=tuple(_panel(each, f"path {i}", number, overlay) for i, each in enumerate(shown)),
        )
        for number in range(length)
    )


def outcome_summary(problem: Problem, care: float) -> str:
    """The caring coefficient, the acting agent's return and the others' returns, in one line."""
    return _summary(f"care {care:g}", solve(problem, care)[0])


def _summary(label: str, outcome: CaringOutcome) -> str:
    every = {"own": outcome.own, **{possessive(agent): value for agent, value in outcome.others.items()}}
    return f"{label}: " + ", ".join(f"{whose} return {value_text(value)}" for whose, value in every.items())


def _alone(problem: Problem, shown: Followed, care: float, number: int, overlay: str) -> Scene:
    scene = solution_scene(shown.episodes, number, overlay)
    chosen = ("care", f"{care:g}"), ("formulation", name_of(problem.formulation))
    return replace(scene, readings=(*scene.readings, *chosen))


def _panel(shown: Followed, role: str, number: int, overlay: str) -> Scene:
    solved, step = locate(shown.episodes, number)
    scene = solution_scene(shown.episodes, number, overlay)
    totals = returns(shown.episodes, solved, step)
    so_far = tuple((f"{possessive(agent)} return", f"{total:g}") for agent, total in totals.items())
    overlays = scene.overlays
    if overlay == PATH:
        agent, acting = solved.chapter.agent, solved is shown.episodes[0]
        name = shown.label if acting else f"{possessive(agent)} path"
        overlays = (path_until(solved, step, name, role if acting else path_roles(shown.episodes)[agent]),)
    return replace(scene, caption=f"{shown.label}: {scene.caption}", readings=so_far, overlays=overlays)
