"""The episodes of a solution: the acting agent's, then one for each newcomer, as steps and as a film.

Newcomers follow an optimal policy of their own from what is handed over, or the one that the scenario gives them; one
that cannot be sure to finish is shown for `LOST_STEPS` steps. Where chance decides, in steps, in policies or in what is
handed over, the episodes are one sample, the same for the same seed, and the captions of the film say so.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from craftworld.others.newcomer_worlds import PlannedNewcomer
from craftworld.rollout import compute_episode_performance
from craftworld.scenario import Scenario, observes_performance
from craftworld.solution.problem import Problem
from engine.contracts import call_method
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.policies import Episode, Trajectory, follow_policy, sample
from engine.planning.dynamic_programming import compute_ending_probability
from engine.planning.trade_off.envelope import Segment
from engine.randomness.counter_based import inverse_cdf, split, uniform
from engine.scene import Film, Scene

LOST_STEPS = 5


class AgentEpisode(NamedTuple):
    """An agent, the world in which it acts, its episode, and the numbers of the episode's states in the agent's table.

    seed: what chance was drawn from; None where nothing depended on it.
    """

    agent: str
    scenario: Scenario
    episode: Episode
    states: tuple[int, ...]
    seed: int | None = None

    def scene(self, state: Any) -> Scene:
        """Return the world's own scene of a state, in which another agent than the acting one bears its name."""
        scene: Scene = call_method(self.scenario, "scene", state)
        named = (mark._replace(name=self.agent) if mark[3:5] == ("agent", "other") else mark for mark in scene.marks)
        return replace(scene, marks=tuple(named))


def make_episodes(problem: Problem, care: float, start: int | None = None, seed: int = 0) -> list[AgentEpisode]:
    """Return the acting agent's optimal episode at a coefficient and what the newcomers then do.

    start: number of the start state, by default the first. seed: what chance is drawn from, in worlds that have any;
    the episodes are then one sample of many.
    """
    first = int(problem.mdp.start_states()[0]) if start is None else start
    return make_segment_episodes(problem, problem.find_segment(care, first), first, seed)


def make_segment_episodes(problem: Problem, segment: Segment, start: int, seed: int = 0) -> list[AgentEpisode]:
    """Return the acting agent's episode along a segment's path, or by its policy, and what the newcomers then do."""
    if problem.mdp.is_deterministic:
        trajectory = Trajectory(segment.path, segment.actions, (0,) * len(segment.actions))
    else:
        assert segment.policy is not None
        policy = segment.policy
        limit = problem.scenario.time_limit
        trajectory = sample(problem.mdp, lambda state: int(policy[state]), start, limit, make_acting_key(seed))
    return [
        make_acting_episode(problem, "agent", trajectory, seed),
        *make_newcomer_episodes(problem, trajectory.states[-1], seed),
    ]


def make_policy_episodes(problem: Problem, policy: Policy | Floats, seed: int = 0) -> list[AgentEpisode]:
    """Return the acting agent's episode under a policy and what the newcomers then do; from the first start state.

    policy: int32[S], or the probabilities f64[S, A] from which actions are drawn. seed: of chance. Within the time
    limit; without chance an endless episode stops at the first repeated state.
    """
    mdp = problem.mdp
    first = int(mdp.start_states()[0])
    trajectory, mixed = _follow(mdp, policy, first, problem.scenario.time_limit, make_acting_key(seed))
    if mdp.is_deterministic and not mixed and not mdp.terminal[trajectory.states[-1]]:
        different = len(set(trajectory.states))  # then the first repeated state comes, unless the time limit did
        trajectory = Trajectory(trajectory.states[: different + 1], *(part[:different] for part in trajectory[1:]))
    acting = make_acting_episode(problem, "agent", trajectory, seed)
    return [
        acting._replace(seed=seed) if mixed else acting,
        *make_newcomer_episodes(problem, trajectory.states[-1], seed),
    ]


