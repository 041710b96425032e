"""Fault: a user's own scenario, future, policy, crowd and likelihood, right and wrong, by name."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from caregrid.main import main
from engine.errors import CaregridError
from multislot.contract_checks import check_crowd, check_future, check_likelihood, check_policy, check_slot_world
from multislot.futures import find_future
from tests.printed_json import printed_content

WORLD = """
from fractions import Fraction
from multislot.naming import Family
from multislot.scenarios import SlotScenario
from multislot.worlds.environment import CopyOutcome, HistoryBasedEnvironment

class Ferry(HistoryBasedEnvironment):
    '''Action 1 copies the agent from each slot to the next two; the copy on the higher one is paid.'''
    name, actions, initial = "ferry", (0, 1), (1,)
    rewards = {"here": Fraction(0), "there": Fraction(1)}
    def start(self):
        return 0
    def update(self, state, action, observation):
        return state + 1
    def law(self, state, slot, action):
        if action == 0:
            return (CopyOutcome(Fraction(1), {slot: "here"}),)
        return (CopyOutcome(Fraction(1), {2 * slot: "here", 2 * slot + 1: "there"}),)

world = Ferry()
def only_paid(argument):
    ferry = Ferry()
    ferry.initial = (int(argument),)
    return SlotScenario(ferry)
family = Family(only_paid, example="3")
"""
FUTURE = """
from fractions import Fraction
from multislot.futures import Continuation, Future, slot_family
from multislot.worlds.environment import copy_observation

def highest(transition):
    '''The copy on the highest slot.'''
    copies = copy_observation(transition.law)
    top = max((slot for slot, _ in copies), default=0)
    return {copy: p for copy, p in copies.items() if copy[0] == top}
def beyond(slot):
    return Future(lambda t: {copy: p for copy, p in copy_observation(t.law).items() if copy[0] >= slot})
mine = Future(highest)
family = slot_family(beyond)
"""
POLICY = """
from multislot.policies import SlotPolicy

class Mine(SlotPolicy):
    '''The last action that was rewarded, or the argument.'''
    example = "1"
    def act(self, history):
        return int(self.argument or 0)
"""
CROWD = """
from multislot.crowds import Crowd

class Mine(Crowd):
    def counts(self, agent, ancestor):
        return agent.slot > 1
"""
LIKELIHOOD = """
from fractions import Fraction
from multislot.likelihoods import Likelihood

def start(initial):
    return ((initial, Fraction(1)),)
def step(configuration, law_of, observation):
    yield configuration, Fraction(1, 2)
mine = Likelihood(start, step)
"""
FILES = {"my_world": WORLD, "my_future": FUTURE, "my_policy": POLICY, "my_crowd": CROWD, "my_likelihood": LIKELIHOOD}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory with a file of each kind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, text in FILES.items():
        (tmp_path / f"{name}.py").write_text(text)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(sys.modules[name].__file__):
            del sys.modules[name]


def printed(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert main(["multislot", *words, "--json"]) == 0
    answer: dict[str, object] = printed_content(capsys.readouterr().out)
    return answer


def test_a_file_of_each_kind_passes_its_checker(folder: Path) -> None:
    for name in ("my_world:Ferry", "my_world:world", "my_world:family", "my_world:family:2"):
        check_slot_world(name)
    for name in ("my_future:mine", "my_future:family", "my_future:family:2"):
        check_future(name)
    for name in ("my_policy:Mine", "my_policy:Mine:0"):
        check_policy(name)
    check_crowd("my_crowd:Mine")
    check_likelihood("my_likelihood:mine")


def test_the_command_takes_them_by_name_with_and_without_arguments(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Action 1 pays the higher of two copies: all of it for the highest slot, half of it for all copies."""
    ask = ["--horizon", "1"]
    assert printed(["my_world:world", *ask, "--value", "my_future:mine"], capsys)["Q"] == {"0": "0", "1": "1"}
    assert printed(["my_world:Ferry", *ask, "--value", "my_future:family:4"], capsys)["Q"] == {"0": "0", "1": "0"}
    assert printed(["my_world:family:2", *ask], capsys)["P"] == {"2": "1"}
    evaluated = printed(["my_world:world", *ask, "--policy", "my_policy:Mine:1"], capsys)
    assert (evaluated["Q"], evaluated["action"]) == ({"0": "0", "1": "1/2"}, 1)
    counted = printed(["my_world:world", *ask, "--policy", "1", "--value", "my_crowd:Mine"], capsys)
    assert counted["Q"] == {"0": "0", "1": "1"}
    both = ["my_world:world", "--simulate", "1", "--horizon", "1", "--policy", "optimal:my_future:mine"]
    assert main(["multislot", *both]) == 0
    assert "slot 3, came by 1-3: 1,there" in capsys.readouterr().out
    assert printed(["my_world:world", *ask, "--likelihood", "my_likelihood:mine"], capsys)["V"] == "1/2"


