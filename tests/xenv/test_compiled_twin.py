"""Compiled turns are the plain ones, whatever a user's environment does with its copies; else they run plainly."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.errors import ContractBroken
from engine.user_code import load_user_code
from xenv.interaction_loop import InteractionResult, run_environment, why_run_plainly

ENVIRONMENT = """
import numpy as np

from engine.agent import Transition
from xenv import ExtendedEnvironment


def forked(agent):
    return agent.fork()


class Mine(ExtendedEnvironment):
    n_observations = 2
    reward_range = (-10.0, 1e6)

    def __init__(self, simulate):
        super().__init__(simulate)
        self.agent, self.kept, self.pair = simulate(), simulate(), (simulate(), simulate())
        self.turn, self.count, self.table, self.counts = 0, 0, np.zeros(4), np.zeros(2, dtype=np.int64)

    def start(self):
        return 0

    def step(self, action):
        self.turn += 1
        BODY
        return reward, self.turn % 2
"""
PUNISH = "twin.train(Transition(0, action, -1.0, 1)); reward = 1.0 if self.agent.act(0) == action else -1.0\n"
PUNISH += "        self.agent.train(Transition(0, action, reward, 1))"
FORKS = [
    f"twin = self.agent.fork(); {PUNISH}",
    f"agent = self.agent; twin = agent.fork(); {PUNISH}",
    f"twin = [self.agent.fork(), self.kept.fork()][self.turn % 2]; {PUNISH}",
    f"twin = self.agent.fork().fork(); {PUNISH}",
    f"self.kept = self.agent.fork() if self.turn % 7 == 0 else self.kept; twin = self.kept; {PUNISH}",
    f"self.pair = (self.pair[1], self.pair[0].fork()); twin = self.pair[self.turn % 2]; {PUNISH}",
    f"self.kept = self.agent if self.turn % 5 == 0 else self.kept; twin = self.kept; {PUNISH}",
]
LARGER = "self.table = np.zeros(4000) if self.turn == 500 else self.table; self.table[-1] += 1; reward = self.table[0]"
OTHERWISE = [
    ("self.count = self.turn / 2; reward = float(self.count)", "'count' of Mine is int64, not float64"),
    ("self.counts = self.table; reward = 0.0", "'counts' of Mine is array"),
    ("self.count = 2 * self.count + self.turn % 2; reward = 0.0", "OverflowError"),
    ("reward = len(vars(self)) / 100", "numba refuses"),
    ("twin = forked(self.agent); reward = 1.0", "numba refuses"),
]


def both(written: Callable[..., str], body: str, agent: str = "simple") -> tuple[InteractionResult, InteractionResult]:
    """The plain run and the one that was asked to be compiled."""
    mine: Any = load_user_code(f"{written(ENVIRONMENT, 'BODY', body)}:Mine", "environment")
    plain, compiled = (run_environment(mine, agent, 700, 3, record=True, compiled=c) for c in (False, True))
    assert plain.record is not None
    assert compiled.record is not None
    assert plain.record.tolist() == compiled.record.tolist()
    return plain, compiled


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("body", [*FORKS[-2:], LARGER])
def test_forks_are_copies_and_names_are_references(body: str, written: Callable[..., str]) -> None:
    assert both(written, body)[1].compiled


@pytest.mark.slow
@pytest.mark.parametrize("body", FORKS[:-2])
def test_forks_of_learners_are_copies(body: str, written: Callable[..., str]) -> None:
    assert both(written, body, "reality_check(q_learning)")[1].compiled


@pytest.mark.parametrize(("body", "reason"), OTHERWISE)
def test_what_compiled_code_would_do_otherwise_runs_plainly_with_one_notice(
    body: str, reason: str, written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert not both(written, body)[1].compiled
    notice = capsys.readouterr().err
    assert notice.startswith("caregrid: Simple in Mine ran plainly, not compiled: ")
    assert reason in notice
    assert notice.count("\n") == 1


@pytest.mark.parametrize("body", ["reward = self.table[self.turn // 150]", "reward = 1 / (650 - self.turn)"])
def test_an_exception_of_compiled_code_names_the_users_line(body: str, written: Callable[..., str]) -> None:
    mine: Any = load_user_code(f"{written(ENVIRONMENT, 'BODY', body)}:Mine", "environment")
    with pytest.raises(ContractBroken, match=r"Simple in Mine, turn 6[05]0: own_0.*line 26: (Index|ZeroDivision)Error"):
        run_environment(mine, "simple", 700, compiled=True)


AGENT = """
import numpy as np

from engine.agent import Agent, AgentSpec
from engine.compiling.objects import Compilable, fork_deeply


class Spec(AgentSpec):
    def build(self, n_observations, n_actions, key):
        return Mine(n_actions)


class Mine(Agent, Compilable):
    def __init__(self, n_actions):
        self.n_actions, self.counts = n_actions, np.zeros(n_actions, dtype=np.int64)

    def act(self, observation):
        return self.counts[0] % self.n_actions

    def train(self, transition):
        self.counts[transition.action] += 1

    def fork(self):
        twin = Mine(self.n_actions)
        twin.counts = self.counts.copy()
        return twin
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (AGENT[AGENT.index("    def fork") :], "    fork = fork_deeply\n", None),
        ("", "", "the fork of Mine is its own; let it be `fork = fork_deeply`"),
        ("self.counts[0] %", "len(vars(self)) %", "numba refuses"),
    ],
)
def test_agents_whose_forks_may_be_no_copies_run_plainly(
    old: str, new: str, reason: str | None, written: Callable[..., str]
) -> None:
    spec = load_user_code(f"{written(AGENT, old, new)}:Spec", "agent")()
    found = why_run_plainly("limited_memory", spec)
    assert found == reason if reason is None else reason in str(found)


def test_what_is_held_twice_is_not_compiled(written: Callable[..., str]) -> None:
    text = ENVIRONMENT.replace("self.turn, self.count", "self.again, self.turn, self.count", 1).replace(
        "= 0, 0,", "= self.agent, 0, 0,"
    )
    mine = load_user_code(f"{written(text, 'BODY', 'reward = 0.0')}:Mine", "environment")
    assert "'again' of Mine is held in two places" in str(why_run_plainly(mine, "simple"))
