"""A solved scenario as episodes, and the scenes of them: overlays, and readings of action, rewards, returns and values.

The acting agent's episode comes first, then every newcomer's, each with its tabular MDP, policy and value functions,
so that any of them can be drawn over any scene of the world.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from craftworld.rollout import compute_episode_performance
from craftworld.scenario import Scenario, observes_performance
from craftworld.solution.episodes import (
    AgentEpisode,
    describe_action,
    describe_sampling,
    make_episodes,
    make_policy_episodes,
)
from craftworld.solution.problem import Problem
from engine.contracts import call_method
from engine.mdp.mdp import Floats, Policy, TabularMDP
from engine.mdp.policies import follow_policy
from engine.plain_values import write_number
from engine.planning.dynamic_programming import evaluate_policy
from engine.scene import Arrows, Heat, Overlay, Path, Scene

if TYPE_CHECKING:
    from experiments.learned_policy import LearnedPolicy


OWN = "own value"
AUGMENTED = "augmented value"


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
        return None if observes_performance(scenario) else compute_episode_performance(scenario, self.chapter.episode)

    def __len__(self) -> int:
        """Return the number of scenes: one for each state."""
        return len(self.chapter.episode.states)


def solve_episodes(problem: Problem, care: float, seed: int = 0) -> list[SolvedEpisode]:
    """The episodes of a problem's exact solution at a coefficient, from its first start state. seed: of chance."""
    return add_solutions(problem, make_episodes(problem, care, seed=seed), care)


def follow_learned_policy(problem: Problem, learned: LearnedPolicy, seed: int = 0) -> list[SolvedEpisode]:
    """The episodes of a learned policy from the first start state, with what the policy is worth. seed: of chance."""
    first, *rest = add_solutions(problem, make_policy_episodes(problem, learned.actions, seed), learned.care)
    return [replace(first, solve=lambda: _evaluate_learned_policy(problem, learned, first.chapter)), *rest]


def add_solutions(problem: Problem, chapters: list[AgentEpisode], care: float) -> list[SolvedEpisode]:
    """Episodes of a problem, the acting agent's first, each with its solution."""
    first, *rest = chapters
    return [
        SolvedEpisode(first, lambda: _solve_agent(problem, care, first), _list_rewards(first, problem.scenario)),
        *(
            SolvedEpisode(chapter, partial(_find_newcomer_solution, problem, chapter), _list_rewards(chapter))
            for chapter in rest
        ),
    ]


def _solve_agent(problem: Problem, care: float, chapter: AgentEpisode) -> EpisodeSolution:
    """Return the optimal policy; of several optimal actions that of the episode.

    What other start states alone lead to has no values: nothing need be finite there.
    """
    start = chapter.states[0]
    world = problem.restrict_to_start(start, problem.mdp)
    elsewhere = world.terminal & ~problem.mdp.terminal
    solution = problem.plan_optimum(care, start)
    policy = solution.policy.copy()
    for number, step in zip(chapter.states, chapter.episode.steps, strict=False):
        policy[number] = problem.mdp.actions.index(step.action)
    values = {OWN: evaluate_policy(world, policy)}
    for name, value in zip(problem.others.names, getattr(problem.others, "value", ()), strict=False):
        values[name_value(name)] = value
    values[AUGMENTED] = solution.value
    return EpisodeSolution(world, policy, {name: np.where(elsewhere, np.nan, value) for name, value in values.items()})


def _evaluate_learned_policy(problem: Problem, learned: LearnedPolicy, chapter: AgentEpisode) -> EpisodeSolution:
    table = problem.make_augmented_table(learned.care, chapter.states[0])
    followed = follow_policy(problem.mdp, learned.actions)
    values = {OWN: evaluate_policy(followed.table, followed.still)}
    for name, value in zip(problem.others.names, getattr(problem.others, "value", ()), strict=False):
        values[name_value(name)] = value
    augmented = evaluate_policy(followed.table.with_reward(followed.select(table.reward)), followed.still)
    likeliest = followed.chance.argmax(axis=1).astype(np.int32)
    return EpisodeSolution(problem.mdp, likeliest, {**values, AUGMENTED: augmented})


def _find_newcomer_solution(problem: Problem, chapter: AgentEpisode) -> EpisodeSolution:
    planned = next(one for one in problem.planned_newcomers if one.newcomer.name == chapter.agent)
    if planned.policy is None:
        return EpisodeSolution(planned.table, planned.solution.policy, {OWN: planned.solution.value})
    followed = follow_policy(planned.table, planned.policy)
    likeliest = followed.chance.argmax(axis=1).astype(np.int32)
    return EpisodeSolution(planned.table, likeliest, {OWN: evaluate_policy(followed.table, followed.still)})


