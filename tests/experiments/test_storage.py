"""Segments, the index over them, the manifest, and one file in place of many."""

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caregrid.main import main
from engine.errors import BadFile, ContractBroken
from experiments.experiment import Claim, Experiment, Rows
from experiments.results import Results, check_claims
from experiments.runs.compaction import compact
from experiments.runs.run_directory import RunDirectory, read_manifest
from experiments.runs.segments import (
    frame_line,
    generate_setting_texts,
    make_identity,
    parse_unit,
    read_body,
    read_setting_text,
    write_setting_text,
    write_unit_line,
)
from experiments.stored_rows import find_stored_units, write_rows

COUNTING = "tests.experiments.workloads:counting"
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**30), 10**30), st.floats(allow_nan=False), st.text(max_size=8)
)


def run_word(word: str, number: float, key: int) -> Rows:
    return [{"length": len(word)}]


words = Experiment(
    reproduces="words", settings={"word": ("b", "a"), "number": (0, 0.5)}, run=run_word, name="tests/words"
)


def _run(directory: Path, *more: str) -> int:
    return main(["run", COUNTING, "--out", str(directory), "--engine", "serial", "--quiet", *more])


def _stored(directory: Path, experiment: Experiment, *units: tuple[dict[str, object], Rows]) -> RunDirectory:
    store = RunDirectory(directory, experiment)
    store.prepare({"reproduces": experiment.reproduces})
    store.save(units)  # type: ignore[arg-type]
    store.close()
    return store


