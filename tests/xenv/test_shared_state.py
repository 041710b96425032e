"""Agents of users' own that share what they learn: every trial leaves it as it was, and one line names it."""

import contextlib
import copy
import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import networkx
import numpy as np
import pytest
from scipy.sparse import lil_matrix

import xenv
from engine.agent import check_learner
from engine.errors import CaregridError
from engine.shared_state import keep_shared_state
from experiments.requests.battery import run_agent
from tests.xenv.plain_classes import Flatterer
from xenv.interaction_loop import why_run_plainly
from xenv.names import agent_spec

TURNS = 400


class Learner:
    def act(self, obs: int) -> int:
        return self.count() // 7 % 2

    def count(self) -> int:
        raise NotImplementedError

    def train(self, o_prev: int, a: int, r: float, o_next: int) -> None:
        self.learn(a)

    def learn(self, a: int) -> None:
        raise NotImplementedError


def make_class_array() -> Any:
    class InClass(Learner):
        values = np.zeros(3)

        def count(self) -> int:
            return int(self.values.sum())

        def learn(self, a: int) -> None:
            self.values[a] += 1

    return InClass


def make_rebound() -> Any:
    class Rebound(Learner):
        seen = 0

        def count(self) -> int:
            return self.seen

        def learn(self, a: int) -> None:
            type(self).seen += 1

    return Rebound


def make_new_attribute() -> Any:
    class LaterInClass(Learner):
        def count(self) -> int:
            return getattr(type(self), "later", 0)

        def learn(self, a: int) -> None:
            type(self).later = self.count() + 1  # type: ignore[attr-defined]

    return LaterInClass


def make_closure() -> Any:
    known: dict[str, list[int]] = {"actions": []}

    class InClosure(Learner):
        def count(self) -> int:
            return len(known["actions"])

        def learn(self, a: int) -> None:
            known["actions"].append(a)

    return InClosure


def make_default() -> Any:
    class InDefault(Learner):
        def count(self, memory: list[int] = [0]) -> int:  # noqa: B006
            return memory[0]

        def learn(self, a: int) -> None:
            type(self).count.__defaults__[0][0] += 1  # type: ignore[index]

    return InDefault


GLOBAL = [0]


def make_global() -> Any:
    GLOBAL[:] = [0]

    class InModule(Learner):
        def count(self) -> int:
            return GLOBAL[0]

        def learn(self, a: int) -> None:
            GLOBAL[0] += 1

    return InModule


def make_iterator() -> Any:
    class Numbered(Learner):
        numbers = itertools.count()

        def __init__(self) -> None:
            self.number = next(self.numbers)

        def count(self) -> int:
            return 7 * self.number

        def learn(self, a: int) -> None:
            pass

    return Numbered


def make_generator() -> Any:
    generator = np.random.Generator(np.random.PCG64(3))

    class WithGenerator(Learner):
        def count(self) -> int:
            return int(generator.integers(14))

        def learn(self, a: int) -> None:
            pass

    return WithGenerator


def make_module_generator() -> Any:
    random.setstate(random.Random(5).getstate())

    class WithModuleGenerator(Learner):
        def __init__(self) -> None:
            self.number = random.randrange(14)

        def count(self) -> int:
            return self.number

        def learn(self, a: int) -> None:
            self.number += a

    return WithModuleGenerator


def make_graph() -> Any:
    """Nodes of a graph of networkx, and the entries of a sparse matrix, are objects of installed packages."""
    graph, matrix = networkx.DiGraph(), lil_matrix((1, 3))
    graph.add_node("agent", seen=0)

    class InGraph(Learner):
        def count(self) -> int:
            return int(graph.nodes["agent"]["seen"] + matrix.sum())

        def learn(self, a: int) -> None:
            graph.nodes["agent"]["seen"] += 1
            matrix[0, a] += 1

    return InGraph


SHARING = [make_class_array, make_rebound, make_new_attribute, make_closure, make_default, make_global]
SHARING += [make_iterator, make_generator, make_module_generator, make_graph]
sharing = pytest.mark.parametrize("make", SHARING, ids=lambda make: make.__name__)


@pytest.fixture(autouse=True)
def begin_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing has been printed, and the module's generator is afterwards as before."""
    monkeypatch.setattr("engine.printable._printed", set())
    before = random.getstate()
    yield
    random.setstate(before)


def run_bare(agent_class: Any) -> list[tuple[float, int]]:
    """Turns of the loop that a user would write."""
    environment, agent = Flatterer(agent_class), agent_class()
    observation, turns = environment.start(), []
    for _ in range(TURNS):
        action = agent.act(observation)
        reward, following = environment.step(action)
        agent.train(observation, action, reward, following)
        turns.append((reward, following))
        observation = following
    return turns


@sharing
@pytest.mark.parametrize("compiled", [True, False])
def test_a_run_is_the_bare_loop_and_says_what_copies_share(
    make: Callable[[], Any], compiled: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = run_bare(make())
    own = make()
    record = xenv.run_environment(Flatterer, own, TURNS, record=True, compiled=compiled).record
    assert record is not None
    assert list(zip(record["reward"].tolist(), record["next_observation"].tolist(), strict=True)) == bare
    assert f"{own.__name__}: its copies are not what it is itself" in capsys.readouterr().err


@sharing
def test_checks_leave_what_a_class_holds(make: Callable[[], Any]) -> None:
    bare = run_bare(make())
    own = make()
    for check in (
        lambda: xenv.check_semi_deterministic(own),
        lambda: why_run_plainly(Flatterer, own),
        lambda: check_learner(agent_spec(own)),
        lambda: run_agent("own", "repeater", 0, 50, 0, "keys", {"own": own}),
    ):
        with contextlib.suppress(CaregridError):
            check()
    assert run_bare(own) == bare


def test_the_same_objects_hold_what_they_held() -> None:
    held = {"array": np.arange(3), "list": [[1], [2]], "dict": {"a": {1}}, "text": "a"}
    before, parts = copy.deepcopy(held), list(held.values())

    class Own:
        shared = held

    with keep_shared_state(Own) as state:
        held["array"][1] = 7  # type: ignore[index]
        held["list"][0].append(3)  # type: ignore[index]
        held["dict"].update(b=1)  # type: ignore[union-attr]
        held["text"] = "b"
        assert state.find_changed()
    assert all(one is other for one, other in zip(held.values(), parts, strict=True))
    assert repr(held) == repr(before)
    assert not state.find_changed()
