"""Every experiment of the catalogue on its quick subset: it runs, comes out again, shows something, its claims hold."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from engine.errors import BadValue
from experiments.catalogue import CATALOGUE, check_definition, check_rows
from experiments.experiment import Experiment, NotEnoughRows, Rows
from experiments.figures.style import STYLES
from experiments.results import FAILS, HOLDS, Results
from experiments.runs.run_directory import RunDirectory
from experiments.runs.runner import run_experiment
from experiments.runs.unit import StoredUnit
from experiments.setting_grid import SettingGrid
from experiments.statistics import make_statistics_tables
from tests.experiments.figure_checks import require_labels, require_printed, require_room

LONG = (
    "be_considerate/figure_3",
    "be_considerate/side_effects",
    "be_considerate/table_2",
    "counterfactual/lobbying_power",
    "extended_environments/table_2",
    "multislot/teleportation",
    *(name for name in CATALOGUE.names() if name.startswith("safety_gridworlds/")),
)
"""Of these the default suite has the first unit."""
LEARNED = [f"identification/{name}" for name in ("calibration", "drift", "recovery")]
"""`tests/craftworld/test_identification.py` has fewer agents."""


@pytest.mark.slow_cases(*LONG, *LEARNED, *(name for name in CATALOGUE.names() if CATALOGUE[name].extras))
@pytest.mark.parametrize("name", CATALOGUE.names())
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
    units = list(results.units)
    _require_contract(experiment, units)
    _require_shown_or_too_few(experiment, units)
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


@pytest.mark.parametrize("name", LONG)
def test_the_first_unit_contradicts_no_claim_and_comes_out_again(name: str, tmp_path: Path) -> None:
    experiment = CATALOGUE[name]
    grid = SettingGrid(experiment.quick_settings)
    first = {column: (value,) for column, value in grid.setting(next(grid.points())).items()}
    assert not run_experiment(experiment, tmp_path, first).failures
    results = Results(RunDirectory(tmp_path, experiment))
    assert not [verdict.says for verdict in results.claims if verdict.verdict == FAILS]
    _require_contract(replace(experiment, quick=first), list(results.units))


def _require_contract(experiment: Experiment, units: Sequence[StoredUnit]) -> None:
    """Of what is learned one unit, for it takes seconds; `test_learners` compares lanes with what each is alone."""
    grid = SettingGrid(experiment.quick_settings)
    setting = grid.setting(next(grid.points()))
    (first,) = [unit.rows for unit in units if unit.setting == setting]
    if experiment.learned:
        experiment = replace(experiment, quick={name: (value,) for name, value in setting.items()})
    check_definition(experiment)
    check_rows(experiment, first)
    measured = {column for row in first for column in row if "seconds" in column}
    assert experiment.repeatable or measured, "what does not come out again measures seconds"


def _require_shown_or_too_few(experiment: Experiment, units: Sequence[StoredUnit]) -> None:
    """Of the first unit, the last, and both, everything can be shown, or says that rows are missing."""
    shown = (experiment.table, experiment.figure, *(number.ours for number in experiment.published))
    for part in (units[:1], units[-1:], [units[0], units[-1]]):
        rows: Rows = [{**unit.setting, **row} for unit in part for row in unit.rows]
        for show in (*filter(None, shown), partial(make_statistics_tables, experiment)):
            with suppress(NotEnoughRows):
                show(rows)
