"""Classes of users' own that differ from Python only after some hundred turns: none of them does so silently.

Each is run plainly and with `compiled=True`: the records are the same, or the same error is raised.
"""

from collections.abc import Callable
from typing import Any

import pytest

from engine.errors import ContractBroken
from engine.user_code import load_user_code
from xenv.interaction_loop import run_environment

TURNS = 900
HEAD = """
import math
import random
import numpy as np
import numba
from engine.agent import Agent, AgentSpec, Transition
from engine.compiling.objects import Compilable, fork_deeply
from xenv import ExtendedEnvironment

TABLE = np.zeros(3)
WHOLE = (1, 2, 3)


class Whole(int):
    def __add__(self, other):
        return Whole(min(int(self) + int(other), 500))


class Root:
    LIMIT, SHARE = 3, 0.5
    half = property(lambda self: 0.5 * self.LIMIT)

    def pay(self, n):
        return n % self.LIMIT * self.half


class Left(Root):
    def pay(self, n):
        return super().pay(n) + super().half


class Right(Root):
    LIMIT = 4

    def pay(self, n):
        return super().pay(n) * 2.0


class Twin(Left):
    LIMIT = 5


@numba.njit
def shifted(number, places):
    return number << places
"""
ENVIRONMENT = """

class Mine(Left, Right, ExtendedEnvironment):
    n_observations = 2
    reward_range = (-1e300, 1e300)
    LATER

    def __init__(self, simulate):
        super().__init__(simulate)
        self.copy = simulate()
        self.turn, self.count, self.level, self.flag = 0, 1, 1.0, True
        self.row, self.counts, self.flags = np.zeros(4), np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.bool_)
        EARLY

    def start(self):
        return 0

    def step(self, action):
        self.turn += 1
        late = self.turn > 400
        n = self.turn
        BODY
        return reward, self.turn % 2
"""
HOSTILE = [
    # integers
    "reward = float((1 << (n // 10)) % 7)",
    "reward = 1.0 * ((n << (n // 8)) > 0)",
    "reward = float((2 * n) >> (n // 8))",
    "reward = float((-5) >> (n - 400 if late else 1))",
    "reward = float(3 ** (n // 10) % 7)",
    "reward = float(2 ** (400 - n if late else 3))",
    "reward = float((10 ** 15 * n * (n if late else 1)) % 11)",
    "self.count = self.count * 3 % (2 ** 61 - 1) if late else 1; reward = float(self.count * 8 % 5)",
    "x = 1\n        for i in range(n // 8): x *= 2\n        reward = float(x % 5)",
    "x = n if not late else 2 ** 62; reward = 1.0 * (x + x > 0)",
    "x = -n if not late else -(2 ** 62) * 2; reward = 1.0 * (-x > 0)",
    "x = -n if not late else -(2 ** 62) * 2; reward = 1.0 * (abs(x) > 0)",
    "x = -n if not late else -(2 ** 62) * 2; reward = 1.0 * (x // -1 > 0)",
    "reward = float(n + 2 ** 53 * (n > 400)) - 2.0 ** 53 if late else 0.0",
    "x = n if not late else 2 ** 60 + 1; reward = x / 3 % 1000000007 if late else 0.0",
    "x = n if not late else 2 ** 60 + n; reward = 1.0 if x == 2.0 ** 60 + n else 0.0",
    "x = n if not late else 2 ** 60 + n; y = x if action < 5 else 0.5; reward = 1.0 * (y - 2 ** 60 == n)",
    "x = n if not late else 2 ** 60 + n; reward = 1.0 * (max(x, 0.5) - 2 ** 60 == n)",
    "self.counts[0] += n * 10 ** 13 * (10 ** 2 if late else 1); reward = 1.0 * (self.counts[0] > 0)",
    "self.counts[1] = 0.5 * n; reward = float(self.counts[1])",
    "self.counts[1] = 1e30 if late else 1.0; reward = float(self.counts[1])",
    "x = np.uint64(n); reward = 1.0 * (x - np.uint64(400) > 0)",
    # fractions
    "x = n if late else 0.5; reward = 1.0 * (x + 9007199254740992 - 9007199254740992)",
    "self.level = n if late else 0.5; reward = 1.0 * (self.level + 9007199254740992 - 9007199254740992)",
    "reward = 1.0 * (self.pick(n) + 2 ** 53 - 2 ** 53)  # LATER: pick = lambda self, n: n if n > 400 else n * 0.5",
    "x = min(n, 1e9) if late else 0.5; reward = 1.0 * (x + 9007199254740992 - 9007199254740992)",
    "x = max(0, -5.0) if late else 1.0; reward = x * -1",
    "self.level = 0 if late else 1.0; reward = -self.level",
    "reward = float(int(10.0 ** (n // 25)) % 7)",
    "reward = float(int(1e30 if late else 1.5) % 7)",
    "reward = float(int(math.nan if late else 1.5))",
    "reward = math.sqrt(400.0 - n)",
    "reward = 1.0 * (np.sqrt(400.0 - n) > 0)",
    "reward = 1.0 * (math.sqrt(400 - n) > 0)",
    "reward = float(math.floor(1e25 if late else 2.5) % 7)",
    "reward = math.exp(n / 0.56) / 1e300",
    "reward = math.log(401.0 - n)",
    "self.level *= 1.1; reward = self.level ** 2.0 % 7.0",
    "self.level *= 1.5; reward = math.fmod(self.level, 7.0)",
    "reward = (0.1 * n) % 0.3",
    "reward = (0.1 * n) // 0.3 if late else 0.0",
    "reward = 1.0 / (401 - n)",
    "reward = float(round(n / 2)) + float(round(n + 0.125, 2))",
    "reward = -0.0 if late else 0.0; reward = math.copysign(1.0, reward)",
    "reward = float(np.float32(n) * np.float32(0.1))",
    # arrays
    "self.row = np.arange(n) * 0.1; reward = self.row.sum()",
    "reward = np.sum(np.ones(n) * 0.1)",
    "reward = float(np.argsort(np.zeros(n))[n // 2])",
    "reward = float(np.sort(np.arange(n) * -1.0)[0])",
    "reward = np.dot(np.ones(n) * 0.1, np.ones(n))",
    "reward = np.mean(np.ones(n) * 0.1)",
    "reward = np.std(np.arange(n) * 0.1)",
    "big = np.ones(8); big[1:] += big[:-1]; reward = big[-1] if late else 0.0",
    "small = np.zeros(2, dtype=np.int8); small[0] = n - 300 if late else 0; reward = 1.0 * small[0]",
    "reward = 1.0 * (np.empty(64)[n % 64] == 0.5)",
    "reward = float(self.flags[0] + self.flags[1] + late)",
    "self.flags[:] = late; reward = float(self.flags[0] + self.flags[1])",
    "TABLE[1] = n if late else 0; reward = TABLE[1]",
    "self.table[1] = n if late else 0; reward = TABLE[1]  # EARLY: self.table = TABLE",
    # names, control, modules
    "if not late:\n            x = 1.0\n        reward = x",
    "if late:\n            reward = y\n            y = 1.0\n        reward = 0.5",
    "try:\n            x = 2 ** 62 * (n // 400) * 4"
    "\n        except Exception:\n            x = 0\n        reward = 1.0 * (x > 0)",
    "reward = random.random() if late else 0.0",
    "reward = np.random.uniform() if late else 0.0",
    "reward = float(hash(float(n) / 3) % 5) if late else 0.0",
    "reward = float(len(str(n / 4))) if late else 0.0",
    "reward = float(list({n, 7, n * 2 ** 20})[0]) if late else 0.0",
    "reward = float(shifted(1, n // 8) % 7)",
    "self.whole = self.whole + 1; reward = float(self.whole)  # EARLY: self.whole = Whole(1)",
    "self.count = self.count + 1; reward = float(self.count)"
    "  # LATER: __setattr__ = lambda s, k, v: object.__setattr__(s, k, min(v, 500) if k == 'count' else v)",
    "self.count += 1; reward = float(self.count)  # LATER: __getattribute__ = lambda s, k: "
    "min(object.__getattribute__(s, k), 500) if k == 'count' else object.__getattribute__(s, k)",
    "x = 1 if not late else 1.0; reward = float(self.copy.act(x))",
    "reward = float(self.copy.act(-1 if late else 1))",
    "reward = float(self.copy.act(2 if late else 1))",
    "self.copy.train(Transition(0, action, 0.0, 7 if late else 0)); reward = 0.0",
    "reward = late and 1.0",
    "self.level = n if not late else 2 ** 60 + n; reward = 1.0 if self.level == 2 ** 60 + n else 0.0",
    "items = [1.0, 2.0]; items.append(n if not late else 2 ** 60 + n); reward = 1.0 * (items[2] - 2 ** 60 == n)",
    "reward = self.deep(n // 8)  # LATER: deep = lambda self, n: 1.0 if n < 2 else 1.0 + self.deep(n - 1)",
    "self.row[0] = math.nan if late else 1.0; reward = 1.0 * self.row.argmax()",
    "self.row[1] = math.nan if late else 1.0; reward = 1.0 if self.row.max() > 0 else 0.0",
    "self.row[0] = n; reward = self.seen[0]  # EARLY: self.seen = self.row[:2]; self.seen.flags.writeable = False",
    "self.K += 1 if late else 0; reward = float(self.K)  # LATER: K = 5",
    "self.K = 2 ** 62 if late else 5; reward = float(self.K * 3 % 7)  # LATER: K = 5",
    "self.K = 0.5 if late else 5; reward = self.K + 2 ** 53 - 2 ** 53  # LATER: K = 5",
    "Mine.K = Mine.K + late if n < 900 else 5; reward = float(self.K)  # LATER: K = 5",
    "type(self).K = self.K + 1 if 400 < n < 900 else 5; reward = float(self.K)  # LATER: K = 5",
    "reward = Right.LIMIT * (super().pay(n) + Mine.K[1])  # LATER: K = (1, 0.5)",
    "reward = float((Mine.K[0] + Mine.K[0] * late) % 7)  # LATER: K = (2 ** 62 + 1, 0.5)",
    "C = Right; reward = float(C.LIMIT + n)",
    "reward = float(self.K % 7)  # LATER: K = 2 ** 70",
    "reward = self.K + self.K + 2 ** 53 - 2 ** 53  # LATER: K = True",
    "self.T[0] = n if 400 < n < 900 else 0.0; reward = self.T[0]  # LATER: T = np.zeros(3)",
    "self.row[0] = n if 400 < n < 900 else 0.0; reward = self.T[0]  # EARLY: self.row = type(self).T = np.zeros(4)",
    "self.alias[0] = n if 400 < n < 900 else 0.0; reward = self.T[0]  # LATER: T = TABLE; alias = T",
    "reward = self.T[n % 4 if late else 0]  # LATER: T = np.ones(3)",
    "self.K; self.K; reward = float(self.count)"
    "  # LATER: @property\n    def K(self):\n        self.count += 1\n        return self.count",
    "reward = self.K + 2 ** 53 - 2 ** 53  # LATER: K = property(lambda self: self.turn if self.turn > 400 else 0.5)",
    "reward = 1.0 / self.K  # LATER: K = property(lambda self: 401 - self.turn)",
    "reward = float(self.K)  # LATER: K = property(lambda self: 3 ** (self.turn // 10) % 7)",
    "self.K = n; reward = float(self.count)"
    "  # LATER: K = property(lambda self: 1, lambda self, x: self.row.fill(x) or setattr(self, 'count', min(x, 500)))",
    "self.K = n if late else 3; reward = float(self.K)  # LATER: K = property(lambda self: 1)",
    "reward = self.K  # LATER: K = property(lambda self: self.K + 1.0 if self.turn > 400 else 1.0)",
    "reward = super().pay(n) if late else self.pay(n)  # LATER: pay = lambda self, n: n % 7 * 0.25",
    "x = super(); reward = x.pay(n)  # LATER: pay = lambda self, n: n % 7 * 0.25",
    "reward = super(Left, self).pay(n) + super().half  # LATER: half = 0.25",
    "reward = float(super().step(action)[0]) if late else 0.5",
    "self.pay = n * 0.5 if late else 0.5; reward = super().pay(n) + self.pay",
    "self = self.twin if n % 400 > 300 else self; reward = super().pay(n)  # EARLY: self.twin = Twin()",
    "reward = 1e301 if late else 0.0",
    "reward = math.nan if late else 0.0",
]
AGENT = """

class Spec(AgentSpec):
    def build(self, n_observations, n_actions, key):
        return Mine(n_observations, n_actions)


class Mine(Agent, Compilable):
    def __init__(self, n_observations, n_actions):
        self.n_actions, self.turn, self.last = n_actions, 0, 0
        self.counts, self.spare = np.zeros(n_actions, dtype=np.int64), np.zeros(n_actions, dtype=np.int64)

    def act(self, observation):
        n, late = self.turn, self.turn > 400
        ACT

    def train(self, transition):
        self.turn += 1
        self.counts[transition.action] += 1
        TRAIN

    FORK
"""
ALIAS = "self.spare = self.counts if self.turn > 400 else self.spare; self.spare[0] += 1"
LAZY = "def fork(self): return self if self.turn > 400 else fork_deeply(self)"
HOSTILE_AGENTS = [
    ("return (1 << (n // 8)) % 7 % 2", "", "fork = fork_deeply"),
    ("return n % self.n_actions if not late else float(n % self.n_actions)", "", "fork = fork_deeply"),
    ("return n % self.n_actions if not late else late", "", "fork = fork_deeply"),
    ("return n % 2 if not late else 7", "", "fork = fork_deeply"),
    ("return n % 2 if not late else -1", "", "fork = fork_deeply"),
    ("return int(np.argsort(self.counts)[0])", "", "fork = fork_deeply"),
    ("return int(n * 0.7) % 2 if not late else int(math.inf)", "", "fork = fork_deeply"),
    ("self.turn += late; return self.turn % 2", "", "fork = fork_deeply"),
    ("return self.counts[0] % 2", "", "def fork(self): return self"),
    ("return self.counts[0] % 2", "", LAZY),
    ("return self.counts[0] % 2", ALIAS, "fork = fork_deeply"),
    ("return random.randrange(2) if late else 0", "", "fork = fork_deeply"),
]