def _follow(mdp: TabularMDP, policy: Policy | Floats, start: int, limit: int, key: int) -> tuple[Trajectory, bool]:
    """Follow a policy, int32[S] or f64[S, A], from which actions are drawn; return also whether any had to be."""
    mixed = policy.ndim == 2 and bool(((policy > 0.0) & (policy < 1.0))[~mdp.terminal].any())
    chosen = policy.argmax(axis=1) if policy.ndim == 2 else policy
    drawn = itertools.count()

    def act(state: int) -> int:
        if not mixed:
            return int(chosen[state])
        return int(inverse_cdf(policy[state], uniform(split(key, "actions"), next(drawn))))

    return sample(mdp, act, start, limit, key), mixed


def make_acting_key(seed: int) -> int:
    """Return what the acting agent's steps are drawn from: the nth step takes the nth number."""
    return split(seed, "acting agent")


def make_acting_episode(problem: Problem, name: str, trajectory: Trajectory, seed: int = 0) -> AgentEpisode:
    """Return a trajectory in the problem's own table as the acting agent's episode, under a name."""
    chance = None if problem.mdp.is_deterministic else seed
    return AgentEpisode(name, problem.scenario, trajectory.episode(problem.mdp), trajectory.states, chance)


def make_newcomer_episodes(problem: Problem, end: int, seed: int = 0) -> list[AgentEpisode]:
    """What each newcomer does when the acting agent has ended in a state (its number); nothing if that is no end."""
    return (
        [_make_newcomer_episode(each, end, seed) for each in problem.planned_newcomers]
        if problem.mdp.terminal[end]
        else []
    )


def _make_newcomer_episode(planned: PlannedNewcomer, end: int, seed: int) -> AgentEpisode:
    newcomer, table, begins, solution, followed = planned
    key = split(seed, newcomer.name)
    begin = begins.draw(end, uniform(key, 0))
    policy = solution.policy if followed is None else followed
    ends = np.isfinite(solution.value[begin]) if followed is None else _may_end(table, followed, begin)
    limit = newcomer.scenario.time_limit if ends else LOST_STEPS
    trajectory, mixed = _follow(table, policy, begin, limit, split(key, "steps"))
    certain = table.is_deterministic and begins.number.shape[1] == 1 and not mixed
    episode = trajectory.episode(table)
    chance = None if certain else seed
    return AgentEpisode(newcomer.name, newcomer.scenario, episode, trajectory.states, chance)


def _may_end(table: TabularMDP, policy: Policy | Floats, start: int) -> bool:
    followed = follow_policy(table, policy)
    return compute_ending_probability(followed.table, followed.still, start) > 0.0


def film_episodes(parts: list[AgentEpisode]) -> Film:
    """One scene a state, one episode after the other; readings: step, action, reward, return and performance so far."""
    return tuple(scene for part in parts for scene in _film_episode(part))


def _film_episode(part: AgentEpisode) -> list[Scene]:
    scenes = []
    total = 0.0
    performance = 0.0
    hidden = () if observes_performance(part.scenario) else compute_episode_performance(part.scenario, part.episode)
    for number, state in enumerate(part.episode.states):
        step = part.episode.steps[number - 1] if number else None
        total += step.reward if step else 0.0
        performance += hidden[number - 1] if step and hidden else 0.0
        picture = part.scene(state)
        what = describe_action(part.episode, number - 1) if number else "starts"
        readings = (
            ("who", part.agent),
            ("step", str(number)),
            ("action", what),
            ("reward", f"{step.reward:g}" if step else "0"),
            ("return", f"{total:g}"),
            *((("performance", f"{performance:g}"),) if hidden else ()),
        )
        caption = f"{part.agent}, step {number}: {what}{describe_sampling(part)}"
        scenes.append(replace(picture, caption=caption, readings=readings))
    return scenes


def describe_action(episode: Episode, number: int) -> str:
    """Return the action of a step, with "no effect" where it left the world as it was and did not end the episode."""
    step = episode.steps[number]
    ends = number == len(episode.steps) - 1 and episode.ending == "terminated"
    return step.action if ends or step.next_state != step.state else f"{step.action}, no effect"


def describe_sampling(part: AgentEpisode) -> str:
    """Return what a caption adds where the episode is one sample of many."""
    return "" if part.seed is None else f" (sampled, seed {part.seed})"
