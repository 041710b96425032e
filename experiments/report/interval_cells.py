"""Numbers with the ends of their intervals in one cell: x, x_low, x_high become "0.52 [0.47, 0.58]"."""

from __future__ import annotations

from experiments.experiment import ResultRow, Rows, Scalar
from experiments.tables import TextNumber, cell_text

LOW, HIGH = "_low", "_high"


def with_intervals(rows: Rows) -> Rows:
    """The rows with the columns of ends drawn into that of their number."""
    return [_merged(row) for row in rows]


def _merged(row: ResultRow) -> ResultRow:
    ends = {name: (row[name + LOW], row[name + HIGH]) for name in row if name + LOW in row and name + HIGH in row}
    hidden = {name + end for name in ends for end in (LOW, HIGH)}
    return {
        name: _cell(value, *ends[name]) if name in ends else value for name, value in row.items() if name not in hidden
    }


def _cell(number: Scalar, low: Scalar, high: Scalar) -> Scalar:
    if low is None or high is None or not isinstance(number, int | float):
        return number
    return TextNumber(number, f"{_short(number)} [{_short(low)}, {_short(high)}]")


def _short(number: Scalar) -> str:
    return f"{number:.4g}" if isinstance(number, float) else cell_text(number)
