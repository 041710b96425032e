"""A directory of results: one file a finished unit, written whole or not at all, and never trusted unread.

    manifest.json   what the directory is of, and how it came about
    units/ID.json   a finished unit; being there, whole and of this experiment, is what "finished" means
    quarantine/     torn, altered and foreign files found in units/, moved here and never deleted
    logs/           one file a session
    rows.csv        all rows, collected

Names starting with a dot are files being written (or left by a killed process) and mean nothing. Any number of
processes may work in one directory: they write the same bytes under the same names, each by an atomic rename.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from engine.errors import BadFile
from engine.files import output_directory, write_atomically
from experiments.experiment import Experiment, Rows, UnitSetting
from experiments.runs.keys import unit_id
from experiments.runs.unit import StoredUnit, decode, encode

MANIFEST = "manifest.json"
FORMAT = 1
CIRCUMSTANCES = ("command", "git", "versions", "host", "platform", "cores", "started")
WRITERS = 8


class RunDirectory:
    """The stored units of one experiment, version and seed.

    Opening raises BadFile where the directory holds something else or cannot be read.
    """

    def __init__(self, path: str | Path, experiment: Experiment, seed: int = 0) -> None:
        self.path, self.experiment, self.seed = Path(path), experiment, seed
        self.units, self.quarantine, self.logs = (self.path / name for name in ("units", "quarantine", "logs"))
        self._refuse_another_experiment()

    def _refuse_another_experiment(self) -> None:
        refuse_other_manifest(self.path)
        stored = self._stored_identity()
        for what, expected in self.identity().items() if stored else ():
            if stored.get(what) != expected:
                raise BadFile(
                    f"it holds results of {what} {stored.get(what)}, not of {what} {expected}",
                    place=str(self.path),
                    remedy="choose another place with --out",
                )

    def _stored_identity(self) -> dict[str, Any]:
        """What the directory is of, by its manifest or, where that is torn, by any whole unit; {} where it is new."""
        manifest = read_manifest(self.path)
        if manifest:
            return manifest
        units = (unit for _, content in _contents(self.units) if (unit := decode(content)))
        return next((unit._asdict() for unit in units), {})

    def identity(self) -> dict[str, Any]:
        """What all units of the directory have in common."""
        return {"experiment": self.experiment.name, "version": self.experiment.version, "seed": self.seed}

    def prepare(self, description: dict[str, Any], session: dict[str, Any]) -> None:
        """Make the folders, the manifest first, with the record of a session that begins; BadFile if impossible."""
        output_directory(self.path)
        self._write_manifest(description | {"sessions": [*self.sessions(), session]})
        for folder in (self.units, self.logs):
            output_directory(folder)

    def sessions(self) -> list[dict[str, Any]]:
        """Records of the sessions so far, the last one last."""
        sessions = read_manifest(self.path).get("sessions", [])
        return list(sessions) if isinstance(sessions, list) else []

    def note_session(self, session: dict[str, Any]) -> None:
        """Replace the record of a session, known by its log, by a fuller one."""
        others = [other for other in self.sessions() if other.get("log") != session["log"]]
        self._write_manifest({**read_manifest(self.path), "sessions": [*others, session]})

    def note_facts(self, facts: dict[str, Any]) -> None:
        """Put facts, and what the last session says of its circumstances, into the manifest itself."""
        sessions = self.sessions()
        circumstances = {name: sessions[-1][name] for name in CIRCUMSTANCES if name in sessions[-1]} if sessions else {}
        self._write_manifest({**read_manifest(self.path), **circumstances, **facts})

    def _write_manifest(self, manifest: dict[str, Any]) -> None:
        content = {**manifest, "caregrid_run": FORMAT, **self.identity()}
        write_atomically(self.path / MANIFEST, json.dumps(content, indent=2, ensure_ascii=False) + "\n")

    def id_of(self, setting: UnitSetting) -> str:
        """The id of a unit of this directory."""
        return unit_id(self.experiment.name, self.experiment.version, self.seed, setting)

    def has(self, identity: str) -> bool:
        """Whether a unit's file is there, unread."""
        return (self.units / f"{identity}.json").exists()

    def save(self, finished: Sequence[tuple[UnitSetting, Rows]]) -> Iterator[BadFile | None]:
        """Store finished units, several at a time, for the disk flushes many files as fast as one.

        Yields for each, in order, None or the error that kept it from being stored: a full disk, a lost permission.
        """
        with ThreadPoolExecutor(min(WRITERS, max(1, len(finished)))) as pool:
            yield from pool.map(self._save, finished)

    def _save(self, finished: tuple[UnitSetting, Rows]) -> BadFile | None:
        setting, rows = finished
        unit = StoredUnit(self.experiment.name, self.experiment.version, self.seed, setting, rows)
        try:
            write_atomically(self.units / f"{self.id_of(setting)}.json", encode(unit))
        except BadFile as error:
            return error
        return None

    def finished(self) -> Iterator[StoredUnit]:
        """Every whole unit of this experiment, every byte checked; whatever else lies there goes to quarantine."""
        for name, content in _contents(self.units):
            unit = decode(content)
            if unit is None or not self._is_ours(unit) or name != f"{self.id_of(unit.setting)}.json":
                self._set_aside(name)
            else:
                yield unit

    def _is_ours(self, unit: StoredUnit) -> bool:
        ours = self.identity()
        named = (unit.experiment, unit.version, unit.seed) == (ours["experiment"], ours["version"], ours["seed"])
        return named and unit.setting.keys() == self.experiment.settings.keys()

    def _set_aside(self, name: str) -> None:
        output_directory(self.quarantine)
        for copy in itertools.count():
            place = self.quarantine / (name if not copy else f"{name}.{copy}")
            if not place.exists():
                break
        try:
            os.rename(self.units / name, place)
        except FileNotFoundError:
            return  # another process set it aside
        except OSError as error:
            raise BadFile(
                f"cannot set a damaged file aside: {(error.strerror or '').lower()}", place=str(self.units / name)
            ) from error

    def set_aside(self) -> list[str]:
        """Names of the files in quarantine."""
        return sorted(file.name for file in self.quarantine.iterdir()) if self.quarantine.is_dir() else []


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a run directory, {} where it is missing or torn; BadFile for a directory of other things."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
        return manifest if isinstance(manifest, dict) and manifest.get("caregrid_run") == FORMAT else {}
    except NotADirectoryError:
        return {}  # and nothing can be written there, which will be said
    except FileNotFoundError:
        if path.is_dir() and not (path / "units").is_dir() and any(path.glob("[!.]*")):
            if (path / MANIFEST).exists():  # another process has just begun here, the manifest first
                return read_manifest(path)
            raise BadFile(
                "it is not empty and holds no run", place=str(path), remedy="choose another place with --out"
            ) from None
        return {}
    except OSError as error:
        raise BadFile(f"cannot read: {(error.strerror or str(error)).lower()}", place=str(path)) from error
    except ValueError:
        return {}


def refuse_other_manifest(path: Path) -> None:
    """BadFile where a whole manifest lies there that no run directory of this format has."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return
    if not isinstance(manifest, dict) or manifest.get("caregrid_run") != FORMAT:
        raise BadFile(
            "its manifest is of another program or an older release",
            place=str(path),
            remedy="choose another place with --out",
        )


def _contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of every file that is not being written; a folder counts as no bytes."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        for name in os.listdir(handle):
            if name.startswith("."):
                continue
            try:
                yield name, _read(name, handle)
            except IsADirectoryError:
                yield name, b""
            except FileNotFoundError:
                continue  # another process set it aside
            except OSError as error:
                raise BadFile(f"cannot read: {(error.strerror or '').lower()}", place=str(folder / name)) from error
    finally:
        os.close(handle)


def _read(name: str, folder: int) -> bytes:
    handle = os.open(name, os.O_RDONLY, dir_fd=folder)
    try:
        content = os.read(handle, 1 << 16)
        while more := (os.read(handle, 1 << 20) if len(content) >= 1 << 16 else b""):
            content += more
        return content
    finally:
        os.close(handle)
