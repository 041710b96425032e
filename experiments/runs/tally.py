"""How many units of a run directory were asked for, finished and lost: what is missing is said, and why.

A directory's units are counted by reading them. How many there should be stands elsewhere: in the record of each
session (`logs/*.json`), which holds the number of stored units when it began and when it ended; in the log of a
session that was killed, a line per chunk; and in the manifest of a directory that was compacted.

    finished = the largest of these numbers;  lost = finished - what is there, 0 where a later run has made it again
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import BadFile
from engine.files import read_bytes
from engine.printable import make_printable

LONGEST_LOG = 1 << 28
STORED = re.compile(rb"^\S+ (\d+) of \d+ units stored in ", re.MULTILINE)


class Tally(NamedTuple):
    """Units of one directory.

    stored: that are there, whole. finished: that were stored at some time, at least. asked: by the largest grid of a
    session. reasons: why units are lost, or why nobody knows how many were finished.
    """

    stored: int
    finished: int
    asked: int
    reasons: tuple[str, ...] = ()

    @property
    def lost(self) -> int:
        """How many units were finished and are gone."""
        return max(0, self.finished - self.stored)

    @property
    def warning(self) -> str:
        """What is lost or unknown, in one line; "" where nothing is."""
        why = ", ".join(self.reasons)
        if self.lost:
            return f"{self.stored} of {self.finished} finished units ({self.lost} lost: {why})"
        return f"{self.stored} units, and nobody knows how many were finished ({why})" if why else ""

    def __str__(self) -> str:
        if self.lost:
            return self.warning
        return f"{self.stored} of {self.asked} units" if self.stored < self.asked else f"{self.stored} units"


def count_units(
    files: Mapping[str, tuple[int, int, int]],
    stored: int,
    sessions: Sequence[Mapping[str, Any]],
    compacted: Mapping[str, Any],
    logs: Path,
) -> Tally:
    """Compare what is there with what sessions have recorded.

    files: segment -> units in it that are whole, damaged, of something else. stored: different units in all of them.
    sessions: their records. compacted: what the manifest says of a compaction. logs: the folder of logs.
    """
    if stored and not logs.is_dir():
        return Tally(stored, stored, stored, (f"{logs.name}/ is missing",))
    finished = max([0, _read_number(compacted, "stored"), *(_count_finished(record, logs) for record in sessions)])
    asked = max([0, *(_read_number(record, "units") for record in sessions)])
    reasons: tuple[str, ...] = ()
    if finished > stored:
        promised = {str(record.get("segment")): _count_done(record, logs) for record in sessions}
        gone = compacted.get("replaced")
        promised = {name: units for name, units in promised.items() if not isinstance(gone, list) or name not in gone}
        made = compacted.get("made")
        promised |= made if isinstance(made, dict) else {}
        reasons = tuple(_explain_loss(name, units, files) for name, units in sorted(promised.items()))
        reasons = tuple(make_printable(reason) for reason in reasons if reason) or ("a file of units is missing",)
    return Tally(stored, max(finished, stored), max(asked, stored), reasons)


def _explain_loss(name: str, promised: Any, files: Mapping[str, tuple[int, int, int]]) -> str:
    """Why a segment holds less than it should; "" where it holds all."""
    if not isinstance(promised, int) or promised <= 0:
        return ""
    if name not in files:
        return f"{name} is missing"
    whole, damaged, foreign = files[name]
    if whole >= promised:
        return ""
    if whole + damaged + foreign < promised:
        return f"{name} was cut"
    parts = [f"{damaged} damaged"] * bool(damaged) + [f"{foreign} of something else"] * bool(foreign)
    return f"{' and '.join(parts)} in {name}"


def _count_finished(record: Mapping[str, Any], logs: Path) -> int:
    """Return how many units were stored in the directory when a session ended, or when it was killed, at least."""
    stored = _read_number(record, "stored")
    if "finished" in record or record.get("force"):
        return stored
    return stored + _count_done(record, logs)


def _count_done(record: Mapping[str, Any], logs: Path) -> int:
    """Return how many units a session has stored itself; of one that was killed, as many as its log tells."""
    if "finished" in record:
        return _read_number(record, "done")
    try:
        content = read_bytes(logs / Path(str(record.get("log"))).name, LONGEST_LOG)
    except (BadFile, OSError):
        return 0
    return sum(map(int, STORED.findall(content)))


def _read_number(record: Mapping[str, Any], name: str) -> int:
    value = record.get(name)
    return value if isinstance(value, int) else 0
