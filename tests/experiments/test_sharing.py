"""A run in one file: the same bytes, read by pandas and by caregrid; hostile files are refused; units are run again."""

import hashlib
import importlib
import json
import random
import re
import shutil
import stat
import struct
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import caregrid
from caregrid.main import main
from engine.errors import BadFile, BadValue
from engine.user_code import UntrustedCode
from experiments.experiment import Rows
from experiments.runs.segments import write_unit_line
from experiments.sharing import archive, verification
from experiments.sharing.crate import METADATA
from experiments.sharing.packing import describe_columns
from experiments.stored_rows import write_rows

NAME = "counterfactual/tamper_grid"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run and its pack, which no test changes."""
    folder = tmp_path_factory.mktemp("whole")
    caregrid.run(NAME, quick=True, engine="serial", out=folder / "run")
    caregrid.pack(folder / "run", folder / "run.crate.zip", licence="CC-BY-4.0")
    return folder


@pytest.fixture
def shared(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, the working directory."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    return tmp_path


def read_folder(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_pack_has_the_same_bytes_and_gives_back_the_run(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        caregrid.pack("run", "again.zip", licence="CC-BY-4.0").path.read_bytes() == Path("run.crate.zip").read_bytes()
    )
    unpacked = caregrid.unpack("run.crate.zip", "there")
    assert (unpacked.directory, unpacked.as_dict()["units"]) == (Path("there"), 8)
    before, after = (read_folder(Path(folder)) for folder in ("run", "there"))
    assert {name: after[name] for name in before} == before
    assert after.keys() - before.keys() == {METADATA, "README.md", "LICENSE", "rows.pandas.json"}
    assert after["LICENSE"] == b"SPDX-License-Identifier: CC-BY-4.0\nhttps://spdx.org/licenses/CC-BY-4.0\n"
    for words in (["check", "there"], ["collect", "there"], ["report", "there"]):
        assert main(words) == 0, capsys.readouterr()
    assert caregrid.load("there").rows() == caregrid.load("run").rows()
    assert caregrid.pack(caregrid.load("there"), "third.zip", licence="CC-BY-4.0").packed.files[0] == METADATA
    assert Path("third.zip").read_bytes() == Path("again.zip").read_bytes()


def test_other_programs_read_what_a_pack_says_of_itself(whole: Path) -> None:
    with zipfile.ZipFile(whole / "run.crate.zip") as pack:
        crate = json.loads(pack.read(METADATA))
        graph = {entity["@id"]: entity for entity in crate["@graph"]}
        assert len(graph) == len(crate["@graph"])
        assert {file.filename for file in pack.infolist()} == {
            METADATA,
            *(part["@id"] for part in graph["./"]["hasPart"]),
        }
        assert all(date == (1980, 1, 1, 0, 0, 0) for date in (file.date_time for file in pack.infolist()))
    for entity in crate["@graph"]:
        for value in entity.values():
            for reference in value if isinstance(value, list) else [value]:
                if isinstance(reference, dict) and not reference["@id"].startswith("https://w3id.org/ro/crate/"):
                    assert reference["@id"] in graph
    action = graph["#session-1"]
    assert (action["@type"], graph[action["instrument"]["@id"]]["name"]) == ("CreateAction", "caregrid")
    assert {"manifest.json", "#session-1-agent"} <= {thing["@id"] for thing in action["object"]}
    assert {"rows.csv", "summary.json"} <= {thing["@id"] for thing in action["result"]}
    assert graph["./"]["license"]["@id"] == "https://spdx.org/licenses/CC-BY-4.0"


def test_pandas_alone_reads_the_rows_as_they_were(tmp_path: Path) -> None:
    rows: Rows = [
        {"n": 1, "word": "NA", "flag": True, "float": 0.1 + 0.2, "gap": None, "long": 2**70, "late": None, "mixed": 1},
        {"n": -(2**63), "word": "", "flag": False, "float": 1e-310, "gap": 7, "long": 1, "mixed": "a", "last": False},
        {"n": 2**63 - 1, "word": "x,\n\"", "flag": True, "float": None, "gap": 2**60 + 1, "long": 2, "mixed": True},
    ]  # fmt: skip
    write_rows(tmp_path / "rows.csv", rows)
    read = pd.read_csv(tmp_path / "rows.csv", **describe_columns(rows))
    for column in ("n", "word", "flag"):
        assert read[column].tolist() == [row[column] for row in rows]
    assert read["float"].tolist()[:2] == [0.1 + 0.2, 1e-310]
    assert read["gap"].tolist()[1:] == [7, 2**60 + 1]
    assert read["long"].tolist() == [str(2**70), "1", "2"]
    assert [read[column].isna().sum() for column in ("float", "gap", "late", "last", "word")] == [1, 1, 3, 2, 0]


Members = list[tuple[Any, bytes]]


def change(alter: Callable[[Members], Members]) -> Callable[[Path], None]:
    """A pack whose members are altered."""

    def write(path: Path) -> None:
        with zipfile.ZipFile(path) as file:
            members: Members = [(name, file.read(name)) for name in file.namelist()]
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, content in alter(members):
                file.writestr(name, content)

    return write


def patch(pattern: bytes, new: bytes) -> Callable[[Path], None]:
    """A pack of whose bytes the first that fit are altered."""
    return lambda path: write_bytes(path, re.sub(pattern, new, path.read_bytes(), count=1, flags=re.DOTALL))


def keep(part: slice, before: bytes = b"", after: bytes = b"") -> Callable[[Path], None]:
    """A part of a pack, and something around it."""
    return lambda path: write_bytes(path, before + path.read_bytes()[part] + after)


def write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def forge(name: str, content: bytes, kind: int = stat.S_IFREG) -> Callable[[Path], None]:
    """A pack with a member of this content, of which the metadata say so, too."""

    def alter(members: Members) -> Members:
        member = zipfile.ZipInfo(name)
        member.external_attr, member.compress_type = (kind | 0o644) << 16, zipfile.ZIP_DEFLATED
        crate = json.loads(members[0][1])
        graph = [entity for entity in crate["@graph"] if entity["@id"] != name]
        digest = hashlib.sha256(content).hexdigest()
        graph.append({"@id": name, "@type": "File", "contentSize": str(len(content)), "sha256": digest})
        metadata = (METADATA, json.dumps({**crate, "@graph": graph}).encode())
        return [metadata, *(each for each in members[1:] if each[0] != name), (member, content)]

    return change(alter)


IN_DIRECTORY = rb"(PK\x01\x02.{%d}).{%d}"
HOSTILE: dict[str, tuple[Callable[[Path], None], str]] = {
    "absolute": (forge("/tmp/evil", b""), "no plain name"),
    "above": (forge("../evil", b""), "no plain name"),
    "deep above": (forge("units/../../evil.jsonl", b""), "no plain name"),
    "another system's": (forge("units\\evil.jsonl", b""), "no plain name"),
    "a drive": (forge("C:evil", b""), "no plain name"),
    "hidden": (forge(".git", b""), "no plain name"),
    "not ASCII": (forge("units/grün.jsonl", b""), "no plain name"),
    "not UTF-8": (patch(rb"manifest.json(?=PK)", b"manifest\xffjson"), "no plain name"),
    "cut by NUL": (patch(rb"manifest.json(?=PK)", b"manifest\0json"), "no plain name"),
    "a link": (forge("units/link.jsonl", b"/etc/passwd", stat.S_IFLNK), "is a link"),
    "a device": (forge("units/device.jsonl", b"", stat.S_IFCHR), "no plain file"),
    "code": (forge("numpy.py", b"print(1)"), "no part of a run"),
    "code among units": (forge("units/numpy.py", b"print(1)"), "no part of a run"),
    "two of a name but for capitals": (forge("ROWS.csv", b""), "two members are called"),
    "two of a name": (patch(rb"LICENSE(?=PK)", b"rows.cs"), "do not name 'rows.cs'"),
    "unnamed": (change(lambda members: [*members, ("bench.json", b"{}")]), "do not name 'bench.json'"),
    "missing": (change(lambda members: members[:-1]), "is missing"),
    "no metadata": (change(lambda members: members[1:]), f"it has no {METADATA}"),
    "nested metadata": (change(lambda members: [(METADATA, b"[" * 100_000), *members[1:]]), "cannot be read"),
    "no graph": (change(lambda members: [(METADATA, b"[]"), *members[1:]]), "cannot be read"),
    "another digest": (
        change(lambda members: [*members[:2], ("rows.csv", b"a\n1\n"), *members[3:]]),
        "SHA-256 differs",
    ),
    "no run": (forge("manifest.json", b'{"name": "a web page"}'), "another program"),
    "cut": (keep(slice(-1)), "no whole zip archive"),
    "cut in half": (keep(slice(9_000)), "no whole zip archive"),
    "empty": (keep(slice(0)), "no whole zip archive"),
    "something in front": (keep(slice(None), before=b"#!/bin/sh\n"), "no plain zip archive"),
    "something behind": (keep(slice(None), after=b"more"), "no whole zip archive"),
    "longer than it is": (patch(IN_DIRECTORY % (20, 4), rb"\1" + struct.pack("<L", 60_000_000)), "damaged|shorter"),
    "a bomb": (forge("bench.json", bytes(70 << 20)), "bytes would become 73,"),
    "many members": (keep(slice(-14), after=b"\xff" * 4 + bytes(10)), "65,535 members"),
    "a rare compression": (patch(IN_DIRECTORY % (6, 2), b"\\1\x0e\0"), "compressed in a way"),
    "encrypted": (patch(IN_DIRECTORY % (4, 2), b"\\1\x01\0"), "is encrypted"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_refused_in_one_line_and_nothing_is_written(kind: str, shared: Path) -> None:
    write, says = HOSTILE[kind]
    write(Path("run.crate.zip"))
    before = read_folder(shared)
    with pytest.raises(BadFile, match=says) as refused:
        caregrid.unpack("run.crate.zip", "there")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400
    assert main(["verify", "run.crate.zip"]) == 2
    assert read_folder(shared) == before
    assert not Path("there").exists()


def test_bytes_that_are_flipped_cut_or_moved_are_refused_or_harmless(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, draw = Path("run.crate.zip").read_bytes(), random.Random(7)
    caregrid.unpack("run.crate.zip", "there")
    intact = read_folder(Path("there"))
    shutil.rmtree("there")
    harmless = 0
    for _ in range(400):
        changed = bytearray(whole)
        at = draw.randrange(len(whole)) if draw.random() < 0.5 else len(whole) - draw.randrange(1, 1400)
        end = min(len(whole), at + draw.randrange(1, 40))
        match draw.randrange(4):
            case 0:
                changed[at] ^= 1 << draw.randrange(8)
            case 1:
                del changed[at:end]
            case 2:
                changed[at:at] = whole[at:end]
            case 3:
                changed[at:end] = draw.randbytes(end - at)
        Path("changed.zip").write_bytes(changed)
        if main(["unpack", "changed.zip", "--out", "there"]) == 0:
            assert read_folder(Path("there")) == intact
            shutil.rmtree("there")
            harmless += 1
        assert not Path("there").exists()
    assert harmless < 20
    said = capsys.readouterr().err
    assert said.count("\n") == said.count("caregrid: changed.zip: ") == 400 - harmless
    assert {path.name for path in shared.iterdir()} == {"run", "run.crate.zip", "changed.zip"}


def test_a_folder_is_no_file_to_unpack(shared: Path) -> None:
    Path("Units").mkdir()
    with pytest.raises(BadFile) as refused:
        caregrid.unpack("Units")
    assert str(refused.value) == "Units: cannot read it: it is a folder"


def test_nothing_is_overwritten(shared: Path) -> None:
    with pytest.raises(BadFile, match="something is there"):
        caregrid.unpack("run.crate.zip", "run")
    Path("empty").mkdir()
    assert caregrid.unpack("run.crate.zip", "empty").directory == Path("empty")
    with pytest.raises(BadFile, match="cannot write"):
        caregrid.unpack("run.crate.zip", "no/such/folder")
    with pytest.raises(BadValue, match="no licence"):
        caregrid.pack("run", "x.zip", licence="my own!")
    with pytest.raises(BadFile, match="nothing is stored"):
        caregrid.pack(caregrid.load(NAME, "nowhere"), "x.zip")
    assert not Path("x.zip").exists()


def test_a_pack_says_what_is_lost(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [segment] = Path("run/units").iterdir()
    segment.write_bytes(segment.read_bytes()[:-100])
    assert main(["pack", "run", "--out", "less.zip"]) == 1
    assert "7 of 8 finished units (1 lost" in capsys.readouterr().out
    caregrid.unpack("less.zip", "less")
    assert main(["check", "less"]) == 1
    assert main(["verify", "less.zip", "--seed", "1"]) == 0
    assert "7 of 8 finished units (1 lost" in capsys.readouterr().out


def alter_units(folder: str, alter: Callable[[dict[str, Any], Rows], None]) -> None:
    """Change stored units and their checksums, as anybody can, and what follows from them."""
    results = caregrid.load(folder)
    store = results.results.store
    [segment] = (Path(folder) / "units").iterdir()
    lines = [segment.read_bytes().splitlines(keepends=True)[0]]
    for unit in store.read_finished():
        setting = dict(unit.setting)
        alter(setting, unit.rows)
        lines.append(write_unit_line(store.identity, setting, unit.rows))
    segment.write_bytes(b"".join(lines))
    caregrid.load(folder).collect()


def test_units_that_were_altered_are_found(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "run", "--seed", "5"]) == 0
    assert capsys.readouterr().out == (
        f"{NAME}: 1 of 8 units computed again: 1 agree, 0 differ\nsame code, same bytes\ndrawn by seed 5\n"
    )

    def add_a_little(setting: dict[str, Any], rows: Rows) -> None:
        if setting["agent"] == "itc":
            rows[0]["score"] = float(rows[0]["score"]) + 1e-9  # type: ignore[arg-type]

    alter_units("run", add_a_little)
    assert main(["check", "run"]) == 0
    found = caregrid.verify("run", share=1)
    assert (found.agrees, found.exit_code, len(found.rows())) == (False, 1, 2)
    assert found.text().splitlines()[1:-1] == [
        """first: {"agent":"itc","tampering":0}, column 'score': stored 18.000000001, computed 18.0""",
        "same code, other bytes",
    ]


OWN = """
from experiments.experiment import Experiment

