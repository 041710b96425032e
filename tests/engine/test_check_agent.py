"""Every registered agent keeps its contract, and what breaks it is named in one line: file, class, method, mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.agent import Agent, AgentSpec, check_agent
from engine.agents import AGENTS
from engine.errors import BadValue, ContractBroken

GOOD = """
import copy
from dataclasses import dataclass

from engine.agent import Agent, AgentSpec


class Counter(Agent):
    def __init__(self, n_actions, key):
        self.n_actions, self.key, self.seen = n_actions, key, [0]

    def act(self, observation):
        return (self.seen[0] + observation + self.key) % self.n_actions

    def train(self, transition):
        self.seen[0] += 1

    def fork(self):
        return copy.deepcopy(self)


@dataclass(frozen=True)
class Counting(AgentSpec):
    step: int = 1

    def build(self, n_observations, n_actions, key):
        return Counter(n_actions, key)
"""


@pytest.fixture
def own(users_folder: Path) -> Path:
    """A user's file beside the user: `own_agent_for_tests.py`."""
    return users_folder / "own_agent_for_tests.py"


@pytest.mark.parametrize("name", AGENTS)
def test_registered_agents_keep_their_contract(name: str) -> None:
    check_agent(AGENTS[name], trainings=30, histories=2)


def test_an_agent_of_the_users_own_is_found_and_checked(own: Path) -> None:
    own.write_text(GOOD)
    spec = AGENTS["own_agent_for_tests:Counting"]
    check_agent(spec)
    check_agent(spec(step=2), n_observations=1, n_actions=5)  # type: ignore[call-arg]


MISTAKES = {
    "a missing method of the agent": (
        ("def fork", "def forks"),
        r"own_agent_for_tests.py, class Counting, build: own_agent_for_tests.py, line 27: TypeError: .*abstract.*fork",
    ),
    "an action out of range": (
        ("% self.n_actions", "+ 3"),
        r"own_agent_for_tests.py, class Counter: act gave 3; expected an integer in 0 .. 2$",
    ),
    "an action of a wrong type": (
        ("% self.n_actions", "% self.n_actions + 0.5"),
        r"own_agent_for_tests.py, class Counter: act gave 0.5; expected an integer in 0 .. 2$",
    ),
    "an exception": (
        ("self.seen[0] += 1", "self.seen[1] += 1"),
        r"own_agent_for_tests.py, class Counter, train: own_agent_for_tests.py, line 16: IndexError: ",
    ),
    "an answer that is its last": (
        ("        return (self", "        self.seen[0] += 1\n        return (self"),
        r"class Counter: act gave 1 and then 0 for observation 0, having asked twice, after 0 trainings",
    ),
    "a shared memory": (
        ("copy.deepcopy(self)", "copy.copy(self)"),
        r"class Counter: act gave 0 and then 1 for observation 0, having trained a fork of it, after 0 trainings; ",
    ),
    "a fork that is not an agent": (
        ("return copy.deepcopy(self)", "return None"),
        r"own_agent_for_tests.py, class Counter: fork gave None; expected an agent with",
    ),
    "nothing built": (
        ("return Counter(n_actions, key)", "return None"),
        r"own_agent_for_tests.py, class Counting: build gave None; expected an agent with 'act', 'train' and 'fork'$",
    ),
    "a method with too few parameters": (
        ("def train(self, transition)", "def train(self)"),
        r"own_agent_for_tests.py, function Counter.train: takes \(\); it is called as train\(transition\)$",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_in_one_line(own: Path, mistake: str) -> None:
    (right, wrong), message = MISTAKES[mistake]
    assert right in GOOD
    own.write_text(GOOD.replace(right, wrong))
    with pytest.raises(ContractBroken, match=message) as caught:
        check_agent(AGENTS["own_agent_for_tests:Counting"])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            "def build(",
            "def make(",
            r"own_agent_for_tests.py, class Counting: no 'build'; define what AgentSpec leaves open",
        ),
        ("frozen=True", "frozen=False", r"class Counting: its hyper-parameters can be changed; decorate it with"),
        (
            ", n_actions, key):\n        return C",
            "):\n        return C",
            r"it is called as build\(self, n_observations, n_act",
        ),
        (
            "class Counting(",
            "class Other(",
            r"^own_agent_for_tests.py, 'Counting': 3 is not an agent spec; derive a class from",
        ),
        ("class Counter(", "raise OSError('full')\nclass Counter(", r"own_agent_for_tests.py, line 8: OSError: full"),
    ],
)
def test_a_spec_is_refused_where_it_is_named(own: Path, right: str, wrong: str, message: str) -> None:
    assert right in GOOD
    own.write_text(GOOD.replace(right, wrong) + ("Counting = 3\n" if "Other" in wrong else ""))
    with pytest.raises(ContractBroken, match=message) as caught:
        AGENTS["own_agent_for_tests:Counting"]
    assert "\n" not in str(caught.value)


def test_what_is_no_spec_at_all_is_refused() -> None:
    with pytest.raises(ContractBroken, match="3 is not an agent spec"):
        check_agent(3)
    with pytest.raises(BadValue, match=r"no module 'nowhere_for_tests' here"):
        AGENTS["nowhere_for_tests:Counting"]


def test_classes_with_the_methods_are_agents_without_deriving() -> None:
    class Plain:
        def act(self, observation: int) -> int:
            return 0

        def train(self, transition: object) -> None: ...

        def fork(self) -> Plain:
            return self

    assert isinstance(Plain(), Agent)
    assert not isinstance(Plain(), AgentSpec)
    assert not issubclass(int, Agent)
    with pytest.raises(TypeError, match="abstract"):
        type("Half", (Agent,), {"act": Plain.act})()
