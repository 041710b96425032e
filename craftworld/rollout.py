"""Replay actions in a scenario, step by step: what the agent observes, its reward, and the hidden performance.

No table is made, so that worlds of any size can be replayed. Where chance decides, the first outcomes may be named; the
others are drawn from a seed. An episode's first draw is its start state, if it has several; then every step with more
than one possible outcome takes one draw. The nth step uses the same random number whatever came before. The parts of an
outcome's name come in any order, and a name may be incomplete: of "friend+left" and "friend+right", "friend" leaves the
rest to the seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from craftworld.scenario import Scenario
from engine.contracts import call_method
from engine.errors import BadValue, UnknownName, argument
from engine.mdp.columns import NOTHING, IndependentEvents, protect_columns, read_branches, read_number_column
from engine.mdp.policies import Episode, Step
from engine.randomness.counter_based import inverse_cdf, randrange, split, uniform
from engine.user_code import describe_place, user_code

MOST_LISTED = 30


class ChanceDraws:
    """The random outcomes of one episode. named: the first ones, by name. seed: of all further ones."""

    def __init__(self, named: Sequence[str] = (), seed: int = 0) -> None:
        self._named = tuple(named)
        self.taken = list[str]()
        self._start, self._steps = split(seed, "start"), split(seed, "acting agent")

    def start(self, scenario: Scenario) -> Any:
        """Draw the start state."""
        starts = {state: chance for state, chance in call_method(scenario, "starts").items() if chance > 0.0}
        if len(starts) == 1:
            return next(iter(starts))
        names: Mapping[Any, str] = call_method(scenario, "start_names")
        picked = self._pick([names[state] for state in starts], list(starts.values()), uniform(self._start, 0))
        return list(starts)[picked]

    def step(self, scenario: Scenario, state: Any, action: int, number: int) -> Any:
        """Draw the next state, columns of one state in and out. number: of the step, from 0."""
        following = call_method(scenario, "step", state, action)
        if isinstance(following, IndependentEvents):
            return self._draw_events(scenario, following, number)
        listed = [branch for branch in read_branches(following, 1, scenario, "step") if branch.probability[0] > 0.0]
        if len(listed) == 1:
            return listed[0].state
        names = [branch.name or str(place + 1) for place, branch in enumerate(listed)]
        chances = [float(branch.probability[0]) for branch in listed]
        return listed[self._pick(names, chances, uniform(self._steps, number))].state

    def require_all_taken(self) -> None:
        """Raise BadValue where an outcome was named for which there was no draw."""
        left = self._named[len(self.taken) :]
        if left:
            draws = f"chance decides {len(self.taken)} time{'' if len(self.taken) == 1 else 's'} in this episode"
            raise BadValue(f"'{left[0]}' is left over: {draws}", place=argument("chance"), remedy="leave it out")

    def _next_outcome(self) -> tuple[str | None, str]:
        """Return the name of this draw's outcome, None where the seed decides, and the place for messages."""
        number = len(self.taken)
        name = self._named[number] if number < len(self._named) else None
        return name, f"{argument('chance')}, outcome {number + 1}"

    def _pick(self, names: list[str], chances: list[float], number: float) -> int:
        """Return the index of the outcome that is named or drawn."""
        wanted, place = self._next_outcome()
        if wanted is not None:
            parts = [{*name.split("+")} for name in names]
            named = {*wanted.split("+")}
            matching = [each == named for each in parts]
            if not any(matching):
                matching = [named <= each for each in parts]
            if not any(matching):
                simple = [name for name in names if "+" not in name]  # of many, those that the others are made of
                raise UnknownName("outcome", wanted, names if len(names) <= MOST_LISTED else simple, place=place)
            chances = [chance if fits else 0.0 for chance, fits in zip(chances, matching, strict=True)]
        picked = inverse_cdf(np.array(chances), number * sum(chances))
        self.taken.append(names[picked])
        return picked

    def _draw_events(self, scenario: Scenario, events: IndependentEvents, number: int) -> Any:
        chances = [float(np.broadcast_to(event.probability, (1,))[0]) for event in events.events]
        open_events = [event.name for event, chance in zip(events.events, chances, strict=True) if 0.0 < chance < 1.0]
        happens = [uniform(self._steps, number, place) < chance for place, chance in enumerate(chances)]
        if open_events:
            wanted, place = self._next_outcome()
            if wanted is not None:
                named = set() if wanted == NOTHING else {*wanted.split("+")}
                for name in sorted(named - {*open_events}):
                    raise UnknownName("outcome", name, [NOTHING, *open_events], place=place)
                happens = [
                    event.name in named or chance == 1.0 for event, chance in zip(events.events, chances, strict=True)
                ]
        _, state, name = events.outcome(happens)
        if open_events:
            self.taken.append(name)
        return read_branches([(1.0, state)], 1, scenario, "step")[0].state


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
    """An episode that is being replayed. state: the present one. terminated: whether the world has ended it.

    chance, seed: as for `rollout`.
    """

    def __init__(self, scenario: Scenario, *, seed: int = 0, chance: Sequence[str] = ()) -> None:
        self.scenario = scenario
        self._seed = seed
        self._named = len(chance)
        self.draws = ChanceDraws(chance, seed)
        with user_code(describe_place(scenario)):
            self.start = self.state = self.draws.start(scenario)
            self.terminated = _read_flag(scenario, "is_terminal", _make_columns(self.start))
        self._steps, self._performance = list[Step](), list[float]()

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return len(self._steps)

    @property
    def over(self) -> str:
        """Why no step can follow; empty where one can."""
        if self.terminated:
            return "the world has ended the episode"
        return "that is the step limit" if len(self._steps) >= self.scenario.time_limit else ""

    def available(self) -> tuple[str, ...]:
        """Return the actions that can be taken now; none after the end."""
        columns = _make_columns(self.state)
        names = self.scenario.actions
        if self.over:
            return ()
        return tuple(name for n, name in enumerate(names) if _read_flag(self.scenario, "available", columns, n))

    def take(self, name: str) -> tuple[float, float]:
        """Take one step; return its reward and what it adds to the hidden performance.

        Raises UnknownName for an action that does not exist, BadValue for one that is not available.
        """
        scenario = self.scenario
        number = len(self._steps)
        where = f"{argument('actions')}, action {number + 1}"
        if name not in scenario.actions:
            raise UnknownName("action", name, scenario.actions, place=where)
        if self.over:
            raise BadValue(f"'{name}' comes after step {number}: {self.over}", place=where, remedy=LEAVE_OUT)
        possible = self.available()
        if name not in possible:
            remedy = f"choose from {', '.join(possible)}"
            raise BadValue(f"'{name}' cannot be taken here", place=where, remedy=remedy)
        with user_code(describe_place(scenario)):
            action = scenario.actions.index(name)
            columns = _make_columns(self.state)
            following = protect_columns(self.draws.step(scenario, columns, action, number))
            reward, hidden = (
                _read_amount(scenario, each, columns, action, following) for each in ("reward", "performance")
            )
            ends = _read_flag(scenario, "ends", columns, action, following)
            self.terminated = ends or _read_flag(scenario, "is_terminal", following)
            after = type(self.start)(*(int(field[0]) for field in following))
        self._steps.append(Step(self.state, name, reward, after))
        self._performance.append(hidden)
        self.state = after
        return reward, hidden

    def episode(self) -> ReplayedEpisode:
        """Return the episode so far."""
        ending: Literal["terminated", "truncated"] = "terminated" if self.terminated else "truncated"
        drawn = tuple(self.draws.taken)
        return ReplayedEpisode(
            self.scenario,
            Episode(self.start, tuple(self._steps), ending),
            tuple(self._performance),
            self.terminated,
            drawn,
            self._seed if len(drawn) > self._named else None,
        )


