"""Rows that are appended piece by piece: the same array as their concatenation."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.mdp.tabulate import GrowingRows


@given(pieces=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 3)), min_size=1, max_size=30))
@settings(max_examples=50, deadline=None)
def test_pieces_of_any_length_and_width_become_one_array(pieces: list[tuple[int, int]]) -> None:
    rows, parts = GrowingRows(), []
    for number, (length, width) in enumerate(pieces):
        piece = np.full((length, 2, width), number + 1.0)
        rows.append(piece)
        parts.append(np.pad(piece, ((0, 0), (0, 0), (0, 3 - width))))
    widest = max(width for _, width in pieces)
    expected = np.concatenate(parts)[:, :, :widest]
    assert len(rows) == len(expected)
    np.testing.assert_array_equal(rows.array(), expected)


def test_what_was_appended_is_not_shared() -> None:
    rows, piece = GrowingRows(), np.arange(3)
    rows.append(piece)
    piece[:] = 0
    assert rows.array().tolist() == [0, 1, 2]
