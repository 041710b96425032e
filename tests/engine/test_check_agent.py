"""Every registered agent keeps its contract, and what breaks it is named in one line: file, class, method, mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.agent import Agent, AgentSpec, check_agent
from engine.agents import AGENTS
from engine.errors import BadValue, ContractBroken
from tests.users_files import read_right_file

GOOD = read_right_file("agents", "Counting")


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