WRONG = [
    (
        "my_world",
        "    def law(self, state, slot, action):",
        "    def laws(self, state, slot, action):",
        "abstract method",
    ),
    (
        "my_world",
        "        return (CopyOutcome(Fraction(1), {slot:",
        "        return 1, (CopyOutcome(Fraction(1), {slot:",
        "law gave",
    ),
    ("my_world", "(CopyOutcome(Fraction(1), {slot:", "((Fraction(1), {slot:", "expected a tuple of CopyOutcome"),
    ("my_world", "Fraction(1), {slot:", "1.0, {slot:", "law gave 1.0; expected a Fraction"),
    ("my_world", "Fraction(1), {slot:", "Fraction(1, 2), {slot:", "sum to 1/2"),
    ("my_world", '{slot: "here"}', '{slot: "nowhere"}', "'nowhere' for slot 1 has no reward"),
    ("my_world", '{slot: "here"}', '{0: "here"}', "slot 0 is not an integer >= 1"),
    ("my_world", "        return state + 1", "        return state + unknown", "NameError"),
    ("my_world", "        return 0\n", "        return []\n", "start gave []; expected a state that can be hashed"),
    ("my_world", "return state + 1", "return (state, [])", "update gave (0, []); expected a state that can be hashed"),
    ("my_world", '"there": Fraction(1)', '"there": 0.5', "rewards gave 0.5"),
    ("my_world", "(0, 1), (1,)", "(0, 1), ()", "initial gave ()"),
    ("my_world", "2 * slot + 1:", "slot + 1:", "is copied from both slot"),
    (
        "my_world",
        "def law(self, state, slot, action):",
        "def law(self, state, slot):",
        "called as law(self, state, slot",
    ),
    (
        "my_world",
        "    def law(self, state, slot, action):",
        "    def representative(self, state, slot):\n        return slot + 1\n    def law(self, state, slot, action):",
        "representative gave",
    ),
    ("my_future", "mine = Future(highest)", "mine = Future(highest, ignores_slot_numbers=True)", "other weights where"),
    ("my_future", "copies.items() if", "copies.items() if if", "SyntaxError"),
    (
        "my_future",
        "    return {copy: p for copy, p",
        "    return {copy[0]: p for copy, p",
        "expected a weight for copies",
    ),
    (
        "my_future",
        "    return {copy: p for copy, p",
        "    return {copy: float(p) for copy, p",
        "expected Fractions >= 0",
    ),
    ("my_future", "    return {copy: p for copy, p", "    return {copy: -p for copy, p", "expected Fractions >= 0"),
    ("my_future", "    top = max(", "    top = 1 // 0 + max(", "line 9: ZeroDivisionError"),
    ("my_future", "def highest(transition):", "def highest():", "called as copy_weights(transition)"),
    ("my_future", "mine = Future(highest)", "mine = Future(3)", "copy_weights is 3"),
    ("my_future", "mine = Future(highest)", "mine = Future(highest, 'x')", "choose Continuation.RE_ESTIMATED"),
    ("my_future", "mine = Future(highest)", "mine = highest", "is not a future; make a Future"),
    ("my_policy", "    def act(self, history):", "    def acts(self, history):", "no 'act'"),
    (
        "my_policy",
        "        return int(self.argument or 0)",
        "        return 'left'",
        "act gave 'left'; expected one of [0, 1]",
    ),
    ("my_policy", "        return int(", "        return history[0] and int(", "line 8: IndexError"),
    ("my_policy", "class Mine(SlotPolicy):", "class Mine:", "derive a class from SlotPolicy"),
    ("my_policy", "def act(self, history):", "def act(self):", "called as act(self, history)"),
    (
        "my_crowd",
        "def counts(self, agent, ancestor):",
        "def counts(self, agent):",
        "called as counts(self, agent, ancestor)",
    ),
    ("my_crowd", "    def counts(", "    def count(", "no 'counts'"),
    ("my_crowd", "return agent.slot > 1", "return agent.slot", "counts gave 1; expected True or False"),
    ("my_crowd", "return agent.slot > 1", "return agent.slots > 1", "line 6: AttributeError"),
    ("my_likelihood", "    yield configuration, Fraction(1, 2)", "    yield configuration, 0.5", "it gave 0.5"),
    ("my_likelihood", "    yield configuration, Fraction(1, 2)", "    yield configuration", "expected pairs"),
    ("my_likelihood", "    return ((initial, Fraction(1)),)", "    return initial[3]", "IndexError"),
    ("my_likelihood", "def step(configuration, law_of, observation):", "def step(configuration):", "called as step("),
]
CHECKERS = {
    "my_world": (check_slot_world, "my_world:world"),
    "my_future": (check_future, "my_future:mine"),
    "my_policy": (check_policy, "my_policy:Mine"),
    "my_crowd": (check_crowd, "my_crowd:Mine"),
    "my_likelihood": (check_likelihood, "my_likelihood:mine"),
}


