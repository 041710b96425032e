"""Files that a user of caregrid might write, one or two of each kind, and mistakes in them.

The table is `tests/data/users_mistakes.txt`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

TABLE = (Path(__file__).resolve().parent / "data" / "users_mistakes.txt").read_text(encoding="utf-8")


class Mistake(NamedTuple):
    """What stands in the right file, what stands there instead, what is said, and whether the command says so too."""

    right: str
    wrong: str
    said: str
    used: bool


class Section(NamedTuple):
    """A kind, the name of its entry in the file, the command that uses it ("" for none), the right file, mistakes."""

    kind: str
    attribute: str
    command: str
    file: str
    mistakes: tuple[Mistake, ...]


def read_mistake(row: str) -> Mistake:
    right, wrong, said, *alone = row.split(" ==> ")
    return Mistake(write_out(right), write_out(wrong), said, not alone)


def write_out(text: str) -> str:
    """The text with its line ends."""
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text)


def read_section(text: str) -> Section:
    head, _, rest = text.partition("\n")
    file, _, rows = rest.partition("--- mistakes\n")
    name, _, command = head.partition(":")
    kind, attribute = name.split()
    return Section(kind, attribute, command.strip(), file, tuple(map(read_mistake, rows.splitlines())))


SECTIONS = [read_section(text) for text in re.split(r"^=== ", TABLE, flags=re.MULTILINE)[1:]]


def read_right_file(kind: str, attribute: str) -> str:
    """The right file of a section."""
    return next(section.file for section in SECTIONS if (section.kind, section.attribute) == (kind, attribute))
