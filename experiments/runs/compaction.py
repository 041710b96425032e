"""One segment in place of those of many sessions, one for each code that made units.

The new segment is read back before anything is removed, and only what was read without a fault is removed: damaged
and foreign files stay where they are. Nobody may be writing meanwhile.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import BadFile
from engine.files import output_directory, sync_folder
from experiments.runs.run_directory import ABOUT, UNITS, read_manifest, recover_manifest, replace_manifest
from experiments.runs.segments import (
    SIGN_OF_LIFE_SECONDS,
    SUFFIX,
    Identity,
    SegmentWriter,
    is_written,
    list_names,
    name_this_host,
    parse_host,
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
    _refuse_writers(units)
    sizes = {name: _read_state(units / name) for name in list_names(units)}
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
        grown = _read_state(units / name) != sizes.get(name)  # by a session that nothing showed to be alive
        with contextlib.suppress(FileNotFoundError):
            if not grown:
                (units / name).unlink()
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


def _refuse_writers(units: Path) -> None:
    """BadFile where a session of this machine writes, or one of another machine gives a sign of life."""
    segments = [name for name in list_names(units) if name.endswith(SUFFIX)]
    elsewhere = [name for name in segments if parse_host(name) != name_this_host()]
    before = {name: _read_state(units / name, "st_mtime_ns") for name in elsewhere}
    if elsewhere:
        time.sleep(3 * SIGN_OF_LIFE_SECONDS)
    living = [name for name in elsewhere if _read_state(units / name, "st_mtime_ns") != before[name]]
    living += [name for name in segments if is_written(units / name)]
    if living:
        raise BadFile("a run is writing into it", place=str(units / living[0]), remedy="wait until it has ended")


def _read_state(path: Path, what: str = "st_size") -> int | None:
    """The size or the time of a file, None where there is none, as behind a dangling link."""
    try:
        value: int = getattr(path.stat(), what)
    except OSError:
        return None
    return value
