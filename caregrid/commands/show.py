"""Show an entry: its kind, file and documentation, and its options, parameters or settings with their defaults.

NAME is a name of 'caregrid list'; write KIND/NAME if two kinds share it. MODULE:NAME in a file of your own is shown
too, with --kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.command_line.terminal_width import print_text
from caregrid.kinds import KINDS

GROUP = "What there is, and whether it works"


@dataclass(frozen=True, kw_only=True)
class ShowArguments(JsonArgument):
    """A name, and its kind where it does not say."""

    name: str = positional(
        "a name that 'caregrid list' lists, KIND/NAME, or MODULE:NAME with --kind", metavar="NAME", kinds=tuple(KINDS)
    )
    kind: str | None = option(None, "the kind, such as scenarios", metavar="KIND", kinds=("kinds",))


def run(arguments: ShowArguments) -> int:
    from caregrid.inventory import describe

    found = describe(arguments.name, arguments.kind)
    if arguments.json:
        print_json("show", {"things": [_with_plain_keys(thing) for thing in found.things]})
    else:
        print_text(found.text())
    return 0


def _with_plain_keys(thing: Mapping[str, Any]) -> dict[str, Any]:
    """A thing whose headings are names, as programs write them."""
    return {heading.replace(" ", "_"): value for heading, value in thing.items()}
