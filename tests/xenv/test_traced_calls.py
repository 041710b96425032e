"""What an agent's computation takes does not depend on what else the process does."""

import gc
from collections.abc import Iterator

import pytest

from xenv.environments.kinds_of_agent import count_steps_to_act
from xenv.theory.agents import measure_work


class Allocating:
    """An agent whose answer takes many new containers."""

    def act(self, observation: int) -> int:
        kept = []
        for number in range(200):
            kept.append([[number], [observation]])
        return len(kept)

    def train(self, transition: object) -> None: ...

    def fork(self) -> "Allocating":
        return self


@pytest.fixture
def busy_collector() -> Iterator[list[str]]:
    """A collector that works all the time, and calls Python code that notes it, as other packages do."""
    heard: list[str] = []

    def note(phase: str, info: dict[str, int]) -> None:
        heard.append(phase)

    before = gc.get_threshold()
    gc.callbacks.append(note)
    gc.set_threshold(5)
    yield heard
    gc.set_threshold(*before)
    gc.callbacks.remove(note)


def test_lines_that_collecting_garbage_runs_are_not_the_agents(busy_collector: list[str]) -> None:
    for _ in range(3):
        assert count_steps_to_act(Allocating(), 0) == 403
        assert measure_work(lambda: Allocating().act(0)).steps == 404
    assert gc.isenabled()
    made = [[number] for number in range(100)]
    assert busy_collector, f"collecting goes on afterwards, with {len(made)} lists"
