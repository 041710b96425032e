"""The manifest: which experiment a directory holds results of, decided by the first run, atomically and for good.

    manifest.json   {"caregrid_run": 2, "experiment", "version", "seed", "settings", "declared", "source", "reproduces",
                     "origin"}

Of two runs that begin in one directory at once, one creates the file and the other reads it. A manifest that is lost
or torn is made again from the first lines of the segments, or from any unit of an older release.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import BadFile
from engine.files import create_atomically, make_read_error, open_regular_file, suggest_another_place, write_atomically
from experiments.runs.storage.segments import BLOCK, SUFFIX, list_names, read_header
from experiments.runs.storage.unit_index import decode_unit_file

MANIFEST = "manifest.json"
UNITS = "units"
FORMAT = 2
READABLE = (1, FORMAT)
LONGEST = 1 << 28
ABOUT = ("experiment", "version", "seed", "settings", "declared", "source", "reproduces", "origin")


def claim_manifest(path: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """Create the manifest of a directory, or read the one that is there; BadFile where neither can be done."""
    _look(path)
    if create_atomically(path / MANIFEST, encode_manifest(content)):
        return dict(content)
    return read_manifest(path)


def replace_manifest(path: Path, content: Mapping[str, Any]) -> None:
    """Write the manifest anew; BadFile where it cannot be written."""
    write_atomically(path / MANIFEST, encode_manifest(content))


def encode_manifest(content: Mapping[str, Any]) -> bytes:
    """The bytes of a manifest."""
    marked = {"caregrid_run": FORMAT, **content} | {"caregrid_run": FORMAT}
    return (json.dumps(marked, indent=2, ensure_ascii=False) + "\n").encode()


def read_manifest(path: Path) -> dict[str, Any]:
    """What a directory is of, by its manifest or, where that is lost or torn, by its units; {} where it is new.

    BadFile for a directory of other things, and for a manifest of another program or release.
    """
    manifest = _look(path)
    return manifest if manifest is not None else recover_manifest(path)


def has_run(path: Path) -> bool:
    """Whether a directory holds a run, with its manifest or without."""
    return os.path.isfile(path / MANIFEST) or (os.path.isdir(path / UNITS) and bool(recover_manifest(path)))


def find_run_directories(folder: Path) -> list[Path]:
    """Every folder, at or below one, that holds a run or what is left of one; what is among units is not looked at."""
    found = []
    with open_regular_file(folder):  # a BadFile where no folder has such a name
        pass
    for place, folders, files in os.walk(folder):
        begun = UNITS in folders and any(name.endswith(SUFFIX) for name in list_names(Path(place, UNITS)))
        if begun or (MANIFEST in files and _is_ours(Path(place))):
            found.append(Path(place))
        folders[:] = sorted(name for name in folders if name != UNITS)
    return sorted(found)


def _is_ours(path: Path) -> bool:
    """Whether a manifest is one of ours, or torn so that nobody can tell, beside what only a run makes."""
    try:
        return _look(path) is not None or (path / UNITS).is_dir()
    except BadFile as error:
        return "cannot read" in error.problem


def has_whole_manifest(path: Path) -> bool:
    """Whether the manifest itself is there and can be read."""
    return _look(path) is not None


def recover_manifest(path: Path) -> dict[str, Any]:
    """The manifest again, from the first unit or segment that says what it is of; {} where none does."""
    names = list_names(path / UNITS)
    for name in (name for name in names if name.endswith(SUFFIX)):
        header = read_header(path / UNITS / name)
        if header is not None:
            return {what: header[what] for what in ABOUT if what in header}
    for name in (name for name in names if name.endswith(".json")):
        with open_regular_file(path / UNITS / name) as handle:
            content = b"" if handle is None else _read(handle, BLOCK)
        unit = decode_unit_file(content)
        if unit is not None:
            about = unit._asdict()
            return {what: about[what] for what in ("experiment", "version", "seed")} | {"settings": [*unit.setting]}
    return {}


def _look(path: Path) -> dict[str, Any] | None:
    """The manifest, None where there is none or a torn one; BadFile for what is not ours."""
    with open_regular_file(path / MANIFEST) as handle:
        content = None if handle is None else _read(handle, LONGEST)
    if content is None:
        return _look(path) if _has_begun(path) else None
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(manifest, dict) or manifest.get("caregrid_run") not in READABLE:
        raise BadFile(
            "its manifest is of another program or another release",
            place=str(path),
            remedy=suggest_another_place(),
        )
    return manifest


def _has_begun(path: Path) -> bool:
    """Whether a run has begun since the manifest was looked for; BadFile for a folder that holds something else."""
    try:
        holds_something = path.is_dir() and not (path / UNITS).is_dir() and any(path.glob("[!.]*"))
        if not holds_something or (path / MANIFEST).is_file():
            return holds_something
    except OSError as error:
        raise make_read_error(path, error) from error
    remedy = "name an empty directory, or one that 'caregrid run' made"
    raise BadFile("it is not empty and holds no run", place=str(path), remedy=remedy)


def _read(handle: int, most: int) -> bytes:
    return os.pread(handle, min(most, os.fstat(handle).st_size), 0)
