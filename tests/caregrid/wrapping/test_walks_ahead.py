"""Walks whose states other processes explore: the same bytes, the errors of here, and nothing left of a stopped one."""

import os
import threading
import time
from collections.abc import Hashable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import caregrid
from caregrid.wrapping import walks_ahead
from caregrid.wrapping.worlds import SteppedWorld
from caregrid.wrapping.wrap import WrappedScenario
from engine.errors import CaregridError
from engine.mdp.enumeration import walk
from engine.mdp.enumeration.walk import Successor
from experiments.runs import ahead
from experiments.runs.engines import ExecutionEngine
from experiments.runs.engines.local import LocalEngine

SIZE = 4


class TwoPieces(gymnasium.Env[int, np.int64]):
    """Two pieces on a square; the second one slips by chance."""

    def __init__(self, broken: bool = False) -> None:
        self.action_space = gymnasium.spaces.Discrete(8)
        self.observation_space = gymnasium.spaces.Discrete(2)  # type: ignore[assignment]
        self.broken = broken

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.board = np.zeros(4, dtype=np.int64)
        return 0, {}

    def step(self, action: np.int64) -> tuple[int, float, bool, bool, dict[str, Any]]:
        piece, way = divmod(int(action), 4)
        far = 2 if piece and self.np_random.random() < 0.25 else 1
        where = 2 * piece + way % 2
        board = self.board.copy()
        board[where] = min(max(board[where] + (far if way < 2 else -far), 0), SIZE - 1)
        if self.broken and board.sum() > 2 * SIZE:
            raise RuntimeError(f"it breaks at {board.tolist()}")
        self.board = board
        return 0, -1.0 - 0.1 * piece, bool((board == SIZE - 1).all()), False, {}


def wrap_pieces(env: Any = TwoPieces, **options: Any) -> WrappedScenario:
    return caregrid.wrap(env, others=[], time_limit=50, chance="every draw", **options)


def read_bytes(made: WrappedScenario) -> list[bytes]:
    table = made.table
    return [each.tobytes() for each in (table.next_state, table.probability, table.reward, table.terminal, table.start)]


@pytest.fixture(scope="module")
def here() -> list[bytes]:
    return read_bytes(wrap_pieces(engine="serial"))


@pytest.fixture
def tried_here(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The actions that are tried in this process."""
    tried: list[int] = []
    find = SteppedWorld.successors

    def note(world: SteppedWorld, key: Hashable, action: int) -> Sequence[Successor]:
        tried.append(action)
        return find(world, key, action)

    monkeypatch.setattr(SteppedWorld, "successors", note)
    return tried


@pytest.mark.slow
@pytest.mark.parametrize("workers", [3, None])
def test_several_workers_make_the_same_table(
    here: list[bytes], tried_here: list[int], workers: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This process explores, too, and would be done before the others have started. None: one per core."""

    def explore_slowly(world: SteppedWorld, key: Hashable) -> list[Sequence[Successor]]:
        time.sleep(0.01)
        return walk.explore_here(world, key)

    monkeypatch.setattr(walks_ahead, "explore_here", explore_slowly)
    monkeypatch.setattr(ahead, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(walks_ahead, "SECONDS_HERE", 0.0)
    monkeypatch.setattr("loky.cpu_count", lambda: 2)
    made = wrap_pieces(workers=workers)
    assert read_bytes(made) == here
    assert len(made.table.terminal) == SIZE**4
    assert SIZE**4 < len(tried_here) < SIZE**4 * 8 * 3 / 4  # of eight actions in each state


def test_a_short_walk_starts_no_process(here: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    submitted: list[Any] = []
    monkeypatch.setattr(LocalEngine, "submit", lambda engine, *call: submitted.append(call) or Future())
    monkeypatch.setattr(walks_ahead, "SECONDS_HERE", 60.0)
    assert read_bytes(wrap_pieces()) == here
    assert not submitted


class SilentEngine(ExecutionEngine):
    """Its workers never answer."""

    asked = 0
    capacity = 2

    def start(self) -> None:
        """There is nothing to start."""

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        SilentEngine.asked += 1
        return Future()

    def wait(self, futures: Any, timeout: float) -> list[Future[Any]]:
        return []

    def close(self, abandon: bool) -> None:
        """There is nothing to stop."""


def test_nobody_waits_for_workers_that_do_not_answer(here: list[bytes]) -> None:
    assert read_bytes(wrap_pieces(engine="tests.caregrid.wrapping.test_walks_ahead:SilentEngine")) == here
    assert SilentEngine.asked == SilentEngine.capacity


@pytest.mark.slow
def test_an_error_elsewhere_is_the_error_from_here() -> None:
    said = []
    for how in ({"engine": "serial"}, {"workers": 2}):
        with pytest.raises(CaregridError) as refused:
            wrap_pieces(lambda: TwoPieces(broken=True), **how)
        said.append(str(refused.value))
    assert "it breaks at" in said[0]
    assert said[0] == said[1]


def test_an_error_on_a_path_that_is_looked_at_is_the_error_of_the_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "FIRST_LOOK", 200)
    with pytest.raises(CaregridError, match="it breaks at"):
        wrap_pieces(lambda: TwoPieces(broken=True))


def test_what_cannot_be_sent_is_explored_here(here: list[bytes], tried_here: list[int]) -> None:
    lock = threading.Lock()

    def make() -> TwoPieces:
        with lock:
            return TwoPieces()

    assert read_bytes(wrap_pieces(make, workers=2)) == here
    assert len(tried_here) >= (SIZE**4 - 1) * 8


def test_states_whose_key_leaves_something_out_are_explored_here(tried_here: list[int]) -> None:
    made = wrap_pieces(fingerprint=lambda env: tuple(env.unwrapped.board.tolist()), workers=2)
    assert len(made.table.terminal) == SIZE**4
    assert len(tried_here) >= (SIZE**4 - 1) * 8


@pytest.mark.slow
def test_a_stopped_walk_leaves_neither_file_nor_process(tmp_path: Path) -> None:
    def stop(done: int, found: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wrap_pieces(workers=2, progress=stop, table=tmp_path / "table.npz")
    assert not list(tmp_path.iterdir())
    until = time.monotonic() + 30.0
    while find_workers() and time.monotonic() < until:  # they have been killed
        time.sleep(0.1)
    assert not find_workers()


def find_workers() -> list[str]:
    """The processes below this one that are workers."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    names = {child: Path(f"/proc/{child}/cmdline") for child in children}
    return [child for child, name in names.items() if name.exists() and b"popen_loky_posix" in name.read_bytes()]


def test_an_engine_that_is_none_is_refused_before_the_walk() -> None:
    with pytest.raises(CaregridError, match="nowhere"):
        wrap_pieces(engine="nowhere")
