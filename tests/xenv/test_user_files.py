"""What a user adds in a file of their own: a correct one runs, a mistake is one line that names file and mistake."""

from collections.abc import Callable

import numpy as np
import pytest

import xenv
from caregrid.main import main
from engine.errors import ContractBroken
from tests.printed_json import printed_content
from tests.users_files import read_right_file
from xenv.names import agent_spec

ENVIRONMENT = read_right_file("environments", "Mine")
AGENT = read_right_file("agents", "Mine")
TRANSFORMATION = read_right_file("transformations", "same")


def battery(*words: str) -> int:
    return main(["battery", "--quiet", "--turns", "20", "--seeds", "1", "--json", *words])


def test_an_environment_of_ones_own(written: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    name = f"{written(ENVIRONMENT)}:Mine"
    xenv.check_environment(name)
    xenv.check_environment(f"literal_opposite({name})")
    assert battery("--agents", "constant", "--environments", f"{name},opposite({name})") == 0
    rows = printed_content(capsys.readouterr().out)["rows"]
    assert [(row["environment"], row["total_reward"]) for row in rows] == [(name, 20), (f"opposite({name})", -20)]


def test_an_abstract_class_is_refused_when_it_is_made() -> None:
    class Half(xenv.ExtendedEnvironment):
        def start(self) -> int:
            return 0

    with pytest.raises(TypeError, match="step"):
        Half(xenv.Simulate(agent_spec("constant"), 1, 2))  # type: ignore[abstract]
    for made in (Half, xenv.opposite(Half)):
        with pytest.raises(ContractBroken, match=r"class .*Half: .*'?step"):
            xenv.run_environment(made, "constant", 5)


def test_an_agent_and_a_transformation_of_ones_own(
    written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    agent, same = f"{written(AGENT)}:Mine", f"{written(TRANSFORMATION)}:same"
    xenv.check_semi_deterministic(agent)
    xenv.check_transformation(same)
    assert battery("--agents", f"{agent},{same}(reality_check({agent}))", "--environments", "repeater") == 0
    assert [row["total_reward"] for row in printed_content(capsys.readouterr().out)["rows"]] == [20, 20]


LATER = """
import sys


class Stop(BaseException):
    pass


class Silent(Exception):
    def __str__(self):
        raise RuntimeError("it says nothing")


class Mine:
    def __init__(self):
        self.trainings = 0

    def act(self, observation):
        return 0

    def train(self, transition):
        self.trainings += 1
"""
FORKS = "        self.trainings += 1\n"


@pytest.mark.parametrize(
    ("old", "new", "environment", "message"),
    [
        ("return 0", "return 0 if self.trainings < 6 else {}[1]", "newcomb", ", act: {}, line 19: KeyError: 1"),
        ("return 0", "return self.trainings < 6 or sys.exit(4)", "newcomb", ": action True is not an integer"),
        ("return 0", "return 7 if self.trainings > 5 else 0", "newcomb", "class Mine: action 7 is not in 0 .. 1"),
        (
            "return 0",
            "Mine.first = getattr(Mine, 'first', self); return 7 * (self is not Mine.first)",
            "newcomb",
            ", a copy: action 7 is",
        ),
        (
            "return 0",
            "Mine.first = getattr(Mine, 'first', self); return (1 / (self is Mine.first)) and 0",
            "newcomb",
            "copy, act: {}, line 19: Zero",
        ),
        (" += 1", " += 1 if self.trainings < 6 else sys.exit(4)", "newcomb", ", train: {}, line 22: SystemExit: 4"),
        (
            FORKS,
            f"{FORKS}        if self.trainings > 6: raise Stop('no')\n",
            "newcomb",
            ", train: {}, line 23: Stop: no",
        ),
        (
            FORKS,
            f"{FORKS}        if self.trainings > 6: raise Silent\n",
            "newcomb",
            "an exception that cannot be printed",
        ),
        (FORKS, f"{FORKS}        if self.trainings > 6: raise GeneratorExit\n", "newcomb", "line 23: GeneratorExit"),
        (
            FORKS,
            f"{FORKS}    def fork(self): return 1 / 0\n",
            "deja_vu",
            ", a copy, fork: {}, line 23: ZeroDivisionError",
        ),
        (FORKS, f"{FORKS}    def fork(self): return 3\n", "deja_vu", "fork gave 3; expected an agent"),
        (
            FORKS,
            f"{FORKS}    def __deepcopy__(self, memo): sys.exit()\n",
            "deja_vu",
            ", copied: {}, line 23: SystemExit",
        ),
    ],
)
def test_what_goes_wrong_later_names_agent_environment_turn_and_line(
    old: str, new: str, environment: str, message: str, written: Callable[..., str]
) -> None:
    name = written(LATER, old, new)
    with pytest.raises(ContractBroken) as caught:
        xenv.run_environment(environment, f"{name}:Mine", 20)
    text = str(caught.value)
    assert message.format(f"{name}.py") in text
    assert text.startswith(f"Mine in {'Newcomb' if environment == 'newcomb' else 'DejaVu'}, turn ")
    assert f"{name}.py, class Mine" in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ("return (reward if action else True), 0", "step gave (True, 0); expected a finite number as the reward"),
        ("return float('nan'), 0", "step gave (nan, 0); expected a finite number"),
        ("import sys; sys.exit(0)", "line 15: SystemExit: 0; mend it there"),
        ("raise GeneratorExit", "line 15: GeneratorExit; mend it there"),
    ],
)
def test_what_an_environment_may_not_give_names_the_turn(new: str, message: str, written: Callable[..., str]) -> None:
    name = written(ENVIRONMENT, "return reward, 0", new)
    with pytest.raises(ContractBroken) as caught:
        xenv.run_environment(f"{name}:Mine", "constant", 20)
    assert str(caught.value).startswith(f"Constant in Mine, turn 1: {name}.py, class Mine: ")
    assert message in str(caught.value)


