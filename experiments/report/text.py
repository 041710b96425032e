"""The results of an experiment as lines of text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from engine.errors import MissingExtra
from experiments.experiment import ResultRow
from experiments.figures.style import require_matplotlib
from experiments.results import Results, tabulate_comparisons
from experiments.rows import format_cell, format_table

if TYPE_CHECKING:
    from experiments.statistics import StatisticsTable


def format_results(results: Results, files: Sequence[str]) -> list[str]:
    """Table, published numbers, seeds that fail, claims and files of a run."""
    head = f"{results.experiment.name}: {results.experiment.reproduces}"
    compared = tabulate_comparisons(results.comparisons)
    lines = [head, *format_table(results.table()), *format_table(compared)]
    return [
        *lines,
        *format_failing_seeds(results.statistics),
        *format_claims(results),
        *files,
        *(_explain_missing_figure(results) if files else []),
    ]


def _explain_missing_figure(results: Results) -> list[str]:
    """What is missing for the figure that the experiment declares."""
    if results.experiment.figure is not None:
        try:
            require_matplotlib()
        except MissingExtra as error:
            return [str(error)]
    return []


def format_failing_seeds(tables: Sequence[StatisticsTable]) -> list[str]:
    """One line for each group of learned runs: how many seeds fail what is tested of them."""
    if not tables:
        return []
    from experiments.statistics import MISSED_COLUMNS

    return [
        f"{_name_group(row, MISSED_COLUMNS)}: {row['missed']} of {row['seeds']} seeds {table.failing} "
        f"(95 % interval of the share: {row['share_low']:.2f} to {row['share_high']:.2f})"
        for table in tables
        if table.failing
        for row in table.rows
    ]


def _name_group(row: ResultRow, counted: Collection[str]) -> str:
    return ", ".join(format_cell(value) for name, value in row.items() if name not in counted)


def format_claims(results: Results) -> list[str]:
    """One line for each claim."""
    return [f"{claim.verdict}: {claim.says}" for claim in results.claims]
