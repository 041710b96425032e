"""Stored rows as scores: for each method f64[R, M], the runs that every one of its environments has."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.mdp.mdp import Floats
from experiments.experiment import NotEnoughRows, Rows, Scalar, ScoreColumns

THE_ONLY_ONE = "the only environment"


def groups_of(rows: Rows, columns: ScoreColumns) -> list[tuple[dict[str, Scalar], Rows]]:
    """The rows by the values of the columns that are summarised apart, in order of first appearance."""
    groups: dict[tuple[Scalar, ...], Rows] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in columns.groups), []).append(row)
    return [(dict(zip(columns.groups, key, strict=True)), part) for key, part in groups.items()]


def score_matrices(rows: Rows, columns: ScoreColumns) -> Mapping[str, Floats]:
    """Method -> scores; NotEnoughRows where a method has no run in all environments that it was tried in."""
    cells: dict[str, dict[tuple[Scalar, Scalar], float]] = {}
    score = columns.score
    for row in rows:
        number = score(row) if callable(score) else float(row[score])  # type: ignore[arg-type]
        environment = row[columns.environment] if columns.environment else THE_ONLY_ONE
        cells.setdefault(str(row[columns.method]), {})[row[columns.run], environment] = number
    if not cells:
        raise NotEnoughRows("no scores")
    return {method: _matrix(method, of_method) for method, of_method in cells.items()}


def _matrix(method: str, cells: Mapping[tuple[Scalar, Scalar], float]) -> Floats:
    runs, environments = (sorted({key[place] for key in cells}, key=_order) for place in (0, 1))
    common = [run for run in runs if all((run, environment) in cells for environment in environments)]
    if not common:
        raise NotEnoughRows(f"no run of {method} is complete")
    return np.array([[cells[run, environment] for environment in environments] for run in common])


def _order(value: Scalar) -> tuple[int, float, str]:
    number = isinstance(value, int | float)
    return (0, float(value), "") if number else (1, 0.0, str(value))  # type: ignore[arg-type]
