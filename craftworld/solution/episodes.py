"""The episodes of a solution: the acting agent's, then one for each newcomer, as steps and as a film.

Newcomers follow an optimal policy of their own from what is handed over; one that can never finish is shown for
`LOST_STEPS` steps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from craftworld.others.value_distribution import newcomer_table
from craftworld.scenario import Scenario
from craftworld.solution.problem import Problem
from engine.mdp.episode import Episode, Step, rollout
from engine.planning.dynamic_programming import plan
from engine.scene import Film, Scene

LOST_STEPS = 5


class AgentEpisode(NamedTuple):
    """An agent, the world in which it acts, and its episode."""

    agent: str
    scenario: Scenario
    episode: Episode


def episodes(problem: Problem, care: float, start: int | None = None) -> list[AgentEpisode]:
    """The acting agent's optimal episode at a coefficient and what the newcomers then do.

    start: number of the start state, by default the first. Deterministic tables only.
    """
    first = int(problem.mdp.start_states()[0]) if start is None else start
    segment = problem.segment(care, first)
    states = [problem.mdp.states[number] for number in segment.path]
    steps = tuple(
        Step(states[i], problem.mdp.actions[action], float(problem.mdp.reward[number, action, 0]), states[i + 1])
        for i, (number, action) in enumerate(zip(segment.path, segment.actions, strict=False))
    )
    end = segment.path[-1]
    ended = bool(problem.mdp.terminal[end])
    parts = [AgentEpisode("agent", problem.scenario, Episode(states[0], steps, "terminated" if ended else "truncated"))]
    return parts + (newcomer_episodes(problem, end) if ended else [])


def newcomer_episodes(problem: Problem, end: int) -> list[AgentEpisode]:
    """What each newcomer does when the acting agent has ended in a state (its number)."""
    parts = []
    for newcomer in problem.scenario.newcomers():
        table, number = newcomer_table(problem.scenario, problem.mdp, newcomer)
        solution = plan(table)
        begin = int(number[end])
        limit = newcomer.scenario.time_limit if np.isfinite(solution.value[begin]) else LOST_STEPS
        episode = rollout(table, lambda state, policy=solution.policy: int(policy[state]), begin, limit)  # type: ignore[misc]
        parts.append(AgentEpisode(newcomer.name, newcomer.scenario, episode))
    return parts


def film(parts: list[AgentEpisode]) -> Film:
    """One scene a state, one episode after the other, with step, action, reward and return so far as readings."""
    return tuple(scene for part in parts for scene in _scenes(part))


def _scenes(part: AgentEpisode) -> list[Scene]:
    scenes, total = [], 0.0
    for number, state in enumerate(part.episode.states):
        step = part.episode.steps[number - 1] if number else None
        total += step.reward if step else 0.0
        picture = part.scenario.scene(state)
        what = step.action if step else "starts"
        readings = (
            ("who", part.agent),
            ("step", str(number)),
            ("action", what),
            ("reward", f"{step.reward:g}" if step else "0"),
            ("return", f"{total:g}"),
        )
        scenes.append(replace(picture, caption=f"{part.agent}, step {number}: {what}", readings=readings))
    return scenes
