"""All rows of a run directory, tidy and in an order of their own: the same file for any workers and any times.

Rows are sorted by their settings: numbers by size, words as the experiment declares them, others by the alphabet.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from engine.errors import BadValue, MissingExtra
from engine.files import write_atomically
from experiments.experiment import Experiment, Rows, Scalar, UnitSetting
from experiments.rows import columns_of
from experiments.runs.run_directory import RunDirectory
from experiments.runs.unit import StoredUnit


def stored_units(store: RunDirectory) -> list[StoredUnit]:
    """Every finished unit, in order."""
    return sorted(store.finished(), key=lambda unit: _place(unit.setting, store.experiment))


def rows_of(units: list[StoredUnit], experiment: Experiment) -> Rows:
    """The rows of units, each with its setting in front, columns in the experiment's order."""
    names = tuple(experiment.settings)
    return [{**{name: unit.setting[name] for name in names}, **row} for unit in units for row in unit.rows]


def _place(setting: UnitSetting, experiment: Experiment) -> list[tuple[Any, ...]]:
    return [_rank(setting.get(name), declared) for name, declared in experiment.settings.items()]


def _rank(value: Scalar, declared: tuple[Scalar, ...]) -> tuple[Any, ...]:
    if value is None:
        return (0,)
    if isinstance(value, int | float):
        return (1, value)
    return (2, declared.index(value) if value in declared else len(declared), value)


def csv_text(rows: Rows) -> str:
    """Rows as CSV; floats in their shortest exact form, None as nothing."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns_of(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_rows(path: Path, rows: Rows, kind: str | None = None) -> None:
    """Write rows as CSV or Parquet (extra `parquet`), by the path's suffix or `kind`; BadValue for any other."""
    ending = kind or path.suffix.removeprefix(".")
    if ending not in ("csv", "parquet"):
        raise BadValue(f"'{path.name}' is no table", place="--out", remedy="end it in .csv or .parquet")
    if ending == "csv":
        write_atomically(path, csv_text(rows))
        return
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingExtra("Parquet needs the package 'pyarrow'", remedy="pip install 'caregrid[parquet]'") from error
    import pandas as pd

    table = pd.DataFrame(rows, columns=columns_of(rows))
    write_atomically(path, lambda stream: table.to_parquet(stream, index=False))
