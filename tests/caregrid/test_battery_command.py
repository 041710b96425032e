"""The command `battery`: rows, files, names of one's own, and one line where something is wrong."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from tests.caregrid.json_lines import BROKEN_AGENT
from tests.printed_json import printed_content
from xenv.battery import BatteryRow, mean_reward

COLUMNS = ["agent", "environment", "seed", "turns", "total_reward"]


def battery(*words: str) -> int:
    return main(["battery", "--quiet", "--engine", "serial", *words])


def test_json_holds_the_rows(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = "--agents simple,reality_check(q_learning) --environments repeater,tempting-button --turns 100 --seeds 1,2"
    assert battery(*words.split(), "--opposites", "--json") == 0
    rows = printed_content(capsys.readouterr().out)["rows"]
    assert len(rows) == 2 * 4 * 2
    assert all(list(row) == COLUMNS for row in rows)
    assert {row["environment"] for row in rows} >= {"opposite(tempting_button)", "repeater"}
    assert not list(tmp_path.iterdir())


def test_published_randomness_gives_the_published_totals(capsys: pytest.CaptureFixture[str]) -> None:
    words = "--agents random --environments tempting_button --turns 100000 --seeds 1:2 --randomness published --json"
    assert battery(*words.split()) == 0
    assert printed_content(capsys.readouterr().out)["rows"][0]["total_reward"] == -280


@pytest.mark.slow
def test_files_and_measures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "measured"
    assert battery(*["--agents", "constant", "--turns", "60", "--opposites", "--seeds", "3,4", "--out"], str(out)) == 0
    assert capsys.readouterr().out.startswith("constant    0.0000  [0.0000, 0.0000]  (2 seeds: lowest and highest run)")
    rows = list(csv.DictReader((out / "battery.csv").read_text().splitlines()))
    assert len(rows) == 50 * 2
    assert list(rows[0]) == COLUMNS
    assert (out / "battery.png").read_bytes().startswith(b"\x89PNG")


def test_an_agent_of_ones_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_module.py").write_text(
        "class Mine:\n    def act(self, observation): return 0\n    def train(self, o, a, r, n): pass\n\n"
        "def make_agent(): return Mine()\n\n"
        "def make_spec():\n    from engine.agents.constant import Constant\n    return Constant()\n"
    )
    monkeypatch.chdir(tmp_path)
    words = [
        "--agents",
        "my_module:make_agent",
        "--agents",
        "reality_check(my_module:make_spec)",
        "--environments",
        "repeater",
    ]
    assert battery(*words, "--turns", "20", "--seeds", "1:2", "--json") == 0
    rows = printed_content(capsys.readouterr().out)["rows"]
    assert [(row["agent"], row["total_reward"]) for row in rows] == [
        ("my_module:make_agent", 20),
        ("reality_check(my_module:make_spec)", 20),
    ]


def test_measures() -> None:
    rows = [
        BatteryRow("a", "x", 1, 10, 5),
        BatteryRow("a", "y", 1, 10, -1),
        BatteryRow("a", "x", 2, 10, 8),
        BatteryRow("a", "y", 2, 10, 0),
    ]
    assert mean_reward(rows, "a") == (pytest.approx(0.3), pytest.approx(0.1), 2)
    assert mean_reward(rows[:2], "a").standard_error is None


def test_rows_of_finished_runs_are_printed_where_others_fail(
    capsys: pytest.CaptureFixture[str], written: Callable[..., str]
) -> None:
    tires = f"{written(BROKEN_AGENT)}:Weary"
    words = ["--agents", f"simple,{tires}", "--environments", "repeater", "--turns", "20", "--seeds", "1,2", "--json"]
    assert battery(*words) == 1
    printed, error = capsys.readouterr()
    report = printed_content(printed)
    assert [(row["agent"], row["seed"]) for row in report["rows"]] == [("simple", 1), ("simple", 2)]
    assert [failure["setting"]["agent"] for failure in report["failed"]] == [tires, tires]
    assert (report["directory"], report["log"]) == (None, None)
    assert "ValueError: too long" in error
    assert "2 of 4 units are finished, 2 failed; none is stored; with --out DIR" in error
    assert "/tmp" not in printed + error.replace(str(Path.cwd()), "")
    assert error.count("\n") == 2


def test_finished_runs_are_kept_and_named_with_out(
    capsys: pytest.CaptureFixture[str], written: Callable[..., str], tmp_path: Path
) -> None:
    tires, out = f"{written(BROKEN_AGENT)}:Weary", tmp_path / "kept"
    words = ["--agents", f"simple,{tires}", "--environments", "repeater", "--turns", "20", "--seeds", "1", "--json"]
    assert battery(*words, "--out", str(out)) == 1
    printed, error = capsys.readouterr()
    assert len(printed_content(printed)["rows"]) == 1
    assert f"1 of 2 units are stored in {out}" in error
    assert len(list((out / "units").iterdir())) == 1


def test_python_users_get_the_finished_rows_too(written: Callable[..., str]) -> None:
    from caregrid.runs.execution import RunNotFinished

    tires = f"{written(BROKEN_AGENT)}:Weary"
    with pytest.raises(RunNotFinished, match="1 of 2 units are finished, 1 failed; none is stored") as stopped:
        caregrid.battery(["simple", tires], "repeater", turns=20, seeds=1)
    assert [row["agent"] for row in stopped.value.rows] == ["simple"]
    assert not stopped.value.summary.kept
