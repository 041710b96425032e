"""The craftworld commands as a user types them: outputs to the letter, exit codes, one-line errors, no half work."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caregrid
from caregrid.main import main
from craftworld.scenarios.workshop import Workshop
from tests.printed_json import printed_content

ROOT = Path(__file__).resolve().parents[2]
QUICK = ["--steps", "30000", "--quiet"]
SERIAL = ["--engine", "serial"]
BIG = """
############
#E..K#...T.#
#....#.....#
#....#...###
#..........#
##.###.....#
#....W..K..#
#..F......X#
############
"""


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """Run a command with --json and read the one object it prints; nothing else goes to stdout."""
    assert main([*words, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.out.endswith("\n")
    return printed_content(printed.out)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that must end with 2 and one line on stderr; returns that line."""
    assert main(list(words)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("caregrid")
    assert len(printed.err.splitlines()) == 1, printed.err
    assert "Traceback" not in printed.err
    return printed.err


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "list")["kinds"]
    assert {"workshop", "workshop_auto"} <= set(result["scenarios"])
    assert {"expected", "worst_case", "no_worse_off"} <= set(result["formulations"])
    assert list(ask(capsys, "list", "formulations")["kinds"]) == ["formulations"]
    assert main(["list", "scenarios"]) == 0
    assert "workshop_auto" in capsys.readouterr().out
    assert "did you mean 'scenarios'" in refused(capsys, "list", "scenario")


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    [result] = ask(capsys, "show", "workshop")["things"]
    assert result["kind"] == "scenarios"
    assert result["map"][1] == "#E.K....T#"
    assert result["options"]["key_start"] == "K1"
    assert result["actions"][:4] == ["up", "down", "left", "right"]
    assert ask(capsys, "show", "worst-case")["things"][0]["kind"] == "formulations"
    assert main(["show", "workshop"]) == 0
    assert "#E.K....T#" in capsys.readouterr().out
    assert "did you mean 'workshop'" in refused(capsys, "show", "worksop")


def test_show_tells_an_experiment_of_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(capsys, "show", "be_considerate/figure_2b")["things"][0]["documentation"].startswith("Build a fence")
    assert main(["show", "be_considerate/figure_1b"]) == 0
    shown = capsys.readouterr().out
    assert "care: 0.0, 0.01, 0.02, ..., 6.99 (700 values)" in shown
    assert "agent: exact, q_learning" in shown


def test_show_names_every_feature_of_a_glyph(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "playroom"]) == 0
    assert "D: doll, place" in capsys.readouterr().out


def test_solve(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "solve", "workshop", "--formulation", "expected", "--care", "3")
    assert (result["scenario"], result["formulation"], result["care"]) == ("workshop", "expected", 3.0)
    assert result["return"] == result["own"] == -31.0
    assert result["others"] == {"newcomer": -19.0}
    assert result["total"] == -50.0
    assert result["handover"]["key"] == "K1"
    assert len(result["actions"]) == 31
    assert "frames" not in result
    assert main(["solve", "workshop", "--care", "3"]) == 0
    printed = capsys.readouterr().out
    assert "own return  -31" in printed
    assert "newcomer -19" in printed


def test_solve_draws_every_state_of_everybody(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "solve", "workshop", "--care", "3", "--draw")
    assert len(result["frames"]) == (31 + 1) + (19 + 1)
    assert "#@ k    T#" in result["frames"][0]
    assert main(["solve", "workshop", "--care", "3", "--draw"]) == 0
    assert capsys.readouterr().out.count("##########") == 2 * len(result["frames"])


def test_the_own_weight_scales_the_trade_off(capsys: pytest.CaptureFixture[str]) -> None:
    one = ask(capsys, "solve", "workshop", "--care", "3")
    two = ask(capsys, "solve", "workshop", "--care", "6", "--own", "2")
    assert two["own"] == one["own"]
    assert two["actions"] == one["actions"]
    assert two["own_coefficient"] == 2.0


