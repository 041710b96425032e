"""Which units are stored, by reading: every line of every segment, every checksum.

The index holds a setting's text and a place for each unit, not its rows: about 200 bytes per unit. Reading moves and
changes nothing. What is damaged or somebody else's is passed over and counted; a run computes those units anew.
"""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from engine.errors import BadFile
from engine.files import open_regular_file
from engine.printable import make_printable, show_value
from experiments.runs.code_identity import CodeIdentity, read_code_identity
from experiments.runs.segments import (
    BLOCK,
    SUFFIX,
    Identity,
    list_names,
    parse_header,
    parse_unit,
    read_body,
    read_identity,
    read_setting_text,
)
from experiments.runs.unit import StoredUnit

LONGEST_LINE = 1 << 28
OPEN_FILES = 64


class _Segment:
    """How far a segment has been read. identity: whose units it holds, as far as its first line says."""

    def __init__(self, number: int, path: Path, ours: Identity) -> None:
        self.number = number
        self.path = path
        self.identity = ours
        self.read = 0
        self.whole = 0
        self.damaged = 0
        self.code: CodeIdentity | None = None
        self.foreign: Counter[str] = Counter()

    def begin(self, line: bytes) -> None:
        """Take in the first line."""
        header = parse_header(line) or {}
        self.identity = read_identity(header) or self.identity
        self.code = read_code_identity(header.get("code"))


