"""What `caregrid theory` runs, `caregrid validate` accepts; what it refuses, both refuse."""

from pathlib import Path

import pytest

from caregrid.main import main
from xenv.theory import THEORY_AGENTS, THEORY_EXAMPLES

OWN = """
import functools
from dataclasses import dataclass

from engine.agent import Agent, AgentSpec


def plain(agent, play):
    return 1, 0


def with_more(agent, play, observation=0):
    return 1, observation


class _Echo:
    def __call__(self, agent, play):
        return 1, 0

    def respond(self, agent, play):
        return 1, 0


an_object = _Echo()
a_method = _Echo().respond
a_partial = functools.partial(lambda reward, agent, play: (reward, 0), 1)


def of_play(play):
    return 1, 0


class _One(Agent):
    def act(self, observation):
        return 1

    def train(self, transition):
        pass

    def fork(self):
        return self


@dataclass(frozen=True)
class Ones(AgentSpec):
    def build(self, n_observations, n_actions, key):
        return _One()


a_spec = Ones()


def an_agent(prompt):
    return 1


def of_nothing():
    return 1
"""


@pytest.fixture
def own_file(users_folder: Path) -> Path:
    """A file of the user's own, importable as `own_theory`."""
    (users_folder / "own_theory.py").write_text(OWN, encoding="utf-8")
    return users_folder


@pytest.mark.parametrize("name", ["plain", "with_more", "an_object", "a_method", "a_partial"])
def test_an_environment_that_runs_is_valid(name: str, own_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theory", f"own_theory:{name}", "--agent", "always:1", "--turns", "3"]) == 0
    assert main(["validate", "theory_examples", f"own_theory:{name}"]) == 0, capsys.readouterr().err
    entry = THEORY_EXAMPLES[f"own_theory:{name}"]
    assert THEORY_EXAMPLES.accept(entry) is entry


@pytest.mark.parametrize("name", ["a_spec", "an_agent"])
def test_an_agent_that_runs_is_valid(name: str, own_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theory", "newcomb", "--agent", f"own_theory:{name}", "--turns", "3"]) == 0
    assert main(["validate", "theory_agents", f"own_theory:{name}"]) == 0, capsys.readouterr().err
    entry = THEORY_AGENTS[f"own_theory:{name}"]
    assert THEORY_AGENTS.accept(entry) is entry


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("theory_examples", "of_play", "own_theory.py, function of_play: takes (play); it is called as environment"),
        ("theory_examples", "Ones", "the class Ones is not an example of the theory; make a TheoryExample"),
        ("theory_agents", "of_nothing", "own_theory.py, function of_nothing: takes (); it is called as agent(prompt)"),
        ("theory_agents", "Ones", "own_theory.py, class Ones: takes ()"),
    ],
)
def test_what_cannot_run_is_refused_alike(
    kind: str, name: str, message: str, own_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = f"own_theory:{name}"
    run = ["theory", own] if kind == "theory_examples" else ["theory", "newcomb", "--agent", own]
    for words in (["validate", kind, own], run):
        assert main(words) == 2
        assert message in capsys.readouterr().err
