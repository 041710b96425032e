"""Check an entry of any kind against its contract: a name, or MODULE:NAME in a file of your own.

KIND is a kind of 'caregrid list', such as scenarios or agents. The entry is built and called as caregrid would do it.
The first mistake is reported in one line: file, method, what it gave, what was expected. Exit code: 0 or 2."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.declaration import positional
from caregrid.arguments.printed import JsonArgument
from caregrid.kinds import KINDS

GROUP = "What there is, and whether it works"


@dataclass(frozen=True, kw_only=True)
class ValidateArguments(JsonArgument):
    """A kind and a thing."""

    kind: str = positional("a kind that 'caregrid list' lists", metavar="KIND", kinds=("kinds",))
    name: str = positional("a registered name, or MODULE:NAME of your own", metavar="NAME", kinds=tuple(KINDS))


def run(arguments: ValidateArguments) -> int:
    from caregrid.inventory import validate

    found = validate(arguments.kind, arguments.name)
    arguments.print_result("validate", found)
    return 0
