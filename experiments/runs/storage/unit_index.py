"""Which units are stored, by reading: every line of every segment, every checksum, and the files of older releases.

The index holds a setting's text and a place for each unit, not its rows: about 200 bytes a unit. Reading moves and
changes nothing. What is damaged or somebody else's is passed over and counted; a run computes those units anew.

Older releases stored a unit in a file of its own, JSON that carries the checksum of its own body:

    {"blake2b":"<32 hex digits>","unit":<body>}      body = {"experiment", "version", "seed", "setting", "rows"}
"""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from engine.errors import BadFile
from engine.files import open_regular_file
from engine.printable import make_printable
from experiments.runs.storage.lines import (
    Identity,
    parse_unit,
    read_body,
    read_identity,
    read_setting_text,
    write_setting_text,
)
from experiments.runs.storage.segments import BLOCK, SUFFIX, list_names, parse_header
from experiments.runs.unit import StoredUnit, make_unit_id

_HEAD, _MIDDLE, _TAIL = b'{"blake2b":"', b'","unit":', b"}\n"
_DIGITS = 32
_BODY = len(_HEAD) + _DIGITS + len(_MIDDLE)


def encode_unit_file(unit: StoredUnit) -> bytes:
    """The bytes of a unit's file."""
    body = json.dumps(unit._asdict(), separators=(",", ":"), ensure_ascii=False).encode()
    return _HEAD + _digest_unit(body) + _MIDDLE + body + _TAIL


def decode_unit_file(content: bytes) -> StoredUnit | None:
    """What the file says, or None where the bytes are torn, altered or somebody else's."""
    body = content[_BODY : -len(_TAIL)]
    if content != _HEAD + _digest_unit(body) + _MIDDLE + body + _TAIL:
        return None
    try:
        unit = StoredUnit(**json.loads(body.decode()))
    except (ValueError, TypeError):
        return None
    return unit if isinstance(unit.setting, dict) and isinstance(unit.rows, list) else None


def name_unit_file(unit: StoredUnit) -> str:
    """The name of a unit's file."""
    return f"{make_unit_id(unit.experiment, unit.version, unit.seed, unit.setting)}.json"


