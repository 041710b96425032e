"""Check an experiment's claims against its stored rows: each holds, fails, or has not enough rows.

TARGET is what 'caregrid run' took, or a run directory. Exit code: 0 every claim holds, 1 otherwise, 2 bad input."""

from __future__ import annotations

import argparse
import json


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="experiment, sweep file, MODULE:NAME or run directory")
    parser.add_argument("--from", dest="directory", metavar="DIR", help="run directory (default results/NAME)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from experiments.results import stored_results
    from experiments.tables import print_claims

    results = stored_results(arguments.target, arguments.directory)
    if arguments.json:
        print(json.dumps(results.summary()))
    else:
        print_claims(results)
    return 0 if results.holds else 1
