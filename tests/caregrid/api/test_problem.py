"""`caregrid.problem`: what the commands print, from names and from objects, and files of every kind."""

import functools
import itertools
import math
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import caregrid
from caregrid.main import main
from craftworld.formulations import FORMULATIONS
from craftworld.levels.conveyor_belt import ConveyorBelt
from craftworld.others.value_distribution import ValueDistribution
from craftworld.scenario import Scenario
from craftworld.scenarios.workshop import Workshop
from craftworld.scenarios.workshop_auto import WorkshopAuto
from engine.errors import BadFile, BadValue, ContractBroken, MapError, UnknownName
from engine.mdp.mdp import Floats
from tests.printed_json import printed_content

PROBLEM = caregrid.problem("workshop")
DRAWING = """
##########
#E..K...T#
#........#
#...WF..X#
##########
"""


@caregrid.at_the_end(weighs=ValueDistribution)
def worst_of_all(others: ValueDistribution) -> Floats:
    """The worst possibility, once again."""
    return others.value[others.probability > 0].min(axis=0)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


def test_break_points_are_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    points = PROBLEM.breakpoints()
    assert printed(capsys, "breakpoints", "workshop") == f"{points.text()}\n"
    whole = points.as_dict() | {"cost": points.cost_dict()}
    assert printed_content(printed(capsys, "breakpoints", "workshop", "--json"), "breakpoints") == whole
    assert points.points == pytest.approx((1 / 972, 0.4, 1.0, 14 / 3))
    frame = points.frame()
    assert list(frame.columns) == ["care_from", "care_to", "own", "newcomer", "total"]
    assert frame["own"].tolist() == [-24, -25, -27, -31, -45]
    assert frame["care_to"].iloc[-1] == math.inf
    assert PROBLEM.breakpoints(care_min=0.5, care_max=2).frame()["care_to"].tolist() == [1.0, 2.0]
    with pytest.raises(BadValue, match="empty"):
        PROBLEM.breakpoints(care_min=2, care_max=1)


def test_a_solution_has_path_policy_and_heat_maps(capsys: pytest.CaptureFixture[str]) -> None:
    solution = PROBLEM.solve(care=3)
    assert printed(capsys, "solve", "workshop", "--care", "3") == f"{solution.text()}\n"
    assert (solution.own, solution.others, solution.total) == (-31.0, {"newcomer": -19.0}, -50.0)
    assert len(solution.path) == len(solution.actions) + 1 == 32
    rows = Workshop().grid.rows
    for cell, following in zip(solution.path, solution.path[1:], strict=False):
        assert abs(cell.row - following.row) + abs(cell.column - following.column) <= 1
        assert rows[cell.row][cell.column] != "#"
    assert set(solution.values) == {"own value", "newcomer's value", "augmented value"}
    for heat in solution.values.values():
        assert heat.shape == solution.policy.shape == Workshop().grid.shape
        assert np.isnan(heat[0]).all()
    assert solution.values["own value"][solution.path[0]] == solution.own
    assert solution.values["augmented value"][solution.path[0]] == solution.own + 3 * solution.others["newcomer"]
    assert solution.policy[solution.path[0]] == solution.actions[0]
    assert len(solution.film()) == 32 + 20
    with pytest.raises(BadValue, match="care is nan; give a finite number"):
        PROBLEM.solve(math.nan)


def test_chance_is_drawn_from_a_seed_and_values_are_exact() -> None:
    problem = caregrid.problem("icy_yard", set={"slip": 0.3})
    first, again, *others = [problem.solve(0, seed=seed) for seed in (0, 0, 1, 2, 3)]
    assert first.path == again.path
    assert any(other.path != first.path for other in others)
    assert {solution.own for solution in (first, *others)} == {first.own}
    assert first.film().scenes == problem.film(0).scenes
    assert len(first.film()) == len(first.path) + sum(map(len, first.episodes[1:]))


def test_objects_give_what_names_give(tmp_path: Path) -> None:
    expected = PROBLEM.breakpoints().as_dict()
    (tmp_path / "own.txt").write_text("\n".join(Workshop().grid.rows))
    for scenario, more in (
        (Workshop, {}),
        (Workshop(), {}),
        ("workshop", {"map": Workshop().grid}),
        (Workshop, {"map": "\n".join(Workshop().grid.rows)}),
        (Workshop, {"map": tmp_path / "own.txt"}),
        ("workshop", {"formulation": FORMULATIONS["expected"]}),
        ("workshop", {"set": {"key_start": "K1"}}),
        ("workshop", {"set": ["key_start=K1"]}),
    ):
        assert caregrid.problem(scenario, **more).breakpoints().as_dict() == expected
    own = caregrid.problem("workshop_auto", worst_of_all)
    assert own.formulation == "worst_of_all"
    assert own.breakpoints().rows() == caregrid.problem("workshop_auto", "worst_case").breakpoints().rows()


