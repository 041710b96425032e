"""Docstrings in numpydoc's sections, as the command line reads them: the text, and a text for each parameter."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)


@dataclass(frozen=True)
class Documentation:
    """summary: the first sentence. text: what follows it, up to the first section. parameters: name -> text."""

    summary: str
    text: str
    parameters: dict[str, str] = field(default_factory=dict)


def read_documentation(docstring: str) -> Documentation:
    """Read a docstring: its summary, its text, and its section Parameters."""
    parts = SECTION.split(inspect.cleandoc(docstring))
    summary, _, text = parts[0].partition("\n\n")
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    return Documentation(" ".join(summary.split()), text.strip("\n"), _definitions(sections.get("Parameters", "")))


def _definitions(section: str) -> dict[str, str]:
    """Name -> text of a list of definitions; "a, b : int" defines both."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in section.strip("\n").split("\n"):
        if line and not line[0].isspace():
            names = [name.strip().lstrip("*") for name in line.partition(" :")[0].split(",")]
            found |= dict.fromkeys(names, "")
        else:
            found |= {name: f"{found[name]} {line.strip()}".strip() for name in names}
    return found
