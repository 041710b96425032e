"""Text as wide as the terminal: long lines go on below, indented to the column in which they broke."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap

NARROWEST, EXAMPLE = 40, "  caregrid "
COPIED = re.compile(r"\bpip (un)?install\b")
"""What people copy into a shell stays in one line."""


def print_text(text: str) -> None:
    """Print a text, fitted where it goes to a terminal, or where COLUMNS says how wide it should be."""
    width_is_given = os.environ.get("COLUMNS", "").isdecimal()
    print(fitted(text, shutil.get_terminal_size().columns) if width_is_given or sys.stdout.isatty() else text)


def fitted(text: str, width: int) -> str:
    """The text with lines of at most that width, as far as single words and commands to copy allow."""
    return "\n".join(part for line in text.split("\n") for part in _parts(line, max(width, NARROWEST)))


def _parts(line: str, width: int) -> list[str]:
    if len(line) <= width or COPIED.search(line):
        return [line]
    columns = [gap.end() for gap in re.finditer(r"(?<=\S)\s{2,}(?=\S)", line) if gap.end() <= width // 2]
    indent = " " * (columns[-1] if columns else len(line) - len(line.lstrip()) + 2)
    return _wrapped(line, width, indent)


def _wrapped(line: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def fit_examples(paragraph: str, width: int) -> list[str]:
    """Break commands into lines of at most a width; a backslash at their ends lets them be copied."""
    lines: list[str] = []
    for line in paragraph.split("\n"):
        if not line.startswith(EXAMPLE):
            lines += _parts(line, width)
            continue
        parts = _wrapped(line, width - len(" \\"), " " * 6)
        lines += [f"{part} \\" for part in parts[:-1]] + parts[-1:]
    return lines
