"""Turns per second in extended environments: compiled, in our plain loop, and in a lean loop of a few lines.

    python benchmarks/battery.py [--quick]

The baseline is the lean loop: what one would write for these environments and agents alone, with lists for tables,
numbers for arguments, and nothing that is checked or general. Beside it stands our own plain loop over objects whose
tables are dictionaries. All three run the same environments with the same draws in the same process, and must earn the
same. Compiling is not counted: it happens once, before the clock starts, and is cached on disk. Turns are per second of
processor time. Prints a line per pair, and the ratios to the lean loop.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from engine.agent import Transition
from engine.randomness.random_sources import RandomSource, make_random_source
from xenv import names
from xenv.environments.copies_in_other_roles import FEED, LAUGH
from xenv.environments.tempting_buttons import BUTTON, NO_BUTTON, PROBABILITY_OF_NO_BUTTON, PUSH
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


class LeanQLearner:
    """Q-learning with a list of values per observation."""

    def __init__(self, n_observations: int, n_actions: int, pool: list[float]) -> None:
        self.values = [[0.0] * n_actions for _ in range(n_observations)]
        self.pool, self.size, self.drawn, self.n_actions = pool, len(pool), 0, n_actions

    def act(self, seen: int) -> int:
        row, drawn = self.values[seen], self.drawn
        if self.pool[drawn % self.size] > 0.9 or not any(row):
            return int(self.pool[(drawn + 1) % self.size] * self.n_actions)
        return row.index(max(row))

    def train(self, seen: int, action: int, reward: float, following: int) -> None:
        row = self.values[seen]
        known = row[action]
        row[action] = known + 0.1 * (reward + 0.9 * max(self.values[following]) - known)
        self.drawn += 2


class LeanSimple:
    """The simple agent with the first action that was not punished, per observation."""

    def __init__(self, n_observations: int, n_actions: int, pool: list[float]) -> None:
        self.punished = [[False] * n_actions for _ in range(n_observations)]
        self.first = [0] * n_observations

    def act(self, seen: int) -> int:
        return self.first[seen]

    def train(self, seen: int, action: int, reward: float, following: int) -> None:
        if reward < 0.0:
            row = self.punished[seen]
            row[action] = True
            self.first[seen] = 0 if all(row) else row.index(False)


class LeanRealityCheck:
    """The reality check of a lean agent."""

    def __init__(self, underlying: Any) -> None:
        self.underlying, self.first, self.frozen = underlying, -1, False
        self.act, self.learn = underlying.act, underlying.train

    def train(self, seen: int, action: int, reward: float, following: int) -> None:
        if self.frozen:
            return
        own = self.underlying.act(seen)
        if self.first < 0:
            self.first = own
        if own == action:
            self.learn(seen, action, reward, following)
        else:
            self.frozen = True
            self.act = lambda seen: self.first


def run_leanly(environment: str, agent: str, turns: int) -> float:
    """The lean loop of an environment: its rules stand in the loop."""
    name = environment.removeprefix("opposite(").removesuffix(")")
    sign = 1.0 if name == environment else -1.0
    seen_by = {"tempting_button": 2, "crying_baby": 2, "after_images": 8}.get(name, 1)
    n_actions = names.environment_factory(name).n_actions
    pool = make_random_source("published", 1, "agents").pool.tolist()
    draws = make_random_source("published", 1, "environments").pool.tolist()
    kind = LeanQLearner if "q_learning" in agent else LeanSimple

    def make() -> Any:
        made = kind(seen_by, n_actions, pool)
        return LeanRealityCheck(made) if agent.startswith("reality_check") else made

    return LEAN_LOOPS.get(name, run_lean_imagined)(name, make(), make(), draws, sign, turns)


def run_lean_imagined(name: str, actor: Any, copy: Any, draws: list[float], sign: float, turns: int) -> float:
    """Environments with one observation whose copy is trained on other rewards."""
    total = 0.0
    for turn in range(turns):
        action = actor.act(0)
        reward = 1.0 if action == copy.act(0) else -1.0
        if name == "ignore_rewards":
            copy.train(0, action, 0.0, 0)
        elif name == "repeater":
            copy.train(0, action, reward, 0)
            copy.train(0, action, reward, 0)
        else:
            copy.train(0, action, reward * turn, 0)
        actor.train(0, action, sign * reward, 0)
        total += sign * reward
    return total


def run_lean_button(name: str, actor: Any, copy: Any, draws: list[float], sign: float, turns: int) -> float:
    """The tempting button."""
    total, seen, size = 0.0, BUTTON, len(draws)
    for turn in range(turns):
        action = actor.act(seen)
        if seen == BUTTON:
            reward = 1.0 if action == PUSH else -1.0
        else:
            reward = -1.0 if copy.act(BUTTON) == PUSH else 1.0
        shown = NO_BUTTON if draws[(turn + 2) % size] < PROBABILITY_OF_NO_BUTTON else BUTTON
        copy.train(seen, action, reward, shown)
        actor.train(seen, action, sign * reward, shown)
        total, seen = total + sign * reward, shown
    return total


def run_lean_baby(name: str, actor: Any, copy: Any, draws: list[float], sign: float, turns: int) -> float:
    """The crying baby."""
    total, seen, full, last_action = 0.0, LAUGH, 5, FEED
    for _ in range(turns):
        action = actor.act(seen)
        if action == FEED:
            full = full + 1 if full < 9 else 9
        else:
            full = full - 1 if full > 0 else 0
        sound = copy.act(action)
        copy.train(last_action, sound, 1.0 if 2 < full < 8 else -1.0, action)
        last_action = action
        reward = sign if sound == LAUGH else -sign
        actor.train(seen, action, reward, sound)
        total, seen = total + reward, sound
    return total


def run_lean_images(name: str, actor: Any, copy: Any, draws: list[float], sign: float, turns: int) -> float:
    """After-images."""
    total, size = 0.0, len(draws)
    seen = sight = int(draws[0] * 8)
    for turn in range(turns):
        action = actor.act(seen)
        reward = 1.0 if action == copy.act(sight) else -1.0
        shown = int(draws[(turn + 1) % size] * 8)
        blurred = shown | seen
        copy.train(sight, action, reward, blurred)
        actor.train(seen, action, sign * reward, shown)
        total, seen, sight = total + sign * reward, shown, blurred
    return total


LEAN_LOOPS = {"tempting_button": run_lean_button, "crying_baby": run_lean_baby, "after_images": run_lean_images}


def run_compiled(environment: str, agent: str, turns: int) -> float:
    """Ours, compiled."""
    return run_environment(environment, agent, turns, 1, randomness="published", compiled=True).total_reward


def time_turns(
    run: Callable[[str, str, int], float], environment: str, agent: str, turns: int, earns: float | None = None
) -> float:
    """Turns per second of processor time."""
    began = time.process_time()
    earned = run(environment, agent, turns)
    seconds = time.process_time() - began
    assert earns is None or earned == earns
    return turns / seconds


def main() -> None:
    """Measure, print, and fail where totals differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer environments and turns")
    add_ratios_option(parser)
    options = parser.parse_args()
    quick, kept = options.quick, Ratios("battery", options.ratios, quick=options.quick, least=14.0)
    turns, plain_turns = (200_000, 20_000) if quick else (2_000_000, 100_000)
    print(f"{'agent':28} {'environment':32} {'compiled':>12} {'plain':>10} {'lean':>10} {'compiled/lean':>14}")
    ratios: dict[str, list[float]] = {agent: [] for agent in AGENTS}
    for agent in AGENTS:
        for name in ENVIRONMENTS[:3] if quick else ENVIRONMENTS:
            for environment in (name, f"opposite({name})"):
                earned = run_leanly(environment, agent, plain_turns)
                assert run_compiled(environment, agent, plain_turns) == earned
                compiled = time_turns(run_compiled, environment, agent, turns)
                lean = time_turns(run_leanly, environment, agent, plain_turns)
                plain = time_turns(run_plainly, environment, agent, plain_turns, earned)
                ratios[agent].append(compiled / lean)
                shown = f"{compiled:12,.0f} {plain:10,.0f} {lean:10,.0f} {compiled / lean:13.0f}x"
                print(f"{agent:28} {environment:32} {shown}")
    for agent, measured in ratios.items():
        kept.add(agent, *measured)
        print(f"{agent:28} ratio: median {statistics.median(measured):.0f}x, least {min(measured):.0f}x")


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