@pytest.mark.parametrize("formulation", ["attainable_utility_inaction", "relative_reachability_inaction"])
def test_objects_plan_with_the_past_as_names_do(formulation: str) -> None:
    expected = caregrid.problem("conveyor_belt", formulation).breakpoints().as_dict()
    for scenario, more in ((ConveyorBelt(), {}), ("conveyor_belt", {"map": "\n".join(ConveyorBelt().grid.rows)})):
        given = caregrid.problem(scenario, formulation, **more)
        assert given.breakpoints().as_dict() == expected
        assert given.sweep([1.0]).rows() == caregrid.problem("conveyor_belt", formulation).sweep([1.0]).rows()


def test_a_cycle_that_gains_where_another_start_leads_is_not_in_the_picture() -> None:
    names = ("safe_interruptibility", "attainable_utility_starting_state")
    solution = caregrid.problem(*names, discount=1.0).solve(-1.5)
    assert solution.as_dict()["own"] == solution.own == 42.0
    assert len(solution.film()) == len(solution.path)
    values = [each.solution.values["augmented value"][each.chapter.states[0]] for each in solution.episodes[:1]]
    assert np.isfinite(values).all()


def test_a_world_from_elsewhere_is_a_problem_too(tmp_path: Path) -> None:
    lake = caregrid.problem(caregrid.wrap("FrozenLake-v1"))
    assert lake.breakpoints().as_dict() == caregrid.problem("gym:FrozenLake-v1").breakpoints().as_dict()
    solution = lake.solve(0, seed=3)
    assert solution.own == pytest.approx(14 / 17)
    assert solution.values["own value"].shape == solution.policy.shape == (4, 4)
    assert solution.values["own value"][0, 0] == pytest.approx(14 / 17)
    assert solution.path[0] == (0, 0)
    assert len(solution.film()) >= len(solution.path)
    sweep = lake.sweep([0, 1], out=tmp_path / "lake")
    assert sweep.rows() == caregrid.problem("gym:FrozenLake-v1").sweep([0, 1]).rows()
    assert lake.precompute().frame()["next agent"].iloc[0] == pytest.approx(14 / 17)
    with pytest.raises(BadValue, match="made already"):
        caregrid.problem(caregrid.wrap("FrozenLake-v1"), map=DRAWING)


def test_a_drawn_map_and_an_option() -> None:
    small = caregrid.problem("workshop", map=DRAWING.replace("...WF", "K..WF"), set={"key_start": "uniform"})
    assert len(small.solve(1).cases) == 2
    assert small.solve(1).frame()["probability"].sum() == 1.0


def test_what_cannot_be_made_is_refused_at_once(tmp_path: Path) -> None:
    for arguments, more, error, message in (
        (("worksop",), {}, UnknownName, "did you mean 'workshop'"),
        (("workshop", "expcted"), {}, UnknownName, "did you mean 'expected'"),
        (("workshop",), {"set": {"key": "K1"}}, BadValue, "did you mean 'key_start'"),
        (("workshop",), {"map": DRAWING.replace("W", "?")}, MapError, "unknown glyph"),
        (("workshop",), {"map": "missing.txt"}, BadFile, "missing.txt: map file not found"),
        ((Workshop(),), {"map": DRAWING}, BadValue, "made already"),
        ((Workshop(),), {"set": {"key_start": "K2"}}, BadValue, "made already"),
        ((Scenario,), {}, ContractBroken, "no 'is_terminal'"),
        ((3,), {}, ContractBroken, "is not a scenario"),
        (("workshop", max), {}, ContractBroken, "formulation"),
    ):
        with pytest.raises(error, match=message) as caught:
            caregrid.problem(*arguments, **more)
        assert "\n" not in str(caught.value).partition("\n#")[0]
    with pytest.raises(BadValue, match="discount"):
        caregrid.problem("workshop", discount=2).solve()
    with pytest.raises(BadFile, match="file not found"):
        caregrid.problem("workshop", values=tmp_path / "none.npz").solve()


def test_a_sweep_writes_nothing_unless_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sweep = caregrid.problem("workshop_auto").sweep(care=[0, 0.5, 2])
    assert sweep.directory is None
    assert list(tmp_path.iterdir()) == []
    assert sweep.frame()["care"].tolist() == [0, 0.5, 2]
    assert sweep.rows() == caregrid.problem("workshop_auto").sweep("0,0.5,2").rows()
    assert sweep.rows() == caregrid.problem(WorkshopAuto()).sweep(np.array([0, 0.5, 2])).rows()
    for care in ("", [], ["x"], [math.inf], "1:0"):
        with pytest.raises(BadValue):
            PROBLEM.sweep(care)
    with pytest.raises(BadValue, match="no agent 'guess'; choose from exact"):
        PROBLEM.sweep(1, method="guess")


