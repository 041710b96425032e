"""Figures: nothing is cut off, what coincides is named together, styles and formats are those that are asked for."""

import io
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure
from matplotlib.legend import Legend

from caregrid.main import main
from engine.errors import BadValue, MissingExtra, UnknownName
from engine.grid import Cell
from experiments.catalogue.safety_gridworlds._penalised_level import draw_outcomes
from experiments.experiment import Rows, ScoreColumns
from experiments.figures.bars import PairOfBars, draw_paired_bars
from experiments.figures.curves import (
    Curve,
    choose_look,
    draw_curves,
    join_names,
    merge_curves,
    move_apart,
    place_steps,
)
from experiments.figures.heat_map import draw_battery
from experiments.figures.labels import format_label, format_name, format_title
from experiments.figures.learning_curves import draw_learners
from experiments.figures.paths import draw_paths
from experiments.figures.scores import draw_scores
from experiments.figures.style import COLOUR_MAP, STYLES, figure_style, new_figure, render_figure
from experiments.figures.trade_off import draw_trade_off
from tests.experiments.figure_checks import require_room, require_truetype
from tests.printed_json import printed_content
from xenv.battery import BatteryRow

LONG = "reality_check_published(sb3_dqn)"


def test_what_is_cut_off_is_found() -> None:
    figure = Figure()
    figure.text(0.99, 0.5, "far too long")
    with pytest.raises(AssertionError, match="'far too long' is cut off"):
        require_room(figure)


@pytest.mark.slow_cases(beyond=8)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("agents", [("q_learning",), ("simple", LONG), ("a", "b", "c", "d", "e", "f")])
@pytest.mark.parametrize("environments", [1, 3, 25, 50])
def test_a_heat_map_has_room_for_its_names(agents: tuple[str, ...], environments: int, style: str) -> None:
    names = [f"literal_opposite(adversarial_sequence_predictor_{number})" for number in range(environments)]
    with figure_style(style):
        figure = draw_battery([BatteryRow(agent, name, 1, 10, -3) for agent in agents for name in names])
    require_room(figure)


def test_a_heat_map_says_how_long_and_how_often_agents_were_run() -> None:
    runs = [BatteryRow("simple", "repeater", seed, 10_000, 3) for seed in (1, 2)]
    assert draw_battery(runs).get_suptitle() == "10,000 turns, mean of 2 seeds"
    assert draw_battery(runs[:1]).get_suptitle() == "10,000 turns, 1 seed"


def test_a_heat_map_reads_in_grey_and_keeps_opposites_together() -> None:
    """Colours grow lighter all the way (WCAG's relative luminance), environments stand above their opposites."""
    import matplotlib as mpl

    shades = mpl.colormaps[COLOUR_MAP](np.linspace(0, 1, 64))[:, :3] @ (0.2126, 0.7152, 0.0722)
    assert (np.diff(shades) > 0).all()
    names = ["opposite(adder)", "adder", "opposite(repeater)", "repeater"]
    figure = draw_battery([BatteryRow("random", name, 1, 10, -3) for name in names])
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["adder", "repeater", "opposite of adder", "opposite of repeater"]


def test_panels_of_bars_share_their_scale() -> None:
    panels = {"short": [PairOfBars("one", 1.0, 2.0)], "long": [PairOfBars("one", -4.0, 900.0)]}
    figure = draw_paired_bars(panels, ("first", "second"), "units", cut=5.0)
    assert len({axes.get_xlim() for axes in figure.axes}) == 1


def test_a_sweep_names_what_lies_below_its_axis() -> None:
    returns = [(-24.0, -1000.0)] + [(-25.0, -28.0)] * 40
    common = {"method": "exact", "scenario": "workshop", "formulation": "expected"}
    rows = [{**common, "care": care, "own": own, "total": own + other} for care, (own, other) in enumerate(returns)]
    axes = draw_trade_off(rows, ["newcomer"], [1.0]).axes[0]
    assert "below the axis: newcomer \u22121000, total \u22121024" in [text.get_text() for text in axes.texts]
    axes = draw_trade_off(rows[1:], ["newcomer"], []).axes[0]
    assert not any("below" in text.get_text() for text in axes.texts)


