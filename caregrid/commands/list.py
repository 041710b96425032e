"""List the entries of every kind, grouped by programme.

Kinds are scenarios, agents, futures, worlds, experiments and more. `caregrid show NAME` explains any entry. Entries of
installed packages are listed too; a broken one says so in a line.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from caregrid.arguments.declaration import positional
from caregrid.arguments.printed import JsonArgument


@dataclass(frozen=True, kw_only=True)
class ListArguments(JsonArgument):
    """One kind, or all."""

    kind: str | None = positional("one kind only, such as scenarios", metavar="KIND", default=None)


def run(arguments: ListArguments) -> int:
    from caregrid.kinds import KINDS, PROGRAMMES, kind_named
    from experiments.tables import aligned_lines

    kinds = [kind_named(arguments.kind)] if arguments.kind else list(KINDS.values())
    if arguments.json:
        print(json.dumps({kind.name: list(kind.light_registry()) for kind in kinds}))
        return 0
    for programme in PROGRAMMES:
        listed = [kind for kind in kinds if kind.programme == programme]
        if listed and not arguments.kind:
            print(f"{programme.upper()}\n")
        for kind in listed:
            registry = kind.light_registry()
            lines = aligned_lines(((name, registry.summary_or_fault(name)) for name in registry), indent=2)
            print("\n".join([f"{kind.name}:", *lines, ""]))
    return 0
