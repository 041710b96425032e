"""What the interaction loop costs for classes of a user's own, beside a bare loop over the same classes.

    python benchmarks/own_classes.py [--quick]

The bare loop calls `act`, `step` and `train` and adds the rewards up: no check, no copy in between. Ours checks each
observation, action and reward, those of copies too, and names turn and value in an error. Both run in the same
process in turn, with the same classes, and must earn the same. Costs are ours over the bare loop's, in processor time:
the median and the quartiles of the pairs. `checks` is the cost of the same checks written into the bare loop, with
nothing else. The ratio that is kept is the bare loop's time over ours: 1/1.5 is asked, and BOUND leaves room for a busy
machine. `Habit` hardly does anything, so that calls and checks are all that there is.

Classes that keep their tables in arrays are compiled, with constants of the class, properties and `super()`: how many
times as many turns they make as the bare loop; 20 is asked.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from engine.agent import Transition
from xenv.interaction_loop import run_environment

BOUND, BOUND_OF_HABITS, BOUND_COMPILED = 0.6, 0.33, 20


class TableLearner:
    """Q-learning on lists, trained by the four parts of a transition."""

    def __init__(self, n_observations: int, n_actions: int) -> None:
        self.values = [[0.0] * n_actions for _ in range(n_observations)]

    def act(self, observation: int) -> int:
        row = self.values[observation]
        return row.index(max(row))

    def train(self, observation: int, action: int, reward: float, following: int) -> None:
        row = self.values[observation]
        row[action] += 0.1 * (reward + 0.9 * max(self.values[following]) - row[action])


class TransitionLearner(TableLearner):
    """The same, trained by whole transitions."""

    def train(self, transition: Transition) -> None:  # type: ignore[override]
        observation, action, reward, following, *_ = transition
        row = self.values[observation]
        row[action] += 0.1 * (reward + 0.9 * max(self.values[following]) - row[action])


class Habit:
    """Goes on as it is paid: the least that an agent can do."""

    def __init__(self, n_actions: int) -> None:
        self.action, self.n_actions = 0, n_actions

    def act(self, observation: int) -> int:
        return self.action

    def train(self, observation: int, action: int, reward: float, following: int) -> None:
        if reward < 0.0:
            self.action = (action + 1) % self.n_actions


class Mirror:
    """Pays for what a copy of the agent would do in the other room, and trains it on the opposite."""

    n_observations = 2
    n_actions = 2

    def __init__(self, A: Callable[[], Any]) -> None:
        self.copy = A()
        self.room = 0

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        room, following = self.room, 1 - self.room
        reward = 1.0 if action == self.copy.act(room) else -1.0
        self.copy.train(room, action, -reward, following)
        self.room = following
        return reward, following


class Corridor:
    """Asks no copy: eight places, and a reward at the end, all whole numbers."""

    n_observations = 8
    n_actions = 2

    def __init__(self, A: Callable[[], Any]) -> None:
        self.place = 0

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[int, int]:
        self.place = self.place + 1 if action else max(0, self.place - 1)
        if self.place < 7:
            return 0, self.place
        self.place = 0
        return 1, 0


PAIRS = [(agent, world) for world in (Mirror, Corridor) for agent in (TableLearner, TransitionLearner, Habit)]


class ArrayLearner:
    """Q-learning on an array, with constants of the class, a property, and a goal that others may replace."""

    RATE, DISCOUNT = 0.1, 0.9

    def __init__(self, n_observations: int, n_actions: int) -> None:
        self.values = np.zeros((n_observations, n_actions))

    @property
    def rate(self) -> float:
        return self.RATE

    def act(self, observation: int) -> int:
        return int(self.values[observation].argmax())

    def find_goal(self, reward: float, following: int) -> float:
        return reward + self.DISCOUNT * float(self.values[following].max())

    def train(self, observation: int, action: int, reward: float, following: int) -> None:
        error = self.find_goal(reward, following) - self.values[observation, action]
        self.values[observation, action] += self.rate * error


class HastyLearner(ArrayLearner):
    """Replaces a constant, a property and the goal, and asks its parent for what it replaces."""

    RATE = 0.2

    @property
    def rate(self) -> float:
        return 0.5 * super().rate

    def find_goal(self, reward: float, following: int) -> float:
        return super().find_goal(reward, following) - ArrayLearner.RATE


COMPILED_PAIRS = [(agent, world) for world in (Mirror, Corridor) for agent in (ArrayLearner, HastyLearner)]
TIMES_THE_TURNS = 50  # of a compiled run, whose making takes some milliseconds


class WholeCopy:
    """What a user would write, too, around an agent that takes whole transitions in an environment that gives parts."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.act = agent.act

    def train(self, observation: int, action: int, reward: float, following: int) -> None:
        self.agent.train(Transition(observation, action, reward, following))