def test_a_sweep_marks_its_break_points_and_steps_there() -> None:
    common = {"method": "exact", "scenario": "workshop", "formulation": "expected"}
    rows = [{**common, "care": care, "own": own, "total": own - 9.0} for care, own in ((0.0, -1.0), (2.0, -3.0))]
    axes = draw_trade_off(rows, ["newcomer"], [1.25]).axes[0]
    assert "1.25" in [text.get_text() for text in axes.texts]
    assert list(axes.lines[0].get_xdata()) == [0.0, 1.25, 2.0]


def test_learned_returns_show_their_range_and_say_how_many_seeds() -> None:
    common = {"method": "q_learning", "scenario": "workshop", "formulation": "expected"}
    rows = [
        {**common, "care": care, "seed": seed, "own": -1.0 - seed, "total": -9.0 - care}
        for care in (0.0, 1.0)
        for seed in range(3)
    ]
    figure = draw_trade_off(rows, ["newcomer"], [])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["Q-learning, mean and range of 3 seeds"]
    [low, high] = figure.axes[0].collections[0].get_datalim(figure.axes[0].transData).intervaly
    assert (low, high) == (-3.0, -1.0)


def test_curves_that_coincide_are_drawn_once() -> None:
    curves = {
        "a, exact": Curve([0, 1], [1, 2]),
        "b": Curve([0, 1], [1, 3]),
        "a, learned": Curve([0, 1], [1, 2 + 1e-12]),
    }
    assert [names for names, _ in merge_curves(curves)] == [["a, exact", "a, learned"], ["b"]]
    axes = new_figure().subplots()
    draw_curves(axes, curves)
    assert [line.get_label() for line in axes.lines[:2]] == ["a, exact and learned", "b"]
    assert len({(line.get_marker(), line.get_linestyle()) for line in axes.lines[:2]}) == 2


def test_curves_differ_without_their_colours() -> None:
    looks = [choose_look(number) for number in range(49)]
    assert len({(look.marker, look.dashes) for look in looks}) == len(set(looks)) == 49
    assert len({look.dashes for look in looks[:7]}) == 7


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["x"], "x"),
        (["x", "y", "z"], "x, y and z"),
        (["own, a", "own, b"], "own, a and b"),
        (["own, a", "b"], "own, a and b"),
        (["own, a", "total, a"], "own and total, a"),
    ],
)
def test_joined_names(names: list[str], words: str) -> None:
    assert join_names(names) == words


def test_a_step_happens_at_the_only_break_point_before_it() -> None:
    curve = Curve([0.0, 1.0, 2.0], [5.0, 4.0, 4.0])
    assert place_steps(curve, [0.3, 1.5]) == Curve([0.0, 0.3, 1.0, 2.0], [5.0, 4.0, 4.0, 4.0])
    assert place_steps(curve, [0.3, 0.4]) == curve


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 0.3)), max_size=8))
def test_names_are_moved_apart_in_order(things: list[tuple[float, float]]) -> None:
    places, sizes = [place for place, _ in things], [size for _, size in things]
    moved = move_apart(places, sizes)
    order = sorted(range(len(things)), key=lambda number: places[number])
    for low, high in itertools.pairwise(order):
        assert moved[high] - moved[low] >= (sizes[low] + sizes[high]) / 2 - 1e-9
    gaps = [places[b] - places[a] - (sizes[a] + sizes[b]) / 2 for a, b in itertools.pairwise(order)]
    if all(gap > 1e-9 for gap in gaps):
        assert moved == pytest.approx(places)