@given(st.dictionaries(st.text(max_size=5), SCALARS, min_size=1, max_size=3), st.lists(SCALARS, max_size=3))
def test_a_line_gives_back_what_it_was_made_of_and_nothing_where_a_byte_differs(
    setting: dict[str, object], values: list[object]
) -> None:
    experiment = Experiment("any", dict.fromkeys(setting, (0,)), run_word, name="tests/any")
    identity = make_identity(experiment, 0)
    rows = [{"value": value} for value in values]
    line = write_unit_line(identity, setting, rows)  # type: ignore[arg-type]
    body = read_body(line, identity.key)
    assert body is not None
    assert parse_unit(body, identity) == (setting, rows)
    assert read_setting_text(body, identity) == write_setting_text(setting)  # type: ignore[arg-type]
    assert line.count(b"\n") == 1
    assert read_body(line, make_identity(experiment, 1).key) is None
    for place in range(0, len(line) - 1, max(1, len(line) // 7)):
        assert read_body(line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :], identity.key) is None


@given(st.lists(st.integers(-50, 50).map(lambda n: n / 2), min_size=1, unique=True), st.lists(st.text(), unique=True))
def test_a_setting_is_the_same_whether_its_whole_numbers_are_floats(numbers: list[float], names: list[str]) -> None:
    axis: tuple[object, ...] = tuple(int(number) if number.is_integer() else number for number in numbers)
    settings = {"z": tuple(names) or ("1.0,",), "a": tuple(numbers)}
    assert list(generate_setting_texts(settings)) == list(generate_setting_texts({**settings, "a": axis}))  # type: ignore[dict-item]
    assert len(set(generate_setting_texts(settings))) == len(settings["z"]) * len(numbers)


def test_rows_are_in_order_whoever_stored_them_when(tmp_path: Path) -> None:
    _stored(tmp_path, words, ({"word": "a", "number": 0.5}, [{"length": 3}]), ({"number": 0, "word": "b"}, []))
    _stored(tmp_path, words, ({"word": "zz", "number": 0.25}, [{"x": 1}]), ({"word": "b", "number": 0.5}, [{"y": 2}]))
    _stored(tmp_path, words, ({"word": "a", "number": 0.5}, [{"length": 4}]))  # told to do it again
    results = Results(RunDirectory(tmp_path, words))
    assert results.all_rows() == [
        {"word": "b", "number": 0.5, "y": 2},
        {"word": "a", "number": 0.5, "length": 4},
        {"word": "zz", "number": 0.25, "x": 1},
    ]
    assert (len(results.units), results.number_of_rows, results.extent) == (4, 3, "partial")
    assert write_rows(tmp_path / "rows.csv", results.each_row()) == 3
    assert (tmp_path / "rows.csv").read_text() == "word,number,y,length,x\nb,0.5,2,,\na,0.5,,4,\nzz,0.25,,,1\n"


def test_what_a_kill_cut_off_means_nothing_and_every_cut_is_read(tmp_path: Path) -> None:
    units = [({"word": word, "number": 0.5}, [{"length": 1}]) for word in "ab"]
    _stored(tmp_path, words, *units)
    [segment] = (tmp_path / "units").iterdir()
    content = segment.read_bytes()
    ends = [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]
    for size in range(0, len(content), 5):
        segment.write_bytes(content[:size])
        store = RunDirectory(tmp_path, words)
        assert len(list(store.read_finished())) == max(0, sum(end <= size for end in ends) - 1)
        assert store.problems() == []


def test_one_command_makes_one_file_of_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    for some in (("--set", "care=0"), ("--quick",), ()):
        assert _run(run, *some) == 0
    rows = (run / "rows.csv").read_bytes()
    (run / "units" / "notes.txt").write_text("precious")
    (run / "units" / "unit.json").write_text("{}")
    capsys.readouterr()
    assert main(["compact", str(run)]) == 0
    printed = capsys.readouterr().out
    assert f"36 units in 3 files, 5 before: {run}\n" in printed
    assert "left alone: notes.txt is not a file of units\nleft alone: unit.json is not a file of units\n" in printed
    assert (run / "units" / "notes.txt").read_text() == "precious"
    (run / "rows.csv").unlink()
    assert _run(run) == 0
    assert (run / "rows.csv").read_bytes() == rows
    files = sorted((run / "units").iterdir())
    assert main(["compact", str(run), "--json"]) == 0
    assert sorted((run / "units").iterdir()) == files
    assert main(["compact", str(tmp_path / "nowhere")]) == 2


def test_nothing_is_made_one_file_of_while_somebody_writes(tmp_path: Path) -> None:
    _stored(tmp_path, words, ({"word": "a", "number": 0}, []))
    store = RunDirectory(tmp_path, words)
    store.prepare({})
    before = sorted((tmp_path / "units").iterdir())
    with pytest.raises(BadFile, match="a run is writing into it"):
        compact(tmp_path)
    assert sorted((tmp_path / "units").iterdir()) == before
    store.save([({"word": "b", "number": 0}, [])])
    store.close()
    assert compact(tmp_path)[:3] == (2, 2, 1)


def test_a_lost_manifest_is_made_again_by_the_next_run_and_not_by_reading(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(tmp_path, "--set", "care=0") == 0
    manifest = tmp_path / "manifest.json"
    content = json.loads(manifest.read_text())
    manifest.unlink()
    assert main(["collect", str(tmp_path), "--out", str(tmp_path / "rows.csv")]) == 0
    assert main(["report", str(tmp_path), "--out", str(tmp_path / "report")]) == 0
    assert f"{COUNTING}: " in capsys.readouterr().out
    assert not manifest.exists()
    assert main(["run", COUNTING, "--seed", "1", "--out", str(tmp_path), "--quiet"]) == 2
    assert "holds results of seed 0, not of seed 1" in capsys.readouterr().err
    assert not manifest.exists()
    assert _run(tmp_path) == 0
    assert json.loads(manifest.read_text()) == content


def test_a_read_only_archive_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    assert _run(run) == 0
    [segment] = (run / "units").iterdir()
    segment.write_bytes(segment.read_bytes()[:-9] + b"#" + segment.read_bytes()[-8:])
    for path in (run, *run.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    script = (
        "import sys; from tests.experiments.processes import obey_permissions; from caregrid.main import main;"
        "obey_permissions(); sys.exit(main())"
    )
    words = [sys.executable, "-c", script, "collect", COUNTING, "--from", str(run), "--out", str(tmp_path / "all.csv")]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(words, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True)
    assert done.returncode == 1, done.stderr
    assert b"70 rows of 35 of 36 finished units (1 lost: 1 damaged in " in done.stdout
    assert b"passed over: 1 damaged lines" in done.stdout
    for path in (run, *run.rglob("*")):
        path.chmod(0o755)


def test_units_of_changed_settings_are_reported_and_left(tmp_path: Path) -> None:
    _stored(tmp_path, words, ({"word": "a", "number": 0}, []), ({"word": "b", "number": 0}, []))
    changed = Experiment("words", {"word": ("a",)}, lambda word, key: [], name="tests/words")
    store = RunDirectory(tmp_path, changed)
    [segment] = (tmp_path / "units").iterdir()
    assert list(find_stored_units(store)) == []
    assert store.problems() == [f"2 units of settings number, word, not of settings word, in {segment.name}"]
    with pytest.raises(BadFile, match="it holds results of settings number, word, not of settings word"):
        store.prepare({})
    assert [path.name for path in (tmp_path / "units").iterdir()] == [segment.name]


def test_a_unit_of_another_directory_never_passes_for_one_of_ours(tmp_path: Path) -> None:
    _stored(tmp_path / "one", words, ({"word": "a", "number": 0}, [{"length": 1}]))
    other = RunDirectory(tmp_path / "two", words, seed=1)
    other.prepare({})
    other.save([({"word": "a", "number": 0}, [{"length": 2}])])
    other.close()
    [mine], [theirs] = (list((tmp_path / name / "units").iterdir()) for name in ("one", "two"))
    shutil.copy(theirs, mine.with_name("000009-copy-1.jsonl"))
    with mine.open("ab") as stream:
        stream.write(theirs.read_bytes().splitlines(keepends=True)[1])
    store = RunDirectory(tmp_path / "one", words)
    assert [unit.rows for unit in store.read_finished()] == [[{"length": 1}]]
    assert len(store.problems()) == 2


def test_a_line_that_is_no_unit_is_damaged_or_refused_whatever_its_checksum(tmp_path: Path) -> None:
    store = _stored(tmp_path, words, ({"word": "a", "number": 0}, [{"length": 1}]))
    [segment] = (tmp_path / "units").iterdir()
    header = segment.read_bytes().splitlines(keepends=True)[0]

    def find(body: bytes) -> RunDirectory:
        segment.write_bytes(header + frame_line(body, store.index.identity.key))
        return RunDirectory(tmp_path, words)

    for setting in (b"[{]", b'["a,0.0]', b"[1,2,3]", b"[[],1]", b'["\xff",1]', b"[1,02]", b"[" * 9999 + b"]" * 9999):
        assert find(b'"setting":' + setting + b',"rows":[]').problems() == [f"1 damaged lines in {segment.name}"]
    for rows in (b"[{]", b"5", b"[5]", b"[" * 9999 + b"]" * 9999, b'["\xff"]', b'[{"length":' + b"9" * 5000 + b"}]"):
        with pytest.raises(BadFile, match="has no rows, although its checksum is right"):
            list(find(b'"setting":[0,"a"],"rows":' + rows).read_finished())
    others = find(b'"setting":[0,"a"],"rows":[{"width":1}]')
    counted = replace(words, claims=(Claim("each has one letter", lambda rows: rows[0]["length"] == 1, needs={}),))
    with pytest.raises(ContractBroken, match=r"test_storage.py, line \d+: KeyError: 'length'"):
        check_claims(counted, find_stored_units(others))


def test_a_manifest_of_another_release_is_refused(tmp_path: Path) -> None:
    assert _run(tmp_path, "--quick") == 0
    assert read_manifest(tmp_path)["caregrid_run"] == 2
    (tmp_path / "manifest.json").write_text('{"caregrid_run": 1}')
    with pytest.raises(BadFile, match="another program or another release"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("linked", [False, True])
def test_a_manifest_of_another_program_is_never_overwritten(linked: bool, tmp_path: Path) -> None:
    out = tmp_path / "extension"
    out.mkdir()
    manifest = tmp_path / "elsewhere.json" if linked else out / "manifest.json"
    manifest.write_text('{\n  // of an extension of a browser\n  "name": "precious",\n}\n')
    if linked:
        (out / "manifest.json").symlink_to(manifest)
    before = manifest.read_bytes()
    with pytest.raises(BadFile, match="its manifest is of another program or another release"):
        RunDirectory(out, words).prepare({})
    assert _run(out) == 2
    assert manifest.read_bytes() == before
    assert [path.name for path in out.iterdir()] == ["manifest.json"]
    assert (out / "manifest.json").is_symlink() is linked


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("content", [b"", b"{", b'{\n  "care', bytes(9), b'{\n  "caregrid_run": 2, "exp'])
@pytest.mark.parametrize("folder", ["", "units"])
def test_a_manifest_that_is_empty_is_nobodys_and_one_with_our_mark_is_ours(
    content: bytes, folder: str, tmp_path: Path
) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    manifest = tmp_path / "manifest.json"
    manifest.write_bytes(content)
    if b"caregrid_run" in content:
        assert _run(tmp_path, "--quick") == 0
        assert read_manifest(tmp_path)["version"] == 1
        return
    with pytest.raises(BadFile, match="is empty or cut off, and nothing beside it says whose it is; remove it, or"):
        RunDirectory(tmp_path, words).prepare({})
    assert _run(tmp_path) == 2
    assert manifest.read_bytes() == content
    assert {path.name for path in tmp_path.iterdir()} == {"manifest.json", folder} - {""}


def test_a_manifest_that_another_run_is_writing_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = tmp_path / "manifest.json"
    manifest.touch()
    monkeypatch.setattr(time, "sleep", lambda seconds: manifest.write_text('{"caregrid_run": 2}'))
    assert read_manifest(tmp_path) == {"caregrid_run": 2}


def test_beside_units_a_damaged_manifest_is_ours_and_a_strange_one_is_not(tmp_path: Path) -> None:
    _stored(tmp_path, words, ({"word": "a", "number": 0}, []))
    manifest = tmp_path / "manifest.json"
    whole = manifest.read_bytes()
    for damaged in (whole.replace(b'"seed":', b'"s\xffed":'), whole[:-5], b"", bytes(len(whole)), b"x" + whole[1:]):
        manifest.write_bytes(damaged)
        assert read_manifest(tmp_path)["version"] == 1
    manifest.write_text('{\n  // of an extension of a browser\n  "name": "precious", "version": 3\n}\n')
    with pytest.raises(BadFile, match="its manifest is of another program"):
        RunDirectory(tmp_path, words)


def test_a_writer_whose_file_was_removed_writes_anew(tmp_path: Path) -> None:
    """As on a file system without locks, where a paused session looks dead to whoever compacts elsewhere."""
    store = RunDirectory(tmp_path, words)
    store.prepare({})
    assert store.segment is not None
    first = store.segment.path
    store.save([({"word": "a", "number": 0}, [{"length": 1}])])
    first.unlink()
    store.save([({"word": "b", "number": 0}, [{"length": 2}])])
    second = store.segment.path
    assert second != first or second.exists()
    assert [unit.rows[0]["length"] for unit in RunDirectory(tmp_path, words).read_finished()] == [1, 2]
    second.unlink()
    store.close()
    assert [unit.rows[0]["length"] for unit in RunDirectory(tmp_path, words).read_finished()] == [1, 2]


def test_links_that_lead_nowhere_are_left_alone(tmp_path: Path) -> None:
    for word in "ab":
        _stored(tmp_path, words, ({"word": word, "number": 0}, []))
    for name in ("000008-elsewhere-1.jsonl", "000009-here-1.jsonl", "notes"):
        (tmp_path / "units" / name).symlink_to("/nowhere/at/all")
    done = compact(tmp_path)
    assert (done.units, len(done.problems)) == (2, 3)
    assert len(list(RunDirectory(tmp_path, words).read_finished())) == 2