def rollout(
    scenario: Scenario, actions: Sequence[str], *, seed: int = 0, chance: Sequence[str] = ()
) -> ReplayedEpisode:
    """Replay actions, by name, from a start state.

    seed: of what is left to chance. chance: names of outcomes, for the first draws (`craftworld.rollout`).
    Raises UnknownName for an action or outcome that is unknown, BadValue for an action that cannot be taken, that comes
    after the end, or an outcome for which there is no draw.
    """
    replay = EpisodeReplay(scenario, seed=seed, chance=chance)
    for action in actions:
        replay.take(action)
    replay.draws.require_all_taken()
    return replay.episode()


def random_walk(scenario: Scenario, seed: int) -> ReplayedEpisode:
    """Play an episode of actions drawn uniformly from the available ones. seed: of actions and chance."""
    replay = EpisodeReplay(scenario, seed=seed)
    key = split(seed, "random walk")
    while possible := replay.available():
        replay.take(possible[randrange(len(possible), key, replay.steps)])
    return replay.episode()


def compute_episode_performance(scenario: Scenario, episode: Episode) -> tuple[float, ...]:
    """Compute what each step of an episode adds to the hidden performance."""
    return tuple(
        _read_amount(
            scenario,
            "performance",
            _make_columns(step.state),
            scenario.actions.index(step.action),
            _make_columns(step.next_state),
        )
        for step in episode.steps
    )


def _make_columns(state: Any) -> Any:
    """Return a state as columns of length 1."""
    return protect_columns(type(state)(*(np.array([field], dtype=np.int64) for field in state)))


def _read_amount(scenario: Scenario, method: str, state: Any, action: int, following: Any) -> float:
    returned = call_method(scenario, method, state, action, following)
    return float(read_number_column(returned, 1, scenario, method, "iuf", "finite number")[0])


def _read_flag(scenario: Scenario, method: str, *arguments: Any) -> bool:
    returned = call_method(scenario, method, *arguments)
    return bool(read_number_column(returned, 1, scenario, method, "b", "bool")[0])
