"""Actions replayed in a scenario, step by step: what the agent observes, its reward, and the hidden performance.

No table is made, so that worlds of any size can be replayed. Where chance decides, outcomes are given by name or drawn
from a seed: the nth step takes the same random number whatever came before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from craftworld.chance_draws import ChanceDraws
from craftworld.scenario import Scenario
from engine.contracts import called
from engine.errors import BadValue, UnknownName, argument
from engine.mdp.columns import number_column, read_only
from engine.mdp.episode import Episode, Step
from engine.randomness.counter_based import randrange, split
from engine.user_code import place_of, user_code

LEAVE_OUT = "leave out what follows"


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


class EpisodeReplay:
    """An episode that is under way. state: the present one. terminated: whether the world has ended it.

    chance, seed: as for `rollout`.
    """

    def __init__(self, scenario: Scenario, *, seed: int = 0, chance: Sequence[str] = ()) -> None:
        self.scenario, self._seed, self._given = scenario, seed, len(chance)
        self.draws = ChanceDraws(chance, seed)
        with user_code(place_of(scenario)):
            self.start = self.state = self.draws.start(scenario)
            self.terminated = _flag(scenario, "is_terminal", _column(self.start))
        self._steps, self._performance = list[Step](), list[float]()

    @property
    def steps(self) -> int:
        """How many steps have been taken."""
        return len(self._steps)

    @property
    def over(self) -> str:
        """Why no step can follow; empty where one can."""
        if self.terminated:
            return "the world has ended the episode"
        return "that is the step limit" if len(self._steps) >= self.scenario.time_limit else ""

    def available(self) -> tuple[str, ...]:
        """The actions that can be taken now; none after the end."""
        columns, names = _column(self.state), self.scenario.actions
        if self.over:
            return ()
        return tuple(name for n, name in enumerate(names) if _flag(self.scenario, "available", columns, n))

    def take(self, name: str) -> tuple[float, float]:
        """One step: its reward, and what it adds to the hidden performance.

        Raises UnknownName or BadValue for an action that there is not, or not now.
        """
        scenario, number = self.scenario, len(self._steps)
        where = f"{argument('actions')}, action {number + 1}"
        if name not in scenario.actions:
            raise UnknownName("action", name, scenario.actions, place=where)
        if self.over:
            raise BadValue(f"'{name}' comes after step {number}: {self.over}", place=where, remedy=LEAVE_OUT)
        possible = self.available()
        if name not in possible:
            remedy = f"choose from {', '.join(possible)}"
            raise BadValue(f"'{name}' cannot be taken here", place=where, remedy=remedy)
        with user_code(place_of(scenario)):
            action, columns = scenario.actions.index(name), _column(self.state)
            following = read_only(self.draws.step(scenario, columns, action, number))
            reward, hidden = (_amount(scenario, each, columns, action, following) for each in ("reward", "performance"))
            ends = _flag(scenario, "ends", columns, action, following)
            self.terminated = ends or _flag(scenario, "is_terminal", following)
            after = type(self.start)(*(int(field[0]) for field in following))
        self._steps.append(Step(self.state, name, reward, after))
        self._performance.append(hidden)
        self.state = after
        return reward, hidden

    def episode(self) -> ReplayedEpisode:
        """What has happened so far."""
        ending: Literal["terminated", "truncated"] = "terminated" if self.terminated else "truncated"
        drawn = tuple(self.draws.taken)
        return ReplayedEpisode(
            self.scenario,
            Episode(self.start, tuple(self._steps), ending),
            tuple(self._performance),
            self.terminated,
            drawn,
            self._seed if len(drawn) > self._given else None,
        )


def rollout(
    scenario: Scenario, actions: Sequence[str], *, seed: int = 0, chance: Sequence[str] = ()
) -> ReplayedEpisode:
    """The episode that actions, by name, lead to from a start state.

    seed: of what is left to chance. chance: names of outcomes, for the first draws (`craftworld.chance_draws`).
    Raises UnknownName for an action or outcome that is unknown, BadValue for an action that cannot be taken, that comes
    after the end, or an outcome for which there is no draw.
    """
    replay = EpisodeReplay(scenario, seed=seed, chance=chance)
    for action in actions:
        replay.take(action)
    replay.draws.require_all_taken()
    return replay.episode()


def random_walk(scenario: Scenario, seed: int) -> ReplayedEpisode:
    """A whole episode of actions drawn uniformly from those that can be taken. seed: of actions and chance."""
    replay, key = EpisodeReplay(scenario, seed=seed), split(seed, "random walk")
    while possible := replay.available():
        replay.take(possible[randrange(len(possible), key, replay.steps)])
    return replay.episode()


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
    inner = getattr(scenario, "__wrapped__", scenario)
    return type(inner if isinstance(inner, Scenario) else scenario).performance is Scenario.performance


def _column(state: Any) -> Any:
    """A state as columns of length 1."""
    return read_only(type(state)(*(np.array([field], dtype=np.int64) for field in state)))


def _amount(scenario: Scenario, method: str, state: Any, action: int, following: Any) -> float:
    given = called(scenario, method, state, action, following)
    return float(number_column(given, 1, scenario, method, "iuf", "finite number")[0])


def _flag(scenario: Scenario, method: str, *arguments: Any) -> bool:
    given = called(scenario, method, *arguments)
    return bool(number_column(given, 1, scenario, method, "b", "bool")[0])