def test_things_with_equal_numbers_share_a_bar() -> None:
    pairs = [PairOfBars("one", 1.0, -2.0), PairOfBars("two", 3.0, 900.0), PairOfBars("three", 1.0, -2.0)]
    figure = draw_paired_bars({"panel": pairs}, ("first", "second"), "units", cut=5.0)
    [axes] = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["one, three", "two"]
    assert {"900", "\u22122"} <= {text.get_text() for text in axes.texts}
    assert len([line for line in axes.lines if line.get_color() == "white"]) == 2  # the break of the bar that is cut
    assert max(patch.get_width() for patch in axes.patches) == 5.0


def test_paths_that_coincide_are_named_together_beside_their_ends() -> None:
    start, goal = Cell(1, 1), Cell(1, 2)
    paths = {"care 0": [start, goal], "care 1": [start, goal], "care 2": [start]}
    figure = draw_paths(["#######", "#     #", "#     #", "#     #", "#######"], {"goal": [goal]}, paths)
    [axes] = figure.axes
    assert {" ".join(text.get_text().split()) for text in axes.texts} == {"care 0 and care 1", "care 2", "goal"}
    assert not figure.findobj(Legend)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    ends = [line.get_window_extent() for line in axes.lines if line.get_marker() not in ("None", "o", "")]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(ends, 2))


def test_a_path_without_room_beside_its_end_is_named_below_the_map() -> None:
    figure = draw_paths([" "], {}, {"the longest possible name of a path": [Cell(0, 0)]})
    [legend] = figure.findobj(Legend)
    assert isinstance(legend, Legend)
    assert [text.get_text() for text in legend.get_texts()] == ["the longest possible name of a path"]


def _learned(seeds: int) -> Rows:
    """Gaps of two learners at three checkpoints: seed s is optimal from checkpoint s + 1 on."""
    return [
        {"world": "playroom", "care": 10.0, "learner": learner, "seed": seed, "turns": 1000 * (checkpoint + 1)}
        | {"optimum": -5.0, "greedy_return": -5.0 if checkpoint > seed else -105.0}
        for learner in ("stacked_dqn", "stacked_a2c")
        for seed in range(seeds)
        for checkpoint in range(3)
    ]


def test_each_learner_has_a_panel_with_its_band_and_its_seeds() -> None:
    figure = draw_learners(_learned(2))
    assert len(figure.axes) == 2
    for axes, letter in zip(figure.axes, "ab", strict=True):
        assert f"{{{letter}}}" in axes.get_title("left")
        assert [line.get_gid() for line in axes.lines].count("seed") == 2
        [middle] = [line for line in axes.lines if line.get_gid() == "median"]
        assert middle.get_linewidth() > max(line.get_linewidth() for line in axes.lines if line is not middle)
        assert list(np.asarray(middle.get_ydata())) == [100.0, 50.0, 0.0]
        [band] = axes.collections
        assert set(np.asarray(band.get_paths()[0].vertices)[:, 1]) == {0.0, 100.0}
        assert {text.get_text(): text.xy[0] for text in axes.texts} == {"1": 2000.0, "2": 3000.0}


def test_numbers_of_seeds_stand_beside_each_other_where_they_are_optimal_first() -> None:
    turns = {1000: 800, 2000: 4000, 3000: 4200}
    rows = [{**row, "turns": turns[int(str(row["turns"]))]} for row in _learned(2)]
    figure = draw_learners([{**row, "learner": learner} for row in rows for learner in ("a", "b", "c", "d")])
    figure.draw_without_rendering()
    for axes in figure.axes:
        boxes = [text.get_window_extent() for text in axes.texts]
        assert [text.get_text() for text in axes.texts] == ["1", "2"]
        assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_names_of_curves_stand_apart_from_the_last_points_however_narrow_the_panel() -> None:
    figure = new_figure(6.0, 2.0)
    every = figure.subplots(1, 4)
    for axes in every:
        draw_curves(axes, {"a": Curve([0, 1], [0, 1])})
    figure.draw_without_rendering()
    for axes in every:
        [name] = [text for text in axes.texts if text.get_text() == "a"]
        last = axes.transData.transform((1, 1))[0]
        assert name.get_window_extent().x0 - last > 2 * name.get_fontsize() * figure.dpi / 72


