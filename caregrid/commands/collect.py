"""Collect all stored rows of a run into one tidy file, CSV or Parquet.

TARGET is what 'caregrid run' took, or a run directory. Damaged unit files are set aside and named; 'caregrid run'
makes them anew."""

from __future__ import annotations

import argparse
import json
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="experiment, sweep file, MODULE:NAME or run directory")
    parser.add_argument("--from", dest="directory", metavar="DIR", help="run directory (default results/NAME)")
    parser.add_argument(
        "--out", metavar="FILE", help="FILE.csv or FILE.parquet (default rows.csv in the run directory)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from experiments.collect import write_rows
    from experiments.results import stored_results

    results = stored_results(arguments.target, arguments.directory).require_units()
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