@pytest.mark.slow
def test_a_sweep_of_an_object_is_learned_by_workers_and_goes_on(tmp_path: Path) -> None:
    settings = {"care": "0.5,2", "method": "both", "steps": 2000, "seeds": [3]}
    named = caregrid.problem("workshop_auto").sweep(**settings)
    out = tmp_path / "one"
    given = caregrid.problem(WorkshopAuto()).sweep(**settings, out=out, workers=2)
    assert given.rows() == named.rows()
    units = {path: path.stat().st_mtime_ns for path in (out / "units").iterdir()}
    again = caregrid.problem(WorkshopAuto()).sweep(**settings, out=out)
    assert again.rows() == named.rows()
    assert units == {path: path.stat().st_mtime_ns for path in (out / "units").iterdir()}
    assert sorted(path.name for path in out.iterdir() if path.is_file()) == [
        "CITATION.bib",
        "CITATION.cff",
        "breakpoints.json",
        "manifest.json",
        "sweep.csv",
        "sweep.png",
    ]
    with pytest.raises(BadFile, match="holds results"):
        caregrid.problem(WorkshopAuto(), own=2).sweep(**settings, out=out)
    assert main(["draw", str(out)]) == 2


def test_precomputed_values_come_back(tmp_path: Path) -> None:
    problem = caregrid.problem("workshop_auto")
    values = problem.precompute()
    file = values.save(tmp_path / "values.npz")
    expected = problem.breakpoints().as_dict()
    for given in (values, values.distribution, file, str(file)):
        assert caregrid.problem("workshop_auto", values=given).breakpoints().as_dict() == expected
    assert len(values.frame()) == len(problem.exact.mdp.states)
    assert values.frame()["newcomer"].tolist() == values.distribution.value[0].tolist()
    [histogram] = values.figure().axes
    assert sum(bar.get_height() for bar in histogram.patches) == problem.exact.mdp.terminal.sum()
    with pytest.raises(BadValue, match="method is 'guess'; give one of exact, q_learning"):
        problem.precompute(method="guess")


def test_bars_of_values_stand_beside_each_other() -> None:
    [axes] = caregrid.problem("mail_round").precompute().figure().axes
    spans = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches if bar.get_height())
    assert all(left[1] <= right[0] + 1e-9 for left, right in itertools.pairwise(spans))
    assert len({bar.get_hatch() for bar in axes.patches}) == 4


def test_paths_beside_each_other() -> None:
    paths = caregrid.problem("workshop_auto").compare([0, 2], ["expected", FORMULATIONS["worst_case"]])
    assert paths.frame()[["formulation", "care"]].values.tolist() == [
        ["expected", 0],
        ["expected", 2],
        ["worst_case", 0],
        ["worst_case", 2],
    ]


@functools.cache
def results_to_save():
    problem = caregrid.problem("workshop_auto")
    return problem.breakpoints(), problem.solve(2), problem.sweep("0,2")


@pytest.mark.slow_cases("pdf", "svg", "html")
@pytest.mark.parametrize("ending", ["csv", "json", "npz", "png", "svg", "pdf", "txt", "html", "tex"])
def test_results_are_written_by_the_ending(tmp_path: Path, ending: str) -> None:
    if ending == "tex":
        pytest.importorskip("jinja2")
    segments, solution, _ = results_to_save()
    for number, result in enumerate(results_to_save()):
        first, second = (result.save(tmp_path / f"{number}-{copy}.{ending}") for copy in range(2))
        assert first.read_bytes() == second.read_bytes()
        assert first.stat().st_size > 20
    if ending == "csv":
        frame = pd.read_csv(tmp_path / "0-0.csv")
        assert frame["own"].tolist() == segments.frame()["own"].tolist()
    if ending == "tex":
        table = (tmp_path / "0-0.tex").read_text()
        assert r"care\_from" in table
        assert "-6 &" not in table.replace("-26 &", "")
    if ending == "npz":
        with zipfile.ZipFile(tmp_path / "1-0.npz") as archive:
            assert {"policy.npy", "own_value.npy", "path.npy"} <= set(archive.namelist())
        np.testing.assert_array_equal(np.load(tmp_path / "1-0.npz")["policy"], solution.policy)


def test_an_unknown_ending_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    for name in ("x.xyz", "x"):
        with pytest.raises(UnknownName, match="kind of file"):
            PROBLEM.breakpoints().save(tmp_path / name)
    with pytest.raises(BadFile, match="cannot write"):
        PROBLEM.breakpoints().save(tmp_path / "missing" / "x.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_notebook_shows_tables_pictures_and_a_player() -> None:
    problem = caregrid.problem("workshop_auto")
    solution = problem.solve(2)
    for shown in (problem, solution, problem.sweep("0,2")):
        page, picture = shown._repr_html_(), shown._repr_png_()
        assert 'src="data:image/png;base64,' in page
        assert "<script" not in page
        assert picture.startswith(b"\x89PNG")
        assert repr(shown)
    film = solution.film()._repr_html_()
    assert film.startswith("<iframe")
    assert "&lt;script&gt;" in film
    assert "://" not in film


def test_a_sweep_of_one_coefficient_has_one_row() -> None:
    assert caregrid.problem("garden").sweep(care="1").text() == "1 row, break points none"
