"""A solved scenario as episodes: the acting agent's first, then every newcomer's, each with its exact solution.

An episode comes with its tabular MDP, policy and value functions, so that any of them can be drawn over any scene.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from craftworld.rollout import episode_performance, observes_performance
from craftworld.scenario import Scenario
from craftworld.solution.episodes import AgentEpisode, episodes, policy_episodes
from craftworld.solution.problem import Problem
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.planning.dynamic_programming import evaluate_policy
from experiments.training.learned_policy import LearnedPolicy

OWN, AUGMENTED = "own value", "augmented value"


class EpisodeSolution(NamedTuple):
    """The exact solution that an agent follows: MDP, policy int32[S], and value functions by name, f64[S] each."""

    table: TabularMDP
    policy: Policy
    values: Mapping[str, Floats]


@dataclass(frozen=True)
class SolvedEpisode:
    """One agent's episode together with the solution that it follows.

    solve: computes the solution; called when it is first needed.
    rewards: the reward of each step for each agent present, by name.
    """

    chapter: AgentEpisode
    solve: Callable[[], EpisodeSolution]
    rewards: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @cached_property
    def solution(self) -> EpisodeSolution:
        """MDP, policy and values, computed once."""
        return self.solve()

    @cached_property
    def performance(self) -> tuple[float, ...] | None:
        """What each step adds to the hidden performance; None where the world has none."""
        scenario = self.chapter.scenario
        return None if observes_performance(scenario) else episode_performance(scenario, self.chapter.episode)

    def __len__(self) -> int:
        """The number of scenes: one for each state."""
        return len(self.chapter.episode.states)


def solved_episodes(problem: Problem, care: float, seed: int = 0) -> list[SolvedEpisode]:
    """The episodes of a problem's exact solution at a coefficient, from its first start state. seed: of chance."""
    return with_solutions(problem, episodes(problem, care, seed=seed), care)


def learned_episodes(problem: Problem, learned: LearnedPolicy, seed: int = 0) -> list[SolvedEpisode]:
    """The episodes of a learned policy from the first start state, with what the policy is worth. seed: of chance."""
    first, *rest = with_solutions(problem, policy_episodes(problem, learned.actions, seed), learned.care)
    return [replace(first, solve=lambda: _policy_solution(problem, learned, first.chapter)), *rest]


def with_solutions(problem: Problem, chapters: list[AgentEpisode], care: float) -> list[SolvedEpisode]:
    """Episodes of a problem, the acting agent's first, each with its solution."""
    first, *rest = chapters
    return [
        SolvedEpisode(first, lambda: _agent_solution(problem, care, first), _rewards_by_agent(first, problem.scenario)),
        *(SolvedEpisode(each, partial(_newcomer_solution, problem, each), _rewards_by_agent(each)) for each in rest),
    ]


def _agent_solution(problem: Problem, care: float, chapter: AgentEpisode) -> EpisodeSolution:
    """The optimal policy; of several optimal actions the one that the episode takes.

    What other start states alone lead to has no values: nothing need be finite there.
    """
    start = chapter.states[0]
    world = problem.begun_in(start, problem.mdp)
    elsewhere = world.terminal & ~problem.mdp.terminal
    solution = problem.planned(care, start)
    policy = solution.policy.copy()
    for number, step in zip(chapter.states, chapter.episode.steps, strict=False):
        policy[number] = problem.mdp.actions.index(step.action)
    values = {OWN: evaluate_policy(world, policy)}
    for name, value in zip(problem.others.names, getattr(problem.others, "value", ()), strict=False):
        values[value_name(name)] = value
    values[AUGMENTED] = solution.value
    return EpisodeSolution(world, policy, {name: np.where(elsewhere, np.nan, value) for name, value in values.items()})


def _policy_solution(problem: Problem, learned: LearnedPolicy, chapter: AgentEpisode) -> EpisodeSolution:
    table = problem.augmented(learned.care, chapter.states[0])
    values = {OWN: evaluate_policy(problem.mdp, learned.actions)}
    for name, value in zip(problem.others.names, getattr(problem.others, "value", ()), strict=False):
        values[value_name(name)] = value
    augmented = evaluate_policy(table, learned.actions)
    return EpisodeSolution(problem.mdp, learned.actions, {**values, AUGMENTED: augmented})


def _newcomer_solution(problem: Problem, chapter: AgentEpisode) -> EpisodeSolution:
    planned = next(each for each in problem.planned_newcomers if each.newcomer.name == chapter.agent)
    return EpisodeSolution(planned.table, planned.solution.policy, {OWN: planned.solution.value})


def value_name(agent: str) -> str:
    """The name of another agent's value function."""
    return f"{agent}'s value"


def _rewards_by_agent(chapter: AgentEpisode, scenario: Scenario | None = None) -> dict[str, tuple[float, ...]]:
    """The rewards of each step: the acting agent's, and those of companions who are present at the same time."""
    rewards = {chapter.agent: tuple(step.reward for step in chapter.episode.steps)}
    for companion in scenario.simultaneous_agents() if scenario else ():
        rewards[companion.name] = tuple(
            _reward_of_step(companion.reward, chapter.scenario.actions.index(step.action), step.state, step.next_state)
            for step in chapter.episode.steps
        )
    return rewards


def _reward_of_step(reward: Callable[[Any, int, Any], Any], action: int, state: Any, next_state: Any) -> float:
    """The reward of one step, from a reward function that takes columns of states."""
    columns = [type(one)(*(np.array([value]) for value in one)) for one in (state, next_state)]
    return float(np.broadcast_to(reward(columns[0], action, columns[1]), (1,))[0])
