"""Show what something is: its kind, file and documentation, its options, parameters or settings with their defaults.

NAME is what 'caregrid list' lists; KIND/NAME says which, where two kinds have one name. MODULE:NAME in a file of your
own is shown too, with --kind."""

from __future__ import annotations

import json
from dataclasses import dataclass

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import JsonArgument

GROUP = "What there is, and whether it works"


@dataclass(frozen=True, kw_only=True)
class ShowArguments(JsonArgument):
    """A name, and its kind where it does not say."""

    name: str = positional("a name that 'caregrid list' lists, KIND/NAME, or MODULE:NAME with --kind", metavar="NAME")
    kind: str | None = option(None, "the kind, such as scenarios", metavar="KIND")


def run(arguments: ShowArguments) -> int:
    from caregrid.api.guide.entries import describe

    found = describe(arguments.name, arguments.kind)
    print(json.dumps(found.as_dict()) if arguments.json else found.text())
    return 0