FACTOR = 2.0
SHIFT = {shift}


def run(n, key):
    return [{{"value": FACTOR * n + SHIFT}}]


experiment = Experiment("own", {{"n": (1, 2, 3)}}, run, repeatable={repeatable})
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """What writes a module of a user's own in the working directory, with a run of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(shift: float = 0.0, repeatable: bool = True) -> None:
        Path("shared_paper.py").write_text(OWN.format(shift=shift, repeatable=repeatable))
        shutil.rmtree("__pycache__", ignore_errors=True)
        importlib.invalidate_caches()
        sys.modules.pop("shared_paper", None)

    write()
    caregrid.run("shared_paper:experiment", engine="serial", out="run")
    yield write
    sys.modules.pop("shared_paper", None)


def test_other_code_is_told_from_other_bytes(own: Callable[..., None]) -> None:
    assert caregrid.verify("run", share=1, trust=True).text().splitlines()[1] == "same code, same bytes"
    own(shift=1e-300)
    agreeing = caregrid.verify("run", share=1, trust=True)
    assert (agreeing.exit_code, agreeing.text().splitlines()[1]) == (
        0,
        "other code than here made units: shared_paper.SHIFT",
    )
    own(shift=0.5)
    differing = caregrid.verify("run", share=0.5, seed=2, trust=True)
    assert (differing.exit_code, differing.as_dict()["recomputed"], len(differing.rows())) == (1, 2, 2)
    assert {row["code"] for row in differing.rows()} == {"shared_paper.SHIFT"}
    first = differing.text().splitlines()[1]
    assert re.fullmatch(r"""first: {"n":(\d)}, column 'value': stored \d\.0, computed \d\.5""", first)
    assert caregrid.verify("run", share=0.5, seed=2, trust=True).rows() == differing.rows()


def test_code_is_imported_only_where_it_is_trusted(own: Callable[..., None]) -> None:
    sys.modules.pop("shared_paper")
    Path("shared_paper.py").write_text("raise SystemExit('it was imported')")
    packed = caregrid.pack("run", "run.crate.zip")
    caregrid.unpack(packed.path, "there")
    assert {"summary.json", "CITATION.cff"} <= set(packed.packed.files)
    assert caregrid.pack("there", "again.zip").path.read_bytes() == packed.path.read_bytes()
    for place in ("run", "run.crate.zip"):
        with pytest.raises(UntrustedCode, match="shared_paper"):
            caregrid.verify(place)


def test_a_setting_that_names_code_is_not_run(shared: Path) -> None:
    alter_units("run", lambda setting, rows: setting.update(agent="shared_paper:run"))
    with pytest.raises(UntrustedCode, match="shared_paper"):
        caregrid.verify("run", share=1)


def test_what_cannot_be_verified_is_refused(
    own: Callable[..., None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own(repeatable=False)
    with pytest.raises(BadValue, match="measured seconds"):
        caregrid.verify("run", trust=True)
    own()
    for share in (0, -1, 1.5, float("nan")):
        with pytest.raises(BadValue, match="share"):
            caregrid.verify("run", share=share)
    [record] = Path("run/logs").glob("*.json")
    record.write_text(json.dumps({**json.loads(record.read_text()), "seconds": 9_000.0, "workers": 4}))
    assert main(["verify", "run", "--trust", "--share", "1"]) == 2
    assert "3 units took about 10 hours; choose a smaller --share, or confirm it with --yes" in capsys.readouterr().err
    assert main(["verify", "run", "--trust", "--share", "1", "--yes"]) == 0
    record.unlink()
    monkeypatch.setattr(verification, "SECONDS_WITHOUT_ASKING", 0.0)
    with pytest.raises(BadValue, match=r"3 units take about"):
        caregrid.verify("run", trust=True, share=1)


def test_rows_that_are_not_those_of_the_units_are_found(shared: Path) -> None:
    rows = Path("run/rows.csv")
    rows.write_text(rows.read_text().replace("itc", "ITC"))
    found = caregrid.verify("run")
    assert (found.exit_code, found.text().splitlines()[-2]) == (1, "rows.csv is not what the units say")
    rows.unlink()
    assert caregrid.verify("run").exit_code == 0


def test_more_than_a_reader_takes_is_not_packed(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_MEMBERS", 9)
    with pytest.raises(BadFile, match="'caregrid compact' makes fewer"):
        caregrid.pack("run", "x.zip")
    assert not Path("x.zip").exists()


def test_a_line_that_somebody_is_writing_is_left_out(shared: Path) -> None:
    [segment] = Path("run/units").iterdir()
    with segment.open("ab") as stream:
        stream.write(b'{"blake2b":"half a li')
    assert (
        caregrid.pack("run", "again.zip", licence="CC-BY-4.0").path.read_bytes() == Path("run.crate.zip").read_bytes()
    )
