"""Outcomes of chance, one after the other: those that are given by name, then random ones of a seed.

An episode's first draw is its start state, where there are several; then every step takes one draw in which more than
one thing may happen. The parts of a name come in any order. What was given may name an outcome in part: of
"friend+left" and "friend+right", "friend" leaves the rest to the seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from craftworld.scenario import Scenario
from engine.contracts import called
from engine.errors import BadValue, UnknownName, argument
from engine.mdp.columns import branches
from engine.mdp.independent_events import NOTHING, IndependentEvents
from engine.randomness.counter_based import split, uniform
from engine.randomness.inverse_cdf import inverse_cdf

MOST_LISTED = 30


class ChanceDraws:
    """Draws of one episode. given: names of outcomes, for the first draws. seed: of all further ones."""

    def __init__(self, given: Sequence[str] = (), seed: int = 0) -> None:
        self._given, self.taken = tuple(given), list[str]()
        self._start, self._steps = split(seed, "start"), split(seed, "acting agent")

    def start(self, scenario: Scenario) -> Any:
        """The start state."""
        starts = {state: chance for state, chance in called(scenario, "starts").items() if chance > 0.0}
        if len(starts) == 1:
            return next(iter(starts))
        names: Mapping[Any, str] = called(scenario, "start_names")
        picked = self._pick([names[state] for state in starts], list(starts.values()), uniform(self._start, 0))
        return list(starts)[picked]

    def step(self, scenario: Scenario, state: Any, action: int, number: int) -> Any:
        """The next state, columns of one state in and out. number: of the step, from 0."""
        given = called(scenario, "step", state, action)
        if isinstance(given, IndependentEvents):
            return self._events(scenario, given, number)
        listed = [branch for branch in branches(given, 1, scenario, "step") if branch.probability[0] > 0.0]
        if len(listed) == 1:
            return listed[0].state
        names = [branch.name or str(place + 1) for place, branch in enumerate(listed)]
        chances = [float(branch.probability[0]) for branch in listed]
        return listed[self._pick(names, chances, uniform(self._steps, number))].state

    def require_all_taken(self) -> None:
        """BadValue where an outcome was given for which there was no draw."""
        left = self._given[len(self.taken) :]
        if left:
            draws = f"chance decides {len(self.taken)} time{'' if len(self.taken) == 1 else 's'} in this episode"
            raise BadValue(f"'{left[0]}' is left over: {draws}", place=argument("chance"), remedy="leave it out")

    def _next(self) -> tuple[str | None, str]:
        """The outcome that is given for this draw, None where the seed decides, and the place for messages."""
        number = len(self.taken)
        given = self._given[number] if number < len(self._given) else None
        return given, f"{argument('chance')}, outcome {number + 1}"

    def _pick(self, names: list[str], chances: list[float], number: float) -> int:
        """The place of what is given or drawn."""
        wanted, place = self._next()
        if wanted is not None:
            parts, named = [{*name.split("+")} for name in names], {*wanted.split("+")}
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

    def _events(self, scenario: Scenario, given: IndependentEvents, number: int) -> Any:
        chances = [float(np.broadcast_to(event.probability, (1,))[0]) for event in given.events]
        open_events = [event.name for event, chance in zip(given.events, chances, strict=True) if 0.0 < chance < 1.0]
        happens = [uniform(self._steps, number, place) < chance for place, chance in enumerate(chances)]
        if open_events:
            wanted, place = self._next()
            if wanted is not None:
                named = set() if wanted == NOTHING else {*wanted.split("+")}
                for name in sorted(named - {*open_events}):
                    raise UnknownName("outcome", name, [NOTHING, *open_events], place=place)
                happens = [
                    event.name in named or chance == 1.0 for event, chance in zip(given.events, chances, strict=True)
                ]
        _, state, name = given.outcome(happens)
        if open_events:
            self.taken.append(name)
        return branches([(1.0, state)], 1, scenario, "step")[0].state