def run_both(name: str, environment: Any, agent: Any) -> list[Any]:
    """What the plain run and the one that was asked to be compiled come to: turns, or an error."""
    found = list[Any]()
    for compiled in (False, True):
        try:
            result = run_environment(environment, agent, TURNS, 3, record=True, compiled=compiled)
            assert result.record is not None
            random_draws = not result.compiled and "random" in name  # two plain runs differ, too
            found.append("random" if random_draws else result.record.tobytes())
        except ContractBroken as error:
            found.append(str(error))
    return found


@pytest.mark.slow_cases(beyond=8)
@pytest.mark.parametrize("body", HOSTILE)
def test_no_environment_differs_silently(body: str, written: Callable[..., str]) -> None:
    code, _, extra = body.partition("  # ")
    where, _, line = extra.partition(": ")
    text = HEAD + ENVIRONMENT.replace("BODY", code)
    for hole in ("LATER", "EARLY"):
        text = text.replace(hole, line.encode().decode("unicode_escape") if hole == where else "pass")
    mine = load_user_code(f"{written(text)}:Mine", "environment")
    plain, compiled = run_both(body, mine, "simple")
    assert plain == compiled


@pytest.mark.slow_cases(beyond=3)
@pytest.mark.parametrize(("act", "train", "fork"), HOSTILE_AGENTS)
def test_no_agent_differs_silently(act: str, train: str, fork: str, written: Callable[..., str]) -> None:
    text = HEAD + AGENT.replace("ACT", act).replace("TRAIN", train or "pass").replace("FORK", fork)
    spec = load_user_code(f"{written(text)}:Spec", "agent")()
    plain, compiled = run_both(act, "limited_memory", spec)
    assert plain == compiled