def time_bare(agent: Any, world: Any, turns: int) -> tuple[float, float]:
    """Processor seconds of the loop that a user would write, and what it earned."""
    shape = {"n_actions": world.n_actions}
    if agent is not Habit:
        shape["n_observations"] = world.n_observations
    whole = agent is TransitionLearner
    began = time.process_time()
    environment = world(lambda: WholeCopy(agent(**shape)) if whole else agent(**shape))
    actor, total, observation = agent(**shape), 0.0, environment.start()
    for _ in range(turns):
        action = actor.act(observation)
        reward, following = environment.step(action)
        if whole:
            actor.train(Transition(observation, action, reward, following))
        else:
            actor.train(observation, action, reward, following)
        total += reward
        observation = following
    return time.process_time() - began, total


def time_checks(agent: Any, world: Any, turns: int) -> tuple[float, float]:
    """Processor seconds of the bare loop with the checks written into it, the least that they can cost, and its sum."""
    observations, actions = world.n_observations, world.n_actions
    shape = {"n_actions": actions}
    if agent is not Habit:
        shape["n_observations"] = observations
    whole = agent is TransitionLearner

    def make_checked() -> Any:
        inner = WholeCopy(agent(**shape)) if whole else agent(**shape)
        act, train = inner.act, inner.train

        def checked_act(obs: int) -> int:
            if not (type(obs) is int and 0 <= obs < observations):
                raise ValueError
            action: int = act(obs)
            if not (type(action) is int and 0 <= action < actions):
                raise ValueError
            return action

        def checked_train(obs: int, action: int, reward: float, following: int) -> None:
            if not (type(obs) is int and 0 <= obs < observations and type(action) is int and 0 <= action < actions):
                raise ValueError
            if not (type(following) is int and 0 <= following < observations):
                raise ValueError
            train(obs, action, reward, following)

        return SimpleNamespace(act=checked_act, train=checked_train)

    began = time.process_time()
    actor, environment, total = agent(**shape), world(make_checked), 0.0
    act, train, step, observation = actor.act, actor.train, environment.step, environment.start()
    for _ in range(turns):
        action = act(observation)
        if not (type(action) is int and 0 <= action < actions):
            raise ValueError
        answer = step(action)
        if not (type(answer) is tuple and len(answer) == 2):
            raise ValueError
        reward, following = answer
        fits = type(following) is int and 0 <= following < observations
        if not (fits and (type(reward) is float or type(reward) is int) and reward - reward == 0):
            raise ValueError
        if whole:
            train(Transition(observation, action, reward, following))
        else:
            train(observation, action, reward, following)
        total += reward
        observation = following
    return time.process_time() - began, total


def time_ours(agent: Any, world: Any, turns: int, *, compiled: bool = False) -> tuple[float, float]:
    """Processor seconds of our loop, and what it earned."""
    began = time.process_time()
    result = run_environment(world, agent, turns, compiled=compiled)
    assert result.compiled == compiled
    return time.process_time() - began, result.total_reward


def main() -> None:
    """Measure, print, and fail where totals differ or a turn costs too much."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer turns")
    add_ratios_option(parser)
    options = parser.parse_args()
    kept = Ratios("own_classes", options.ratios, quick=options.quick, least=BOUND)
    turns, pairs = (50_000, 5) if options.quick else (100_000, 15)
    print(f"{'agent':20} {'environment':12} {'bare, turns/s':>14} {'cost':>6} {'quartiles':>14} {'checks':>7}")
    for agent, world in PAIRS:
        time_ours(agent, world, 100)  # tried once whether its copies are alike
        costs, least_costs, speeds = [], [], []
        for _ in range(pairs):
            bare, earned = time_bare(agent, world, turns)
            ours, total = time_ours(agent, world, turns)
            checks, checked = time_checks(agent, world, turns)
            assert total == earned == checked
            costs.append(ours / bare)
            least_costs.append(checks / bare)
            speeds.append(turns / bare)
        low, middle, high = statistics.quantiles(costs)
        speed = statistics.median(speeds)
        print(
            f"{agent.__name__:20} {world.__name__:12} {speed:14,.0f} {middle:6.2f} {low:6.2f} to {high:.2f}"
            f" {statistics.median(least_costs):7.2f}"
        )
        least = BOUND_OF_HABITS if agent is Habit else None
        kept.add(f"{agent.__name__} in {world.__name__}", *(1 / cost for cost in costs), least=least)
    print(f"\n{'compiled agent':20} {'environment':12} {'bare, turns/s':>14} {'compiled, turns/s':>18} {'times':>6}")
    for agent, world in COMPILED_PAIRS:
        equal = time_bare(agent, world, turns)[1] == time_ours(agent, world, turns, compiled=True)[1]
        assert equal, "compiled turns earn what the bare loop earns"
        speeds, times = [], []
        for _ in range(pairs):
            bare = time_bare(agent, world, turns)[0] / turns
            ours = time_ours(agent, world, TIMES_THE_TURNS * turns, compiled=True)[0] / (TIMES_THE_TURNS * turns)
            speeds.append((1 / bare, 1 / ours))
            times.append(bare / ours)
        bare_speed, speed = map(statistics.median, zip(*speeds, strict=True))
        middle = statistics.median(times)
        print(f"{agent.__name__:20} {world.__name__:12} {bare_speed:14,.0f} {speed:18,.0f} {middle:6.0f}")
        kept.add(f"{agent.__name__} in {world.__name__}, compiled", *times, least=BOUND_COMPILED)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
