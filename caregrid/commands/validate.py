"""Check one thing of any kind against its contract: a name, or MODULE:NAME in a file of your own.

KIND is what 'caregrid list' lists, such as scenarios or agents. The thing is built and called as caregrid would; the
first thing that is wrong is named in one line: file, method, what it gave, what was expected. Exit code 0 or 2."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from caregrid.arguments.declaration import positional
from caregrid.arguments.printed import JsonArgument


@dataclass(frozen=True, kw_only=True)
class ValidateArguments(JsonArgument):
    """A kind and a thing."""

    kind: str = positional("a kind that 'caregrid list' lists", metavar="KIND")
    name: str = positional("a registered name, or MODULE:NAME of your own", metavar="NAME")


def run(arguments: ValidateArguments) -> int:
    from caregrid.kinds import checker_of, kind_named

    kind = kind_named(arguments.kind)
    entry = kind.full_registry()[arguments.name]
    checker = checker_of(kind)
    if checker is not None:
        _check(checker, entry, arguments.name)
    checked = "its contract holds" if checker is not None else "it is of this kind, which has no further checks"
    if arguments.json:
        print(json.dumps({"kind": kind.name, "name": arguments.name, "checked": checker is not None}))
    else:
        print(f"{arguments.name} ({kind.name}): {checked}")
    return 0


def _check(checker: Callable[[Any], None], entry: Any, name: str) -> None:
    """Call a checker; of what the user's own file holds, an error names that file also where the entry cannot."""
    from engine.errors import ContractBroken
    from engine.user_code import names_user_code

    try:
        checker(entry)
    except ContractBroken as error:
        if not names_user_code(name) or ".py" in f"{error.place} {error.problem}":
            raise
        module, _, attribute = name.partition(":")
        place = f"{module.rpartition('.')[2]}.py, '{attribute}'"
        raise ContractBroken(error.problem, place=place, remedy=error.remedy) from error