def test_an_agent_that_being_asked_changes_is_noticed(
    written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "self.action = (self.action + 1) % self.n_actions; return self.action"
    agent = f"{written(AGENT, 'return self.action', asked)}:Mine"
    assert battery("--agents", agent, "--environments", "repeater") == 0
    capsys.readouterr()
    assert battery("--check", "--agents", agent, "--environments", "repeater") == 2
    error = capsys.readouterr().err
    assert "class Mine: act gave" in error
    assert "having asked twice" in error
    assert "'train' and 'sweep' make no copies" in error
    assert battery("--check", "--agents", "simple,reality_check(q_learning)", "--environments", "repeater") == 0


PAPER = """
class Mine:
    n_actions, n_obs = 2, 2

    def __init__(self, A):
        self.copy, self.turn = A(), 0

    def start(self):
        return 0

    def step(self, action):
        self.turn += 1
        self.copy.train(0, action, 1.0, 1)
        return (1.0 if action == self.copy.act(1) else -1.0), 0
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (PAPER, "(0, action, 1.0, 1)", "(0, action, 1)", "train is called without o_next; call train(o_prev, a, r,"),
        (PAPER, "(0, action, 1.0, 1)", "(0, action)", "train is called without r, o_next; call train(o_prev, a, r,"),
        (PAPER, "(0, action, 1.0, 1)", "(0, a=action, o_next=1)", "train is called without r; call train(o_prev, a,"),
        (PAPER, "(0, action, 1.0, 1)", "(0, action, 1.0, -1)", "next observation -1 is not in 0 .. 1"),
        (PAPER, "(0, action, 1.0, 1)", "(0, 2, 1.0, 1)", "what train is called with: action 2 is not in 0 .. 1"),
        (PAPER, "act(1)", "act(-1)", "a copy, what act is called with: observation -1 is not in 0 .. 1"),
        (ENVIRONMENT, "act(0)", "act(-1)", "a copy, what act is called with: observation -1 is not in 0 .. 0"),
        (ENVIRONMENT, "act(0)", "act(1)", "a copy, what act is called with: observation 1 is not in 0 .. 0"),
        (ENVIRONMENT, "(0, action,", "(0, 5,", "a copy, what train is called with: action 5 is not in 0 .. 1"),
        (ENVIRONMENT, "reward, 0\n", "3 * reward, 0\n", "expected a reward from -1 to 1, as its reward_range declares"),
    ],
)
@pytest.mark.parametrize("agent", ["q_learning", "constant"])
def test_what_a_copy_is_asked_and_what_is_paid_is_checked(
    text: str, old: str, new: str, message: str, agent: str, written: Callable[..., str]
) -> None:
    name = written(text, old, new)
    with pytest.raises(ContractBroken) as caught:
        xenv.run_environment(f"{name}:Mine", agent, 20)
    assert message in str(caught.value)
    assert " in Mine, turn 1: " in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "differs"),
    [
        ("return self.action", "self.action += 1; return self.action % 2", "having asked twice, after 0 trainings"),
        ("return self.action", "Mine.n = getattr(Mine, 'n', 0) + 1; return Mine.n % 2", "having asked twice, after 0"),
        ("self.action = action", "Mine.shown = 1; self.action = action", ""),
        ("return self.action", "return len(SHARED) % 2", "having trained a fork of it, after 0 trainings"),
    ],
)
def test_copies_that_share_state_are_told_of_by_default(
    old: str, new: str, differs: str, written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = "SHARED = []\n" + AGENT.replace("self.action = action if", "SHARED.append(1); self.action = action if")
    name = written(text, old, new)
    assert battery("--agents", f"{name}:Mine", "--environments", "repeater") == 0
    error = capsys.readouterr().err
    assert differs in error
    assert error.count("\n") == bool(differs)
    assert not differs or error.startswith(f"caregrid: {name}.py, class Mine: its copies are not what it is itself: ")


def test_a_table_that_copies_share_is_told_of_where_there_is_one_observation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Sharing:
        worth = np.zeros(2)

        def act(self, observation: int) -> int:
            return int(self.worth.argmax())

        def train(self, observation: int, action: int, reward: float, next_observation: int) -> None:
            self.worth[action] += reward

    xenv.run_environment("ignore_rewards", Sharing, 20)
    assert "Sharing: its copies are not what it is itself: act gave 0 and then 1" in capsys.readouterr().err
