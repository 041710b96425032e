"""Draw an experiment's figure from its stored rows, and print its table.

TARGET is what 'caregrid run' took, or a run directory. The figure is written beside the rows unless --out names
another file (.png, .svg or .pdf)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument
from caregrid.arguments.stored import StoredArguments


@dataclass(frozen=True, kw_only=True)
class DrawArguments(StoredArguments, JsonArgument):
    """The results to draw."""

    out: str | None = option(None, "the picture (default figure.png in the run directory)", metavar="FILE")


def run(arguments: DrawArguments) -> int:
    from engine.plain_values import json_value
    from experiments.tables import print_table

    results = arguments.results()
    drawn = results.draw(arguments.out)
    picture = None if drawn is None else str(drawn)
    if arguments.json:
        print(json.dumps({"experiment": results.name, "figure": picture, "table": json_value(results.table())}))
        return 0
    print_table(results.table())
    if picture:
        print(picture)
    return 0
