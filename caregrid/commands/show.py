"""Show what something is: its kind, file and documentation, its options, parameters or settings with their defaults.

NAME is what 'caregrid list' lists; KIND/NAME says which, where two kinds have one name. MODULE:NAME in a file of your
own is shown too, with --kind."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import JsonArgument

MANY = 20  # values in one line


@dataclass(frozen=True, kw_only=True)
class ShowArguments(JsonArgument):
    """A name, and its kind where it does not say."""

    name: str = positional("a name that 'caregrid list' lists, KIND/NAME, or MODULE:NAME with --kind", metavar="NAME")
    kind: str | None = option(None, "the kind, such as scenarios", metavar="KIND")


def run(arguments: ShowArguments) -> int:
    from caregrid.descriptions import describe, find

    descriptions = [describe(kind, name) for kind, name in find(arguments.name, arguments.kind)]
    if arguments.json:
        print(json.dumps(descriptions[0] if len(descriptions) == 1 else descriptions))
        return 0
    print("\n\n".join(map(_page, descriptions)))
    return 0


def _page(description: dict[str, Any]) -> str:
    head = f"{description['name']} ({description['kind']})\n{description['programme']}; {description['file']}"
    parts = [f"{head}\n\n{description['documentation']}"]
    for label, value in list(description.items())[5:]:
        parts.append(f"\n{label}:\n{_text(value)}")
    return "\n".join(parts)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"  {name}: {_phrase(part)}" for name, part in value.items()) or "  none"
    if isinstance(value, list):
        return "\n".join(f"  {part}" for part in value) or "  none"
    return f"  {value}"


def _phrase(value: Any) -> Any:
    """A list in one line: its ends where it is long."""
    if not isinstance(value, list):
        return value
    words = [str(part) for part in value]
    return ", ".join(words if len(words) <= MANY else [*words[:3], "...", f"{words[-1]} ({len(words)} values)"])
