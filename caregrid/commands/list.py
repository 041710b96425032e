"""List what there is: scenarios, formulations, agents, environments, experiments."""

from __future__ import annotations

import argparse
import json


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", metavar="KIND", nargs="?", help="one kind only")
    parser.add_argument("--json", action="store_true", help="print one JSON object: kind -> names")


def run(arguments: argparse.Namespace) -> int:
    from caregrid.registries import KINDS, registry, summary

    kinds = [arguments.kind] if arguments.kind else list(KINDS)
    if arguments.json:
        print(json.dumps({kind: list(registry(kind)) for kind in kinds}))
        return 0
    for kind in kinds:
        entries = registry(kind)
        print(f"{kind}:")
        width = max((len(name) for name in entries), default=0)
        for name in entries:
            print(f"  {name:{width}}  {summary(entries[name])}")
    return 0