def name_value(agent: str) -> str:
    """Return the name of another agent's value function."""
    return f"{agent}'s value"


def _list_rewards(chapter: AgentEpisode, scenario: Scenario | None = None) -> dict[str, tuple[float, ...]]:
    """Return the rewards of each step: the acting agent's, and those of companions who are present at the same time."""
    rewards = {chapter.agent: tuple(step.reward for step in chapter.episode.steps)}
    for companion in scenario.simultaneous_agents() if scenario else ():
        rewards[companion.name] = tuple(
            _compute_step_reward(
                companion.reward, chapter.scenario.actions.index(step.action), step.state, step.next_state
            )
            for step in chapter.episode.steps
        )
    return rewards


def _compute_step_reward(reward: Callable[[Any, int, Any], Any], action: int, state: Any, next_state: Any) -> float:
    """Return the reward of one step, from a reward function that takes columns of states."""
    columns = [type(one)(*(np.array([value]) for value in one)) for one in (state, next_state)]
    return float(np.broadcast_to(reward(columns[0], action, columns[1]), (1,))[0])


PATH = "path"
POLICY = "policy"
VISITS = "visit counts"
NOTHING = "none"
LONGEST_PATH = 400
OWN_PATH = "path 0"
YOU = "you"
OTHER_PATHS = ("other", "other 6")  # dots and pairs of dots, in two colours; more would hide one another


def list_overlays(episodes: Sequence[SolvedEpisode]) -> tuple[str, ...]:
    """Path, policy, every value function of the acting agent's episode, visits, none; without places no numbers."""
    first = episodes[0].chapter
    if first.scenario.position(first.episode.start) is None:
        return (PATH, NOTHING)
    return (PATH, POLICY, *episodes[0].solution.values, VISITS, NOTHING)


def locate(episodes: Sequence[SolvedEpisode], number: int) -> tuple[SolvedEpisode, int]:
    """Return the episode and the step in it of a scene, numbered through all episodes."""
    for solved in episodes:
        if number < len(solved):
            return solved, number
        number -= len(solved)
    return episodes[-1], len(episodes[-1]) - 1


def draw_solution(episodes: Sequence[SolvedEpisode], number: int, overlay: str = PATH, *, values: bool = True) -> Scene:
    """A scene, numbered through all episodes, with one overlay and its readings. values: those of the state, too."""
    solved, step = locate(episodes, number)
    state = solved.chapter.episode.states[step]
    picture = solved.chapter.scene(state)
    action = describe_action(solved.chapter.episode, step - 1) if step else "starts"
    drawn = draw_overlay(solved, step, overlay, choose_path_roles(episodes)[solved.chapter.agent])
    overlays = () if drawn is None else (drawn, *(find_companion_paths(solved, step) if overlay == PATH else ()))
    readings = [("acting", solved.chapter.agent), ("step", f"{step} of {len(solved) - 1}"), ("action", action)]
    for name, rewards in solved.rewards.items() if step else ():
        readings.append((f"{write_possessive(name)} reward", f"{rewards[step - 1]:g}"))
    for name, total in sum_returns(episodes, solved, step).items():
        readings.append((f"{write_possessive(name)} return", f"{total:g}"))
    if solved.performance is not None:
        readings.append(("hidden performance", f"{math.fsum(solved.performance[:step]):g}"))
    readings += list_values(solved, step).items() if values else ()
    if description := describe_state(solved.chapter.scenario, state):
        readings.append(("state", description))
    truncated = solved.chapter.episode.ending == "truncated" and step == len(solved) - 1
    ending = " ... and never finishes" if truncated and solved.chapter.agent != YOU else ""
    caption = f"{solved.chapter.agent}, step {step}: {action}{ending}{describe_sampling(solved.chapter)}"
    return replace(picture, overlays=overlays, caption=caption, readings=tuple(readings))


def sum_returns(episodes: Sequence[SolvedEpisode], until: SolvedEpisode, step: int) -> dict[str, float]:
    """Return each agent's undiscounted return up to a step of an episode, 0 for agents that act later."""
    totals: dict[str, float] = {}
    before = True
    for solved in episodes:
        current = solved is until
        for name, rewards in solved.rewards.items():
            counted = rewards[:step] if current else rewards if before else ()
            totals[name] = totals.get(name, 0.0) + sum(counted)
        before = before and not current
    return totals


def list_values(solved: SolvedEpisode, step: int) -> dict[str, str]:
    """Return every value function in the state at a step, as text."""
    number = solved.chapter.states[step]
    return {name: write_value(float(value[number])) for name, value in solved.solution.values.items()}


def write_possessive(agent: str) -> str:
    """Return an agent's name in the possessive."""
    return "your" if agent == YOU else f"{agent}'" if agent.endswith("s") else f"{agent}'s"


