"""Zip archives: written with the same bytes for the same content, and read as what may come from anybody.

    written: members in the order given, all of 1 January 1980, plain files of mode 0644, deflated
    read:    every bound is checked before a member is opened, and its content while it is read

The directory at the end of an archive says how many members there are and how long they are. Nothing after it or
before the first member, names of plain letters only, no links, no passwords, no archive of more than 4 GB (zip64).
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from engine.errors import BadFile
from engine.files import open_regular_file, read_bytes, write_atomically
from engine.printable import show_value

LARGEST_FILE = 2 << 30
LARGEST_CONTENT = 2 << 30
MOST_MEMBERS = 20_000
LARGEST_RATIO = 100
RATIO_COUNTS_FROM = 64 << 20
"""A short archive may hold so many bytes whatever their ratio: a table of one value is deflated a thousandfold."""
MEMBER = re.compile(r"(?:[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,199}/)?[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,199}")
"""The name of a member: a file, or a file in one folder; neither begins with a dot."""
BLOCK = 1 << 20
LONGEST_SHOWN = 60
_BEGINNING = (1980, 1, 1, 0, 0, 0)
_END = struct.Struct("<4s4H2LH")
_LONGEST_ENTRY = 512
_ENCRYPTED = 0x41
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, OverflowError, struct.error)


def write_archive(path: Path, members: Mapping[str, Path]) -> None:
    """Write an archive of these files, name in it -> file; BadFile for more than a reader takes."""
    size = sum(file.stat().st_size for file in members.values())
    if size > LARGEST_CONTENT or len(members) > MOST_MEMBERS:
        problem = f"{len(members)} files of {size:,} bytes together"
        remedy = f"at most {MOST_MEMBERS:,} files of {LARGEST_CONTENT:,} bytes; 'caregrid compact' makes fewer"
        raise BadFile(problem, place=str(path), remedy=remedy)

    def write(stream: IO[bytes]) -> None:
        with zipfile.ZipFile(stream, "w", allowZip64=False) as archive:
            for name, file in members.items():
                about = zipfile.ZipInfo(name, _BEGINNING)
                about.create_system, about.external_attr = 3, (stat.S_IFREG | 0o644) << 16
                about.compress_type, about.file_size = zipfile.ZIP_DEFLATED, file.stat().st_size
                with file.open("rb") as content, archive.open(about, "w") as member:
                    shutil.copyfileobj(content, member, BLOCK)

    write_atomically(path, write)


class Archive:
    """The members of an archive by their names; made by `open_archive`."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo]) -> None:
        self.path = path
        self._archive = archive
        self._members = members

    @property
    def names(self) -> list[str]:
        """The names of the members, in their order."""
        return list(self._members)

    def size(self, name: str) -> int:
        """Return how many bytes a member says that it has."""
        return self._members[name].file_size

    def read(self, name: str, most: int) -> bytes:
        """Return a whole member; BadFile for one of more than `most` bytes."""
        if self.size(name) > most:
            raise _refuse(self.path, f"'{name}' has {self.size(name):,} bytes, and {most:,} are the most")
        return b"".join(self.blocks(name))

    def blocks(self, name: str) -> Iterator[bytes]:
        """Yield a member, block after block; BadFile where it is damaged or is longer than it says."""
        left = self.size(name)
        with _reading(self.path, f"'{name}' is damaged"), self._archive.open(self._members[name]) as member:
            while block := member.read(BLOCK):
                left -= len(block)
                if left < 0:
                    raise _refuse(self.path, f"'{name}' is longer than it says")
                yield block
            if left:
                raise _refuse(self.path, f"'{name}' is shorter than it says")


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """The members of an archive, none of which is read yet; BadFile where it breaks a bound or is none of ours."""
    with open_regular_file(path) as handle:
        if handle is None:
            read_bytes(path, 0)  # says why there is no file
            raise _refuse(path, "file not found")
        with open(handle, "rb", closefd=False) as stream:
            size = os.fstat(handle).st_size
            count = _read_end(path, stream, size)
            with _reading(path, "no whole zip archive"):
                archive = zipfile.ZipFile(stream)
            yield Archive(path, archive, _check_members(path, archive.infolist(), count, size))


def _read_end(path: Path, stream: IO[bytes], size: int) -> int:
    """Return how many members the end of an archive announces."""
    if size > LARGEST_FILE:
        raise _refuse(path, f"it has {size:,} bytes, and {LARGEST_FILE:,} are the most")
    stream.seek(max(0, size - _END.size))
    end = stream.read(_END.size)
    if len(end) < _END.size or not end.startswith(b"PK\x05\x06"):
        raise _refuse(path, "no whole zip archive")
    _, disk, first, here, count, length, start, comment = _END.unpack(end)
    if count > MOST_MEMBERS:
        raise _refuse(path, f"it has {count:,} members, and {MOST_MEMBERS:,} are the most")
    plain = disk == first == comment == 0 and here == count and length <= _LONGEST_ENTRY * count
    if not plain or start + length + _END.size != size:
        raise _refuse(path, "no plain zip archive")
    return int(count)


def _check_members(path: Path, found: list[zipfile.ZipInfo], count: int, size: int) -> dict[str, zipfile.ZipInfo]:
    """Return the members by their names, each plain; BadFile for the first that is not."""
    members: dict[str, zipfile.ZipInfo] = {}
    spelled: set[str] = set()
    for member in found:
        name = member.orig_filename
        if name in ("units/", "logs/") and not member.file_size:
            continue  # other programs list folders, too
        kind = stat.S_IFMT(member.external_attr >> 16)
        if not MEMBER.fullmatch(name) or member.filename != name:
            raise _refuse(
                path, f"a member is called {show_value(name, LONGEST_SHOWN)}, no plain name in at most one folder"
            )
        if name.lower() in spelled:
            raise _refuse(path, f"two members are called '{name}'")
        if kind not in (0, stat.S_IFREG):
            raise _refuse(path, f"'{name}' is {'a link' if stat.S_ISLNK(kind) else 'no plain file'}")
        if member.flag_bits & _ENCRYPTED:
            raise _refuse(path, f"'{name}' is encrypted")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _refuse(path, f"'{name}' is compressed in a way that only few programs know")
        spelled.add(name.lower())
        members[name] = member
    if len(found) != count:
        raise _refuse(path, f"{len(found)} members are there, and {count} are announced")
    total = sum(member.file_size for member in members.values())
    if sum(member.compress_size for member in members.values()) > size:
        raise _refuse(path, "its members overlap")
    if total > LARGEST_CONTENT or total > max(RATIO_COUNTS_FROM, LARGEST_RATIO * size):
        raise _refuse(path, f"{size:,} bytes would become {total:,}")
    return members


@contextmanager
def _reading(path: Path, problem: str) -> Iterator[None]:
    """Turn whatever Python raises of a damaged archive into a BadFile."""
    try:
        yield
    except BadFile:
        raise
    except _UNREADABLE as error:
        raise _refuse(path, problem) from error


def _refuse(path: Path, problem: str) -> BadFile:
    return BadFile(problem, place=str(path), remedy="ask for a file that 'caregrid pack' made")
