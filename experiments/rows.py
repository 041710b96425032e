"""Questions that claims, figures and tables ask of stored rows; an answer that is not there raises `NotEnoughRows`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from experiments.experiment import NotEnoughRows, Row, Rows, Scalar


def select(rows: Rows, **where: Scalar) -> Rows:
    """The rows with these values; NotEnoughRows where there are none."""
    found = [row for row in rows if all(row.get(name) == value for name, value in where.items())]
    if not found:
        wanted = ", ".join(f"{name} {value}" for name, value in where.items())
        raise NotEnoughRows(f"no rows with {wanted}" if wanted else "no rows")
    return found


def only(rows: Rows, **where: Scalar) -> Row:
    """The one row with these values; NotEnoughRows where there is none, ValueError where there are several."""
    found = select(rows, **where)
    if len(found) > 1:
        raise ValueError(f"{len(found)} rows with {where}")
    return found[0]


def numbers(rows: Rows, column: str, **where: Scalar) -> list[float]:
    """A column of the selected rows as floats, in their order."""
    return [float(row[column]) for row in select(rows, **where)]  # type: ignore[arg-type]


def mean(rows: Rows, column: str, **where: Scalar) -> float:
    """The mean of a column over the selected rows."""
    found = numbers(rows, column, **where)
    return sum(found) / len(found)


def values(rows: Rows, column: str) -> list[Scalar]:
    """The different values of a column, in order of first appearance."""
    return list(dict.fromkeys(row[column] for row in rows if column in row))


def never_rises(sequence: Sequence[float], tolerance: float = 0.0) -> bool:
    """Whether each number is at most the one before it (plus a tolerance)."""
    return all(later <= earlier + tolerance for earlier, later in itertools.pairwise(sequence))


def never_falls(sequence: Sequence[float], tolerance: float = 0.0) -> bool:
    """Whether each number is at least the one before it (minus a tolerance)."""
    return never_rises([-number for number in sequence], tolerance)
