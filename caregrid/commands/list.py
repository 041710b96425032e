"""List what there is of every kind, grouped by programme: scenarios, agents, futures, worlds, experiments, ...

`caregrid show NAME` explains any entry. Entries of installed packages are listed too; a broken one says so in a line.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from caregrid.arguments.declaration import positional
from caregrid.arguments.printed import JsonArgument
from engine.errors import CaregridError
from engine.registry import Registry
from engine.user_code import user_code


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
            lines = aligned_lines(((name, _summary(registry, name)) for name in registry), indent=2)
            print("\n".join([f"{kind.name}:", *lines, ""]))
    return 0


def _summary(registry: Registry[Any], name: str) -> str:
    """One line about an entry, also about one that is broken."""
    try:
        with user_code(f"{name}"):
            return registry.summary(name)
    except CaregridError as error:
        return f"broken: {error}"
