"""List the entries of every kind, grouped by programme.

Kinds are scenarios, agents, futures, worlds, experiments and more. `caregrid show NAME` explains any entry. Entries of
installed packages are listed too; a broken one is marked in its line.
"""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.declaration import positional
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.command_line.terminal_width import print_text

GROUP = "What there is, and whether it works"


@dataclass(frozen=True, kw_only=True)
class ListArguments(JsonArgument):
    """One kind, or all."""

    kind: str | None = positional("one kind only, such as scenarios", metavar="KIND", default=None, kinds=("kinds",))


def run(arguments: ListArguments) -> int:
    from caregrid.inventory import entries

    found = entries(arguments.kind)
    if arguments.json:
        print_json("list", {"kinds": found.as_dict()})
    else:
        print_text(found.text())
    return 0