class UnitIndex:
    """The stored units of one identity in a folder of units; `refresh` reads what has come since."""

    def __init__(self, folder: Path, identity: Identity) -> None:
        self.folder = folder
        self.identity = identity
        self._files: list[str] = []
        self._segments: dict[str, _Segment] = {}
        self._known: set[str] = set()
        self._strangers: list[str] = []
        self._changed = -1
        self._ordinals: dict[bytes, int] = {}
        self._file = array("l")
        self._offset = array("q")
        self._length = array("l")

    def __contains__(self, text: bytes) -> bool:
        return text in self._ordinals

    def __len__(self) -> int:
        return len(self._ordinals)

    def texts(self) -> Iterator[bytes]:
        """Return the texts of the settings of all units."""
        return iter(self._ordinals)

    def refresh(self, everything: bool = False) -> None:
        """Read what was stored since the last time; BadFile where something may not be read.

        everything: list the folder again even where it seems unchanged.
        """
        for segment in self._segments.values():
            self._read_on(segment)
        try:
            changed = self.folder.stat().st_mtime_ns
        except OSError:
            changed = 0
        if changed == self._changed and not everything:
            return
        self._changed = changed
        for name in list_names(self.folder):
            if name not in self._known:
                self._first_look(name)

    def _first_look(self, name: str) -> None:
        path = self.folder / name
        self._known.add(name)
        if not name.endswith(SUFFIX) or not _may_be_segment(path):
            self._strangers.append(name)
            return
        self._files.append(name)
        self._segments[name] = _Segment(len(self._files) - 1, path, self.identity)
        self._read_on(self._segments[name])

    def _read_on(self, segment: _Segment) -> None:
        """Read the lines that have been appended; bytes after the last line's end are left for the next time."""
        with open_regular_file(segment.path) as handle:
            if handle is None or os.fstat(handle).st_size <= segment.read:
                return
            begun = bytearray()
            while block := os.pread(handle, BLOCK, segment.read + len(begun)):
                begun += block
                if b"\n" in block:
                    *lines, rest = bytes(begun).split(b"\n")
                    for line in lines:
                        self._take(segment, line + b"\n")
                        segment.read += len(line) + 1
                    begun = bytearray(rest)
                elif len(begun) > LONGEST_LINE:
                    segment.damaged += 1
                    segment.read += len(begun)
                    begun.clear()

    def _take(self, segment: _Segment, line: bytes) -> None:
        if not segment.read:
            segment.begin(line)
            return
        body = read_body(line, segment.identity.key)
        text = read_setting_text(body, segment.identity) if body is not None else None
        if text is None:
            segment.damaged += 1
        elif segment.identity == self.identity:
            segment.whole += 1
            self._put(text, segment.number, segment.read, len(line))
        else:
            segment.foreign[self.identity.difference(segment.identity._asdict())] += 1

    def _put(self, text: bytes, file: int, offset: int, length: int) -> None:
        ordinal = self._ordinals.setdefault(text, len(self._ordinals))
        if ordinal < len(self._file):  # stored again, by a run with `force`: the later one counts
            self._file[ordinal] = file
            self._offset[ordinal] = offset
            self._length[ordinal] = length
            return
        for column, value in ((self._file, file), (self._offset, offset), (self._length, length)):
            column.append(value)

    def units(self, texts: Iterable[bytes]) -> Iterator[StoredUnit]:
        """The units of these settings' texts, one by one; KeyError for one not stored, BadFile for one that is gone."""
        identity = self.identity
        with ExitStack() as stack:
            handles: dict[int, int | None] = {}
            for text in texts:
                ordinal = self._ordinals[text]
                file = self._file[ordinal]
                length = self._length[ordinal]
                if file not in handles:
                    if len(handles) >= OPEN_FILES:
                        stack.pop_all().close()
                        handles.clear()
                    handles[file] = stack.enter_context(open_regular_file(self.folder / self._files[file]))
                handle = handles[file]
                line = b"" if handle is None else os.pread(handle, length, self._offset[ordinal])
                body = read_body(line, identity.key)
                if body is None:
                    raise self._report_change(file)
                try:
                    setting, rows = parse_unit(body, identity)
                except ValueError as error:
                    raise self._no_unit(file, text) from error
                yield StoredUnit(identity.experiment, identity.version, identity.seed, setting, rows)

    def _report_change(self, file: int) -> BadFile:
        return BadFile("it changed while it was read", place=str(self.folder / self._files[file]), remedy="try again")

    def _no_unit(self, file: int, text: bytes) -> BadFile:
        return BadFile(
            f"the unit {show_value(text.decode())} has no rows, although its checksum is right",
            place=str(self.folder / self._files[file]),
            remedy="remove the file, and run again",
        )

    def count_by_file(self) -> dict[str, tuple[int, int, int]]:
        """Segment -> units in it that are whole, damaged, of something else."""
        return {name: (one.whole, one.damaged, one.foreign.total()) for name, one in self._segments.items()}

    def list_codes(self) -> list[tuple[CodeIdentity | None, int]]:
        """Return the codes that made the units, None where that was not recorded, each with the number of its units."""
        found: list[tuple[CodeIdentity | None, int]] = []
        for number, units in sorted(Counter(self._file).items()):
            code = self._segments[self._files[number]].code
            place = next((place for place, (other, _) in enumerate(found) if other == code), None)
            if place is None:
                found.append((code, units))
            else:
                found[place] = (code, found[place][1] + units)
        return found

    def texts_by(self, code: CodeIdentity | None) -> list[bytes]:
        """Return the texts of the settings of the units that one code has made."""
        files = {number for number, name in enumerate(self._files) if self._segments[name].code == code}
        return [text for text, ordinal in self._ordinals.items() if self._file[ordinal] in files]

    def whole_files(self) -> list[str]:
        """Return the names of the files of which every unit is ours and undamaged."""
        whole = {one.path.name for one in self._segments.values() if not one.damaged and not one.foreign}
        return [name for name in self._files if name in whole]

    def read_only_from(self, name: str) -> None:
        """Read one file instead of the whole folder."""
        self._first_look(name)

    def problems(self) -> list[str]:
        """Return what was passed over and why, a line each."""
        lines = [f"{name} is not a file of units" for name in self._strangers]
        for name, segment in sorted(self._segments.items()):
            lines += [f"{segment.damaged} damaged lines in {name}"] if segment.damaged else []
            lines += [f"{count} units of {what}, in {name}" for what, count in segment.foreign.items()]
        return [make_printable(line) for line in lines]


def _may_be_segment(path: Path) -> bool:
    """Return whether a file is regular and small, or its first line ends where one of ours would."""
    with open_regular_file(path) as handle:
        return handle is not None and (os.fstat(handle).st_size < BLOCK or b"\n" in os.pread(handle, BLOCK, 0))
