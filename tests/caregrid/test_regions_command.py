"""caregrid regions: JSON as documented, words, pictures, refusals; the same from Python."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caregrid
from caregrid.main import main
from craftworld.regions import make_coefficient_axes, solve_regions
from engine import effort
from engine.errors import BadValue, UnknownName
from tests.printed_json import printed_content


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["regions", *words, "--json"]) == 0
    return printed_content(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["regions", *words]) == 2
    printed = capsys.readouterr()
    assert not printed.out
    assert printed.err.count("\n") == 1
    return printed.err


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "mailroom", "--axes", "agent E,agent A")
    assert (result["scenario"], result["axes"]) == ("mailroom", ["agent E", "agent A"])
    for region in result["regions"]:
        assert {"own", "others", "returns", "interior", "halfspaces"} <= set(region)
        assert region["returns"] == pytest.approx([0.2 * region["others"][name] for name in result["axes"]])
        sides = np.array(region["halfspaces"])
        assert (sides[:, :-1] @ region["interior"] < sides[:, -1]).all()
    assert [region["own"] for region in result["regions"]] == [-13, -14, -19]


def test_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["regions", "mailroom", "--axes", "agent E,agent A"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "c1 is the coefficient of agent E, c2 is the coefficient of agent A"
    assert printed[4].endswith("c1 >= 25, c1 + c2 >= 29, c2 >= 0")
    assert main(["regions", "toll_road", "--axes", "villagers,walkers", "--care", "0"]) == 0
    assert "c1 - 0.8 c2 >= 0" in capsys.readouterr().out
    assert main(["regions", "icy_yard", "--beliefs", "postman,neighbour", "--care", "8"]) == 0
    assert "what is left to 1 is that of neighbour" in capsys.readouterr().out


def test_ranges_reach_below_zero_and_say_where_nothing_is_finite(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "workshop_shared", "--care-min=-5")
    limit = json.loads(json.dumps(result["limits"]))[0]
    assert limit[1] / limit[0] == pytest.approx(-1.0)
    assert limit[0] < 0
    with pytest.raises(BadValue, match="domain"):
        caregrid.problem("workshop_shared").regions(care_min=-5.0).at(-2.0)


@pytest.mark.slow_cases("words0", "words1")
@pytest.mark.parametrize("words", [["workshop"], ["garden"], ["icy_yard", "--beliefs", "postman,neighbour"]])
def test_pictures(tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["regions", *words, "--out", str(tmp_path / "map.png")]) == 0
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    assert "regions from" in capsys.readouterr().out


@pytest.mark.slow_cases("workshop")
@pytest.mark.parametrize(("name", "axes"), [("workshop", ["care"]), ("mailroom", ["agent E", "agent A"])])
def test_no_number_of_a_region_is_clipped(name: str, axes: list[str]) -> None:
    found = caregrid.problem(name).regions(axes)
    figure = found.figure()
    figure.draw_without_rendering()
    plot = figure.subfigs[0].axes[0]
    numbers = {text.get_text(): text for text in plot.texts if text.get_text().isdigit() and text.get_bbox_patch()}
    frame = plot.get_window_extent()
    for number in range(1, len(found.regions) + 1):
        middle = numbers[str(number)].get_window_extent()
        assert frame.x0 <= middle.x0 <= middle.x1 <= frame.x1
        assert frame.y0 <= middle.y0 <= middle.y1 <= frame.y1


def test_the_result_in_python(tmp_path: Path) -> None:
    found = caregrid.problem("mailroom").regions(["agent E", "agent A"])
    assert found.at(3.0, 1.0).outcome.own == -13
    assert found.at(30.0, 9.0).outcome.own == -19
    with pytest.raises(BadValue, match="give 2, one an axis"):
        found.at(1.0)
    with pytest.raises(BadValue, match="domain"):
        found.at(-1.0, 0.0)
    frame = found.frame()
    assert list(frame["return agent E"]) == [0.0, 0.0, 0.2]
    assert found.save(tmp_path / "map.csv").exists()
    assert caregrid.problem("garden").regions("care").axes == ("care",)


def test_six_nutrients() -> None:
    found = caregrid.problem("gym:fruit-tree-v0").regions()
    assert len(found.axes) == 5
    assert len(found.regions) == 64


def test_places_that_cannot_be_written_are_refused_before_anything_is_solved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from craftworld import inference, regions

    def never(*_: object) -> None:
        pytest.fail("solved all the same")

    monkeypatch.setattr(regions, "solve_regions", never)
    monkeypatch.setattr(inference, "make_candidates", never)
    assert "choose one or two axes" in refused(capsys, "mailroom", "--out", str(tmp_path / "map.svg"))
    assert "did you mean 'png'" in refused(capsys, "garden", "--out", str(tmp_path / "map.pngg"))
    assert "kind of file" in refused(capsys, "garden", "--out", str(tmp_path / "map"))
    assert "folder" in refused(capsys, "garden", "--out", str(tmp_path / "none" / "map.png"))
    with pytest.raises(UnknownName, match="kind of file"):
        caregrid.problem("office_kitchen", "expected").infer(out=tmp_path / "values.npy")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_every_ending_that_is_promised_is_written(tmp_path: Path) -> None:
    found = caregrid.problem("garden").regions("agent 2")
    assert set(found.writers()) == set(found.endings)
    for ending in set(found.endings) - {"pgf"}:  # LaTeX writes it
        assert found.save(tmp_path / f"map.{ending}").stat().st_size


def test_progress(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[int, float]] = []
    axes = make_coefficient_axes(caregrid.problem("mailroom").exact)
    found = solve_regions(axes, 0.0, lambda done, expected: calls.append((done, expected)))
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert all(done < expected for done, expected in calls)
    assert calls[-1][0] < found.cover.solves <= max(expected for _, expected in calls)
    monkeypatch.setattr(effort, "FIRST_LINE_AFTER", 0.0)
    assert main(["regions", "mailroom"]) == 0
    assert re.search(r"of about \d+ plans: \d+%, about \d+ second", capsys.readouterr().err)
    assert main(["regions", "mailroom", "--quiet"]) == 0
    assert not capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupted_map_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "map.json"
    words = ["regions", "gym:fruit-tree-v0", "--set", "depth=7", "--discount", "0.9", "--out", str(target)]
    running = subprocess.Popen(
        [sys.executable, "-m", "caregrid", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stderr is not None
    first = running.stderr.readline()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert "plans" in first
    assert (running.returncode, out, err.splitlines()[-1]) == (130, "", "caregrid: interrupted")
    assert list(tmp_path.iterdir()) == []
