"""A solved scenario as acts of a play: the acting agent first, then every newcomer, with all there is to look up.

An act knows its table, its policy and its value functions, so that any of them can be laid over any of its scenes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from craftworld.others.value_distribution import newcomer_table
from craftworld.scenario import Newcomer, Scenario
from craftworld.solution.episodes import Chapter, tell
from craftworld.solution.solution import Problem
from engine.mdp.mdp import Floats, TabularMDP
from engine.planning.dynamic_programming import Policy, evaluate_policy, plan

OWN, AUGMENTED = "own value", "augmented value"


class Foresight(NamedTuple):
    """How somebody looks ahead: its table, its policy int32[S], and value functions by name, f64[S] each."""

    table: TabularMDP
    policy: Policy
    values: Mapping[str, Floats]


@dataclass(frozen=True)
class Act:
    """Who acts, what happens, and how it looks ahead.

    look_up: works out the foresight; called when it is first asked for.
    paid: what each agent gets from each step of this act, by name.
    """

    chapter: Chapter
    look_up: Callable[[], Foresight]
    paid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @cached_property
    def foresight(self) -> Foresight:
        """What is known ahead of time in this act."""
        return self.look_up()

    def __len__(self) -> int:
        """How many scenes the act has: one a state."""
        return len(self.chapter.episode.states)


def acts_of(problem: Problem, care: float) -> list[Act]:
    """The acts of a problem's exact solution at a caring coefficient, from its first start state."""
    return acting(problem, tell(problem, care), care)


def acting(problem: Problem, chapters: list[Chapter], care: float) -> list[Act]:
    """Chapters, the acting agent's first, as acts."""
    first, *rest = chapters
    newcomers = {newcomer.name: newcomer for newcomer in problem.scenario.newcomers()}
    acts = [Act(first, lambda: _agent_foresight(problem, care, first), _payments(first, problem.scenario))]
    for chapter in rest:
        acts.append(Act(chapter, _newcomer_look_up(problem, newcomers[chapter.who]), _payments(chapter)))
    return acts


def _agent_foresight(problem: Problem, care: float, chapter: Chapter) -> Foresight:
    """The plan's policy, along the chapter's own walk where several actions are equally good."""
    index = problem.mdp.index
    start = index[chapter.episode.start]
    table = problem.augmented(care, start)
    solution = plan(table)
    policy = solution.policy.copy()
    for step in chapter.episode.steps:
        policy[index[step.state]] = problem.mdp.actions.index(step.action)
    values = {OWN: evaluate_policy(problem.mdp, policy)}
    for name, value in zip(problem.others.names, getattr(problem.others, "value", ()), strict=False):
        values[value_name(name)] = value
    return Foresight(problem.mdp, policy, {**values, AUGMENTED: solution.value})


def _newcomer_look_up(problem: Problem, newcomer: Newcomer) -> Callable[[], Foresight]:
    def look_up() -> Foresight:
        table, _ = newcomer_table(problem.scenario, problem.mdp, newcomer)
        solution = plan(table)
        return Foresight(table, solution.policy, {OWN: solution.value})

    return look_up


def value_name(agent: str) -> str:
    """How the value function of another agent is called."""
    return f"{agent}'s value"


def _payments(chapter: Chapter, scenario: Scenario | None = None) -> dict[str, tuple[float, ...]]:
    """What each step pays the one who acts, and those who live through it at the same time."""
    paid = {chapter.who: tuple(step.reward for step in chapter.episode.steps)}
    for companion in scenario.companions() if scenario else ():
        paid[companion.name] = tuple(
            _paid(companion.reward, chapter.scenario.actions.index(step.action), step.state, step.next_state)
            for step in chapter.episode.steps
        )
    return paid


def _paid(reward: Callable[[Any, int, Any], Any], action: int, state: Any, next_state: Any) -> float:
    """A rule written on columns, asked about one step."""
    columns = [type(one)(*(np.array([value]) for value in one)) for one in (state, next_state)]
    return float(np.broadcast_to(reward(columns[0], action, columns[1]), (1,))[0])
