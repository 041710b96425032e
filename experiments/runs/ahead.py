"""Work that other processes do before it is asked for, on any engine.

A search asks for one result after the other, in its own order. What it is known to ask for next is handed out in chunks
of half a second, as long as workers are idle. Results are taken in the order in which chunks were handed out, so that
the search finds the same for any number of workers. Whatever cannot be sent, and whatever fails elsewhere, is left to
the one who asks: there an error has its place.
"""

from __future__ import annotations

import os
import platform
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Generic, NamedTuple, TypeVar

from experiments.runs.engines import ExecutionEngine

LEAST_SECONDS, CHUNK_SECONDS = 0.05, 0.5
"""Of processor time, of a chunk that is worth sending while another one is under way, and at most."""
POLL_SECONDS = 0.2

Item = TypeVar("Item")
Done = TypeVar("Done")
Made = TypeVar("Made")


def name_work() -> str:
    """Return a name that no other work has, in any process on any machine."""
    return f"{platform.node()} {os.getpid()} {time.time_ns()}"


class LastMade(Generic[Made]):
    """In a worker: what all chunks of the last work need, made for the first of them."""

    def __init__(self) -> None:
        self._made: dict[str, Made] = {}

    def make(self, name: str, make: Callable[[], Made]) -> Made:
        """Return what was made for the work of this name; make it for its first chunk, in place of the last work's."""
        if name not in self._made:
            self._made.clear()
            self._made[name] = make()
        return self._made[name]


class ChunkDone(NamedTuple, Generic[Done]):
    """What a worker made of a chunk. seconds: of processor time."""

    found: Done
    seconds: float


ChunkCall = tuple[Callable[..., ChunkDone[Done]], tuple[Any, ...]]
"""What an engine is given for a chunk: a function and its arguments."""


class WorkAhead(Generic[Item, Done]):
    """The chunks that are under way.

    engine: where they run, started. call: makes a call of a chunk; None where nothing needs to be done any more.
    """

    def __init__(self, engine: ExecutionEngine, call: Callable[[Sequence[Item]], ChunkCall[Done] | None]) -> None:
        self._engine = engine
        self._call = call
        self._least, self._most = 1, 1
        self._waiting: deque[tuple[Sequence[Item], Future[ChunkDone[Done]]]] = deque()
        self._looked = time.monotonic()
        self.is_running = True

    def hand_out(self, items: Sequence[Item], first: int, is_asked: bool) -> int:
        """Hand out items from a number on while workers are idle; return the number of the first that was not.

        is_asked: whether the first one is waited for, so that a short chunk is worth sending, too.
        """
        running = sum(not future.done() for _, future in self._waiting)
        following = first
        while self.is_running and running < self._engine.capacity and following < len(items):
            share = -(-(len(items) - following) // (2 * self._engine.capacity))
            if share < self._least and not (is_asked and following == first):
                break  # more items may be about to come
            chunk = items[following : following + min(self._most, share)]
            following += len(chunk)
            call = self._call(chunk)
            if call is None:
                continue
            try:
                future = self._engine.submit(call[0], *call[1])
            except Exception:  # whatever pickling raises
                self.close(abandon=True)
                break
            self._waiting.append((chunk, future))
            running += 1
        return following

    @property
    def is_waiting(self) -> bool:
        """Whether anything is under way."""
        return bool(self._waiting)

    def take_in(self, waits: bool = True) -> tuple[Sequence[Item], Done] | None:
        """Return the chunk that was handed out first with what was found, once it is done; None until then.

        waits: whether to wait for a while. The engine is asked now and then in any case: it may notice a death.
        """
        if not self._waiting:
            return None
        chunk, future = self._waiting[0]
        if not future.done():
            if waits or time.monotonic() - self._looked > POLL_SECONDS:
                unfinished = [each for _, each in self._waiting if not each.done()]
                self._engine.wait(unfinished, POLL_SECONDS if waits else 0.0)
                self._looked = time.monotonic()
            return None
        self._waiting.popleft()
        try:
            found, seconds = future.result()
        except Exception:  # it is done where it is asked for, and the error named there
            self.close(abandon=True)
            return None
        each = max(seconds / len(chunk), 1e-6)
        self._least, self._most = (max(1, int(most / each)) for most in (LEAST_SECONDS, CHUNK_SECONDS))
        return chunk, found

    def close(self, abandon: bool = False) -> None:
        """Stop the workers, if they run; nothing is handed out from now on."""
        if self.is_running:
            self.is_running = False
            self._engine.close(abandon or bool(self._waiting))
            self._waiting.clear()
