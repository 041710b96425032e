"""What agents can get in the battery, beside an enumeration of all agents, and of all that random ones draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from engine.agent import Transition
from engine.randomness.random_sources import make_random_source
from xenv.environment import ExtendedEnvironment
from xenv.environments import ENVIRONMENTS, benchmark

Choose = Callable[[Any, int], int]


class Player:
    """An agent that is all of its past. choose: (past and observation, number of actions) -> an action."""

    learning_rate = 0.5

    def __init__(self, choose: Choose, n_actions: int, past: tuple[Any, ...] = ()) -> None:
        self.choose, self.n_actions, self.past = choose, n_actions, past

    def act(self, observation: int) -> int:
        return self.choose((self.past, int(observation), self.n_actions), self.n_actions)

    def train(self, transition: Transition) -> None:
        self.past = (*self.past, transition[:4])

    def fork(self) -> Player:
        return Player(self.choose, self.n_actions, self.past)


def play(environment_class: type[ExtendedEnvironment], choose: Choose, turns: int, seed: int) -> Fraction:
    """The total reward of one course, by the definition of a turn."""

    class Simulate:
        random_source = make_random_source("keys", seed, "environments")

        def __call__(self, n_actions: int = environment_class.n_actions, **changes: Any) -> Player:
            return Player(choose, n_actions)

    environment = environment_class(Simulate())  # type: ignore[arg-type]
    agent = Player(choose, environment_class.n_actions)
    observation, total = environment.start(), Fraction(0)
    for _ in range(turns):
        action = agent.act(observation)
        reward, following = environment.step(action)
        agent.train(Transition(observation, action, reward, following))
        observation, total = following, total + Fraction(reward)
    return total


def enumerate_courses(run: Callable[[Choose], Fraction], remembers: bool) -> Iterator[tuple[Fraction, Fraction]]:
    """Every course and its probability: a question has every answer, and if remembered the same one again."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        script = waiting.pop()
        counts: list[int] = []
        known: dict[Any, int] = {}

        def choose(
            question: Any, n: int, script: tuple[int, ...] = script, counts: list[int] = counts, known: Any = known
        ) -> int:
            if remembers and question in known:
                return int(known[question])
            answer = script[len(counts)] if len(counts) < len(script) else 0
            counts.append(n)
            known[question] = answer
            return answer

        total = run(choose)
        yield total, Fraction(1, math.prod(counts))
        answers = (*script, *[0] * (len(counts) - len(script)))
        waiting += [(*answers[:n], other) for n in range(len(script), len(counts)) for other in range(1, counts[n])]


@pytest.mark.parametrize("name", benchmark())
def test_the_reach_of_the_battery_is_that_of_all_agents(name: str) -> None:
    """Of all functions of the past the best one, and the mean over all that agent and copies may draw."""
    small = type("Small", (ENVIRONMENTS[name],), {"n_actions": min(ENVIRONMENTS[name].n_actions, 3)})
    turns = 3 if max(small.n_actions, small.n_observations) <= 2 else 2
    for seed in (1, 2) if small.n_observations > 1 else (1,):
        reach = small.find_reach(turns, make_random_source("keys", seed, "environments"))
        assert reach is not None
        best = max(total for total, _ in enumerate_courses(lambda c, s=seed: play(small, c, turns, s), True))
        drawn = list(enumerate_courses(lambda c, s=seed: play(small, c, turns, s), False))
        assert sum(chance for _, chance in drawn) == 1
        assert reach.best == best
        assert reach.random == pytest.approx(float(sum(total * chance for total, chance in drawn)), abs=1e-12)
