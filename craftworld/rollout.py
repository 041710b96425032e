"""Actions replayed in a scenario, step by step: what the agent observes, its reward, and the hidden performance.

No table is made, so that worlds of any size can be replayed. Where chance decides, outcomes are given by name or drawn
from a seed: the nth step takes the same random number whatever came before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from craftworld.chance_draws import ChanceDraws
from craftworld.scenario import Scenario
from engine.contracts import called
from engine.errors import BadValue, UnknownName
from engine.mdp.columns import number_column, read_only
from engine.mdp.episode import Episode, Step
from engine.user_code import place_of, user_code

PLACE = "--actions"


@dataclass(frozen=True)
class ReplayedEpisode:
    """An episode, or the beginning of one, with its hidden performance.

    episode: states, actions and observed rewards. performance: what each step adds to the hidden performance.
    terminated: whether the world itself has ended the episode. chance: the outcomes of all draws, by name. seed: of the
    draws; None where nothing depended on it.
    """

    scenario: Scenario
    episode: Episode
    performance: tuple[float, ...]
    terminated: bool
    chance: tuple[str, ...] = ()
    seed: int | None = None

    @property
    def finished(self) -> bool:
        """Whether no step can follow: the world has ended the episode, or the time limit has."""
        return self.terminated or len(self.episode.steps) >= self.scenario.time_limit


def rollout(
    scenario: Scenario, actions: Sequence[str], *, seed: int = 0, chance: Sequence[str] = ()
) -> ReplayedEpisode:
    """The episode that actions, by name, lead to from a start state.

    seed: of what is left to chance. chance: names of outcomes, for the first draws (`craftworld.chance_draws`).
    Raises UnknownName for an action or outcome that is unknown, BadValue for an action that cannot be taken, that comes
    after the end, or an outcome for which there is no draw.
    """
    numbers = [_action_number(scenario, action, place) for place, action in enumerate(actions)]
    draws = ChanceDraws(chance, seed)
    with user_code(place_of(scenario)):
        start = draws.start(scenario)
        state, terminated = start, _flag(scenario, "is_terminal", _column(start))
        steps, performance = list[Step](), list[float]()
        for place, action in enumerate(numbers):
            _require_possible(scenario, state, action, place, terminated)
            columns = _column(state)
            following = read_only(draws.step(scenario, columns, action, place))
            reward, hidden = (_amount(scenario, name, columns, action, following) for name in ("reward", "performance"))
            ends = _flag(scenario, "ends", columns, action, following)
            terminated = ends or _flag(scenario, "is_terminal", following)
            after = type(start)(*(int(field[0]) for field in following))
            steps.append(Step(state, scenario.actions[action], reward, after))
            performance.append(hidden)
            state = after
    draws.require_all_taken()
    episode = Episode(start, tuple(steps), "terminated" if terminated else "truncated")
    drawn = tuple(draws.taken)
    return ReplayedEpisode(
        scenario, episode, tuple(performance), terminated, drawn, seed if len(drawn) > len(chance) else None
    )


def episode_performance(scenario: Scenario, episode: Episode) -> tuple[float, ...]:
    """What each step of an episode adds to the hidden performance."""
    return tuple(
        _amount(
            scenario,
            "performance",
            _column(step.state),
            scenario.actions.index(step.action),
            _column(step.next_state),
        )
        for step in episode.steps
    )


def observes_performance(scenario: Scenario) -> bool:
    """Whether a scenario's performance is its return: it has no hidden reward of its own."""
    return type(scenario).performance is Scenario.performance


def _column(state: Any) -> Any:
    """A state as columns of length 1."""
    return read_only(type(state)(*(np.array([field], dtype=np.int64) for field in state)))


def _amount(scenario: Scenario, method: str, state: Any, action: int, following: Any) -> float:
    given = called(scenario, method, state, action, following)
    return float(number_column(given, 1, scenario, method, "iuf", "finite number")[0])


def _flag(scenario: Scenario, method: str, *arguments: Any) -> bool:
    given = called(scenario, method, *arguments)
    return bool(number_column(given, 1, scenario, method, "b", "bool")[0])


def _action_number(scenario: Scenario, action: str, place: int) -> int:
    if action not in scenario.actions:
        raise UnknownName("action", action, scenario.actions, place=f"{PLACE}, action {place + 1}")
    return scenario.actions.index(action)


def _require_possible(scenario: Scenario, state: Any, action: int, place: int, terminated: bool) -> None:
    """BadValue where the episode is over, or the action cannot be taken."""
    name, where = scenario.actions[action], f"{PLACE}, action {place + 1}"
    if terminated or place >= scenario.time_limit:
        why = "the world has ended the episode" if terminated else "that is the step limit"
        raise BadValue(f"'{name}' comes after step {place}: {why}", place=where, remedy="leave out what follows")
    can = [_flag(scenario, "available", _column(state), number) for number in range(len(scenario.actions))]
    if not can[action]:
        possible = ", ".join(each for each, available in zip(scenario.actions, can, strict=True) if available)
        raise BadValue(f"'{name}' cannot be taken here", place=where, remedy=f"choose from {possible}")