def test_side_effects_are_known_without_colours() -> None:
    """Red and green were alike to readers who see no green: hatching tells now what the two shares of a strip are."""
    rows: Rows = [
        {
            "level": "sushi_2",
            "agent": "one",
            "seed": 0,
            "from": low,
            "to": low + 1.0,
            "own": own,
            "performance": own - off,
        }
        for low, own, off in ((1.0, 1.0, 0.0), (2.0, 1.0, 1.0), (3.0, 0.0, 0.0), (4.0, 0.0, 1.0))
    ]
    figure = draw_outcomes(rows, "coefficient", (1.0, 10.0))
    [legend] = figure.legends
    hatched = {
        text.get_text(): patch.get_hatch() for text, patch in zip(legend.get_texts(), legend.get_patches(), strict=True)
    }
    assert {name: bool(hatch) for name, hatch in hatched.items()} == {
        "done, no side effect": False,
        "not done, no side effect": False,
        "done, side effect": True,
        "not done, side effect": True,
    }
    assert hatched["done, side effect"] != hatched["not done, side effect"]
    assert figure.axes[0].get_title("left") == "sushi 2"


def test_the_lowest_panel_of_each_column_numbers_its_axis() -> None:
    from experiments.catalogue.multislot.threshold import experiment

    rows: Rows = [
        {"pay": pay, "n": 1, "m": 1, "k": 1, "horizon": 2, "accepts": True, "indifferent": False}
        for pay in ("1", "2", "3", "4", "5")
    ]
    assert experiment.figure is not None
    with figure_style("paper"):
        panels = [axes for axes in experiment.figure(rows).axes if axes.get_title("left")]
    numbered = [axes.xaxis.get_tick_params()["labelbottom"] for axes in panels]
    assert numbered == [axes.get_xlabel() == "copies n (slots)" for axes in panels] == [False, True, True, True, True]


def test_profiles_have_a_panel_for_each_learner() -> None:
    methods = ("dqn", "ppo", "reality_check(dqn)", "reality_check(ppo)")
    rows: Rows = [
        {"method": method, "environment": name, "seed": seed, "score": place + seed / 10}
        for method in methods
        for place, name in enumerate(("one", "two"))
        for seed in range(3)
    ]
    columns = ScoreColumns(score="score", method="method", environment="environment")
    figure = draw_scores(rows, columns, "score", {})
    titles = [axes.get_title("left") for axes in figure.axes]
    assert [title.split("$")[-1].strip() for title in titles] == ["", "DQN", "ppo", ""]
    assert [title.split("{")[-1][0] for title in titles] == ["a", "b", "c", "d"]
    figure = draw_scores([row for row in rows if "(" not in str(row["method"])], columns, "score", {})
    assert len(figure.axes) == 3


