"""Rows of results: select, group and compare them, and write them as an aligned text table.

Claims, figures and tables ask these questions of stored rows; rows that are missing raise `NotEnoughRows`. Text
tables have aligned columns, numbers to the right, two spaces between columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence

from engine.printable import make_printable
from experiments.experiment import NotEnoughRows, ResultRow, Rows, Scalar


def list_columns(rows: Rows) -> list[str]:
    """Return the columns of rows that may differ in theirs, in order of first appearance."""
    return list(dict.fromkeys(column for row in rows for column in row))


def select(rows: Rows, **where: Scalar) -> Rows:
    """Return the rows with these values; NotEnoughRows where there are none."""
    selected = [row for row in rows if all(row.get(name) == value for name, value in where.items())]
    if not selected:
        wanted = ", ".join(f"{name} {value}" for name, value in where.items())
        raise NotEnoughRows(f"no rows with {wanted}" if wanted else "no rows")
    return selected


def only(rows: Rows, **where: Scalar) -> ResultRow:
    """Return the one row with these values; NotEnoughRows where there is none, ValueError where there are several."""
    selected = select(rows, **where)
    if len(selected) > 1:
        raise ValueError(f"{len(selected)} rows with {where}")
    return selected[0]


def numbers(rows: Rows, column: str, **where: Scalar) -> list[float]:
    """Return a column of the selected rows as floats, in their order."""
    return [float(row[column]) for row in select(rows, **where)]  # type: ignore[arg-type]


def mean(rows: Rows, column: str, **where: Scalar) -> float:
    """Return the mean of a column over the selected rows."""
    selected = numbers(rows, column, **where)
    return sum(selected) / len(selected)


def values(rows: Rows, column: str) -> list[Scalar]:
    """Return the different values of a column, in order of first appearance."""
    return list(dict.fromkeys(row[column] for row in rows if column in row))


def group_rows(rows: Rows, column: str) -> dict[Scalar, Rows]:
    """The rows of each value of a column, in order of first appearance; one pass, where a `select` a value is many."""
    groups: dict[Scalar, Rows] = {}
    for row in rows:
        if column in row:
            groups.setdefault(row[column], []).append(row)
    return groups


def never_rises(sequence: Sequence[float], tolerance: float = 0.0) -> bool:
    """Return whether each number is at most the one before it (plus a tolerance)."""
    return all(later <= earlier + tolerance for earlier, later in itertools.pairwise(sequence))


def never_falls(sequence: Sequence[float], tolerance: float = 0.0) -> bool:
    """Return whether each number is at least the one before it (minus a tolerance)."""
    return never_rises([-number for number in sequence], tolerance)


class TextNumber(float):
    """A number that a table shows as a text of its own, such as with its interval."""

    def __new__(cls, number: float, text: str) -> TextNumber:
        made = super().__new__(cls, number)
        made.text = text
        return made

    text: str


def format_table(rows: Rows) -> list[str]:
    """Rows as aligned lines under their columns, which are in order of first appearance."""
    columns = list_columns(rows)
    numeric = [i for i, column in enumerate(columns) if all(_is_number(row.get(column)) for row in rows)]
    return align_lines(format_cells(rows), right=numeric) if columns else []


def format_cells(rows: Rows) -> list[list[str]]:
    """Return the names of the columns, then each row, as text."""
    columns = list_columns(rows)
    return [columns, *([format_cell(row.get(column)) for column in columns] for row in rows)]


def align_lines(lines: Iterable[Sequence[str]], right: Collection[int] = (), indent: int = 0) -> list[str]:
    """Lines of equally many texts as lines of aligned columns, without trailing spaces.

    right: the columns (from 0) that are aligned to the right. indent: spaces before each line.
    """
    cells = list(lines)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        (
            " " * indent
            + "  ".join(
                text.rjust(width) if i in right else text.ljust(width)
                for i, (text, width) in enumerate(zip(line, widths, strict=True))
            )
        ).rstrip()
        for line in cells
    ]


def format_cell(value: Scalar) -> str:
    """Return a value as a table shows it, in one line: floats to six digits, None as a dash."""
    if value is None:
        return "-"
    if isinstance(value, TextNumber):
        return value.text
    if isinstance(value, float):
        return f"{value:.6g}"
    return make_printable(str(value)).replace("\n", "\\n").replace("\t", "\\t")


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float | None)
