"""The help of every command, as the command prints it in a terminal of 80 columns."""

from __future__ import annotations

import os
from typing import Any
from unittest import mock

from mkdocs.structure.files import File, Files

from caregrid.command_line.help_text import help_text
from caregrid.operations import COMMANDS

WIDTH = "80"


def on_files(files: Files, config: Any) -> Files:
    """Adds the page of commands."""
    files.append(File.generated(config, "reference/commands.md", content=_page()))
    return files


def _page() -> str:
    parts = ["# Commands\n"]
    for name in COMMANDS.names():
        parts.append(f"## {name}\n\n```text\n{_help(name)}```\n")
    return "\n".join(parts)


def _help(name: str) -> str:
    with mock.patch.dict(os.environ, COLUMNS=WIDTH):
        return help_text(COMMANDS[name])
