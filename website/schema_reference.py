"""What every command prints with --json, field by field, from the declared schemas."""

from __future__ import annotations

from caregrid.schemas import SCHEMAS


def make_pages() -> dict[str, str]:
    """Return the page of schemas."""
    return {"reference/schemas.md": _page()}


def _page() -> str:
    parts = ["# Schemas of JSON\n", "What holds for all of them is said in [JSON for programs](../json.md).\n"]
    for name in SCHEMAS.names():
        rows = [f"| `{field}` | {_cell(meaning)} |" for field, meaning in SCHEMAS[name].fields().items()]
        head = f"## {name}\n\n{SCHEMAS.summary(name)}.\n\n| field | type and meaning |\n| --- | --- |"
        parts.append("\n".join([head, *rows]) + "\n")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("[", "\\[").replace("<", "\\<").replace("*", "\\*")
