"""A directory of results: finished units in segments, one a session, each checked when it is read.

    manifest.json   which experiment the results are of; decided once, atomically, by the first run
    units/          finished units; being there, whole and of this identity, is what "finished" means (`segments`)
    claims/         what running sessions are working on (`dispatch`)
    logs/           two files a session: its record and its log
    rows.csv        all rows, collected

Any number of processes, on one machine or several, may work in one directory: each appends to a segment of its own.
Reading moves and changes nothing.

    manifest.json   {"caregrid_run": 2, "experiment", "version", "seed", "settings", "declared", "code", "reproduces",
                     "origin"}

Of two runs that begin in one directory at once, one creates the manifest and the other reads it. A manifest that is
lost or torn is made again from the first lines of the segments. Like any file it may come from anybody: code that it
names is imported only for who says so (`engine.user_code`). `describe_experiment` needs none.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadFile, ContractBroken, argument
from engine.files import (
    create_atomically,
    make_read_error,
    open_regular_file,
    output_directory,
    read_bytes,
    suggest_another_place,
    write_atomically,
)
from experiments.experiment import Experiment, Rows, Scalar, SettingValues, UnitSetting
from experiments.runs.code_identity import (
    CodeIdentity,
    CodeLetter,
    identify_code,
    list_few,
    read_code_identity,
    seal_code,
)
from experiments.runs.segments import SUFFIX, SegmentWriter, list_names, make_identity, read_header
from experiments.runs.unit import StoredUnit
from experiments.runs.unit_index import UnitIndex

if TYPE_CHECKING:
    from experiments.runs.tally import Tally

RESULTS = "results"  # the folder of all runs
MANIFEST = "manifest.json"
UNITS = "units"
CLAIMS = "claims"
FORMAT = 2
LONGEST = 1 << 28
MOST_FOLDERS = 20_000
ABOUT = ("experiment", "version", "seed", "settings", "declared", "code", "reproduces", "origin")


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
    """Return the bytes of a manifest."""
    marked = {"caregrid_run": FORMAT, **content} | {"caregrid_run": FORMAT}
    return (json.dumps(marked, indent=2, ensure_ascii=False) + "\n").encode()


def read_manifest(path: Path) -> dict[str, Any]:
    """Return what a directory is of, by its manifest or, where that is lost or torn, by its units; {} where it is new.

    BadFile for a directory of other things, and for a manifest of another program or release.
    """
    manifest = _look(path)
    return manifest if manifest is not None else recover_manifest(path)


def has_run(path: Path) -> bool:
    """Return whether a directory holds a run, with its manifest or without."""
    return os.path.isfile(path / MANIFEST) or (os.path.isdir(path / UNITS) and bool(recover_manifest(path)))


def find_run_directories(folder: Path) -> list[Path]:
    """Every folder, at or below one, that holds a run or what is left of one; what is among units is not looked at.

    BadFile where more than MOST_FOLDERS lie below it, as below the root of a disk.
    """
    found = []
    with open_regular_file(folder):  # a BadFile where no folder has such a name
        pass
    for number, (place, folders, files) in enumerate(os.walk(folder)):
        if number == MOST_FOLDERS:
            raise BadFile(
                f"more than {MOST_FOLDERS:,} folders lie below it",
                place=str(folder),
                remedy="name the folder that your runs are in",
            )
        begun = UNITS in folders and any(name.endswith(SUFFIX) for name in list_names(Path(place, UNITS)))
        if begun or (MANIFEST in files and _is_ours(Path(place))):
            found.append(Path(place))
        folders[:] = sorted(name for name in folders if name != UNITS)
    return sorted(found)


def _is_ours(path: Path) -> bool:
    """Return whether a manifest is one of ours, or torn so that nobody can tell, beside what only a run makes."""
    try:
        return _look(path) is not None or (path / UNITS).is_dir()
    except BadFile as error:
        return "cannot read" in error.problem


def has_whole_manifest(path: Path) -> bool:
    """Return whether the manifest itself is there and can be read."""
    return _look(path) is not None


def recover_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest again, from the first segment that says what it is of; {} where none does."""
    for name in (name for name in list_names(path / UNITS) if name.endswith(SUFFIX)):
        header = read_header(path / UNITS / name)
        if header is not None:
            return {what: header[what] for what in ABOUT if what in header}
    return {}


_BEGIN = encode_manifest({}).partition(b":")[0]
SECONDS_TO_WRITE = 0.2  # a file system without hard links shows for a moment a manifest that is being written


