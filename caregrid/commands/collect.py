"""Collect all stored rows of a run into one tidy file, CSV or Parquet.

TARGET is what 'caregrid run' took, or a run directory. Damaged unit files are set aside and named; 'caregrid run'
makes them anew."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument
from caregrid.arguments.stored import StoredArguments


@dataclass(frozen=True, kw_only=True)
class CollectArguments(StoredArguments, JsonArgument):
    """The results to collect."""

    out: str | None = option(None, "FILE.csv or FILE.parquet (default rows.csv in the run directory)", metavar="FILE")


def run(arguments: CollectArguments) -> int:
    from experiments.collect import write_rows

    results = arguments.results().require_units()
    target = Path(arguments.out) if arguments.out else results.store.path / "rows.csv"
    write_rows(target, results.all_rows())
    quarantine = results.store.set_aside()
    if arguments.json:
        counts = {"units": len(results.units), "rows": len(results.all_rows()), "quarantine": quarantine}
        print(json.dumps({"experiment": results.experiment.name, "file": str(target), **counts}))
        return 0
    print(f"{len(results.all_rows())} rows of {len(results.units)} units: {target}")
    if quarantine:
        print(f"set aside as damaged or foreign: {len(quarantine)} files in {results.store.quarantine}")
    return 0
