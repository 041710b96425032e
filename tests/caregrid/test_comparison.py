"""Comparisons: a panel a behaviour, the segments of `breakpoints` on a number line, returns as bars."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import caregrid
from caregrid.main import main
from caregrid.programmes.caring.comparison import draw_path_comparison, list_care_segments
from craftworld.scenarios import SCENARIOS
from craftworld.solution.exact_solution import describe_policy_outcome
from engine.errors import BadValue
from engine.scene import Bars, NumberLine
from tests.printed_json import printed_content


@pytest.mark.parametrize("name", ["workshop_auto", "playroom", "garden", "toll_road", "common_meadow"])
def test_segments_are_those_between_the_break_points(name: str) -> None:
    problem = caregrid.problem(name)
    scene = problem.compare().scene
    (line,) = (chart for chart in scene.charts if isinstance(chart, NumberLine))
    points = [point for point in problem.breakpoints().points if point > 0]
    assert line.points == pytest.approx(points)
    assert len(line.stretches) == len(points) + 1
    captions = [panel.caption for panel in scene.panels]
    assert captions[0].startswith("care 0")
    assert captions[-1].startswith("care 0") or captions[-1].endswith("and more")
    assert [row["own"] for row in problem.compare().rows()] == [row["own"] for row in problem.breakpoints().rows()]


def test_equal_coefficients_are_one_panel() -> None:
    problem = caregrid.problem("playroom")
    panels = problem.compare("0,0.5,1,10").scene.panels
    assert [panel.caption for panel in panels] == ["all paths", "care 0 to 1", "care 10"]
    (alone,) = problem.compare("0,1").scene.panels
    assert alone.caption == "care 0 to 1"


def test_bars_hold_the_returns_and_the_longest_are_broken() -> None:
    panels = caregrid.problem("workshop").compare().scene.panels
    bars = [chart for panel in panels for chart in panel.charts if isinstance(chart, Bars)]
    assert {bar.limit for bar in bars} == {45.0}
    assert [(bar.label, bar.number) for bar in bars[0].bars] == [("own", -24.0), ("newcomer", -1000.0)]


def test_the_number_line_names_what_is_done_that_was_not_done_before() -> None:
    (line,) = caregrid.problem("workshop").compare().scene.charts
    assert [stretch.label for stretch in line.stretches] == [
        "", "+ put down the key", "+ take an extra hammer, leave the extra hammer", "another way",
        "+ take extra wood, leave the extra wood",
    ]  # fmt: skip


def test_more_behaviours_than_looks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caregrid.programmes.caring.comparison.MOST_BEHAVIOURS", 2)
    problem = caregrid.problem("workshop_auto").exact
    assert len(list_care_segments(problem)) > 2
    with pytest.raises(BadValue, match="can be told apart"):
        draw_path_comparison([problem], ())


def test_the_command_writes_every_segment_by_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "paths.png"
    assert main(["compare", "garden", "--out", str(out), "--json"]) == 0
    rows = printed_content(capsys.readouterr().out)["rows"]
    assert [row["own"] for row in rows] == [-6.0, -10.0, -62.0]
    assert out.stat().st_size > 1000


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(("name", "begins"), [("paths.pdf", b"%PDF"), ("paths.SVG", b"<?xml")])
def test_a_comparison_is_a_picture_for_a_paper(name: str, begins: bytes, tmp_path: Path) -> None:
    assert main(["compare", "garden", "--care", "0", "--out", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_other_pictures_are_refused_before_anything_is_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("caregrid.programmes.caring.comparison.draw_path_comparison", lambda *_: pytest.fail("solved"))
    assert main(["compare", "garden", "--care", "0", "--out", str(tmp_path / "paths.xyz")]) == 2
    assert "unknown kind of picture 'xyz'; choose from gif, html" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("name", SCENARIOS.names())
def test_no_glyph_stands_for_two_things_and_no_name_for_two_glyphs(name: str) -> None:
    scenario = caregrid.problem(name).scenario
    marks = scenario.scene(next(iter(scenario.starts()))).marks
    pairs = {(mark.glyph, mark.name) for mark in marks}
    assert len({glyph for glyph, _ in pairs}) == len(pairs)
    assert len({label for _, label in pairs}) == len(pairs)


def test_a_policy_that_does_not_always_end_says_with_which_probability() -> None:
    """With the key in one of several places, a policy that waits for ever where it is in the first of them."""
    problem = caregrid.problem("workshop_auto", set={"key_start": "uniform"})
    mdp = problem.exact.mdp
    first, *others = map(int, mdp.start_states())
    policy = problem.train(care=0.0).policy
    actions = policy.actions.copy()
    waits = int(np.flatnonzero(mdp.next_state[first, :, 0] == first)[0])
    actions[first] = waits
    poor = replace(policy, actions=mdp.executable(actions))
    scene = draw_path_comparison([problem.exact], [0.0], [poor])
    ends = float(mdp.start[others].sum())
    assert scene.panels[-1].caption.endswith(f": ends with probability {ends:.3g}, cut after 1000 steps")
    assert describe_policy_outcome(problem.exact, poor.actions).ends == pytest.approx(ends)
