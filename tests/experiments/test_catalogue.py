"""Every experiment of the catalogue on its quick subset: it runs, repeats itself, shows something, its claims hold."""

from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from engine.errors import BadValue
from experiments.catalogue import CATALOGUE, check_experiment
from experiments.claims import FAILS, HOLDS
from experiments.experiment import NotEnoughRows
from experiments.figures.style import STYLES
from experiments.grid import SettingGrid
from experiments.results import Results
from experiments.runs.run_directory import RunDirectory
from experiments.runs.runner import run_experiment
from experiments.statistics.tables import statistics_tables
from tests.experiments.figure_checks import require_labels, require_printed, require_room, require_truetype

EVERY = [
    pytest.param(name, marks=[pytest.mark.slow] if CATALOGUE[name].extras else [], id=name)
    for name in CATALOGUE.names()
]


@pytest.mark.parametrize("name", EVERY)
def test_the_quick_subset_holds_what_the_paper_says(name: str, tmp_path: Path) -> None:
    experiment = CATALOGUE[name]
    summary = run_experiment(experiment, tmp_path, experiment.quick_settings)
    assert not summary.failures
    results = Results(RunDirectory(tmp_path, experiment))
    assert results.extent in ("quick", "whole")
    of_more_rows = {claim.says for claim in experiment.claims if claim.needs is not None}
    assert {verdict.says for verdict in results.claims if verdict.verdict == FAILS} == set()
    assert {verdict.says for verdict in results.claims if verdict.verdict != HOLDS} <= of_more_rows
    assert any(verdict.verdict == HOLDS for verdict in results.claims)
    assert all(comparison.ours is not None for comparison in results.comparisons)
    if experiment.figure is None:
        assert experiment.no_figure, "an experiment without a figure says why"
        assert results.table()
        with pytest.raises(BadValue, match="no figure: "):
            results.draw(tmp_path / "figure.png")
        return
    for style in STYLES:
        figure = results.figure(style)
        require_room(figure)
        require_labels(figure)
        require_printed(figure, len(experiment.published))
    require_truetype(results.figure())


@pytest.mark.parametrize("name", EVERY)
def test_a_few_units_are_shown_or_are_too_few(name: str, tmp_path: Path) -> None:
    """Any part of a grid may be there: its first unit, its last, both, none of the first setting's other values."""
    experiment = CATALOGUE[name]
    grid = SettingGrid(experiment.quick_settings)
    points = list(grid.points())
    first, last = (grid.setting(point) for point in (points[0], points[-1]))
    stored = {id(unit): [{**unit, **row} for row in experiment.run(**unit, key=0)] for unit in (first, last)}
    for part in ([first], [last], [first, last]):
        rows = [row for unit in part for row in stored[id(unit)]]
        shown = [experiment.table, experiment.figure, *(number.ours for number in experiment.published)]
        for show in (*filter(None, shown), partial(statistics_tables, experiment)):
            with suppress(NotEnoughRows):
                show(rows)


@pytest.mark.parametrize("name", EVERY)
def test_the_contract(name: str) -> None:
    check_experiment(CATALOGUE[name])


@pytest.mark.parametrize("name", EVERY)
def test_what_is_not_repeatable_measures_seconds(name: str) -> None:
    experiment = CATALOGUE[name]
    if not experiment.repeatable:
        grid = SettingGrid(experiment.quick_settings)
        rows = experiment.run(**grid.setting(next(grid.points())), key=0)
        assert any("seconds" in column for row in rows for column in row)
