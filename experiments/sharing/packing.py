"""A run in one file, for a colleague: its directory, what follows from the rows, and what says what it is.

    manifest.json, units/, logs/         the run directory itself, so that every command reads what comes out
    rows.csv, rows.pandas.json           all rows, and how pandas reads them
    figure.png, summary.json             the figure; claims, published numbers and tables
    CITATION.cff, CITATION.bib, LICENSE  what to cite, and what a reader may do with it
    README.md, ro-crate-metadata.json    for people; for programs (`crate`)

A pack holds nothing else. Everything is data: no name in it is imported when it is packed or unpacked, and a directory
that comes out is read like any other that somebody sent (`engine.user_code`). Where the code of an experiment is
not trusted, figure, claims and citations are those that the run itself has stored.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import NoneType
from typing import IO, Any, NamedTuple

from engine.errors import BadFile, BadValue, argument
from engine.files import make_write_error, open_regular_file, read_bytes, suggest_another_place, write_atomically
from engine.printable import make_printable
from experiments.experiment import ResultRow
from experiments.results import SUMMARY, Results, read_described_results
from experiments.runs.run_directory import MANIFEST, UNITS, RunDirectory, encode_manifest, is_described, read_manifest
from experiments.runs.segments import SUFFIX, list_names
from experiments.sharing.archive import BLOCK, MEMBER, Archive, open_archive, write_archive
from experiments.sharing.crate import LARGEST_METADATA, METADATA, CrateContent, PackedFile, read_digests, write_crate
from experiments.stored_rows import write_rows

ENDING = ".crate.zip"
LARGEST_INT64 = 2**63
ROWS, COLUMNS, FIGURE, LICENSE, README, LOGS = (
    "rows.csv",
    "rows.pandas.json",
    "figure.png",
    "LICENSE",
    "README.md",
    "logs",
)
FILES = {
    README: ("what this is, and how to read it", "text/markdown"),
    ROWS: ("all rows", "text/csv"),
    COLUMNS: ("keyword arguments with which pandas.read_csv reads rows.csv", "application/json"),
    FIGURE: ("the figure", "image/png"),
    SUMMARY: ("claims and whether they hold, published numbers beside ours, tables", "application/json"),
    "bench.json": ("what the benchmark measured", "application/json"),
    MANIFEST: ("what was run, and the identity of its code", "application/json"),
    "CITATION.cff": ("what to cite", "text/yaml"),
    "CITATION.bib": ("what to cite, as BibTeX", "application/x-bibtex"),
    LICENSE: ("the licence of the results", "text/plain"),
}
FOLDERS = (
    (UNITS, SUFFIX, "finished units, a line each with a checksum, and which code made them", "application/x-ndjson"),
    (LOGS, ".json", "the record of a session: command, versions, machine, failures", "application/json"),
    (LOGS, ".log", "the log of a session", "text/plain"),
)
"""Folder, ending, what such files are, their media type."""
OUTPUTS = (ROWS, FIGURE, SUMMARY, "bench.json")
STORED_BY_THE_RUN = (SUMMARY, FIGURE, "CITATION.cff", "CITATION.bib")
SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,79}")


class Packed(NamedTuple):
    """A run that was packed or unpacked. place: the file, or the directory. files: what is in it, in order."""

    place: Path
    files: tuple[str, ...]
    results: Results


def pack_run(results: Results, target: Path, citations: Mapping[str, str], licence: str) -> Packed:
    """Write a run into one file; BadFile where nothing is stored, or the file cannot be written.

    citations: name of a file -> its content. licence: the identifier of one in SPDX's list.
    """
    if not SPDX.fullmatch(licence):
        remedy = "give an identifier of spdx.org/licenses, such as CC-BY-4.0"
        raise BadValue(f"'{licence}' is no licence", place=argument("licence"), remedy=remedy)
    results.require_units()
    experiment, source = results.experiment, results.store.path
    with tempfile.TemporaryDirectory(prefix="caregrid-") as made:
        folder = Path(made)
        _copy_run(source, folder)
        copied = Results(RunDirectory(folder, experiment, results.store.seed))
        _write_conclusions(copied, source, citations)
        write_atomically(folder / LICENSE, f"SPDX-License-Identifier: {licence}\nhttps://spdx.org/licenses/{licence}\n")
        write_atomically(folder / README, _write_readme(copied, licence))
        files = list(_list_files(folder))
        outputs = [file.name for file in files if file.name in OUTPUTS]
        run = CrateContent(experiment.name, experiment.reproduces, licence, files, outputs, copied.store.sessions())
        write_atomically(folder / METADATA, write_crate(run))
        members = (METADATA, *(file.name for file in files))
        write_archive(target, {member: folder / member for member in members})
    return Packed(target, members, results)


def _copy_run(source: Path, folder: Path) -> None:
    """Copy manifest, units and records; of a file that somebody is writing, its whole lines."""
    write_atomically(folder / MANIFEST, encode_manifest(read_manifest(source)))
    for place, suffix, _, _ in FOLDERS:
        (folder / place).mkdir(exist_ok=True)
        for name in list_names(source / place):
            if name.endswith(suffix) and MEMBER.fullmatch(f"{place}/{name}"):
                _copy_lines(source / place / name, folder / place / name)
    _copy_if_there(source / "bench.json", folder / "bench.json")


def _copy_if_there(source: Path, target: Path) -> None:
    with contextlib.suppress(BadFile):
        write_atomically(target, read_bytes(source))


def _copy_lines(source: Path, target: Path) -> None:
    with open_regular_file(source) as handle:
        if handle is None:
            return
        with open(handle, "rb", closefd=False) as content, target.open("wb") as copy:
            shutil.copyfileobj(content, copy, BLOCK)
    with target.open("r+b") as copy:
        copy.truncate(_find_last_end(copy.fileno()))


def _find_last_end(handle: int) -> int:
    """Where the last whole line of a file ends."""
    end = os.fstat(handle).st_size
    while end:
        start = max(0, end - BLOCK)
        found = os.pread(handle, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _write_conclusions(results: Results, source: Path, citations: Mapping[str, str]) -> None:
    """Write what follows from the rows beside them. source: the run, which has stored what its code alone can say."""
    folder = results.store.path
    if is_described(results.experiment):
        write_rows(folder / ROWS, results.each_row())
        for name in STORED_BY_THE_RUN:
            _copy_if_there(source / name, folder / name)
    else:
        results.write(folder)
    write_atomically(folder / COLUMNS, json.dumps(describe_columns(results.each_row()), indent=1) + "\n")
    for name, text in citations.items():
        if not (folder / name).exists():
            write_atomically(folder / name, text)


def _list_files(folder: Path) -> Iterator[PackedFile]:
    """Yield the files of a pack in their order, each with its length and digest."""
    for name, (about, form) in FILES.items():
        if (folder / name).is_file():
            yield _describe_file(folder, name, about, form)
    for place, suffix, about, form in FOLDERS:
        for name in list_names(folder / place):
            if name.endswith(suffix):
                yield _describe_file(folder, f"{place}/{name}", about, form)


def _describe_file(folder: Path, name: str, about: str, form: str) -> PackedFile:
    with (folder / name).open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256")
    return PackedFile(name, (folder / name).stat().st_size, digest.hexdigest(), about, form)


def _write_readme(results: Results, licence: str) -> str:
    """Return what this is, and how to read it, for people."""
    experiment, folder = results.experiment, results.store.path
    there = {**FILES, **{f"{place}/*{suffix}": (about, form) for place, suffix, about, form in FOLDERS}}
    files = [f"- `{file}`: {about}" for file, (about, _) in there.items() if file == README or any(folder.glob(file))]
    lines = [
        f"# Results of {experiment.name}",
        "",
        f"{experiment.reproduces}: {results.store.tally()}, {results.number_of_rows} rows.",
        f"Licence: {licence}. What to cite: CITATION.cff, CITATION.bib.",
        "",
        "Read the rows with pandas, where these files lie:",
        "",
        "    import json",
        "    import pandas",
        "",
        f'    rows = pandas.read_csv("{ROWS}", **json.load(open("{COLUMNS}")))',
        "",
        'Before pandas 3.1 add float_precision="round_trip": otherwise the last digit of a float may differ.',
        "",
        "Read them with caregrid, and compute a part of them once more:",
        "",
        "    caregrid check DIRECTORY",
        "    caregrid verify DIRECTORY",
        "",
        "Files, described for programs in ro-crate-metadata.json:",
        "",
        *files,
    ]
    return "\n".join(map(make_printable, lines)) + "\n"


def unpack_run(file: Path, target: Path) -> Packed:
    """Write what is packed in a file into a new directory; BadFile where either is not as it should be.

    The directory appears whole or not at all.
    """
    if os.path.lexists(target) and not (os.path.isdir(target) and not os.listdir(target)):
        raise BadFile("something is there", place=str(target), remedy=suggest_another_place())
    with open_archive(file) as archive:
        metadata = _read_metadata(archive)
        digests = _require_contents(archive, metadata)
        try:
            with tempfile.TemporaryDirectory(prefix=f".{target.name}.", suffix=".part", dir=target.parent) as made:
                folder = Path(made, "run")
                for name, (size, digest) in digests.items():
                    _extract(archive, name, folder / name, size, digest)
                write_atomically(folder / METADATA, metadata)
                if not read_manifest(folder):
                    raise _refuse(file, "no run in it")
                os.rename(folder, target)
        except (OSError, ValueError) as error:  # no folder has a name with NUL
            raise make_write_error(target, error) from error
    return Packed(target, (METADATA, *digests), read_described_results(target))


def _read_metadata(archive: Archive) -> bytes:
    if METADATA not in archive.names:
        raise _refuse(archive.path, f"it has no {METADATA}")
    return archive.read(METADATA, LARGEST_METADATA)


def _require_contents(archive: Archive, metadata: bytes) -> dict[str, tuple[int, str]]:
    """What the metadata say of every other member; BadFile for one that is missing, unsaid or no part of a run."""
    names = set(archive.names)
    digests = read_digests(metadata, archive.path)
    for name in archive.names:
        if name != METADATA and name not in digests:
            raise _refuse(archive.path, f"its metadata do not name '{name}'")
    for name in digests:
        if name not in names:
            raise _refuse(archive.path, f"'{name}' is missing")
        if not _is_ours(name):
            raise _refuse(archive.path, f"'{name}' is no part of a run")
    return digests


def _is_ours(name: str) -> bool:
    place, _, file = name.rpartition("/")
    return name in FILES or any(place == folder and file.endswith(suffix) for folder, suffix, _, _ in FOLDERS)


def _extract(archive: Archive, name: str, target: Path, size: int, digest: str) -> None:
    """Write one member; BadFile where it is not what the metadata say."""
    found = hashlib.sha256()

    def write(stream: IO[bytes]) -> None:
        for block in archive.blocks(name):
            found.update(block)
            stream.write(block)

    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, write)
    if archive.size(name) != size or found.hexdigest() != digest:
        raise _refuse(archive.path, f"'{name}' is not what was packed: its SHA-256 differs")


def _refuse(file: Path, problem: str) -> BadFile:
    return BadFile(problem, place=str(file), remedy="ask for a file that 'caregrid pack' made")


def describe_columns(rows: Iterable[ResultRow]) -> dict[str, Any]:
    """Return the keyword arguments of `pandas.read_csv` for the CSV of these rows.

        pandas.read_csv("rows.csv", **json.load(open("rows.pandas.json")))

    CSV knows no kinds: without these words a flag with gaps becomes an object, and a word "NA" a missing value. pandas
    before 3.1 reads floats to their last digit with `float_precision="round_trip"` alone, of which later ones warn.
    """
    kinds: dict[str, set[type]] = defaultdict(set)
    counts: Counter[str] = Counter()
    total = 0
    for row in rows:
        total += 1
        counts.update(row.keys())
        for name, value in row.items():
            long = type(value) is int and not -LARGEST_INT64 <= value < LARGEST_INT64
            kinds[name].add(str if long else type(value))
    gaps = [name for name in kinds if NoneType in kinds[name] or counts[name] < total]
    return {
        "dtype": {name: _choose_kind(found - {NoneType}, name in gaps) for name, found in kinds.items()},
        "keep_default_na": False,
        "na_values": {name: [""] for name in gaps},
    }


def _choose_kind(kinds: set[type], gaps: bool) -> str:
    if kinds == {bool}:
        return "boolean" if gaps else "bool"
    if kinds == {int}:
        return "Int64" if gaps else "int64"
    return "float64" if kinds <= {int, float} else "str"