def test_an_agent_that_does_not_mind_its_own_return_never_ends(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "solve", "workshop", "--care", "1", "--own", "0")
    assert result["own"] is None
    assert result["others"] == {"newcomer": None}
    assert result["handover"] is None
    assert main(["solve", "workshop", "--care", "1", "--own", "0"]) == 0
    assert "never: the policy does not end" in capsys.readouterr().out


def test_breakpoints_to_the_letter(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "breakpoints", "workshop")
    assert list(result) == ["scenario", "formulation", "range", "limits", "segments", "ties", "cost"]
    assert result["cost"]["policies"] == 0, "shortest paths give all lines"
    for segment in result["segments"]:
        assert list(segment) == ["care_from", "care_to", "own", "others", "total", "handover", "actions"]
        assert segment["total"] == segment["own"] + sum(segment["others"].values())
    edges = [segment["care_from"] for segment in result["segments"]]
    assert edges == pytest.approx([0.0, 1 / 972, 0.4, 1.0, 14 / 3])
    assert [segment["care_to"] for segment in result["segments"]] == [*edges[1:], None]
    assert [tie["care"] for tie in result["ties"]] == edges[1:]
    assert all(len(tie["policies"]) >= 2 for tie in result["ties"])
    own = [segment["own"] for segment in result["segments"]]
    assert own == [-24, -25, -27, -31, -45]


def test_breakpoints_say_what_the_search_took(capsys: pytest.CaptureFixture[str]) -> None:
    cost = ask(capsys, "breakpoints", "playroom", "--discount", "0.9")["cost"]
    assert list(cost) == ["states", "segments", "policies", "policies_per_segment"]
    assert cost["policies"] >= cost["segments"] >= 1
    assert cost["policies_per_segment"] == cost["policies"] / cost["segments"]


def test_breakpoints_say_in_words_where_the_optimum_never_ends(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["breakpoints", "playroom", "--discount", "0.9"]) == 0
    last = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(("at ", "covers "))][-1]
    assert last.endswith("the optimal policy never ends")
    result = ask(capsys, "breakpoints", "playroom", "--discount", "0.9")["segments"][-1]
    assert result["handover"] is result["total"] is None


def test_breakpoints_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "breakpoints", "workshop", "--care-max", "2.5")
    assert result["segments"][-1]["care_to"] == 2.5
    result = ask(
        capsys, "breakpoints", "workshop", "--care-min", "-2", "--care-max", "0.5", "--formulation", "worst-case"
    )
    assert result["formulation"] == "worst_case"
    assert result["segments"][0]["care_from"] == -2.0
    assert result["segments"][0]["others"] == {"newcomer": -1000.0}
    result = ask(capsys, "breakpoints", "workshop", "--care-min", "-inf")
    assert result["segments"][0]["care_from"] is None
    for empty in (["--care-max", "0"], ["--care-max", "nan"], ["--care-min", "3", "--care-max", "1"]):
        assert "--care-max" in refused(capsys, "breakpoints", "workshop", *empty)
    for empty in (["--care-min", "nan"], ["--care-min", "inf"], ["--care-min", "nan", "--care-max", "1"]):
        assert "--care-min" in refused(capsys, "breakpoints", "workshop", *empty)


