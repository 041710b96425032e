"""One segment in place of those of many sessions, one for each code that made units.

The new segment is read back before anything is removed, and only what was read without a fault is removed: damaged
and foreign files stay where they are. Nobody may be writing meanwhile, as far as can be seen. A session that was only
paused is not: it notices that its file is gone, and what it has stored meanwhile keeps its file in place.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import BadFile
from engine.files import output_directory, sync_folder
from engine.printable import print_notice
from experiments.runs.dispatch import find_claiming, tidy_claims
from experiments.runs.run_directory import ABOUT, CLAIMS, UNITS, read_manifest, recover_manifest, replace_manifest
from experiments.runs.segments import (
    SECONDS_BETWEEN_SIGNS,
    SECONDS_WITHOUT_SIGN,
    SUFFIX,
    Identity,
    SegmentWriter,
    SignsOfLife,
    list_names,
    read_identity,
)
from experiments.runs.unit_index import UnitIndex

TOGETHER = 1000


class Compacted(NamedTuple):
    """How many units there are, in how many files before and now, and what was left alone and why."""

    units: int
    before: int
    now: int
    problems: list[str]


def compact(path: Path) -> Compacted:
    """Make one segment of all that is stored in a run directory.

    BadFile where there is no run, where a session is writing, and where the new segment cannot be written.
    """
    units = path / UNITS
    about = read_manifest(path)
    settings = about.get("settings") or recover_manifest(path).get("settings")
    identity = read_identity({**about, "settings": sorted(settings)} if isinstance(settings, list) else about)
    if identity is None:
        raise BadFile("no run in it", place=str(path), remedy="name a directory that 'caregrid run' made")
    _refuse_writers(units, path / CLAIMS)
    _put_back(units)
    sizes = {name: _read_size(units / name) for name in list_names(units)}
    index = UnitIndex(units, identity)
    index.refresh()
    merged = index.whole_files()
    before = len(list_names(units))
    codes = index.list_codes()
    if len(merged) <= len(codes):
        return Compacted(len(index), before, before, index.problems())
    segments: dict[str, int] = {}
    for code, _ in codes:
        texts = index.texts_by(code)
        about_code = {**about, "code": code.as_dict() if code is not None else None}
        kept = _write_segment(output_directory(units), identity, about_code, index, texts)
        _read_back(units, identity, kept, set(texts))
        segments[kept] = len(texts)
    for name in merged:
        _remove(units / name, sizes.get(name))
    sync_folder(units)
    earlier = about.get("compacted")
    replaced = earlier.get("replaced") if isinstance(earlier, dict) else None
    names = {*merged, *(name for name in replaced or () if isinstance(name, str))}
    compacted = {"stored": len(index), "made": segments, "replaced": sorted(names)}
    replace_manifest(path, {**about, "settings": list(identity.settings), "compacted": compacted})
    return Compacted(len(index), before, len(list_names(units)), index.problems())


def _write_segment(
    units: Path, identity: Identity, about: Mapping[str, Any], index: UnitIndex, texts: list[bytes]
) -> str:
    """Write the units of these settings' texts into a new segment; its name."""
    facts = {what: about[what] for what in ABOUT if what in about and what not in identity._fields}
    segment = SegmentWriter(units, identity, facts)
    try:
        for portion in _cut_portions(texts):
            segment.append([(unit.setting, unit.rows) for unit in index.units(portion)])
    finally:
        segment.close()
    return segment.name


def _read_back(units: Path, identity: Identity, name: str, expected: set[bytes]) -> None:
    """BadFile unless the new segment alone holds everything."""
    index = UnitIndex(units, identity)
    index.read_only_from(name)
    if set(index.texts()) != expected:
        raise BadFile("it was not written completely; nothing was removed", place=str(units / name))


def _cut_portions(texts: list[bytes]) -> Iterator[list[bytes]]:
    return (texts[start : start + TOGETHER] for start in range(0, len(texts), TOGETHER))


def _refuse_writers(units: Path, claims: Path) -> None:
    """BadFile where a session is alive; afterwards no claim of a dead one is left.

    Where no lock tells, a session is watched for a few seconds, or, if it claims blocks, until it counts as dead.
    """
    life = SignsOfLife(units)
    claiming = find_claiming(claims)
    segments = {name for name in list_names(units) if name.endswith(SUFFIX)}
    began = time.monotonic()
    while True:
        lives = {name: life.look(name) for name in (segments | {*claiming} - {""})}
        if living := [name for name, alive in lives.items() if alive]:
            raise BadFile("a run is writing into it", place=str(units / min(living)), remedy="wait until it has ended")
        unknown = {name for name, alive in lives.items() if alive is None}
        if not unknown & {*claiming} and (not unknown or time.monotonic() - began > 3 * SECONDS_BETWEEN_SIGNS):
            break
        if unknown & {*claiming}:
            seconds = f"{SECONDS_WITHOUT_SIGN:.0f} s"
            print_notice(f"some sessions may be alive; looking for a sign of them for {seconds}", str(units))
        time.sleep(SECONDS_BETWEEN_SIGNS / 4)
    tidy_claims(claims, lambda name: not name or lives.get(name) is False)


def _remove(path: Path, size: int | None) -> None:
    """Remove a segment that is merged, unless it has grown: by a session that nothing showed to be alive.

    It is put aside first. What is appended before that is seen here, what comes later by the session itself.
    """
    aside = path.with_name(f".{path.name}")
    with contextlib.suppress(FileNotFoundError):
        os.rename(path, aside)
        if _read_size(aside) == size:
            aside.unlink()
        else:
            _put_back(path.parent)


def _put_back(units: Path) -> None:
    """Put segments back under their names that were put aside."""
    for aside in sorted(units.glob(f".*{SUFFIX}")):
        with contextlib.suppress(FileExistsError):
            if aside.is_file():
                os.link(aside, aside.with_name(aside.name.removeprefix(".")))
        aside.unlink()


def _read_size(path: Path) -> int | None:
    """Return the size of a file, None where there is none, as behind a dangling link."""
    try:
        return path.stat().st_size
    except OSError:
        return None