def describe_state(scenario: Scenario, state: Any) -> str:
    """The components of a state other than cells, without those that are "no", "none" or 0: "key held, hammer"."""
    described = scenario.describe(state)
    shown = ((name, value) for name, value in described.items() if not isinstance(value, list))
    told = ((name.replace("_", " "), value) for name, value in shown if value not in ("no", "none", 0))
    return ", ".join(name if value == "yes" else f"{name} {value}" for name, value in told)


def write_value(number: float) -> str:
    """Return a value as text short enough for a panel."""
    return write_number(number) if math.isfinite(number) else "never ends"


def draw_overlay(solved: SolvedEpisode, step: int, overlay: str, role: str = OWN_PATH) -> Overlay | None:
    """Return the overlay of that name at a step of an episode; None where the episode has none of that name.

    role: of the path. At the start the path is shown whole, then so far. Values are those of states in which the agent
    still acts.
    """
    if overlay == PATH:
        step = step or len(solved.chapter.episode.states) - 1
        return draw_path(solved, step, f"{write_possessive(solved.chapter.agent)} path", role)
    if overlay == VISITS:
        counts = Counter(list_visited_cells(solved, step))
        return Heat(VISITS, tuple((row, column, float(count)) for (row, column), count in sorted(counts.items())))
    table, policy, values = solved.solution
    state = solved.chapter.episode.states[step]
    scenario = solved.chapter.scenario
    moved = [(cell, scenario.with_agent_at(state, cell)) for cell in scenario.grid.floor]
    reachable = [(cell, table.index[other]) for cell, other in moved if other is not None and other in table.index]
    acting = [(cell, index) for cell, index in reachable if not table.terminal[index]]
    if overlay == POLICY:
        return Arrows(POLICY, tuple((*cell, table.actions[policy[index]]) for cell, index in acting))
    if overlay in values:
        return Heat(overlay, _keep_finite(acting, values[overlay]))
    return None


def choose_path_roles(episodes: Sequence[SolvedEpisode]) -> dict[str, str]:
    """The role of each agent's path, those of newcomers in turn; an agent has the same one wherever it is drawn."""
    newcomers = sorted({solved.chapter.agent for solved in episodes[1:]})
    return {**dict(zip(newcomers, itertools.cycle(OTHER_PATHS), strict=False)), episodes[0].chapter.agent: OWN_PATH}


def draw_path(solved: SolvedEpisode, step: int, name: str, role: str = OWN_PATH) -> Path:
    """Return the path of the acting agent up to a step; of a long one the last part."""
    return Path(name, list_visited_cells(solved, step)[-LONGEST_PATH:], role)


def find_companion_paths(solved: SolvedEpisode, step: int) -> tuple[Path, ...]:
    """Return the paths of agents present at the same time, read off the marks of role "other" in the scenes."""
    if len(solved.rewards) == 1:
        return ()
    visited: dict[str, list[tuple[int, int]]] = {}
    for state in solved.chapter.episode.states[: step + 1][-LONGEST_PATH:]:
        for mark in call_method(solved.chapter.scenario, "scene", state).marks:
            if mark.role == "other":
                visited.setdefault(mark.name, []).append((mark.row, mark.column))
    return tuple(
        Path(f"{write_possessive(name)} path", tuple(cells), role)
        for (name, cells), role in zip(visited.items(), itertools.cycle(OTHER_PATHS), strict=False)
    )


def find_newcomer_paths(episodes: Sequence[SolvedEpisode]) -> tuple[Path, ...]:
    """Return the paths of one or two newcomers that move; none of more, as they would hide one another."""
    newcomers = [solved for solved in episodes[1:] if len(set(list_visited_cells(solved, len(solved) - 1))) > 1]
    if len(newcomers) > len(OTHER_PATHS):
        return ()
    roles = choose_path_roles([episodes[0], *newcomers])
    return tuple(
        draw_path(
            solved, len(solved) - 1, f"{write_possessive(solved.chapter.agent)} path", roles[solved.chapter.agent]
        )
        for solved in newcomers
    )


def list_visited_cells(solved: SolvedEpisode, step: int) -> tuple[tuple[int, int], ...]:
    """(row, column) of the agent in every state up to a step; none in a world without places."""
    positions = map(solved.chapter.scenario.position, solved.chapter.episode.states[: step + 1])
    return tuple(tuple(position) for position in positions if position is not None)  # type: ignore[misc]


def _keep_finite(reachable: Sequence[tuple[Any, int]], value: Floats) -> tuple[tuple[int, int, float], ...]:
    numbers = [(cell, float(value[index])) for cell, index in reachable]
    return tuple((*cell, number) for cell, number in numbers if math.isfinite(number))
