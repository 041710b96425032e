"""Agents of the theory: written as functions, from users' own files, practical ones; and what they may not give."""

import contextlib
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import xenv
from engine.agent import Transition
from engine.errors import BadValue, CaregridError, ContractBroken, UnknownName
from xenv.names import agent_spec
from xenv.theory.agents import FunctionAgent
from xenv.theory.histories import Percept, Prompt
from xenv.theory.interaction import interact
from xenv.theory.naming import read_agent, read_environment
from xenv.theory.practical_agents import as_history_agent, number_by_appearance
from xenv.theory.reality_check import reality_check

TURNS = st.lists(st.tuples(st.sampled_from([-1, 1]), st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=6)
PROMPTS = TURNS.map(lambda turns: Prompt([entry for turn in turns for entry in turn][:-1]))
USERS = """
def negative(prompt): return -1

def half(prompt):
    return 0.5

def true(prompt): return True
def raises(prompt):
    return 1 // 0
def nothing(prompt): pass
def text(prompt): return "0"
def enormous(prompt): return 10**5000
class Leaves:
    def __call__(self, prompt):
        raise SystemExit(0)
leaves = Leaves()
def modulo(prompt, n): return len(prompt) % n
def environment(agent, play): return (int(bool(play) and play[-1] == 1), len(play) // 3)
def recursive(agent, play): return agent(play)
def unary(agent): return 0
"""


@pytest.fixture
def users_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "theory_users.py").write_text(USERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "theory_users", raising=False)
    return "theory_users"


@pytest.mark.parametrize(
    ("name", "line", "problem"),
    [
        ("negative", 2, "action -1 is not a natural number, given at turn 1"),
        ("half", 4, "action 0.5 is not a natural number"),
        ("true", 7, "action True is not a natural number"),
        ("raises", 9, "ZeroDivisionError"),
        ("nothing", 10, "action None is not a natural number"),
        ("text", 11, "action '0' is not a natural number"),
        ("enormous", 12, "action has about 5,001 digits"),
        ("leaves", 15, "SystemExit"),
    ],
)
@pytest.mark.parametrize("check", ["{}", "reality_check({})"])
def test_bad_actions_are_named_with_file_and_line(
    users_file: str, name: str, line: int, problem: str, check: str
) -> None:
    agent = read_agent(check.format(f"{users_file}:{name}"))
    with pytest.raises(ContractBroken) as caught:
        agent((0, 0))
    assert str(caught.value).startswith("theory_users.py, ")
    assert f"theory_users.py, line {line}" in str(caught.value)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_users_function_may_take_numbers(users_file: str) -> None:
    assert read_agent(f"{users_file}:modulo:3")((0, 0)) == 2
    with pytest.raises(ContractBroken, match="takes"):
        read_agent(f"{users_file}:modulo")


def test_a_users_environment_is_a_function_or_an_example(users_file: str) -> None:
    environment = read_environment(f"{users_file}:environment").environment
    assert interact(read_agent("always:1"), environment, 5).total == 5
    handicapped = read_environment(f"{users_file}:environment*deja_vu").environment
    assert interact(read_agent("parity"), handicapped, 6).rewards == (0, -1, 1, -1, 1, -1, 1)
    xenv.check_theory_example(f"{users_file}:environment")
    with pytest.raises(CaregridError, match=r"prompt: 0 entries|0 entries"):
        interact(read_agent("always:1"), read_environment(f"{users_file}:recursive").environment, 2)
    with pytest.raises(ContractBroken, match=r"environment\(agent, play\)"):
        read_environment(f"{users_file}:unary")


def test_the_checker_finds_an_agent_that_changes() -> None:
    calls: list[int] = []
    with pytest.raises(ContractBroken, match="for one prompt"):
        xenv.check_theory_agent(lambda prompt: calls.append(0) or len(calls))


@pytest.mark.parametrize("bad", [(), (0,), (0, 0, 0), (0.5, 0), (0, -1), 3])
def test_only_prompts_are_answered(bad: Any) -> None:
    with pytest.raises(BadValue):
        FunctionAgent(lambda prompt: 0)(bad)


