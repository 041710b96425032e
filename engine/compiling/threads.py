"""Work on several threads: compiled loops let others run meanwhile (`engine.compiling.kernel`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from threading import Event
from typing import Any, TypeVar

from engine.errors import BadValue

_Result = TypeVar("_Result")


def count_threads(wanted: int | None = None) -> int:
    """Return how many threads to use: those wanted, or one a core, or as the variable OMP_NUM_THREADS says.

    It is 1 in the workers of an experiment: no threads below processes. BadValue for fewer than 1.
    """
    if wanted is not None:
        if wanted < 1:
            raise BadValue(f"{wanted} threads", place="threads", remedy="give at least 1")
        return wanted
    said = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if said.isdecimal() and int(said):
        return int(said)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_in_order(
    pieces: Iterable[Callable[[], _Result]], threads: int, abandoned: Event | None = None
) -> Iterator[_Result]:
    """What pieces of work give, in their order; on several threads a few pieces ahead.

    abandoned: set when no more results are wanted, after an error or an interruption, for pieces that take long to see.
    """
    work = iter(pieces)
    first = list(islice(work, 2 * threads))
    if threads == 1 or len(first) <= 1:
        yield from (piece() for piece in chain(first, work))
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        try:
            pending = [pool.submit(piece) for piece in first]
            while pending:
                yield pending.pop(0).result()
                pending += [pool.submit(piece) for piece in islice(work, 1)]
        except BaseException:
            if abandoned is not None:
                abandoned.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run_with_what_follows(
    piece: Callable[[], tuple[_Result, Iterable[Callable[[], Any]]]], threads: int, abandoned: Event | None = None
) -> list[_Result]:
    """What a piece of work gives, and the pieces that it leaves, and those that they leave: each before what follows.

    A piece begins as soon as a thread is free; the order of results is the same for any number of threads. abandoned:
    as for `run_in_order`.
    """
    found, first = dict[tuple[int, ...], _Result](), tuple[int, ...]()
    if threads == 1:
        waiting = [(first, piece)]
        while waiting:
            place, piece = waiting.pop()
            found[place], following = piece()
            waiting += [((*place, number), each) for number, each in enumerate(following)]
        return [found[place] for place in sorted(found)]
    from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

    with ThreadPoolExecutor(threads) as pool:
        try:
            running = {pool.submit(piece): first}
            while running:
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    place = running.pop(done)
                    found[place], following = done.result()
                    running |= {pool.submit(each): (*place, number) for number, each in enumerate(following)}
        except BaseException:
            if abandoned is not None:
                abandoned.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[place] for place in sorted(found)]
