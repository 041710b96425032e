"""Turns a second in extended environments: ours against a plain loop over objects whose tables are dictionaries.

    python benchmarks/battery.py [--quick]

Both run the same environments with the same draws in the same process, and must earn the same; compiling is not
counted (it happens once, before the clock starts, and is cached on disk). Turns are per second of a processor. Prints a
line a pair and the ratios.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from engine.agent import Transition
from engine.randomness.random_sources import RandomSource, make_random_source
from xenv import names
from xenv.interaction_loop import run_environment
from xenv.opposites import SignedEnvironment
from xenv.simulation import Simulate

ENVIRONMENTS = ("ignore_rewards", "repeater", "tempting_button", "crying_baby", "nth_reward_times_n", "after_images")
AGENTS = ("q_learning", "simple", "reality_check(q_learning)", "reality_check(simple)")


class PlainQLearner:
    """Q-learning with a dictionary from (observation, action) to value."""

    def __init__(self, n_actions: int, source: RandomSource) -> None:
        self.actions = range(n_actions)
        self.pool = source.pool.tolist()
        self.drawn = 0
        self.values: defaultdict[tuple[int, int], float] = defaultdict(float)

    def act(self, observation: int) -> int:
        values = [self.values[observation, action] for action in self.actions]
        if not any(values) or self.pool[self.drawn % len(self.pool)] > 0.9:
            return int(self.pool[(self.drawn + 1) % len(self.pool)] * len(values))
        return values.index(max(values))

    def train(self, transition: Transition) -> None:
        best = max(self.values[transition.next_observation, action] for action in self.actions)
        known = self.values[transition.observation, transition.action]
        self.values[transition.observation, transition.action] = known + 0.1 * (transition.reward + 0.9 * best - known)
        self.drawn += 2


class PlainSimple:
    """The simple agent with a set of punished (observation, action)."""

    def __init__(self, n_actions: int) -> None:
        self.actions = range(n_actions)
        self.punished: set[tuple[int, int]] = set()

    def act(self, observation: int) -> int:
        return next((action for action in self.actions if (observation, action) not in self.punished), 0)

    def train(self, transition: Transition) -> None:
        if transition.reward < 0:
            self.punished.add((transition.observation, transition.action))


class PlainRealityCheck:
    """The reality check of a plain agent."""

    def __init__(self, underlying: Any) -> None:
        self.underlying = underlying
        self.first = None
        self.frozen = False

    def act(self, observation: int) -> int:
        return self.first if self.frozen else self.underlying.act(observation)

    def train(self, transition: Transition) -> None:
        if self.frozen:
            return
        own = self.underlying.act(transition.observation)
        self.first = own if self.first is None else self.first
        if own == transition.action:
            self.underlying.train(transition)
        else:
            self.frozen = True


class PlainSpec:
    """Builds the plain agent of a name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def build(self, n_observations: int, n_actions: int, key: int) -> Any:
        source = make_random_source("published", key, "agents")
        plain = PlainQLearner(n_actions, source) if "q_learning" in self.name else PlainSimple(n_actions)
        return PlainRealityCheck(plain) if self.name.startswith("reality_check") else plain


def run_plainly(environment: str, agent: str, turns: int) -> float:
    """The plain loop."""
    make = names.environment_factory(environment)
    simulate = Simulate(PlainSpec(agent), make.n_observations, make.n_actions, 1, "published")  # type: ignore[arg-type]
    world = make(simulate)
    actor = simulate()
    if isinstance(world, SignedEnvironment):
        world, sign = world.environment, world.agent_reward_sign
    else:
        sign = 1.0
    total, observation = 0.0, world.start()
    for _ in range(turns):
        action = actor.act(observation)
        reward, following = world.step(action)
        actor.train(Transition(observation, action, sign * reward, following))
        total, observation = total + sign * reward, following
    return total


def run_compiled(environment: str, agent: str, turns: int) -> float:
    """Ours, compiled."""
    return run_environment(environment, agent, turns, 1, randomness="published", compiled=True).total_reward


def main() -> None:
    """Measure, print, and fail where totals differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer environments and turns")
    add_ratios_option(parser)
    options = parser.parse_args()
    quick, kept = options.quick, Ratios("battery", options.ratios, quick=options.quick)
    turns, plain_turns = (200_000, 20_000) if quick else (2_000_000, 100_000)
    print(f"{'agent':28} {'environment':32} {'ours, turns/s':>14} {'plain':>10} {'ratio':>7}")
    ratios: dict[str, list[float]] = {agent: [] for agent in AGENTS}
    for agent in AGENTS:
        for name in ENVIRONMENTS[:3] if quick else ENVIRONMENTS:
            for environment in (name, f"opposite({name})"):
                assert run_compiled(environment, agent, plain_turns) == run_plainly(environment, agent, plain_turns)
                began = time.process_time()
                run_compiled(environment, agent, turns)
                between = time.process_time()
                run_plainly(environment, agent, plain_turns)
                ended = time.process_time()
                ours = turns / (between - began)
                plain = plain_turns / (ended - between)
                ratios[agent].append(ours / plain)
                print(f"{agent:28} {environment:32} {ours:14,.0f} {plain:10,.0f} {ours / plain:6.0f}x")
    for agent, measured in ratios.items():
        kept.add(agent, *measured)
        print(f"{agent:28} ratio: median {statistics.median(measured):.0f}x, least {min(measured):.0f}x")


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
