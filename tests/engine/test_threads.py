"""Work on several threads: in order, as many as asked for, ended when nothing more is wanted."""

import time
from functools import partial
from threading import Event, get_ident
from typing import Any

import numpy as np
import pytest

from engine.compiling.threads import count_threads, run_in_order, run_with_what_follows
from engine.errors import BadValue
from engine.planning.trade_off import supporting_lines as line_search
from engine.planning.trade_off.envelope import SearchCost
from engine.planning.trade_off.optimal_segments import find_segments
from tests.engine.test_asynchronous import harmful


@pytest.mark.parametrize("threads", [1, 3])
def test_results_come_in_the_order_of_the_pieces(threads: int) -> None:
    def late(number: int) -> int:
        time.sleep(0.002 * (number % 3))
        return number

    assert list(run_in_order((partial(late, number) for number in range(20)), threads)) == list(range(20))


@pytest.mark.parametrize(("count", "own"), [(0, True), (1, True), (2, False)])
def test_a_single_piece_needs_no_thread(count: int, own: bool) -> None:
    ran_by = list(run_in_order([get_ident] * count, 2))
    assert all((thread == get_ident()) == own for thread in ran_by)
    assert len(ran_by) == count


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_ends_the_pieces_that_watch_for_it(error: type[BaseException]) -> None:
    abandoned, started = Event(), []

    def fails() -> None:
        raise error

    def watches(number: int) -> None:
        started.append(number)
        assert abandoned.wait(30)

    with pytest.raises(error):
        list(run_in_order([fails, *(partial(watches, number) for number in range(50))], 2, abandoned))
    assert abandoned.is_set()
    assert len(started) < 5


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_what_follows_runs_at_once_and_comes_after_what_left_it(threads: int) -> None:
    """A tree of numbers, of which some take longer: 1 leaves 2 and 3, 2 leaves 4 and 5, ...: children after parents."""

    def leave(number: int) -> tuple[int, list[partial[Any]]]:
        time.sleep(0.001 * (number % 4))
        return number, [partial(leave, each) for each in (2 * number, 2 * number + 1) if each < 16]

    order = [1, 2, 4, 8, 9, 5, 10, 11, 3, 6, 12, 13, 7, 14, 15]
    assert run_with_what_follows(partial(leave, 1), threads) == order


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_ends_what_follows(error: type[BaseException]) -> None:
    abandoned, started = Event(), []

    def fails() -> tuple[int, list[partial[Any]]]:
        raise error

    def watches(number: int) -> tuple[int, list[partial[Any]]]:
        started.append(number)
        assert abandoned.wait(30)
        return number, []

    with pytest.raises(error):
        run_with_what_follows(
            lambda: (0, [partial(fails), *(partial(watches, each) for each in range(50))]), 2, abandoned
        )
    assert abandoned.is_set()
    assert len(started) < 5


def test_workers_have_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert (count_threads(), count_threads(3)) == (1, 3)
    for nothing in ("", "0", "many"):
        monkeypatch.setenv("OMP_NUM_THREADS", nothing)
        assert count_threads() >= 1
    with pytest.raises(BadValue, match="0 threads"):
        count_threads(0)


def test_threads_change_no_segment_of_a_large_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line, policy and cost; and the lines are those of a search that was not divided."""
    mdp, harm = harmful(10, 3)
    whole = find_segments(mdp, harm, 0, between=(-0.1, 8.0))
    monkeypatch.setattr(line_search, "LARGE", 0)
    monkeypatch.setattr(line_search, "MOST_LINES", 4)
    found = []
    for threads in (1, 2, 5):
        cost = SearchCost()
        segments = find_segments(mdp, harm, 0, (-0.1, 8.0), cost, threads)
        kept = [(each.start, each.stop, each.line, each.ties, each.policy.tobytes()) for each in segments]  # type: ignore[union-attr]
        found.append((cost, kept))
    assert found[0] == found[1] == found[2]
    assert len(segments) == len(whole) > 60
    np.testing.assert_allclose([s.line for s in segments], [s.line for s in whole], rtol=1e-12)
    assert 0 < found[0][0].policies < 4 * len(whole)