def _look(path: Path, patient: bool = True) -> dict[str, Any] | None:
    """Return the manifest, None where there is none or a torn one; BadFile for what is not ours.

    One that is empty, or cut off before our mark, is ours where segments lie beside it.
    """
    with open_regular_file(path / MANIFEST) as handle:
        content = None if handle is None else _read(handle, LONGEST)
    if content is None:
        return _look(path) if _has_begun(path) else None
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError):
        could_be_ours = _BEGIN.startswith(content) or not content.strip(b"\0")  # zeros: after a loss of power
        if content.startswith(_BEGIN):
            return None
        if (could_be_ours or _names_our_parts(content)) and recover_manifest(path):
            return None
        if could_be_ours and patient:
            time.sleep(SECONDS_TO_WRITE)
            return _look(path, patient=False)
        if could_be_ours:
            problem = "its manifest is empty or cut off, and nothing beside it says whose it is"
            remedy = f"remove it, or {suggest_another_place()}"
            raise BadFile(problem, place=str(path), remedy=remedy) from None
        manifest = None  # with comments, perhaps
    if not isinstance(manifest, dict) or manifest.get("caregrid_run") != FORMAT:
        raise BadFile(
            "its manifest is of another program or another release",
            place=str(path),
            remedy=suggest_another_place(),
        )
    return manifest


def _names_our_parts(content: bytes) -> bool:
    """Return whether a manifest that cannot be read is one of ours, somewhere damaged."""
    return sum(f'"{name}":'.encode() in content for name in ("caregrid_run", *ABOUT)) > len(ABOUT) // 2


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


LONGEST_AXIS = 1000


def describe_settings(settings: SettingValues) -> dict[str, list[Scalar] | None]:
    """What a manifest keeps of the declared settings: their order, and that of words, by which rows are sorted."""
    return {
        name: list(values) if len(values) <= LONGEST_AXIS and any(isinstance(value, str) for value in values) else None
        for name, values in settings.items()
    }


def describe_experiment(manifest: Mapping[str, Any]) -> Experiment:
    """Return an experiment as far as a manifest describes it: its rows can be read and sorted, but not judged."""
    declared = manifest.get("declared")
    if not isinstance(declared, dict):
        declared = dict.fromkeys(map(str, manifest.get("settings") or ()), None)
    settings = {
        str(name): tuple(words) if isinstance(words, list) and words else (0,) for name, words in declared.items()
    }
    version = manifest.get("version")
    return Experiment(
        reproduces=str(manifest.get("reproduces") or "an experiment"),
        settings=settings,
        run=_cannot_run,
        version=version if isinstance(version, int) else 1,
        name=str(manifest.get("experiment", "")),
    )


def is_described(experiment: Experiment) -> bool:
    """Return whether a manifest alone describes an experiment, so that its rows can be read, but not judged."""
    return experiment.run is _cannot_run


def _cannot_run(key: int, **setting: Scalar) -> Rows:
    raise ContractBroken("its code was not imported", remedy=f"add {argument('trust', True)} if you trust it")


FILE_ENDINGS = tuple(
    f".{name}"
    for name in ["csv", "gif", "html", "json", "mp4", "npz", "parquet", "pdf", "pgf", "png", "svg", "tex", "txt"]
)
CIRCUMSTANCES = ("command", "git", "versions", "host", "platform", "cores", "started")


