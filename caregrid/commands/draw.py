"""Draw an experiment's figure from its stored rows, and print its table.

TARGET is what 'caregrid run' took, or a run directory. The figure is written beside the rows unless --out names
another file (.png, .svg or .pdf)."""

from __future__ import annotations

import argparse
import json
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="experiment, sweep file, MODULE:NAME or run directory")
    parser.add_argument("--from", dest="directory", metavar="DIR", help="run directory (default results/NAME)")
    parser.add_argument("--out", metavar="FILE", help="the picture (default figure.png in the run directory)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from experiments.results import stored_results
    from experiments.tables import print_table

    results = stored_results(arguments.target, arguments.directory).require_units()
    picture = results.draw(Path(arguments.out) if arguments.out else results.store.path / "figure.png")
    if arguments.json:
        print(json.dumps({"experiment": results.experiment.name, "figure": picture, "table": results.table()}))
        return 0
    print_table(results.table())
    if picture:
        print(picture)
    return 0