def test_breakpoints_say_what_they_cover(capsys: pytest.CaptureFixture[str]) -> None:
    """Below care -1 the agent in the shared workshop keeps the other waiting for ever."""
    result = ask(capsys, "breakpoints", "workshop_shared", "--care-min=-5", "--care-max", "3")
    assert (result["range"], result["limits"]) == ([-5.0, 3.0], [-1.0])
    inside = ask(capsys, "breakpoints", "workshop_shared")
    assert (inside["range"], inside["limits"]) == ([0.0, None], [])
    assert inside["segments"][0]["own"] == -24.0
    assert main(["breakpoints", "workshop_shared", "--care-min=-5"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "covers care from -5 to inf; at -1 a policy that gains for ever becomes better"


def test_breakpoints_are_certified(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "breakpoints", "workshop", "--certify")
    assert [tie["certificate"]["exact"] for tie in result["ties"]] == ["1/972", "2/5", "1", "14/3"]
    assert [segment["certificate"]["total"]["exact"] for segment in result["segments"]] == [
        "-1024",
        "-53",
        "-50",
        "-50",
        "-61",
    ]
    assert all(segment["certificate"]["error"] == 0 for segment in result["segments"])
    assert result["loss"]["amount"] == 0
    assert main(["breakpoints", "workshop", "--certify"]) == 0
    printed = capsys.readouterr().out
    assert "break point 0.00102881 (exactly 1/972)" in printed
    assert printed.endswith("certificate: no policy earns more, exactly\n")


def test_certificates_without_fractions_are_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    """sqrt 2 as the own weight: no fraction is meant; care 1 becomes care sqrt 2, and bounds say how exactly."""
    result = ask(capsys, "breakpoints", "workshop_auto", "--own", repr(2**0.5), "--certify")
    [point] = [tie["certificate"] for tie in result["ties"] if abs(tie["care"] - 2**0.5) < 1e-6]
    assert point["exact"] is None
    assert point["lower"] < 2**0.5 < point["upper"]
    assert point["upper"] - point["lower"] < 1e-9
    assert 0 < result["loss"]["amount"] < 1e-9


def test_solutions_are_certified(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "solve", "mailroom", "--care", "3", "--certify")
    assert result["certificate"]["total"]["exact"] == "-66/5"
    assert result["loss"]["amount"] == 0
    assert main(["solve", "mailroom", "--care", "3", "--certify"]) == 0
    assert "total exactly -66/5" in capsys.readouterr().out


@pytest.mark.slow
def test_sweeps_are_certified(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    result = ask(capsys, "sweep", "workshop_auto", "--care", "0:7:0.5", "--out", "proved", "--certify")
    assert [row["error"] for row in result["rows"]] == [0.0] * 14
    assert result["breakpoints"]["loss"]["amount"] == 0
    assert [tie["certificate"]["exact"] for tie in result["breakpoints"]["ties"][1:]] == ["1/4", "1", "6"]
    with open("proved/sweep.csv", newline="") as stream:
        assert {row["error"] for row in csv.DictReader(stream)} == {"0.0"}


def test_the_fewest_policies_within_epsilon(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "breakpoints", "workshop", "--epsilon", "1")
    assert [segment["own"] for segment in result["segments"]] == [-25, -27, -31, -45]
    assert (result["epsilon"], result["loss"]["amount"], result["loss"]["care"]) == (1.0, 1.0, 0.0)
    assert len(ask(capsys, "breakpoints", "workshop", "--epsilon", "0")["segments"]) == 5
    assert len(ask(capsys, "breakpoints", "workshop", "--care-max", "3", "--epsilon", "1000")["segments"]) == 1
    for wrong in ("-1", "nan", "inf"):
        assert "give a number from 0 on" in refused(capsys, "breakpoints", "workshop", f"--epsilon={wrong}")


def test_no_worse_off_never_helps_beyond_the_start(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "breakpoints", "workshop", "--formulation", "no_worse_off")
    assert all(segment["others"]["newcomer"] <= -24 or segment["own"] >= -27 for segment in result["segments"])
    assert len(result["segments"]) < 5


@pytest.mark.slow
def test_what_was_not_learned_is_said_with_the_steps_to_try(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    learn = ("sweep", "workshop_auto", "--care", "0.5,3", "--method", "q_learning", "--out")
    assert main([*learn, "short", "--steps", "3000", "--others-steps", "2000", "--json", "--quiet"]) == 0
    printed = capsys.readouterr()
    rows = printed_content(printed.out)["rows"]
    assert all(row["steps_taken"] == 3000 and row["others_error"] > 0 for row in rows)
    said = re.search(r"of 2 learned rows are not optimal: try --steps (\d+); .*: try --others-steps (\d+)", printed.err)
    assert said is not None
    assert "; 2 of them may never end: their returns are cut at the time limit; " in printed.err
    assert printed_content(printed.out)["warning"] in printed.err
    again = ask(capsys, *learn, "long", "--steps", said[1], "--others-steps", said[2])
    assert again["warning"] is None
    assert all(row["regret"] == row["others_error"] == 0 for row in again["rows"])


def test_precomputed_values_say_how_far_off_they_are(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    learn = ("precompute", "workshop_auto", "--method", "q_learning", "--out", "values.npz")
    assert main([*learn, "--steps", "1000"]) == 0
    assert re.search(r"values are off by up to \d+: try --steps \d+\n", capsys.readouterr().err)
    assert ask(capsys, *learn)["warning"] is None


@pytest.mark.parametrize("steps", ["0", "-3", "10000000001", "9223372036854775808", "1" + 30 * "0"])
@pytest.mark.parametrize("option", ["--steps", "--others-steps"])
def test_steps_out_of_bounds(capsys: pytest.CaptureFixture[str], here: Path, option: str, steps: str) -> None:
    sweep = ("sweep", "workshop", "--care", "1", "--method", "both", option, steps)
    said = refused(capsys, *sweep)
    assert f"{int(steps):,} steps of learning take" in said or "give a whole number from 1 to 10000000000" in said
    assert option.strip("-").replace("-", "_") in said.replace("-", "_")
    assert not os.listdir(here)


def test_a_sweep_writes_its_files(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    result = ask(capsys, "sweep", "workshop_auto", "--care", "0:7:0.5", "--out", "results/one")
    cited = ["CITATION.bib", "CITATION.cff"]
    files = [*cited, "breakpoints.json", "logs", "manifest.json", "sweep.csv", "sweep.png", "units"]
    assert sorted(os.listdir(here / "results/one")) == files
    with open("results/one/sweep.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == [
        "scenario",
        "formulation",
        "method",
        "seed",
        "care",
        "own",
        "newcomer",
        "total",
        "optimal_own",
        "optimal_total",
        "regret",
        "others_error",
        "steps_taken",
    ]
    assert len(rows) == len(result["rows"]) == 14
    assert [float(row["care"]) for row in rows] == [n / 2 for n in range(14)]
    assert {(row["scenario"], row["formulation"], row["method"], row["seed"]) for row in rows} == {
        ("workshop_auto", "expected", "exact", "")
    }
    assert all(float(row["total"]) == float(row["own"]) + float(row["newcomer"]) for row in rows)
    points = json.loads((here / "results/one/breakpoints.json").read_text())
    alone = ask(capsys, "breakpoints", "workshop_auto")
    assert points == result["breakpoints"] == {name: each for name, each in alone.items() if name != "cost"}
    assert (here / "results/one/sweep.png").read_bytes().startswith(b"\x89PNG")
    manifest = json.loads((here / "results/one/manifest.json").read_text())
    assert {"command", "versions", "seed", "seconds"} <= set(manifest)


@pytest.mark.slow
def test_a_learned_sweep_is_the_same_however_it_is_run(here: Path) -> None:
    """The same bytes for one job and two, and under different hash seeds."""
    sweep = ["sweep", "workshop_auto", "--care", "0.5:2.5:0.5", "--method", "both"]
    command = [sys.executable, "-m", "caregrid", *sweep]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    written = []
    for jobs, hash_seed in (("1", "0"), ("2", "1")):
        out = here / f"jobs{jobs}"
        words = [*command, *QUICK, "--seeds", "1", "--seed", "3", "--workers", jobs, "--out", str(out)]
        done = subprocess.run(
            words, env=environment | {"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        written.append([(out / name).read_bytes() for name in ("sweep.csv", "breakpoints.json", "sweep.png")])
    assert written[0] == written[1]
    assert written[0][0].count(b"\n") == 1 + 4 + 4


def test_a_sweep_of_an_agent_that_never_ends_says_so_in_its_rows(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    result = ask(capsys, "sweep", "workshop_auto", "--own", "0", "--care", "-1,1")
    assert [row["own"] is None for row in result["rows"]] == [False, True]
    assert result["breakpoints"]["segments"][0]["care_from"] == -1.0
    result = ask(capsys, "sweep", "workshop_auto", "--own", "0", "--care", "1,2")
    assert [row["total"] for row in result["rows"]] == [None, None]


def test_progress_goes_to_stderr(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    words = ["sweep", "workshop_auto", "--care", "1", "--method", "q-learning", *QUICK[:2], "--seeds", "2", *SERIAL]
    result = ask(capsys, *words)
    assert [(row["method"], row["seed"], row["care"]) for row in result["rows"]] == [
        ("q-learning", 0, 1.0),
        ("q-learning", 1, 1.0),
    ]
    [out] = (here / "results/sweep").iterdir()
    assert out.name.startswith("workshop_auto-expected-q_learning-")
    assert (out / "sweep.csv").is_file()


@pytest.mark.slow
def test_the_seed_of_a_sweep_is_what_its_learners_derive_from(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    """Rows keep the seeds that were asked for; another --seed is another sweep, with other random numbers."""
    words = ["sweep", "workshop_auto", "--care", "1", "--method", "q-learning", "--steps", "2000", "--quiet", *SERIAL]
    rows = [ask(capsys, *words, "--seeds", "0,1", "--seed", seed)["rows"] for seed in ("0", "1", "2", "1")]
    assert [[row["seed"] for row in each] for each in rows] == [[0, 1]] * 4
    assert rows[1] == rows[3]
    assert len({json.dumps(each) for each in rows}) == 3
    assert rows[0] == ask(capsys, *words, "--seeds", "2")["rows"]
    assert len(list((here / "results/sweep").iterdir())) == 3
    python = caregrid.problem("workshop_auto").sweep([1], method="q_learning", seeds=[0, 1], seed=2, steps=2000)
    assert [row["own"] for row in python.rows()] == [row["own"] for row in rows[2]]


def test_negative_care_works_against_others(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    result = ask(capsys, "solve", "workshop_auto", "--care", "-1")
    assert result["others"] == {"newcomer": -1000.0}
    rows = ask(capsys, "sweep", "workshop_auto", "--care", "-1:1:0.5")["rows"]
    assert [row["care"] for row in rows] == [-1.0, -0.5, 0.0, 0.5]
    others = [row["newcomer"] for row in rows]
    assert others == sorted(others)


@pytest.mark.slow
def test_precomputed_values_are_used_and_checked(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    result = ask(capsys, "precompute", "workshop_auto", "--out", "values.npz")
    assert result["file"] == "values.npz"
    assert result["names"] == ["newcomer"]
    with_file = ask(capsys, "solve", "workshop_auto", "--values", "values.npz", "--care", "2")
    assert with_file == ask(capsys, "solve", "workshop_auto", "--care", "2")
    learned = ask(
        capsys, "precompute", "workshop_auto", "--method", "q-learning", "--seed", "4", "--out", "learned.npz"
    )
    assert learned["fingerprint"] == result["fingerprint"]
    assert ask(capsys, "breakpoints", "workshop_auto", "--values", "learned.npz") == ask(
        capsys, "breakpoints", "workshop_auto"
    )
    ask(capsys, "sweep", "workshop_auto", "--values", "values.npz", "--care", "1", "--out", "o")
    for words in (["workshop"], ["workshop_auto", "--set", "key_start=K2"], ["workshop_auto", "--discount", "0.9"]):
        assert "made for another" in refused(capsys, "solve", *words, "--values", "values.npz")
    whole = Path("values.npz").read_bytes()
    half, foreign = whole[: len(whole) // 2], b"PK\x05\x06" + bytes(18)
    unreadable, empty = "not a readable file of values", "not a file of values: no array 'header'"
    for name, content, says in (
        ("cut.npz", half, unreadable),
        ("foreign.npz", foreign, empty),
        ("empty.npz", b"", unreadable),
    ):
        Path(name).write_bytes(content)
        assert says in refused(capsys, "solve", "workshop_auto", "--values", name)
        assert "make it again" in refused(capsys, "sweep", "workshop_auto", "--values", name, "--out", "never")
    with np.load("values.npz") as held:
        np.savez("arrays.npz", **{**held, "header": np.array([object()])})
    assert "not a readable" in refused(capsys, "breakpoints", "workshop_auto", "--values", "arrays.npz")
    assert "file not found" in refused(capsys, "solve", "workshop_auto", "--values", "missing.npz")
    assert not Path("never").exists()


def test_own_maps(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    Path("big.txt").write_text(BIG)
    result = ask(capsys, "breakpoints", "workshop", "--map", "big.txt")
    assert len(result["segments"]) >= 3
    result = ask(capsys, "solve", "workshop", "--map", "big.txt", "--set", "key_start=uniform", "--care", "1")
    assert len(result["cases"]) == 2
    assert result["own"] == sum(case["probability"] * case["own"] for case in result["cases"])


@pytest.mark.parametrize(
    ("art", "message"),
    [
        (BIG.replace("##.###", "######").replace("#....#...###", "############"), "cannot be reached"),
        (BIG.replace("W", "."), "no 'wood' on the map"),
        (BIG.replace("W", "FF"), "row 6 has 13 glyphs"),
        (BIG.replace("W.", "WF"), "'factory' is drawn 2 times"),
        (BIG.replace("W", "?"), "unknown glyph '?'"),
        ("", "the map is empty"),
    ],
)
def test_bad_maps_show_the_line_and_a_caret(
    capsys: pytest.CaptureFixture[str], here: Path, art: str, message: str
) -> None:
    Path("bad.txt").write_text(art)
    for command in (["solve"], ["breakpoints"], ["sweep", "--out", "never"], ["precompute", "--out", "never.npz"]):
        assert main([command[0], "workshop", *command[1:], "--map", "bad.txt"]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        first, *excerpt = printed.err.splitlines()
        assert message in first
        assert "bad.txt" in first
        if excerpt:
            drawn, caret = excerpt
            assert drawn in art.splitlines()
            assert caret.strip() == "^"
    assert os.listdir(here) == ["bad.txt"]


def test_places_that_cannot_be_written(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    Path("plain").write_text("a file")
    for out in ("plain", "plain/below"):
        assert "cannot write" in refused(capsys, "sweep", "workshop_auto", "--care", "1", "--out", out)
    assert "cannot write" in refused(capsys, "precompute", "workshop_auto", "--out", "plain/v.npz")
    assert Path("plain").read_text() == "a file"
    assert os.listdir(here) == ["plain"]


def test_without_matplotlib_a_sweep_says_so_before_it_writes(
    capsys: pytest.CaptureFixture[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "pip install 'caregrid[plot]'" in refused(capsys, "sweep", "workshop_auto", "--care", "1", "--out", "never")
    assert os.listdir(here) == []


def test_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["doctor", "--json"])
    result = printed_content(capsys.readouterr().out)
    assert code == (1 if result["problems"] else 0)
    assert result["packages"]["core"]["numpy"] == np.__version__
    assert main(["doctor"]) == code
    assert "numpy" in capsys.readouterr().out


def test_help_and_version_and_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--help"], [], ["sweep", "--help"]):
        assert main(words) == 0
        assert "caregrid" in capsys.readouterr().out
    for name in ("list", "show", "solve", "breakpoints", "sweep", "precompute", "doctor"):
        assert main([name, "--help"]) == 0
        assert f"caregrid {name}" in capsys.readouterr().out


def test_python_dash_m_is_the_same_command(here: Path) -> None:
    command = [sys.executable, "-m", "caregrid", "solve", "workshp"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("caregrid: unknown scenario 'workshp'; did you mean 'workshop' or ")
    assert done.stderr.count("\n") == 1


def test_the_drawn_legend_is_accepted_back(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    """What `show` prints as a scenario's map is a map: users start their own from it."""
    Path("own.txt").write_text("\n".join(ask(capsys, "show", "workshop")["things"][0]["map"]) + "\n")
    assert Workshop(Workshop.parse_map_file("own.txt")).grid.rows == Workshop().grid.rows
    assert ask(capsys, "breakpoints", "workshop", "--map", "own.txt") == ask(capsys, "breakpoints", "workshop")
