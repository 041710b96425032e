"""Results as plain text on stdout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from experiments.claims import Comparison
from experiments.collect import columns_of
from experiments.experiment import Rows, Scalar
from experiments.results import Results


def print_results(results: Results, files: Sequence[str]) -> None:
    """Table, published numbers, claims and files of a run."""
    print(f"{results.experiment.name}: {results.experiment.reproduces}")
    print_table(results.table())
    print_comparisons(results)
    print_claims(results)
    for file in files:
        print(file)


def print_table(rows: Rows) -> None:
    """Rows under their columns."""
    for line in table_lines(rows):
        print(line)


def print_comparisons(results: Results) -> None:
    """Published numbers beside ours."""
    print_table(comparison_rows(results.comparisons))


def comparison_rows(comparisons: Iterable[Comparison]) -> Rows:
    """Published numbers beside ours, as rows."""
    return [
        {
            "number": number.what,
            "published": number.published,
            "ours": number.ours,
            "difference": number.difference,
        }
        for number in comparisons
    ]


def print_claims(results: Results) -> None:
    """A line a claim."""
    for claim in results.claims:
        print(f"{claim.verdict}: {claim.says}")


def table_lines(rows: Rows) -> list[str]:
    """Rows as aligned lines, numbers to the right."""
    columns = columns_of(rows)
    cells = [columns, *([cell(row.get(column)) for column in columns] for row in rows)]
    numeric = [all(isinstance(row.get(column), int | float | None) for row in rows) for column in columns]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    return [
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in cells
        if columns
    ]


def cell(value: Scalar) -> str:
    """A value as a reader wants it: floats to six digits, None as a dash."""
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
