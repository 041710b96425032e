"""Show what something is: its documentation and, for a scenario, its map, actions, options and newcomers."""

from __future__ import annotations

import argparse
import json
from typing import Any

MANY = 20  # values in one line


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a name that 'caregrid list' lists")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from caregrid.registries import documentation, find

    told = [
        {"name": arguments.name, "kind": kind, "documentation": documentation(entry), **_details(kind, entry)}
        for kind, entry in find(arguments.name)
    ]
    if arguments.json:
        print(json.dumps(told[0] if len(told) == 1 else told))
        return 0
    for one in told:
        print(f"{one['name']} ({one['kind']})\n\n{one['documentation']}")
        for label, value in list(one.items())[3:]:
            print(f"\n{label}:\n{_text(value)}")
    return 0


def _details(kind: str, entry: Any) -> dict[str, Any]:
    if kind == "scenarios":
        return _scenario(entry)
    if kind == "experiments":
        return {
            "reproduces": entry.reproduces,
            "settings": {name: list(values) for name, values in entry.settings.items()},
            "claims": [claim.says for claim in entry.claims],
        }
    return {}


def _scenario(kind: Any) -> dict[str, Any]:
    import inspect

    scenario = kind()
    parameters = inspect.signature(kind.__init__).parameters.values()
    return {
        "map": list(scenario.grid.rows),
        "legend": {glyph: names if isinstance(names, str) else list(names) for glyph, names in kind.legend.items()},
        "actions": list(scenario.actions),
        "options": {p.name: p.default for p in parameters if p.name not in {"self", "grid"}},
        "newcomers": {newcomer.name: newcomer.probability for newcomer in scenario.newcomers()},
        "default formulation": scenario.default_formulation,
        "discount": scenario.discount,
    }


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
