"""How pandas reads rows from CSV as they were: a kind for each column, and which empty cells are missing values.

    pandas.read_csv("rows.csv", **json.load(open("rows.pandas.json")))

CSV knows no kinds: without these words a flag with gaps becomes an object, and a word "NA" a missing value. pandas
before 3.1 reads floats to their last digit with `float_precision="round_trip"` alone, of which later ones warn.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from types import NoneType
from typing import Any

from experiments.experiment import ResultRow

LARGEST = 2**63


def describe_columns(rows: Iterable[ResultRow]) -> dict[str, Any]:
    """The keyword arguments of `pandas.read_csv` for the CSV of these rows."""
    kinds: dict[str, set[type]] = defaultdict(set)
    counts: Counter[str] = Counter()
    total = 0
    for row in rows:
        total += 1
        counts.update(row.keys())
        for name, value in row.items():
            long = type(value) is int and not -LARGEST <= value < LARGEST
            kinds[name].add(str if long else type(value))
    gaps = [name for name in kinds if NoneType in kinds[name] or counts[name] < total]
    return {
        "dtype": {name: _choose_kind(found - {NoneType}, name in gaps) for name, found in kinds.items()},
        "keep_default_na": False,
        "na_values": {name: [""] for name in gaps},
    }


def _choose_kind(kinds: set[type], gaps: bool) -> str:
    if kinds == {bool}:
        return "boolean" if gaps else "bool"
    if kinds == {int}:
        return "Int64" if gaps else "int64"
    return "float64" if kinds <= {int, float} else "str"
