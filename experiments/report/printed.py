"""The results of an experiment as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.claims import comparison_rows
from experiments.results import Results
from experiments.tables import table_lines


def results_lines(results: Results, files: Sequence[str]) -> list[str]:
    """Table, published numbers, claims and files of a run."""
    head = f"{results.experiment.name}: {results.experiment.reproduces}"
    compared = comparison_rows(results.comparisons)
    return [head, *table_lines(results.table()), *table_lines(compared), *claim_lines(results), *files]


def claim_lines(results: Results) -> list[str]:
    """One line for each claim."""
    return [f"{claim.verdict}: {claim.says}" for claim in results.claims]
