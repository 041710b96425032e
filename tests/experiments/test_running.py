"""Running, resuming, collecting, checking and drawing, through the command line and on every engine."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import experiments.results
from caregrid.main import main
from experiments.experiment import Experiment, SettingValues
from experiments.results import Results
from experiments.runs.engines.serial import SerialEngine
from experiments.runs.run_directory import RunDirectory
from experiments.runs.runner import run_experiment
from experiments.runs.unit import make_unit_key
from tests.experiments.workloads import counting, run_counting
from tests.printed_json import printed_content

COUNTING = "tests.experiments.workloads:counting"


def _units(folder: Path) -> list[bytes]:
    """The lines of all segments but the first ones, sorted: what is stored, whoever stored it in which order."""
    segments = (path.read_bytes().splitlines() for path in (folder / "units").iterdir())
    return sorted(line for lines in segments for line in lines[1:])


def _sessions(folder: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in sorted((folder / "logs").glob("*.json"))]


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    code = main([*words, "--json"])
    printed: dict[str, object] = printed_content(capsys.readouterr().out)
    return {**printed, "code": code}


def test_a_run_stores_what_run_gives_under_the_units_own_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = _json(capsys, "run", COUNTING, "--out", str(tmp_path), "--engine", "serial", "--quiet")
    assert (done["code"], done["units"], done["done"], done["extent"]) == (0, 36, 36, "whole")
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines()))
    expected = [
        {"care": care, "seed": seed, **row}
        for care in counting.settings["care"]
        for seed in counting.settings["seed"]
        for row in run_counting(care, seed, make_unit_key(COUNTING, 0, {"care": care, "seed": seed}))  # type: ignore[arg-type]
    ]
    assert rows == [{name: str(value) for name, value in row.items()} for row in expected]
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow_cases("dask")
@pytest.mark.parametrize(("engine", "workers"), [("local", "1"), ("local", "2"), ("dask", "2")])
def test_every_engine_gives_the_same_bytes(
    engine: str, workers: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serial, other = tmp_path / "serial", tmp_path / "other"
    assert main(["run", COUNTING, "--out", str(serial), "--engine", "serial", "--quiet"]) == 0
    code = main(["run", COUNTING, "--out", str(other), "--engine", engine, "--workers", workers, "--quiet"])
    assert code == 0
    assert _units(serial) == _units(other)
    assert (serial / "rows.csv").read_bytes() == (other / "rows.csv").read_bytes()
    assert (serial / "figure.png").read_bytes() == (other / "figure.png").read_bytes()


def test_a_second_run_computes_only_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = (COUNTING, "--out", str(tmp_path), "--engine", "serial", "--quiet")
    first = _json(capsys, "run", *common, "--set", "care=0,1,5", "--seeds", "2")
    assert (first["done"], first["already"], first["extent"]) == (6, 0, "partial")
    again = _json(capsys, "run", *common, "--set", "care=0,1,5", "--seeds", "2")
    assert (again["done"], again["already"]) == (0, 6)
    more = _json(capsys, "run", *common)
    assert (more["done"], more["already"], more["extent"]) == (32, 4, "whole")
    before, rows = _units(tmp_path), (tmp_path / "rows.csv").read_bytes()
    forced = _json(capsys, "run", *common, "--quick", "--force")
    assert (forced["done"], forced["already"]) == (2, 0)
    assert len(_units(tmp_path)) == len(before) + 2
    assert set(_units(tmp_path)) == set(before)
    assert (tmp_path / "rows.csv").read_bytes() == rows


def test_more_than_the_quick_subset_is_shown_and_what_only_that_has_is_not(tmp_path: Path) -> None:
    quick, more = {"care": (0.0, 1.0), "seed": (0,)}, {"care": (0.0, 1.0, 5.0), "seed": (0, 1)}
    results = _results(tmp_path / "a", counting, quick)
    assert (results.extent, len(results.rows())) == ("quick", 4)
    results = _results(tmp_path / "a", counting, more)
    assert (results.extent, len(results.rows()), len(results.all_rows())) == ("partial", 12, 12)
    assert results.holds
    shorter = replace(counting, quick={"care": (9.0,), "seed": (0,)})
    assert _results(tmp_path / "b", shorter, shorter.quick_settings).rows()[0]["care"] == 9.0
    results = _results(tmp_path / "b", shorter, more)
    assert ([row["care"] for row in results.rows()][::4], len(results.all_rows())) == ([0.0, 1.0, 5.0], 14)
    results = _results(tmp_path / "b", shorter, counting.settings)
    assert (results.extent, len(results.rows()), len(results.all_rows())) == ("whole", 72, 78)


def _results(directory: Path, experiment: Experiment, settings: SettingValues) -> Results:
    run_experiment(experiment, directory, settings)
    return Results(RunDirectory(directory, experiment))


def test_another_seed_is_another_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    zero, one = tmp_path / "0", tmp_path / "1"
    for seed, folder in ((0, zero), (1, one)):
        main(["run", COUNTING, "--quick", "--seed", str(seed), "--out", str(folder), "--engine", "serial", "--quiet"])
    capsys.readouterr()
    assert (zero / "rows.csv").read_bytes() != (one / "rows.csv").read_bytes()
    assert main(["run", COUNTING, "--seed", "1", "--out", str(zero), "--quiet"]) == 2
    assert "holds results of seed 0, not of seed 1; choose another place with --out" in capsys.readouterr().err
    assert main(["check", str(one), "--trust"]) == 0


def test_the_manifest_says_how_it_came_about(tmp_path: Path) -> None:
    main(["run", COUNTING, "--quick", "--out", str(tmp_path), "--engine", "serial", "--quiet"])
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert (manifest["experiment"], manifest["version"], manifest["seed"]) == (COUNTING, 1, 0)
    [session] = _sessions(tmp_path)
    assert session["settings"] == {"care": [0.0, 1.0], "seed": [0]}
    assert (session["units"], session["already"], session["done"], session["failed"]) == (2, 0, 2, [])
    assert {"command", "git", "versions", "host", "started", "finished", "seconds", "engine"} <= session.keys()
    assert (tmp_path / "logs" / session["log"]).is_file()
    main(["run", COUNTING, "--out", str(tmp_path), "--engine", "serial", "--quiet"])
    assert len(_sessions(tmp_path)) == 2


def test_check_tells_holding_from_failing_from_not_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", COUNTING, "--from", str(tmp_path / "nowhere")]) == 1
    assert capsys.readouterr().out == "not enough rows: own never rises with care\n"
    main(["run", COUNTING, "--set", "care=0", "--out", str(tmp_path / "a"), "--engine", "serial", "--quiet"])
    capsys.readouterr()
    assert main(["check", COUNTING, "--from", str(tmp_path / "a")]) == 1
    assert capsys.readouterr().out.startswith("not enough rows: ")
    main(["run", COUNTING, "--quick", "--out", str(tmp_path / "a"), "--engine", "serial", "--quiet"])
    capsys.readouterr()
    assert main(["check", COUNTING, "--from", str(tmp_path / "a")]) == 0
    assert capsys.readouterr().out.startswith("holds: ")
    false = "tests.experiments.workloads:false_claim"
    assert main(["run", false, "--out", str(tmp_path / "b"), "--engine", "serial", "--quiet"]) == 1
    assert "fails: number is above one" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "b"), "--trust"]) == 1


def test_draw_and_collect_write_what_they_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    main(["run", COUNTING, "--quick", "--out", str(run), "--engine", "serial", "--quiet"])
    for name in ("own.svg", "own.pdf", "own.png"):
        assert main(["draw", str(run), "--trust", "--out", str(tmp_path / name)]) == 0
    assert "<svg" in (tmp_path / "own.svg").read_text()
    assert main(["draw", str(run), "--trust", "--out", str(tmp_path / "own.txt")]) == 2
    assert main(["draw", COUNTING, "--from", str(tmp_path / "nowhere")]) == 2
    assert main(["collect", str(run), "--out", str(tmp_path / "all.xyz")]) == 2
    assert not (tmp_path / "all.xyz").exists()
    assert main(["collect", str(run), "--out", str(tmp_path / "all.csv")]) == 0
    assert (tmp_path / "all.csv").read_bytes() == (run / "rows.csv").read_bytes()
    assert "caregrid run" in capsys.readouterr().err


def test_parquet_holds_the_same_rows(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    run = tmp_path / "run"
    main(["run", COUNTING, "--quick", "--out", str(run), "--engine", "serial", "--quiet"])
    assert main(["collect", str(run), "--out", str(tmp_path / "all.parquet")]) == 0
    frame = pd.read_parquet(tmp_path / "all.parquet")
    assert frame.equals(pd.read_csv(run / "rows.csv"))


@pytest.mark.parametrize("engine", ["serial", "local"])
def test_a_missing_extra_stops_the_run_in_one_line(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "tests.experiments.workloads:deep", "--out", str(tmp_path), "--engine", engine, "--quiet"]
    assert main(words) == 2
    refusal = "caregrid: this needs the package 'depth'; pip install 'caregrid[deep]'"
    hint = "0 of 4 units are stored, and the same command goes on"
    assert capsys.readouterr().err == (
        f"{refusal} (in a checkout -e '.[deep]'; caregrid doctor prints it with the tested versions); {hint}\n"
    )


def test_ctrl_c_while_workers_start_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def start(engine: SerialEngine) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SerialEngine, "start", start)
    words = ["run", "tests.experiments.workloads:counting", "--engine", "serial", "--out", str(tmp_path)]
    assert main(words) == 130
    said = "caregrid: interrupted; what was finished is stored, and the same command goes on\n"
    assert capsys.readouterr().err == said


def test_rows_that_another_session_stores_while_this_one_writes_are_written_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = ({"care": (0.0,), "seed": (seed,)} for seed in (0, 1))
    run_experiment(counting, tmp_path, ours)
    write_summary = experiments.results.write_summary

    def store_more(*arguments: Any) -> None:
        run_experiment(counting, tmp_path, theirs)
        write_summary(*arguments)

    monkeypatch.setattr(experiments.results, "write_summary", store_more)
    Results(RunDirectory(tmp_path, counting)).write(tmp_path)
    written = (tmp_path / "rows.csv").read_text().splitlines()
    assert [row["seed"] for row in csv.DictReader(written)] == ["0", "0", "1", "1"]


def test_a_directory_of_something_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    assert main(["run", COUNTING, "--out", str(tmp_path), "--quiet"]) == 2
    assert "it is not empty and holds no run" in capsys.readouterr().err
    other = tmp_path / "other"
    main(["run", "tests.experiments.workloads:large", "--set", "n=0", "--out", str(other), "--quiet"])
    before = _units(other)
    capsys.readouterr()
    assert main(["run", COUNTING, "--out", str(other), "--quiet"]) == 2
    assert "holds results of experiment tests.experiments.workloads:large" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex", "other"] or len(list(tmp_path.iterdir())) == 2
    assert len(before) == 1
    assert _units(other) == before
