"""Tables as plain text: aligned columns, numbers to the right, two spaces between columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from engine.printable import printable
from experiments.experiment import Rows, Scalar
from experiments.rows import columns_of


class TextNumber(float):
    """A number that a table shows as a text of its own, such as with its interval."""

    def __new__(cls, number: float, text: str) -> TextNumber:
        made = super().__new__(cls, number)
        made.text = text
        return made

    text: str


def table_lines(rows: Rows) -> list[str]:
    """Rows as aligned lines under their columns, which are in order of first appearance."""
    columns = columns_of(rows)
    numeric = [i for i, column in enumerate(columns) if all(_is_number(row.get(column)) for row in rows)]
    return aligned_lines(table_cells(rows), right=numeric) if columns else []


def table_cells(rows: Rows) -> list[list[str]]:
    """The names of the columns, then each row, as text."""
    columns = columns_of(rows)
    return [columns, *([cell_text(row.get(column)) for column in columns] for row in rows)]


def aligned_lines(lines: Iterable[Sequence[str]], right: Collection[int] = (), indent: int = 0) -> list[str]:
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


def cell_text(value: Scalar) -> str:
    """A value as a table shows it, in one line: floats to six digits, None as a dash."""
    if value is None:
        return "-"
    if isinstance(value, TextNumber):
        return value.text
    if isinstance(value, float):
        return f"{value:.6g}"
    return printable(str(value)).replace("\n", "\\n").replace("\t", "\\t")


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float | None)
