"""Collect all stored rows of a run into one tidy file, CSV or Parquet.

TARGET is what 'caregrid run' took, or a run directory. Damaged unit files are set aside and named; 'caregrid run'
makes them anew."""

from __future__ import annotations

import json
from dataclasses import dataclass

from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument
from caregrid.arguments.stored import StoredArguments


@dataclass(frozen=True, kw_only=True)
class CollectArguments(StoredArguments, JsonArgument):
    """The results to collect."""

    out: str | None = option(None, "FILE.csv or FILE.parquet (default rows.csv in the run directory)", metavar="FILE")


def run(arguments: CollectArguments) -> int:
    results = arguments.results()
    target = results.collect(arguments.out)
    units, rows, quarantine = len(results.results.units), len(results.rows()), results.quarantine()
    if arguments.json:
        counts = {"units": units, "rows": rows, "quarantine": quarantine}
        print(json.dumps({"experiment": results.name, "file": str(target), **counts}))
        return 0
    print(f"{rows} rows of {units} units: {target}")
    if quarantine:
        print(f"set aside as damaged or foreign: {len(quarantine)} files in {results.results.store.quarantine}")
    return 0