def test_names_of_places_stand_where_no_path_passes_and_things_are_drawn() -> None:
    """Drawn at its size, no name touches a path or another name, though a path leads up through every named cell."""
    rows = ["#######", "#     #", "#     #", "#     #", "#######"]
    paths = {"up": [Cell(3, 2), Cell(2, 2), Cell(1, 2)], "along": [Cell(2, 4), Cell(2, 3), Cell(2, 2), Cell(1, 2)]}
    features = {"start": [Cell(3, 2)], "garden": [Cell(2, 2)], "goal": [Cell(1, 2)]}
    figure = draw_paths(rows, features, paths, {"fence": [Cell(2, 2)]})
    figure.draw_without_rendering()
    [axes] = figure.axes
    boxes = {text.get_text(): text.get_window_extent() for text in axes.texts}
    assert set(boxes) == {"start", "garden,\nfence", "goal", "up", "along"}
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes.values(), 2))
    for line in axes.lines:
        x, y = line.get_data()
        along = np.linspace(0, len(x) - 1, 200) if len(x) else []
        places = np.column_stack([np.interp(along, range(len(x)), part) for part in (x, y)]) if len(x) else []
        points = axes.transData.transform(places) if len(x) else []
        assert not any(box.contains(*point) for box in boxes.values() for point in points)
    assert [patch.get_hatch() for patch in axes.patches if patch.get_hatch()] == ["xx"]


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("q_learning", "Q-learning"),
        ("reality_check(sb3_dqn)", "DQN (SB3) + reality check"),
        ("opposite(reality_check(simple))", "opposite of simple + reality check"),
        ("always:1", "always 1"),
        ("my_module:my_agent", "my module:my agent"),
        ("odd(name", "odd(name"),
        ("two\nlines \u202e", "two lines \\u202e"),
        ("x" * 100, "x" * 30 + " ... " + "x" * 15),
    ],
)
def test_identifiers_are_names_for_readers(identifier: str, name: str) -> None:
    assert format_name(identifier) == name


def test_titles_have_names_for_readers() -> None:
    assert format_title("garden, per_agent, q_learning, care 1") == (
        "garden, a coefficient for each agent (Eq. 4), Q-learning, care 1"
    )


def test_labels_are_names_that_matplotlib_can_write() -> None:
    assert [format_label(name) for name in ("fc", "$\\bad{", "q_learning")] == ["$f_c$", r"\$\bad{", "Q-learning"]


def test_styles() -> None:
    with figure_style("slides") as slides:
        large = new_figure(4.0, 2.0)
        letters = large.subplots().xaxis.label.get_fontsize()
    assert list(large.get_size_inches()) == [4.0 * slides.size, 2.0 * slides.size]
    assert letters == slides.letters > STYLES["paper"].letters
    assert list(new_figure(4.0, 2.0).get_size_inches()) == [4.0, 2.0]
    with pytest.raises(UnknownName, match="poster"), figure_style("poster"):
        raise AssertionError


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_figure_is_the_same_bytes(kind: str) -> None:
    def drawn() -> bytes:
        figure = new_figure(2.0, 1.0)
        figure.subplots().plot([0, 1], [0, 1])
        return render_figure(figure, kind)

    assert drawn() == drawn()


def test_letters_of_an_svg_are_letters() -> None:
    figure = new_figure(2.0, 1.0)
    figure.subplots().set_xlabel("caring coefficient")
    assert b">caring coefficient</text>" in render_figure(figure, "svg")


FAKE = """#!{python}
import sys
for line in sys.stdin:
    if "pgf_backend_query_start" in line:
        print("*pgf_backend_query_start\\n\\n*", end="", flush=True)
    elif r"\\typeout{{\\the\\wd0" in line:
        print("\\n40.0pt,7.0pt,2.0pt\\n\\n*", end="", flush=True)
    elif "@@end" in line:
        break
"""


def test_a_pgf_is_code_for_latex_which_has_to_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib as mpl

    def drawn(pixels: bool = False) -> bytes:
        figure = new_figure(2.0, 1.0)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], label="a line") if not pixels else axes.imshow([[0, 1]])
        return render_figure(figure, "pgf")

    heat_map = draw_battery([BatteryRow("random", name, 1, 10, -3) for name in ("repeater", "adder")])
    with mpl.rc_context({"pgf.texsystem": "xelatex"}):
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(MissingExtra, match=r"a \.pgf needs LaTeX, and 'xelatex' is not installed"):
            drawn()
        (tmp_path / "xelatex").write_text(FAKE.format(python=sys.executable))
        (tmp_path / "xelatex").chmod(0o755)
        code = drawn()
        assert code.startswith(b"%% Creator: Matplotlib, PGF backend")
        assert b"\\begin{pgfpicture}" in code
        assert code == drawn()
        assert b"\\begin{pgfpicture}" in render_figure(heat_map, "pgf")
        with pytest.raises(BadValue, match=r"a \.pgf cannot hold its pixels"):
            drawn(pixels=True)


