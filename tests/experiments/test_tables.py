"""Tables as text: aligned columns, numbers to the right, what is missing as a dash."""

import pytest

from experiments.rows import align_lines, format_cell, format_table


def test_numbers_stand_right_and_words_left() -> None:
    rows = [{"agent": "q_learning", "reward": 0.5, "seeds": 3}, {"agent": "a2c", "reward": -0.123456789, "seeds": 12}]
    assert format_table(rows) == [
        "agent          reward  seeds",
        "q_learning        0.5      3",
        "a2c         -0.123457     12",
    ]


def test_a_cell_is_one_line() -> None:
    assert format_table([{"a": "two\nlines\t\u202e"}]) == ["a", r"two\nlines\t\u202e"]


def test_rows_may_differ_in_their_columns() -> None:
    assert format_table([{"a": 1}, {"b": "x"}]) == ["a  b", "1  -", "-  x"]


def test_no_rows_are_no_lines() -> None:
    assert format_table([]) == []
    assert align_lines([]) == []


def test_lines_may_be_indented_and_have_no_trailing_spaces() -> None:
    assert align_lines([("a", ""), ("long", "text")], indent=2) == ["  a", "  long  text"]
    assert align_lines([("a", "1"), ("b", "10")], right=[1]) == ["a   1", "b  10"]


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (True, "True"), (3, "3"), (0.1234567, "0.123457"), (1e-9, "1e-09"), ("x", "x")]
)
def test_cells(value: object, text: str) -> None:
    assert format_cell(value) == text
