"""All rows of a run directory, tidy and sorted by their settings: the same file for any number of workers.

Numbers are sorted by size, words as the experiment declares them, others by the alphabet. Units are read from the
disk one by one each time they are gone through, and rows are written one by one, so that a million rows take no
more memory than their settings do. `write_rows` writes CSV or Parquet.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from engine.errors import BadValue, MissingExtra, argument
from engine.files import write_atomically
from experiments.experiment import Experiment, ResultRow, Rows, Scalar, SettingValues
from experiments.rows import list_columns
from experiments.runs.run_directory import RunDirectory
from experiments.runs.segments import generate_setting_texts, parse_setting_text
from experiments.runs.unit import StoredUnit
from experiments.runs.unit_index import UnitIndex


class StoredUnits:
    """The units of an index with these settings' texts, in the order of the texts. kept: units held in memory."""

    def __init__(
        self, index: UnitIndex, texts: Sequence[bytes], kept: Mapping[bytes, StoredUnit] | None = None
    ) -> None:
        self._index = index
        self._texts = texts
        self._kept = kept

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[StoredUnit]:
        return self._index.units(self._texts) if self._kept is None else map(self._kept.__getitem__, self._texts)

    def in_memory(self) -> StoredUnits:
        """Return the same, read now, for a directory that will be gone."""
        return StoredUnits(self._index, self._texts, dict(zip(self._texts, self, strict=True)))

    def covers(self, settings: SettingValues) -> bool:
        """Whether a unit is here for every combination of these settings' values, whatever its other settings."""
        names = self._index.identity.settings
        if not set(settings) <= set(names):
            return False
        if set(settings) == set(names):
            here = self._index if len(self) == len(self._index) else frozenset(self._texts)
            few = math.prod(map(len, settings.values())) <= len(self)
            return few and all(text in here for text in generate_setting_texts(settings))
        places = [names.index(name) for name in sorted(settings)]
        stored = {tuple(values[place] for place in places) for values in map(parse_setting_text, self._texts)}
        return all(tuple(parse_setting_text(text)) in stored for text in generate_setting_texts(settings))

    def within(self, settings: SettingValues) -> StoredUnits:
        """Those whose settings are all among these values."""
        if len(self) == math.prod(map(len, settings.values())) and self.covers(settings):
            return self
        among = [frozenset(settings[name]) for name in self._index.identity.settings]
        texts = [text for text in self._texts if _is_among(parse_setting_text(text), among)]
        return StoredUnits(self._index, texts, self._kept)

    def without(self, others: StoredUnits) -> StoredUnits:
        """Those that are not among the others, which are of the same index."""
        left_out = frozenset(others._texts)
        return StoredUnits(self._index, [text for text in self._texts if text not in left_out], self._kept)


def _is_among(values: list[Any], among: list[frozenset[Any]]) -> bool:
    return all(value in allowed for value, allowed in zip(values, among, strict=True))


TOGETHER = 10_000


class StoredRows:
    """The rows of units, each with its setting in front, columns in the experiment's order; read each time anew."""

    def __init__(self, units: StoredUnits, experiment: Experiment) -> None:
        self._units = units
        self._names = tuple(experiment.settings)

    def __iter__(self) -> Iterator[ResultRow]:
        for unit in self._units:
            setting = {name: unit.setting[name] for name in self._names}
            for row in unit.rows:
                yield {**setting, **row}


def find_stored_units(store: RunDirectory) -> StoredUnits:
    """Return every finished unit, in order."""
    store.index.refresh()
    return StoredUnits(store.index, _sort_texts(list(store.index.texts()), store.experiment))


def read_rows(units: StoredUnits, experiment: Experiment) -> Rows:
    """Return the rows of units, all in memory."""
    return list(StoredRows(units, experiment))


def _sort_texts(texts: list[bytes], experiment: Experiment) -> list[bytes]:
    """Settings' texts sorted by their values, setting after setting as the experiment declares them."""
    import numpy as np

    if not texts:
        return []
    names = sorted(experiment.settings)
    codes: list[dict[Scalar, int]] = [{} for _ in names]
    columns = [np.empty(len(texts), dtype=np.int64) for _ in names]
    for start in range(0, len(texts), TOGETHER):
        settings = parse_setting_text(b"[" + b",".join(texts[start : start + TOGETHER]) + b"]")
        for known, column, values in zip(codes, columns, zip(*settings, strict=True), strict=True):
            column[start : start + len(settings)] = [known.setdefault(value, len(known)) for value in values]
    ranks = []
    for name, known, column in zip(names, codes, columns, strict=True):
        rank = np.empty(len(known), dtype=np.int64)
        rank[[known[value] for value in _sort_values(known, experiment.settings[name])]] = np.arange(len(known))
        ranks.append(rank[column])
    keys = [ranks[names.index(name)] for name in reversed(tuple(experiment.settings))]
    return [texts[place] for place in np.lexsort(keys)]


def _sort_values(values: Iterable[Scalar], declared: tuple[Scalar, ...]) -> list[Any]:
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


def format_csv(rows: Rows) -> str:
    """Rows as CSV; floats in their shortest exact form, None as nothing."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list_columns(rows), lineterminator="\n")
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
    table = pd.DataFrame(listed, columns=list_columns(listed))
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
    names = tuple(columns)
    whole = len(columns)
    count = 0
    for row in rows:
        count += 1
        if not columns.keys() >= row.keys():
            columns.update(dict.fromkeys(row))
        if len(columns) == whole:
            writer.writerow([row.get(name) for name in names])
    text.flush()
    return count