@pytest.mark.parametrize(("file", "right", "wrong", "message"), WRONG, ids=[f"{w[0]}-{w[3]}" for w in WRONG])
def test_each_mistake_is_one_line_that_names_the_file(
    folder: Path, file: str, right: str, wrong: str, message: str
) -> None:
    assert right in FILES[file]
    (folder / f"{file}.py").write_text(FILES[file].replace(right, wrong))
    check, name = CHECKERS[file]
    with pytest.raises(CaregridError) as caught:
        check(name)
    text = str(caught.value)
    assert message in text
    assert file in text
    assert len(text.splitlines()) == 1


COMMANDS = {
    "my_world": ["my_world:world", "--horizon", "2"],
    "my_future": ["swap", "--horizon", "2", "--value", "my_future:mine"],
    "my_policy": ["swap", "--horizon", "2", "--policy", "my_policy:Mine"],
    "my_crowd": ["swap", "--horizon", "2", "--policy", "0", "--value", "my_crowd:Mine"],
}
SEEN_BY_THE_COMMAND = [
    w for w in WRONG if w[0] in COMMANDS and not w[3].startswith(("representative", "other weights", "is copied"))
]


@pytest.mark.parametrize(
    ("file", "right", "wrong", "message"), SEEN_BY_THE_COMMAND, ids=[f"{w[0]}-{w[3]}" for w in SEEN_BY_THE_COMMAND]
)
def test_the_command_says_so_too(
    folder: Path, capsys: pytest.CaptureFixture[str], file: str, right: str, wrong: str, message: str
) -> None:
    (folder / f"{file}.py").write_text(FILES[file].replace(right, wrong))
    assert main(["multislot", *COMMANDS[file]]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert file in captured.err
    assert len(captured.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("st:1", "unknown future 'st:1'"),
        ("stax:one", "unknown future 'stax'; did you mean 'sta'"),
        ("cpy:1", "takes no argument"),
        ("sta", "needs an argument; write 'sta:1'"),
        ("nowhere:mine", "no module 'nowhere' here; run where nowhere.py is"),
        ("my_future:mind", "my_future.py: no 'mind' in it; did you mean 'mine'"),
        ("my_future:mine:3", "takes no argument"),
        ("my_future:family:x", "future 'my_future:family:x': 'x' is not a slot"),
    ],
)
def test_names_that_stand_for_nothing(folder: Path, name: str, message: str) -> None:
    with pytest.raises(CaregridError) as caught:
        find_future(name)
    assert message in str(caught.value)
