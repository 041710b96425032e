"""Named arrays in one `.npz` file, without pickle: written completely or not at all, refused in one line when read."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import BadFile
from engine.files import read_bytes, write_atomically
from engine.printable import show_value

HEADER = "header"
LARGEST = 2 << 30  # bytes, unpacked
MOST_ARRAYS = 1000
ENTRY = b"PK\x01\x02"  # with which each entry of an archive's directory begins; in other bytes it is rare


def write_arrays(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write arrays by name and a header (JSON) beside them."""
    buffer = io.BytesIO()
    words: dict[str, Any] = {HEADER: np.array(json.dumps(dict(header), sort_keys=True)), **arrays}
    np.savez_compressed(buffer, **words)
    write_atomically(path, buffer.getvalue())


def read_arrays(path: str | Path, names: Sequence[str], what: str, remedy: str) -> tuple[dict[str, Any], list[Any]]:
    """Return the header and the arrays of these names.

    what: the file's kind, in the messages. remedy: what to do instead. Raises BadFile where it is missing or damaged.
    """
    header, *arrays = read_plain_arrays(path, (HEADER, *names), what, remedy)
    try:
        words = json.loads(str(header))
    except (ValueError, RecursionError) as error:
        raise BadFile(f"not a readable file of {what}", place=str(path), remedy=remedy) from error
    if not isinstance(words, dict):
        raise BadFile(f"not a file of {what}: its header is {show_value(words)}", place=str(path), remedy=remedy)
    return words, arrays


def read_plain_arrays(path: str | Path, names: Sequence[str], what: str, remedy: str) -> list[Any]:
    """Return the arrays of these names; raise BadFile where one is missing or damaged."""
    with _open_archive(path, what, remedy) as archive:
        held = archive.namelist()
        for name in names:
            if (count := held.count(f"{name}.npy")) != 1:
                counted = f"{count} arrays" if count else "no array"
                raise BadFile(f"not a file of {what}: {counted} '{name}'", place=str(path), remedy=remedy)
        return [_read_array(archive, name) for name in names]


def list_arrays(path: str | Path, what: str, remedy: str) -> list[str]:
    """Return the names of all arrays; raise BadFile where the file is missing or damaged."""
    with _open_archive(path, what, remedy) as archive:
        return [name.removesuffix(".npy") for name in archive.namelist()]


@contextmanager
def _open_archive(path: str | Path, what: str, remedy: str) -> Iterator[zipfile.ZipFile]:
    place = str(path)
    content = read_bytes(path, LARGEST, remedy=remedy)
    if content.count(ENTRY) > MOST_ARRAYS:  # before anything is made of each
        raise BadFile(f"a file of {what} with more than {MOST_ARRAYS} arrays", place=place, remedy=remedy)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _require_size(archive, what, place, remedy)
            yield archive
    except BadFile:
        raise
    except Exception as error:  # a damaged archive makes zipfile, zlib and numpy raise almost anything
        raise BadFile(f"not a readable file of {what}", place=place, remedy=remedy) from error


def _require_size(archive: zipfile.ZipFile, what: str, place: str, remedy: str) -> None:
    """Raise BadFile for an archive whose directory declares more bytes than any file of ours has."""
    size = sum(entry.file_size for entry in archive.infolist())
    if size > LARGEST:
        problem = f"a file of {what} that unpacks to {size / 2**30:.1f} GiB, more than {LARGEST / 2**30:.0f}"
        raise BadFile(problem, place=place, remedy=remedy)


def _read_array(archive: zipfile.ZipFile, name: str) -> Any:
    """Read one array of an `.npz`; raise ValueError where it would need pickle."""
    with archive.open(f"{name}.npy") as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)
