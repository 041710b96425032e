"""Questions that claims, figures and tables ask of stored rows; rows that are not there raise `NotEnoughRows`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from experiments.experiment import NotEnoughRows, ResultRow, Rows, Scalar


def columns_of(rows: Rows) -> list[str]:
    """The columns of rows that may differ in theirs, in order of first appearance."""
    return list(dict.fromkeys(column for row in rows for column in row))


def select(rows: Rows, **where: Scalar) -> Rows:
    """The rows with these values; NotEnoughRows where there are none."""
    selected = [row for row in rows if all(row.get(name) == value for name, value in where.items())]
    if not selected:
        wanted = ", ".join(f"{name} {value}" for name, value in where.items())
        raise NotEnoughRows(f"no rows with {wanted}" if wanted else "no rows")
    return selected


def only(rows: Rows, **where: Scalar) -> ResultRow:
    """The one row with these values; NotEnoughRows where there is none, ValueError where there are several."""
    selected = select(rows, **where)
    if len(selected) > 1:
        raise ValueError(f"{len(selected)} rows with {where}")
    return selected[0]


def numbers(rows: Rows, column: str, **where: Scalar) -> list[float]:
    """A column of the selected rows as floats, in their order."""
    return [float(row[column]) for row in select(rows, **where)]  # type: ignore[arg-type]


def mean(rows: Rows, column: str, **where: Scalar) -> float:
    """The mean of a column over the selected rows."""
    selected = numbers(rows, column, **where)
    return sum(selected) / len(selected)


def values(rows: Rows, column: str) -> list[Scalar]:
    """The different values of a column, in order of first appearance."""
    return list(dict.fromkeys(row[column] for row in rows if column in row))


def grouped(rows: Rows, column: str) -> dict[Scalar, Rows]:
    """The rows of each value of a column, in order of first appearance; one pass, where a `select` a value is many."""
    groups: dict[Scalar, Rows] = {}
    for row in rows:
        if column in row:
            groups.setdefault(row[column], []).append(row)
    return groups


def never_rises(sequence: Sequence[float], tolerance: float = 0.0) -> bool:
    """Whether each number is at most the one before it (plus a tolerance)."""
    return all(later <= earlier + tolerance for earlier, later in itertools.pairwise(sequence))


def never_falls(sequence: Sequence[float], tolerance: float = 0.0) -> bool:
    """Whether each number is at least the one before it (minus a tolerance)."""
    return never_rises([-number for number in sequence], tolerance)