def test_letters_and_dots_are_fit_for_print() -> None:
    from matplotlib.image import imread

    figure = new_figure(2.0, 1.0)
    figure.subplots().set_xlabel("care")
    require_truetype(figure)
    assert imread(io.BytesIO(render_figure(figure, "png"))).shape[:2] == (300, 600)


@pytest.fixture
def stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run with a figure."""
    out = tmp_path / "run"
    command = "run tests.experiments.workloads:counting --quick --engine serial --quiet --out"
    assert main([*command.split(), str(out)]) == 0
    capsys.readouterr()
    return out


STARTS = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}


@pytest.mark.slow_cases(beyond=3)
@pytest.mark.parametrize(("words", "name"), [
    (["--format", "pdf"], "figure.pdf"),
    (["--format", "svg", "--style", "slides"], "figure.svg"),
    ([], "figure.png"),
    (["--out", "x.pdf"], "x.pdf"),
    (["--out", "x", "--format", "svg"], "x.svg"),
    (["--out", "x.svg", "--format", "svg"], "x.svg"),
])  # fmt: skip
def test_draw_writes_what_is_asked_for(
    stored: Path, words: list[str], name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(stored)
    assert main(["draw", str(stored), "--trust", *words, "--json"]) == 0
    assert Path(printed_content(capsys.readouterr().out)["figure"]).name == name
    assert (stored / name).read_bytes().startswith(STARTS[name.rpartition(".")[2]])


@pytest.mark.slow_cases("words4")
@pytest.mark.parametrize(("words", "message"), [
    (["--out", "x.png", "--format", "pdf"], "'x.png' is not a pdf"),
    (["--out", "x.gif"], "'x.gif' is not a picture"),
    (["--out", "x"], "'x' is not a picture"),
    (["--style", "poster"], "poster"),
    (["--format", "gif"], "gif"),
])  # fmt: skip
def test_draw_refuses_in_one_line(
    stored: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(stored)
    before = sorted(stored.iterdir())
    assert _exit_code(["draw", str(stored), "--trust", *words]) == 2
    assert message in capsys.readouterr().err
    assert sorted(stored.iterdir()) == before


def test_draw_says_why_there_is_no_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    assert (
        main(["run", "multislot/theorem_1", "--set", "steps=1", "--engine", "serial", "--quiet", "--out", str(out)])
        == 0
    )
    capsys.readouterr()
    assert main(["draw", "multislot/theorem_1", "--from", str(out), "--out", str(tmp_path / "t1.png")]) == 2
    output = capsys.readouterr()
    assert not output.out
    assert output.err.count("\n") == 1
    assert "no figure: " in output.err
    assert not (tmp_path / "t1.png").exists()


def _exit_code(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as stop:
        return int(str(stop.code))


def test_figures_of_scores_need_one_complete_run() -> None:
    from experiments.experiment import NotEnoughRows, ScoreColumns
    from experiments.figures.scores import draw_scores

    columns = ScoreColumns(score="reward", method="agent", environment="world")
    rows = [
        {"agent": agent, "seed": seed, "world": f"w{world}", "reward": float(np.sin(seed + world)) + len(agent)}
        for agent in ("a", "bb")
        for seed in range(4)
        for world in range(6)
    ]
    figure = draw_scores(rows, columns, "reward per turn", {"a": 1.0})
    assert len(figure.axes) == 3
    require_room(figure)
    with pytest.raises(NotEnoughRows):
        draw_scores([rows[0], {**rows[1], "seed": 9}], columns, "reward per turn", {})
