"""The form of recorded behaviour, whatever the world: JSON lines, of which the first names the world.

    {"caregrid": "behaviour", "version": 1, "programme": "terminal", ...}
    {"episode": 1, "step": 1, "state": {...}, "available": [...], "action": "...", "next": {...}, "ended": false}

What a state is, and what the first line says beside these three fields, is the programme's. Here a file is taken
apart: every line is an object with exactly the fields that it should have, and steps are numbered from 1. Several
files one after the other are one file: each first line begins another world.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadFile
from engine.files import read_text, write_atomically
from engine.plain_values import make_json_value
from engine.printable import show_value

VERSION = 1
STEP = ("episode", "step", "state", "available", "action", "next", "ended")
LARGEST_FILE = 1 << 30


class RecordedSteps(ABC):
    """What one agent did in one world. episodes: steps in order, of each."""

    if TYPE_CHECKING:

        @property
        def episodes(self) -> Sequence[Sized]: ...

    @abstractmethod
    def describe_world(self) -> Mapping[str, Any]:
        """Return the first line of the file, without the fields that all have."""

    @abstractmethod
    def list_steps(self) -> Iterable[tuple[Any, ...]]:
        """Return the values of STEP for each step."""

    @property
    def steps(self) -> int:
        """How many actions were observed."""
        return sum(map(len, self.episodes))

    def save(self, path: str | Path) -> Path:
        """Write the file, all of it or nothing; returns its path."""
        target = Path(path)
        write_atomically(target, self.text())
        return target

    def text(self) -> str:
        """Return the lines of the file."""
        header = {"caregrid": "behaviour", "version": VERSION, **self.describe_world()}
        lines = [header, *(dict(zip(STEP, row, strict=True)) for row in self.list_steps())]
        return "".join(json.dumps(make_json_value(line)) + "\n" for line in lines)


def read_lines(path: str | Path) -> list[str]:
    """Read the lines of a file of behaviour, at least one; BadFile for an empty one."""
    lines = read_text(path, LARGEST_FILE, remedy="name a file of behaviour").splitlines()
    if not any(line.strip() for line in lines):
        raise BadFile("it is empty", place=str(path), remedy="record some behaviour first")
    return lines


def split_worlds(lines: Sequence[str]) -> list[list[str]]:
    """Split the lines of a file by worlds; what comes before one is left blank, so that lines keep their numbers."""
    begins = [n for n, line in enumerate(lines) if not n or ('"caregrid"' in line and _is_header(line))]
    return [
        [lines[begin], *[""] * begin, *lines[begin + 1 : end]]
        for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True)
    ]


def _is_header(line: str) -> bool:
    try:
        return "caregrid" in parse_object(line, "")
    except BadFile:
        return False


def read_programme(path: str | Path) -> str:
    """Read which programme's agent acts in a file, as far as its first line says so."""
    header = parse_object(read_lines(path)[0], f"{path}, line 1")
    programme = header.get("programme")
    return programme if isinstance(programme, str) else ""


def parse_object(line: str, place: str) -> dict[str, Any]:
    """Parse a line; BadFile where it is not an object."""
    try:
        found = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BadFile(f"it is not JSON: {error}", place=place, remedy="write an object on each line") from None
    if not isinstance(found, dict):
        raise BadFile("it is not an object", place=place, remedy="write an object on each line")
    return found


def parse_line(line: str, names: Sequence[str], place: str, more: Sequence[str] = ()) -> dict[str, Any]:
    """Parse a line; BadFile where it is not an object with exactly these fields. more: those that may be left out."""
    found = parse_object(line, place)
    missing = [name for name in names if name not in found]
    if missing:
        raise BadFile(f"'{missing[0]}' is missing", place=place, remedy=f"give {', '.join(names)}")
    unknown = [name for name in found if name not in (*names, *more)]
    if unknown:
        remedy = f"give {', '.join((*names, *more))}"
        raise BadFile(f"unknown field {show_value(unknown[0])}", place=place, remedy=remedy)
    return found


def parse_steps(lines: Sequence[str], place: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Parse the lines after the first one: each step with the place of its line; BadFile where one is out of order."""
    episode = step = 0
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        where = f"{place}, line {number}"
        row = parse_line(line, STEP, where)
        for name in ("episode", "step"):
            if not is_whole(row[name]):
                raise BadFile(f"{name} is {show_value(row[name])}", place=where, remedy="give a whole number")
        here = row["episode"], row["step"]
        if here not in ((episode + 1, 1), (episode, step + 1)) or not here[0]:
            raise BadFile(
                f"episode {here[0]}, step {here[1]} is out of order", place=where, remedy="number them from 1"
            )
        episode, step = here
        yield row, where
    if not episode:
        raise BadFile("it has no step", place=place, remedy="record at least one")


def refuse_header(name: str, value: Any, wanted: str, place: str, line: int = 1) -> BadFile:
    """Return the error of a field of a first line."""
    return BadFile(f"{name} is {show_value(value)}", place=f"{place}, line {line}", remedy=f"give {wanted}")


def is_whole(value: Any) -> bool:
    """Return whether a value of JSON is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")
