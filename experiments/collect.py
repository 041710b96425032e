"""All rows of a run directory, tidy and in an order of their own: the same file for any workers and any times.

Rows are sorted by their settings: numbers by size, words as the experiment declares them, others by the alphabet. They
are read and written one by one, so that a million take no more memory than their settings do.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from engine.errors import BadValue, MissingExtra, argument
from engine.files import write_atomically
from experiments.experiment import Experiment, ResultRow, Rows, Scalar
from experiments.rows import columns_of
from experiments.runs.run_directory import RunDirectory
from experiments.runs.storage.lines import values_of
from experiments.runs.storage.stored_units import StoredUnits

TOGETHER = 10_000


class StoredRows:
    """The rows of units, each with its setting in front, columns in the experiment's order; read each time anew."""

    def __init__(self, units: StoredUnits, experiment: Experiment) -> None:
        self._units, self._names = units, tuple(experiment.settings)

    def __iter__(self) -> Iterator[ResultRow]:
        for unit in self._units:
            setting = {name: unit.setting[name] for name in self._names}
            for row in unit.rows:
                yield {**setting, **row}


def stored_units(store: RunDirectory) -> StoredUnits:
    """Every finished unit, in order."""
    store.index.refresh()
    return StoredUnits(store.index, _in_order(list(store.index.texts()), store.experiment))


def rows_of(units: StoredUnits, experiment: Experiment) -> Rows:
    """The rows of units, all in memory."""
    return list(StoredRows(units, experiment))


def _in_order(texts: list[bytes], experiment: Experiment) -> list[bytes]:
    """Settings' texts sorted by their values, setting after setting as the experiment declares them."""
    import numpy as np

    if not texts:
        return []
    names = sorted(experiment.settings)
    codes: list[dict[Scalar, int]] = [{} for _ in names]
    columns = [np.empty(len(texts), dtype=np.int64) for _ in names]
    for start in range(0, len(texts), TOGETHER):
        settings = values_of(b"[" + b",".join(texts[start : start + TOGETHER]) + b"]")
        for known, column, values in zip(codes, columns, zip(*settings, strict=True), strict=True):
            column[start : start + len(settings)] = [known.setdefault(value, len(known)) for value in values]
    ranks = []
    for name, known, column in zip(names, codes, columns, strict=True):
        rank = np.empty(len(known), dtype=np.int64)
        rank[[known[value] for value in _sorted(known, experiment.settings[name])]] = np.arange(len(known))
        ranks.append(rank[column])
    keys = [ranks[names.index(name)] for name in reversed(tuple(experiment.settings))]
    return [texts[place] for place in np.lexsort(keys)]


def _sorted(values: Iterable[Scalar], declared: tuple[Scalar, ...]) -> list[Any]:
    listed: list[Any] = list(values)
    if all(isinstance(value, int | float) for value in listed):
        return sorted(listed)
    return sorted(listed, key=lambda value: _rank(value, declared))


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


def write_rows(path: Path, rows: Iterable[ResultRow], kind: str | None = None) -> int:
    """Write rows as CSV or Parquet (extra `parquet`), by the path's suffix or `kind`, and say how many.

    rows: gone through a second time where a later row has columns that the first has not. Parquet takes all of them
    into memory. BadValue for any other kind.
    """
    ending = kind or path.suffix.removeprefix(".")
    if ending not in ("csv", "parquet"):
        remedy = "end it in .csv or .parquet"
        raise BadValue(f"'{path.name}' is not a table", place=argument("path", option="--out"), remedy=remedy)
    if ending == "csv":
        return _write_csv(path, rows)
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingExtra("Parquet needs the package 'pyarrow'", remedy="pip install 'caregrid[parquet]'") from error
    import pandas as pd

    listed = list(rows)
    table = pd.DataFrame(listed, columns=columns_of(listed))
    write_atomically(path, lambda stream: table.to_parquet(stream, index=False))
    return len(listed)


def _write_csv(path: Path, rows: Iterable[ResultRow]) -> int:
    written = 0

    def write(stream: IO[bytes]) -> None:
        nonlocal written
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=False)
        going = iter(rows)
        first = next(going, {})
        columns = dict.fromkeys(first)
        written = _write_lines(text, columns, itertools.chain([first] if first else [], going))
        if len(columns) > len(first):
            text.seek(0)
            text.truncate()
            written = _write_lines(text, columns, rows)
        text.detach()

    write_atomically(path, write)
    return written


def _write_lines(text: io.TextIOWrapper, columns: dict[str, None], rows: Iterable[ResultRow]) -> int:
    """Write rows under these columns and count them; columns that come later are noted, and writing stops."""
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    names, whole, count = tuple(columns), len(columns), 0
    for row in rows:
        count += 1
        if not columns.keys() >= row.keys():
            columns.update(dict.fromkeys(row))
        if len(columns) == whole:
            writer.writerow([row.get(name) for name in names])
    text.flush()
    return count