def _digest_unit(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGITS // 2).hexdigest().encode()


LONGEST_LINE = 1 << 28
OPEN_FILES = 64
OLD_SUFFIX = ".json"
_OLD_START, _OLD_END = b'{"blake2b":"', b"}\n"


class _Segment:
    """How far a segment has been read. identity: whose units it holds, as far as its first line says."""

    def __init__(self, number: int, path: Path, ours: Identity) -> None:
        self.number = number
        self.path = path
        self.identity = ours
        self.read = 0
        self.damaged = 0
        self.source = ""
        self.foreign: Counter[str] = Counter()

    def begin(self, line: bytes) -> None:
        """Take in the first line."""
        header = parse_header(line) or {}
        self.identity = read_identity(header) or self.identity
        self.source = str(header.get("source", ""))


class UnitIndex:
    """The stored units of one identity in a folder of units; `refresh` reads what has come since."""

    def __init__(self, folder: Path, identity: Identity) -> None:
        self.folder = folder
        self.identity = identity
        self._files: list[str] = []
        self._segments: dict[str, _Segment] = {}
        self._known: set[str] = set()
        self._passed_over: Counter[str] = Counter()
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
        """The texts of the settings of all units."""
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
        for name in sorted(list_names(self.folder), key=lambda name: (name.endswith(SUFFIX), name)):
            if name not in self._known:
                self._first_look(name)

    def _first_look(self, name: str) -> None:
        path = self.folder / name
        self._known.add(name)
        if name.endswith(OLD_SUFFIX):
            self._read_old(path)
            return
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
        text = read_setting_text(body) if body is not None else None
        if text is None:
            segment.damaged += 1
        elif segment.identity == self.identity:
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

    def _read_old(self, path: Path) -> None:
        unit = _read_old_unit(path)
        if unit is None:
            self._passed_over["damaged unit files"] += 1
            return
        stored = Identity(unit.experiment, unit.version, unit.seed, tuple(sorted(unit.setting)))
        if stored != self.identity:
            self._passed_over[f"units of {self.identity.difference(stored._asdict())}"] += 1
        elif path.name != name_unit_file(unit):
            self._passed_over["unit files under another unit's name"] += 1
        else:
            self._files.append(path.name)
            self._put(write_setting_text(unit.setting), len(self._files) - 1, 0, 0)

    def units(self, texts: Iterable[bytes]) -> Iterator[StoredUnit]:
        """The units of these settings' texts, one by one; KeyError for one not stored, BadFile for one that is gone."""
        identity = self.identity
        with ExitStack() as stack:
            handles: dict[int, int | None] = {}
            for text in texts:
                ordinal = self._ordinals[text]
                file = self._file[ordinal]
                length = self._length[ordinal]
                if not length:
                    yield self._old(file)
                    continue
                if file not in handles:
                    if len(handles) >= OPEN_FILES:
                        stack.pop_all().close()
                        handles.clear()
                    handles[file] = stack.enter_context(open_regular_file(self.folder / self._files[file]))
                handle = handles[file]
                line = b"" if handle is None else os.pread(handle, length, self._offset[ordinal])
                body = read_body(line, identity.key)
                if body is None:
                    raise self._changed_meanwhile(file)
                setting, rows = parse_unit(body, identity)
                yield StoredUnit(identity.experiment, identity.version, identity.seed, setting, rows)

    def _old(self, file: int) -> StoredUnit:
        unit = _read_old_unit(self.folder / self._files[file])
        if unit is None:
            raise self._changed_meanwhile(file)
        return unit

    def _changed_meanwhile(self, file: int) -> BadFile:
        return BadFile("it changed while it was read", place=str(self.folder / self._files[file]), remedy="try again")

    def sources(self) -> set[str]:
        """The digests of the code that made the units in the segments of this identity."""
        return {one.source for one in self._segments.values() if one.identity == self.identity and one.source}

    def whole_files(self) -> list[str]:
        """The names of the files of which every unit is ours and undamaged."""
        whole = {one.path.name for one in self._segments.values() if not one.damaged and not one.foreign}
        return [name for name in self._files if name in whole or name.endswith(OLD_SUFFIX)]

    def read_only_from(self, name: str) -> None:
        """Read one file instead of the whole folder."""
        self._first_look(name)

    def problems(self) -> list[str]:
        """What was passed over and why, a line each."""
        lines = [f"{name} is not a file of units" for name in self._strangers]
        lines += [f"{count} {what}" for what, count in sorted(self._passed_over.items())]
        for name, segment in sorted(self._segments.items()):
            lines += [f"{segment.damaged} damaged lines in {name}"] if segment.damaged else []
            lines += [f"{count} units of {what}, in {name}" for what, count in segment.foreign.items()]
        return [make_printable(line) for line in lines]


def _may_be_segment(path: Path) -> bool:
    """Whether a file is regular and small, or its first line ends where one of ours would."""
    with open_regular_file(path) as handle:
        return handle is not None and (os.fstat(handle).st_size < BLOCK or b"\n" in os.pread(handle, BLOCK, 0))


def _read_old_unit(path: Path) -> StoredUnit | None:
    """The unit in a file of its own; what does not begin and end like one is not read."""
    with open_regular_file(path) as handle:
        if handle is None:
            return None
        size = os.fstat(handle).st_size
        if size <= BLOCK:
            return decode_unit_file(os.pread(handle, size, 0))
        begins, ends = os.pread(handle, len(_OLD_START), 0), os.pread(handle, len(_OLD_END), size - len(_OLD_END))
        return decode_unit_file(os.pread(handle, size, 0)) if (begins, ends) == (_OLD_START, _OLD_END) else None