@pytest.mark.slow
def test_a_method_that_is_replaced_is_compiled_anew(written: Callable[..., str]) -> None:
    """As in a notebook: another function stands in a class that was compiled already."""
    text = HEAD + ENVIRONMENT.replace("BODY", "reward = self.pay(n)").replace("EARLY", "pass")
    text = text.replace("LATER", "pay = lambda self, n: n % 7 * 0.5\n    other = lambda self, n: n % 5 * 1.0")
    mine = load_user_code(f"{written(text)}:Mine", "environment")
    totals = []
    for pay in (mine.pay, mine.other, lambda self, n: n % 3 * 0.25):
        mine.pay = pay
        found = [run_environment(mine, "simple", TURNS, 3, compiled=compiled) for compiled in (False, True)]
        assert found[1].compiled
        assert found[0].total_reward == found[1].total_reward
        totals.append(found[0].total_reward)
    assert len(set(totals)) == 3


@pytest.mark.slow
def test_constants_of_classes_are_read_anew_for_each_run(written: Callable[..., str]) -> None:
    """By the object, by `super()` and by the name of the class; another type is compiled anew."""
    text = HEAD + ENVIRONMENT.replace("BODY", "reward = super().pay(n) + Root.SHARE").replace("EARLY", "pass")
    mine = load_user_code(f"{written(text.replace('LATER', 'pass'))}:Mine", "environment")
    totals = []
    for limit, share in ((5, 0.25), (7, 0.25), (7, 0.75), (7.5, 0.75), (9, 2)):
        mine.LIMIT, mine.__mro__[3].SHARE = limit, share
        found = [run_environment(mine, "simple", TURNS, 3, compiled=compiled) for compiled in (False, True)]
        assert found[1].compiled is (limit != 7.5), "the remainder of a fraction is not compiled"
        assert found[0].total_reward == found[1].total_reward
        totals.append(found[0].total_reward)
    assert len(set(totals)) == 5


def test_an_agent_that_acts_by_what_its_class_counts_runs_plainly(written: Callable[..., str]) -> None:
    """Its class counts copies, so that a second run, as the trial makes, is another one."""
    text = HEAD + (
        "class Counted:\n    COUNT = 0\n"
        "    def __init__(self, n_observations, n_actions):\n        Counted.COUNT += 1\n"
        "    def act(self, observation):\n        return self.COUNT % 2\n"
        "    def train(self, observation, action, reward, following):\n        pass\n"
    )
    counted = load_user_code(f"{written(text)}:Counted", "agent")
    runs = list[Any]()
    for compiled in (False, True):
        counted.COUNT = 0
        runs.append(run_environment("limited_memory", counted, TURNS, record=True, compiled=compiled))
    assert [run.compiled for run in runs] == [False, False]
    assert runs[0].record.tobytes() == runs[1].record.tobytes()
