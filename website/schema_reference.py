"""What every command prints with --json, field by field, from the declared schemas."""

from __future__ import annotations

from typing import Any

from mkdocs.structure.files import File, Files

from caregrid.schemas import SCHEMAS


def on_files(files: Files, config: Any) -> Files:
    """Adds the page of schemas."""
    files.append(File.generated(config, "reference/schemas.md", content=_page()))
    return files


def _page() -> str:
    parts = ["# Schemas of JSON\n", "What holds for all of them is said in [JSON for programs](../json.md).\n"]
    for name in SCHEMAS.names():
        rows = [f"| `{field}` | {_cell(meaning)} |" for field, meaning in SCHEMAS[name].fields().items()]
        head = f"## {name}\n\n{SCHEMAS.summary(name)}.\n\n| field | type and meaning |\n| --- | --- |"
        parts.append("\n".join([head, *rows]) + "\n")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("[", "\\[").replace("<", "\\<").replace("*", "\\*")
