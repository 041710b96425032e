"""Random environments of a user's own, generated as text: compiled, they give the turns of their plain form."""

import itertools
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.user_code import load_user_code
from xenv.interaction_loop import run_environment

HEAD = """
import numpy as np

from engine.agent import Transition
from xenv import ExtendedEnvironment


class Mine(ExtendedEnvironment):
    n_observations = 3

    def __init__(self, simulate):
        super().__init__(simulate)
        self.first, self.second, self.pair = simulate(), simulate(), (simulate(), simulate())
        self.count, self.sum, self.flag = 1, 0.5, False
        self.table, self.counts = np.zeros(3), np.ones(4, dtype=np.int64)

    def start(self):
        return 0

    def step(self, action):
        twin, reward = self.first, 0.0
"""
AGENTS = ("self.first", "self.second", "self.pair[0]", "self.pair[1]", "twin")
NUMBERS = ("self.count", "action", "self.counts[action]", "2", "-3", "(self.count % 4)", "int(self.table[1])")
REALS = ("self.sum", "self.table[action]", "0.25", "(-1.5)", "reward")
agents, numbers, reals = map(st.sampled_from, (AGENTS, NUMBERS, REALS))
made = st.tuples(agents, st.sampled_from(["", ".fork()", ".fork().fork()"])).map("".join)
asked = st.tuples(agents, numbers).map(lambda drawn: f"{drawn[0]}.act(abs({drawn[1]}) % 3)")
conditions = st.one_of(
    st.tuples(asked, numbers).map(lambda drawn: f"{drawn[0]} == {drawn[1]}"),
    st.tuples(reals, reals).map(lambda drawn: f"{drawn[0]} < {drawn[1]}"),
    st.sampled_from(["self.flag", "action == 1", "self.count % 3 == 0"]),
)
statements = st.one_of(
    st.tuples(st.sampled_from(["self.first", "self.second", "twin"]), made).map(" = ".join),
    st.tuples(made, made).map(lambda drawn: f"self.pair = ({drawn[0]}, {drawn[1]})"),
    st.tuples(agents, numbers, reals, numbers).map(
        lambda drawn: f"{drawn[0]}.train(Transition(abs({drawn[1]}) % 3, action, {drawn[2]}, abs({drawn[3]}) % 3))"
    ),
    st.tuples(numbers, numbers, st.sampled_from("+-*")).map(
        lambda drawn: f"self.count = {drawn[0]} {drawn[2]} {drawn[1]}"
    ),
    st.tuples(reals, reals, st.sampled_from("+-")).map(
        lambda drawn: f"self.sum = ({drawn[0]} {drawn[2]} {drawn[1]}) / 2"
    ),
    st.tuples(reals, conditions).map(lambda drawn: f"reward = {drawn[0]} if {drawn[1]} else 1.0"),
    conditions.map(lambda condition: f"self.flag = {condition}"),
    st.tuples(numbers, reals).map(lambda drawn: f"self.table[abs({drawn[0]}) % 3] = {drawn[1]}"),
    st.tuples(numbers, numbers).map(lambda drawn: f"self.counts[{drawn[0]} % 4] += {drawn[1]} % 5"),
    st.sampled_from(["self.table = self.table.copy()", "self.table = np.zeros(3)", "self.count = self.sum"]),
)
blocks = st.lists(
    st.one_of(
        statements.map(lambda statement: [statement]),
        st.tuples(conditions, statements, statements).map(
            lambda drawn: [f"if {drawn[0]}:", f"    {drawn[1]}", "else:", f"    {drawn[2]}"]
        ),
    ),
    min_size=2,
    max_size=7,
).map(lambda nested: list(itertools.chain.from_iterable(nested)))
numbered = itertools.count()
EXAMPLES = 6


def outcome(environment: Any, agent: str, compiled: bool) -> tuple[str, Any, bool]:
    """How a run ends, the turns that it gives, and whether it was compiled."""
    try:
        result = run_environment(environment, agent, 400, 3, record=True, compiled=compiled)
    except Exception as error:
        return str(error), None, False
    assert result.record is not None
    return "", (result.total_reward, result.record.tolist()), result.compiled


def compare(lines: list[str], agent: str, folder: Path) -> bool:
    """Whether an environment was compiled, its outcome being the plain one."""
    name = f"random_environment_{next(numbered)}"
    body = "\n".join(f"        {line}" for line in [*lines, "reward = min(max(reward, -2.0), 2.0)"])
    (folder / f"{name}.py").write_text(f"{HEAD}{body}\n        return reward, abs(self.count) % 3\n")
    environment = load_user_code(f"{name}:Mine", "environment")
    *plain, _ = outcome(environment, agent, compiled=False)
    *compiled, was_compiled = outcome(environment, agent, compiled=True)
    assert plain == compiled
    return was_compiled


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["simple", "q_learning"])
def test_random_environments_run_alike(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    compiled = []

    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(lines=blocks)
    def check(lines: list[str]) -> None:
        compiled.append(compare(lines, agent, tmp_path))

    check()
    assert sum(compiled) > 2