@settings(deadline=None)
@given(st.text(alphabet="abc_:*(),.-0123 ²λ", max_size=20))
def test_any_text_is_a_name_or_refused_in_one_line(text: str) -> None:
    for read in (read_agent, read_environment):
        with contextlib.suppress(CaregridError):
            read(text)  # type: ignore[operator]
            continue
        with pytest.raises(CaregridError) as caught:
            read(text)  # type: ignore[operator]
        assert "\n" not in str(caught.value)


def test_names_nest() -> None:
    assert read_agent("reality_check(reality_check(always:3))").name == "reality_check(reality_check(always:3))"
    assert read_agent(" reality-check( always:3 ) ")((0, 0)) == 3
    with pytest.raises(UnknownName, match="transformation"):
        read_agent("dream(parity)")
    with pytest.raises(BadValue, match="bracket"):
        read_agent("reality_check(parity")
    with pytest.raises(BadValue, match="deeper"):
        read_environment("opposite(" * 30 + "newcomb" + ")" * 30)
    with pytest.raises(BadValue, match="no environment in brackets"):
        read_environment("newcomb(deja_vu)")
    with pytest.raises(BadValue, match="no argument"):
        read_environment("newcomb:3")
    with pytest.raises(BadValue, match="not a turn"):
        read_environment("false_memories:0,0")


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(["q_learning", "simple", "random", "constant"]), PROMPTS)
def test_a_practical_agent_is_trained_on_the_prompt(name: str, prompt: Prompt) -> None:
    spec = agent_spec(name)
    fresh = spec.build(2, 2, 0)
    for turn in range(len(prompt.actions)):
        fresh.train(Transition(*prompt[3 * turn + 1 : 3 * turn + 3], float(prompt[3 * turn + 3]), prompt[3 * turn + 4]))
    agent = as_history_agent(spec, 2, 2)
    assert agent(prompt) == fresh.act(prompt[-1])
    # whatever was asked before, in whatever order
    assert [agent(prompt.prefix(turn)) for turn in reversed(range(len(prompt.actions) + 1))][::-1] == list(
        as_history_agent(spec, 2, 2).actions(prompt)
    )
    percepts = [Percept(*prompt[3 * turn : 3 * turn + 2]) for turn in range(len(prompt.actions) + 1)]
    own = agent.answers(percepts)
    assert [as_history_agent(spec, 2, 2)(own[: 3 * turn + 2]) for turn in range(len(percepts))] == list(own.actions)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(["q_learning", "simple", "random"]), PROMPTS)
def test_the_checked_function_is_the_checked_agent(name: str, prompt: Prompt) -> None:
    checked = as_history_agent(xenv.reality_check(agent_spec(name)), 2, 2)
    assert reality_check(as_history_agent(agent_spec(name), 2, 2))(prompt) == checked(prompt)


def test_a_practical_agent_knows_what_it_was_built_for() -> None:
    agent = as_history_agent(agent_spec("q_learning"), 2, 2, name="learner")
    with pytest.raises(BadValue, match="learner: observation 2 in a prompt"):
        agent((0, 2))
    with pytest.raises(BadValue, match="learner: action 5 in a prompt"):
        agent((0, 1, 5, 0, 0))
    numbered = as_history_agent(agent_spec("q_learning"), 2, 2, labels=number_by_appearance)
    assert numbered((0, 900, 0, 1, 10**30)) == agent((0, 0, 0, 1, 1))


def test_work_counts_lines_and_items() -> None:
    def slow(prompt: Prompt) -> int:
        total = 0
        for reward in prompt.rewards:
            total += int(reward)
        return total * 0

    agent = FunctionAgent(slow)
    short, long = (agent.work(Prompt((0, 0, 0) * turns + (Fraction(1), 0))) for turns in (1, 11))
    assert long.steps - short.steps == 20
    assert long.memory > short.memory + 30  # the prompt's own entries, and the rewards read off it
    assert reality_check(lambda prompt: 0).work(Prompt((0, 0, 0, 0, 0))).steps == 2
    assert reality_check(lambda prompt: 0).work(Prompt((0, 0, 1, 0, 0))).steps == 1


@pytest.mark.parametrize("agent", ["q_learning", "reality_check(simple)"])
def test_agents_of_the_battery_answer_whatever_an_environment_asks(agent: str) -> None:
    named = read_environment("self_recognition")
    assert len(interact(read_agent(agent, None, named.n_actions), named.environment, 300).rewards) == 301
