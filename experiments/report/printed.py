"""The results of an experiment as text on stdout."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.claims import comparison_rows
from experiments.results import Results
from experiments.tables import print_table


def print_results(results: Results, files: Sequence[str]) -> None:
    """Print table, published numbers, claims and files of a run."""
    print(f"{results.experiment.name}: {results.experiment.reproduces}")
    print_table(results.table())
    print_table(comparison_rows(results.comparisons))
    print_claims(results)
    for file in files:
        print(file)


def print_claims(results: Results) -> None:
    """Print one line for each claim."""
    for claim in results.claims:
        print(f"{claim.verdict}: {claim.says}")
