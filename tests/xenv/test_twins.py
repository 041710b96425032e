"""The compiled turn loop runs the same turns as the plain one."""

from typing import Any

import pytest

from engine.agent import Transition
from xenv.environment import ExtendedEnvironment
from xenv.environments import ENVIRONMENTS
from xenv.interaction_loop import run_environment
from xenv.simulation import Simulate


class Ten(ExtendedEnvironment):
    """Asks a copy that it never trains."""

    n_observations = 2

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.copy = simulate()

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        return (1.0 if self.copy.act(0) == action else -1.0), 0


COMPILED = [name for name in ENVIRONMENTS if ENVIRONMENTS[name].compiled]
AGENTS = ["random", "constant", "simple", "q_learning"]


def runs_alike(environment: Any, agent: str, randomness: str = "keys") -> bool:
    plain, compiled = (
        run_environment(environment, agent, 400, 3, randomness=randomness, record=True, compiled=choice)
        for choice in (False, True)
    )
    assert (plain.compiled, compiled.compiled) == (False, True)
    assert plain.record is not None
    assert compiled.record is not None
    return plain.total_reward == compiled.total_reward and plain.record.tolist() == compiled.record.tolist()


@pytest.mark.slow_cases(beyond=20)
@pytest.mark.parametrize("environment", COMPILED)
def test_every_environment(environment: str) -> None:
    assert runs_alike(environment, "q_learning")
    assert runs_alike(f"opposite({environment})", "q_learning", "published")


@pytest.mark.slow_cases(beyond=4)
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("wrapper", ["{}", "reality_check({})", "reality_check_published({})"])
def test_every_agent(wrapper: str, agent: str) -> None:
    assert runs_alike("tempting_button", wrapper.format(agent))


def test_nested_checks() -> None:
    assert runs_alike("crying_baby", "reality_check(reality_check_published(q_learning))")


class TrainsAFork(Ten):
    """Asks a trained fork; the copy itself is never trained."""

    def step(self, action: int) -> tuple[float, int]:
        twin = self.copy.fork()
        twin.train(Transition(0, action, -1.0, 0))
        return (1.0 if twin.act(0) == action else -1.0), 0


@pytest.mark.slow
def test_a_trained_fork_is_a_copy_in_compiled_code() -> None:
    assert runs_alike(TrainsAFork, "simple")
    assert runs_alike(TrainsAFork, "reality_check(q_learning)")


@pytest.mark.slow
@pytest.mark.parametrize("environment", COMPILED[::4])
def test_environments_with_a_reality_check_and_literal_opposites(environment: str) -> None:
    assert runs_alike(environment, "reality_check(q_learning)")
    assert runs_alike(f"literal_opposite({environment})", "q_learning")
