"""The help of every command, as the command prints it in a terminal of 80 columns."""

from __future__ import annotations

import os
from unittest import mock

from caregrid.command_line.help_text import help_text
from caregrid.operations import COMMANDS

WIDTH = "80"


def make_pages() -> dict[str, str]:
    """Return the page of commands."""
    return {"reference/commands.md": _page()}


def _page() -> str:
    parts = ["# Commands\n"]
    for name in COMMANDS.names():
        parts.append(f"## {name}\n\n```text\n{_help(name)}```\n")
    return "\n".join(parts)


def _help(name: str) -> str:
    with mock.patch.dict(os.environ, COLUMNS=WIDTH):
        return help_text(COMMANDS[name])