class RunDirectory:
    """The stored units of one experiment, version and seed.

    Opening raises BadFile where the directory holds something else or cannot be read. segment: where this session
    writes, once it has prepared.
    """

    def __init__(self, path: str | Path, experiment: Experiment, seed: int = 0) -> None:
        self.path = Path(path)
        if self.path.suffix.lower() in FILE_ENDINGS and not self.path.exists():
            remedy = f"name one without {self.path.suffix}; 'caregrid draw DIR' and 'collect DIR' make files of it"
            raise BadFile("results are kept in a directory", place=str(self.path), remedy=remedy)
        self.experiment = experiment
        self.seed = seed
        self.units, self.claims, self.logs = (self.path / name for name in (UNITS, CLAIMS, "logs"))
        self.identity = make_identity(experiment, seed)
        self.segment: SegmentWriter | None = None
        self.asked: SettingValues = experiment.settings
        self.records_code = True
        self._refuse({**read_manifest(self.path), "settings": self.identity.settings})

    @cached_property
    def index(self) -> UnitIndex:
        """Which units are stored, as of now."""
        index = UnitIndex(self.units, self.identity)
        index.refresh()
        return index

    @cached_property
    def code(self) -> CodeIdentity:
        """What makes the rows, by its meaning. Modules that `run` needs are imported for it."""
        if not self.records_code:
            return CodeIdentity({}, {}, {})
        functions = (self.experiment.run, self.experiment.together)
        return identify_code(*functions, files=self.experiment.files, words=self._list_words())

    def _list_words(self) -> list[str]:
        """Return the words among the values of settings, which may name scenarios, agents and other entries."""
        values = (value for settings in (self.experiment.settings, self.asked) for value in settings.values())
        return sorted({value for several in values for value in several if isinstance(value, str)})

    def seal_code(self) -> CodeLetter | None:
        """Return the code as workers compare it with their own; None where nothing is recorded."""
        if not self.records_code:
            return None
        return seal_code(self.code, self._list_words(), self.experiment.files)

    def _refuse(self, stored: Mapping[str, Any]) -> None:
        difference = self.identity.difference(stored) if stored.get("experiment") else ""
        if difference:
            raise BadFile(f"it holds results of {difference}", place=str(self.path), remedy=suggest_another_place())

    def require_ours(self, any_code: bool = False, ended: bool = False) -> None:
        """BadFile where the directory is, by now, of something else or, unless any will do, was made by other code.

        ended: after a run, when what nobody can know has been said.
        """
        stored = read_manifest(self.path)
        self._refuse(stored)
        if any_code:
            return
        first = read_code_identity(stored.get("code"))
        differences = self.code.differences(first) if first is not None else []
        problem = self.code_problem(known=ended) or (
            f"its units are made by other code: {list_few(differences)}" if differences else ""
        )
        if problem:
            choices = (argument("keep_old", True), argument("force", True))
            keep, again = (choice.removesuffix("=True") for choice in choices)
            remedy = f"{keep} keeps them, {again} runs them again, or {suggest_another_place()}"
            raise BadFile(problem, place=str(self.path), remedy=remedy)

    def code_problem(self, known: bool = False) -> str:
        """Which stored units were made by other code than ours, and in what it differs, in one line; "" for none.

        known: leave out what nobody can know.
        """
        unlike, differences, unknown = 0, list[str](), dict[str, str]()
        for code, units in self.index.list_codes():
            if code is None:
                unlike += units
                differences.append("it was not recorded")
            elif found := self.code.differences(code):
                unlike += units
                differences += [difference for difference in found if difference not in differences]
            unknown |= code.unknown if code is not None else {}
        total = len(self.index)
        if unlike:
            return f"{unlike} of {total} stored units were made by other code: {list_few(differences)}"
        if total and not known and (unknown := {**unknown, **self.code.unknown}):
            named = list_few(f"{name}: {why}" for name, why in sorted(unknown.items()))
            return f"nobody can know whether this code made the {total} stored units ({named})"
        return ""

    def prepare(self, description: Mapping[str, Any], any_code: bool = False) -> None:
        """Make the folders, decide of what the directory is, and open a segment; BadFile where that cannot be done.

        any_code: whatever code has made the units that are there.
        """
        output_directory(self.path)
        code = self.code.as_dict()
        facts = {"declared": describe_settings(self.experiment.settings), "code": code, **description}
        about = {**self.identity._asdict(), **facts}
        stored = claim_manifest(self.path, about)
        self._refuse(stored)
        self.require_ours(any_code)
        if not has_whole_manifest(self.path) or not stored.get("code") or (any_code and stored["code"] != code):
            replace_manifest(self.path, {**stored, **about})
            self.require_ours(any_code)
        for folder in (self.units, self.logs, self.claims):
            output_directory(folder)
        self.segment = SegmentWriter(self.units, self.identity, facts)

    def save(self, finished: Iterable[tuple[UnitSetting, Rows]]) -> None:
        """Store finished units, all or none; BadFile where they cannot be stored: a full disk, a lost permission."""
        if self.segment is None:
            raise AssertionError("prepare comes first")
        self.segment.append(finished)

    def close(self) -> None:
        """Let go of the segment."""
        if self.segment is not None:
            self.segment.close()

    def read_finished(self) -> Iterator[StoredUnit]:
        """Return every whole unit of this identity, every byte checked, read anew."""
        self.index.refresh()
        return self.index.units(list(self.index.texts()))

    def problems(self) -> list[str]:
        """Return what lies among the units and was passed over, a line each."""
        return self.index.problems()

    def tally(self) -> Tally:
        """Return how many units were asked for, finished and lost."""
        from experiments.runs.tally import count_units

        compacted = read_manifest(self.path).get("compacted")
        stated = compacted if isinstance(compacted, dict) else {}
        return count_units(self.index.count_by_file(), len(self.index), self.sessions(), stated, self.logs)

    def warnings(self) -> list[str]:
        """What a reader must know of the units, a line each: lost ones, and those of other code than the rest or ours.

        Where the experiment's code was not imported, the codes of the units are compared with each other.
        """
        if not is_described(self.experiment):
            other_code = self.code_problem(known=True)
        else:
            codes = [code for code, _ in self.index.list_codes()]
            found = [list_few(codes[0].differences(code)) for code in codes[1:] if codes[0] and code]
            other_code = f"units were made by {len(codes)} codes: {found[0]}" if any(found) else ""
        return [warning for warning in (self.tally().warning, other_code) if warning]

    def sessions(self) -> list[dict[str, Any]]:
        """Records of the sessions so far, the last one last."""
        records = (_read_record(self.logs / name) for name in list_names(self.logs) if name.endswith(".json"))
        return [record for record in records if record]

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
    """Return the values of a setting; of very many, how many, the first and the last."""
    return values if len(values) <= LONGEST_AXIS else {"values": len(values), "first": values[0], "last": values[-1]}
