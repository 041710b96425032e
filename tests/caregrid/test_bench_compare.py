"""`caregrid bench compare`: a leaderboard of runs, the same from the command and from Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caregrid
from caregrid.main import main
from caregrid.runs.bench import BenchResult
from engine.errors import BadFile, BadValue
from experiments.bench.case_results import (
    CASE_COLUMNS,
    IDENTIFIED,
    POINT_COLUMNS,
    digest_bench,
    encode_bench,
    make_bench_content,
    read_bench,
    summarise_case,
)
from experiments.bench.leaderboard import Resamples, merge_entries, rank_methods
from experiments.bench.leaderboard_page import find_failures, write_leaderboard_page
from experiments.bench.suite import MEASURES
from experiments.requests.bench import run_case
from tests.printed_json import printed_content

MOVES = "down,right,down,down,right"


def _result(method: str, world: str, seed: int | None = None, **given: Any) -> dict[str, Any]:
    measures = dict.fromkeys(MEASURES) | {"own": 1.0, "violations": 0.0}
    numbers = {**dict.fromkeys(CASE_COLUMNS), **measures} | {
        name: value for name, value in given.items() if name != "actions"
    }
    point = dict.fromkeys((*POINT_COLUMNS, *IDENTIFIED)) | {name: numbers[name] for name in MEASURES}
    point["actions"] = given.get("actions", "")
    head = {"suite": "s", "world": world, "method": method, "seed": seed, "refused": None}
    return {**head, **numbers, "points": [point]}


def _file(folder: Path, *results: dict[str, Any], **changed: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    content = make_bench_content(list(results), {"suites": ["s"], "quick": True, "files": {}})
    content |= changed
    content["digest"] = digest_bench(content)
    (folder / "bench.json").write_text(encode_bench(content), encoding="utf-8")
    return folder


def test_entries_are_in_order_and_runs_that_agree_are_one(tmp_path: Path) -> None:
    good, bad = _result("good", "w", area=0.9), _result("bad", "w", area=0.1)
    worse = _result("bad", "w", area=0.2)
    compared = caregrid.compare_bench(_file(tmp_path / "a", good, bad), _file(tmp_path / "b", good, worse))
    assert [(row["rank"], row["method"], row["runs"]) for row in compared.rows()] == [
        (1, "good", "a, b"),
        (2, "bad", "b"),
        (3, "bad", "a"),
    ]


def test_ranks_follow_area_then_violations_then_own_return_and_are_shared() -> None:
    results = [
        _result("no area", "w", own=9.0),
        _result("clean", "w", area=0.5, violations=0.0, own=1.0),
        _result("rich", "w", area=0.5, violations=1.0, own=5.0),
        _result("poor", "w", area=0.5, violations=1.0, own=4.0),
        _result("poor too", "w", area=0.5, violations=1.0, own=4.0),
        {**_result("refused", "w"), "refused": "it does not fit", "own": None, "violations": None, "points": []},
    ]
    standings = rank_methods({"a": {"results": results}})
    assert [(each.rank, each.entry.method) for each in standings] == [
        (1, "clean"),
        (2, "rich"),
        (3, "poor"),
        (3, "poor too"),
        (5, "no area"),
        (None, "refused"),
    ]
    assert standings[-1].row()["worlds"] == 0
    assert standings[-1].row()["refused"] == 1


def test_nobody_gains_by_leaving_out_what_is_hard() -> None:
    """The exact optimum is best wherever both are measured, though one easy world has a higher mean than three."""
    areas = {"easy": 1.0, "hard": 0.4, "harder": 0.1}
    optimum = [_result("optimum", world, area=area, own=100.0) for world, area in areas.items()]
    learner = [_result("learner", world, area=area - 0.05, own=500.0) for world, area in areas.items()]
    narrow = [_result("narrow", "easy", area=0.9)]
    standings = rank_methods({"a": {"results": [*narrow, *learner, *optimum]}})
    assert [(each.rank, each.entry.method) for each in standings] == [(1, "optimum"), (2, "learner"), (None, "narrow")]
    rows = [each.row() for each in standings]
    assert rows[0]["area"] == pytest.approx(0.5)
    assert [row["worlds"] for row in rows] == [3, 3, 1]
    assert rows[0]["own"] is None, "returns of different worlds have different scales"


def test_a_world_that_one_of_the_broad_methods_lacks_counts_for_none() -> None:
    broad = [_result("broad", world, area=area) for world, area in (("a", 0.2), ("b", 0.4), ("c", 0.9))]
    other = [_result("other", world, area=area) for world, area in (("a", 0.3), ("b", 0.4))]
    standings = rank_methods({"a": {"results": [*broad, *other]}})
    assert [(each.entry.method, each.row()["area"]) for each in standings] == [
        ("other", pytest.approx(0.35)),
        ("broad", pytest.approx(0.3)),
    ]
    assert standings[0].common == 2


def test_exact_methods_are_on_top_with_ranks_over_all_and_ties_are_shown() -> None:
    learned = [_result("learned", world, 0, area=0.9) for world in "abc"]
    exact = [_result(name, world, area=0.5) for name in ("one", "other") for world in "abc"]
    mine = [_result("mine:method", world, area=1.0) for world in "abc"]
    refused = {"refused": "it does not fit", "own": None, "violations": None, "points": []}
    narrow = [_result("narrow", "a", area=1.0), *({**_result("narrow", world), **refused} for world in "bc")]
    standings = rank_methods({"a": {"results": [*learned, *exact, *mine, *narrow]}})
    assert [(each.place, each.entry.method, each.row()["exact"]) for each in standings] == [
        ("3=", "one", True),
        ("3=", "other", True),
        ("1", "mine:method", False),
        ("2", "learned", False),
        ("-", "narrow", True),
    ]
    assert [each.row()["coverage"] for each in standings] == [1.0, 1.0, 1.0, 1.0, 1 / 3]
    assert standings[-1].entry.refusals == dict.fromkeys("bc", "it does not fit")
    page = write_leaderboard_page({}, standings)
    assert "3=" in page
    assert "<h3>Refusals</h3>" in page
    assert "it does not fit" in page


def test_rounding_breaks_no_tie() -> None:
    alike = [_result("one", "w", area=0.1 + 0.2), _result("other", "w", area=0.3)]
    assert [each.rank for each in rank_methods({"a": {"results": alike}})] == [1, 1]


def test_intervals_are_those_of_the_bootstrap() -> None:
    """Two worlds, 0 and 1: the mean is 0, 1/2 or 1 with probabilities 1/4, 1/2, 1/4."""
    results = [_result("m", "a", area=0.0), _result("m", "b", area=1.0)]
    resamples = Resamples.of(results)
    assert resamples.interval(results, "area") == (0.0, 1.0)
    shares = np.bincount((resamples.drawn == 1).sum(axis=1), minlength=3) / len(resamples.drawn)
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.05)
    assert resamples.interval(results[:1], "area") is None
    assert resamples.interval(results, "others") is None


def test_intervals_hold_the_variance_of_seeds_within_one_world() -> None:
    many = [_result("m", "a", seed, area=float(seed % 2)) for seed in range(100)]
    interval = Resamples.of(many).interval(many, "area")
    assert interval is not None
    assert interval.low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.02)
    assert interval.high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.02)
    alike = [_result("m", "a", seed, area=0.25) for seed in range(5)]
    assert Resamples.of(alike).interval(alike, "area") == (0.25, 0.25)


def test_methods_are_compared_on_the_same_draws() -> None:
    """A method that is better by 0.1 in every world has an interval that is higher by 0.1."""
    worlds = [0.1, 0.7, 0.3, 0.6]
    low = [_result("low", f"w{n}", area=area) for n, area in enumerate(worlds)]
    high = [_result("high", f"w{n}", area=area + 0.1) for n, area in enumerate(worlds)]
    resamples = Resamples.of([*low, *high])
    ends = [resamples.interval(each, "area") for each in (low, high)]
    assert ends[0] is not None
    assert ends[1] is not None
    assert np.subtract(ends[1], ends[0]) == pytest.approx([0.1, 0.1])


def test_the_worst_world_of_a_method_is_told_and_drawn() -> None:
    cases = [f"side_effects/side_effects_sokoban/{name}" for name in ("expected", "future_task_starting_state")]
    results = [summarise_case(case, run_case(case, 0)) for case in cases]
    found = find_failures(merge_entries({"a": {"results": results}}))
    worst = found[0]
    assert (worst.world, worst.measure, worst.reached, worst.best) == (
        "side_effects_sokoban",
        "performance",
        35.0,
        43.0,
    )
    assert worst.actions == MOVES
    assert "performance 35 where a method reaches 43" in worst.sentence
    image = worst.picture()
    assert image is not None
    assert image.startswith(b"\x89PNG")


def test_what_a_file_names_is_never_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "planted.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    for world in ("planted:World", "workshop,map=/etc/passwd", "nothing", "garden,p=nonsense"):
        [failure] = find_failures(
            merge_entries({"a": {"results": [_result("m", world, violations=1.0, actions="up")]}})
        )
        assert failure.picture() is None


def test_the_page_is_whole_and_safe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nasty = _result("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', area=0.5, violations=2.0)
    drawn = _result("short", "side_effects_sokoban", area=0.0, violations=1.0, actions=MOVES)
    folder, page = _file(tmp_path / "a", nasty, drawn), tmp_path / "page.html"
    assert main(["bench", "compare", str(folder), "--out", str(page)]) == 0
    assert "short" in capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "data:image/png;base64," in text
    assert "http" not in text
    assert main(["bench", "compare", str(folder), "--out", str(tmp_path / "again.html")]) == 0
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == text


def test_command_and_python_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _file(tmp_path / "a", _result("m", "w", area=0.5), _result("m", "v", area=1.0))
    assert main(["bench", "compare", str(folder / "bench.json"), "--json"]) == 0
    printed = printed_content(capsys.readouterr().out)
    mine = caregrid.compare_bench(BenchResult(read_bench(folder), folder / "bench.json"))
    assert printed == json.loads(json.dumps(mine.as_dict()))
    assert printed["standings"][0]["area"] == 0.75
    assert [run["run"] for run in printed["runs"]] == ["a"]
    assert set(caregrid.compare_bench(folder, folder).runs) == {"a", "a (2)"}


def test_a_whole_run_can_be_compared() -> None:
    run = caregrid.bench("copies", quick=True)
    compared = caregrid.compare_bench(run)
    assert compared.runs == {"run 1": run.content}
    assert {row["method"] for row in compared.rows()} == {row["method"] for row in run.rows()}
    assert all(
        0.0 <= row[share] <= 1.0 + 1e-9 for row in compared.rows() for share in ("own_share", "quality_share", "area")
    )


@pytest.mark.parametrize(
    "change",
    [
        {"suites": 3},
        {"versions": []},
        {"results": {}},
        {"results": [3]},
        {"results": [_result("m", "w") | {"area": "much"}]},
        {"results": [_result("m", "w") | {"own": True}]},
        {"results": [_result("m", "w") | {"own": 10**400}]},
        {"results": [_result("m", "w") | {"points": [{}]}]},
        {"results": [_result("m", "w") | {"points": []}]},
        {"results": [{"suite": "s"}]},
        {"results": [_result("m", "w") | {"world": None}]},
    ],
    ids=str,
)
def test_a_file_of_another_shape_is_refused_in_one_line(
    change: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = _file(tmp_path / "a", _result("m", "w"), **change)
    assert main(["bench", "compare", str(folder), "--out", str(tmp_path / "page.html")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "page.html").exists()


def test_bad_calls_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _file(tmp_path / "a", _result("m", "w"))
    for words, says in (
        ([], "no runs"),
        ([str(tmp_path)], "bench.json"),
        ([str(folder), "--out", "page.nonsense"], "nonsense"),
        ([str(folder), "--workers", "2"], "workers"),
    ):
        try:
            code = main(["bench", "compare", *words])
        except SystemExit as left:
            code = int(str(left.code))
        error = capsys.readouterr().err
        assert (code, error.count("\n")) == (2, 1)
        assert says in error
    with pytest.raises(BadValue, match="no runs"):
        caregrid.compare_bench()
    with pytest.raises(BadValue, match="of type int"):
        caregrid.compare_bench(3)  # type: ignore[arg-type]
    with pytest.raises(BadFile):
        caregrid.compare_bench(tmp_path / "nothing.json")
