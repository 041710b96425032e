"""A directory of results: finished units in segments, one a session, each checked when it is read.

    manifest.json   which experiment the results are of; decided once, atomically, by the first run
    units/          finished units; being there, whole and of this identity, is what "finished" means (`storage`)
    claims/         what running sessions are working on
    logs/           two files a session: its record and its log
    rows.csv        all rows, collected

Any number of processes, on one machine or several, may work in one directory: each appends to a segment of its own.
Reading moves and changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.errors import BadFile
from engine.files import output_directory, read_bytes, suggest_another_place, write_atomically
from experiments.experiment import Experiment, Rows, UnitSetting
from experiments.runs.storage.code_digests import digest_source
from experiments.runs.storage.lines import make_identity
from experiments.runs.storage.manifest import (
    UNITS,
    claim_manifest,
    has_whole_manifest,
    read_manifest,
    replace_manifest,
)
from experiments.runs.storage.segments import SegmentWriter, list_names
from experiments.runs.storage.trust import describe_settings
from experiments.runs.storage.unit_index import UnitIndex
from experiments.runs.unit import StoredUnit

CIRCUMSTANCES = ("command", "git", "versions", "host", "platform", "cores", "started")
LONGEST_AXIS = 1000


class RunDirectory:
    """The stored units of one experiment, version and seed.

    Opening raises BadFile where the directory holds something else or cannot be read. segment: where this session
    writes, once it has prepared.
    """

    def __init__(self, path: str | Path, experiment: Experiment, seed: int = 0) -> None:
        self.path = Path(path)
        self.experiment = experiment
        self.seed = seed
        self.units, self.claims, self.logs = (self.path / name for name in (UNITS, "claims", "logs"))
        self.identity = make_identity(experiment, seed)
        self.segment: SegmentWriter | None = None
        self._refuse({**read_manifest(self.path), "settings": self.identity.settings})

    @cached_property
    def index(self) -> UnitIndex:
        """Which units are stored, as of now."""
        index = UnitIndex(self.units, self.identity)
        index.refresh()
        return index

    @cached_property
    def source(self) -> str:
        """The digest of the code that makes the rows; "" where it cannot be known."""
        return digest_source(self.experiment.run, self.experiment.together)

    def _refuse(self, stored: Mapping[str, Any]) -> None:
        difference = self.identity.difference(stored) if stored.get("experiment") else ""
        if difference:
            raise BadFile(f"it holds results of {difference}", place=str(self.path), remedy=suggest_another_place())

    def require_ours(self) -> None:
        """BadFile where the directory is, by now, of something else or was made by other code of the experiment."""
        stored = read_manifest(self.path)
        self._refuse(stored)
        sources = {str(stored.get("source") or self.source), *self.index.sources()} if self.source else set()
        if sources - {self.source}:
            raise BadFile(
                f"its units were made by other code of {self.experiment.name}, version {self.experiment.version}",
                place=str(self.path),
                remedy=f"raise `version` in the experiment, or {suggest_another_place()}",
            )

    def prepare(self, description: Mapping[str, Any]) -> None:
        """Make the folders, decide of what the directory is, and open a segment; BadFile where that cannot be done."""
        output_directory(self.path)
        declared = describe_settings(self.experiment.settings)
        about = {**self.identity._asdict(), "declared": declared, "source": self.source, **description}
        stored = claim_manifest(self.path, about)
        self._refuse(stored)
        self.require_ours()
        if not has_whole_manifest(self.path) or not stored.get("source") or stored.get("caregrid_run") == 1:
            replace_manifest(self.path, {**stored, **about})
            self.require_ours()
        for folder in (self.units, self.logs, self.claims):
            output_directory(folder)
        self.segment = SegmentWriter(
            self.units, self.identity, {"declared": declared, "source": self.source, **description}
        )

    def save(self, finished: Iterable[tuple[UnitSetting, Rows]]) -> None:
        """Store finished units, all or none; BadFile where they cannot be stored: a full disk, a lost permission."""
        if self.segment is None:
            raise AssertionError("prepare comes first")
        self.segment.append(finished)

    def close(self) -> None:
        """Let go of the segment."""
        if self.segment is not None:
            self.segment.close()

    def finished(self) -> Iterator[StoredUnit]:
        """Every whole unit of this identity, every byte checked, read anew."""
        self.index.refresh()
        return self.index.units(list(self.index.texts()))

    def problems(self) -> list[str]:
        """What lies among the units and was passed over, a line each."""
        return self.index.problems()

    def sessions(self) -> list[dict[str, Any]]:
        """Records of the sessions so far, the last one last."""
        manifest = read_manifest(self.path)
        earlier = manifest.get("sessions", [])
        records = (_read_record(self.logs / name) for name in list_names(self.logs) if name.endswith(".json"))
        sessions = [*(earlier if isinstance(earlier, list) else []), *records]
        return [session for session in sessions if isinstance(session, dict) and session]

    def note_session(self, session: Mapping[str, Any]) -> None:
        """Write the record of a session beside its log, or replace it by a fuller one."""
        record = self.logs / Path(str(session["log"])).with_suffix(".json").name
        settings = {name: _shorten_values(values) for name, values in session.get("settings", {}).items()}
        content = {**session, "settings": settings}
        write_atomically(record, json.dumps(content, indent=1, ensure_ascii=False, default=str) + "\n")

    def note_facts(self, facts: dict[str, Any]) -> None:
        """Put facts, and what the last session says of its circumstances, into the manifest itself."""
        sessions = self.sessions()
        circumstances = {name: sessions[-1][name] for name in CIRCUMSTANCES if name in sessions[-1]} if sessions else {}
        replace_manifest(self.path, {**read_manifest(self.path), **circumstances, **facts})


def _read_record(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(read_bytes(path))
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _shorten_values(values: list[Any]) -> Any:
    """The values of a setting; of very many, how many, the first and the last."""
    return values if len(values) <= LONGEST_AXIS else {"values": len(values), "first": values[0], "last": values[-1]}
