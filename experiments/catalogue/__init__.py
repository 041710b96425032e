"""All experiments, one file each, named after package and file: `be_considerate/table_1`.

A new experiment is a new file with a module-level `experiment = Experiment(...)`; nothing lists it by hand. One of a
user's own is `my_file:experiment`.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import sys
from types import ModuleType
from typing import Any

from engine.contracts import Contract, require_parameters
from engine.errors import ContractBroken
from engine.registry import Registry
from engine.user_code import describe_place, user_code
from experiments.experiment import Experiment, Rows, UnitSetting
from experiments.runs.unit import make_unit_key, normalise_rows
from experiments.setting_grid import SettingGrid

ABOVE = "caregrid.experiments"
"""Where experiments lie that need what is above this package, such as wrapped worlds; only looked into by file name."""


class Catalogue(Registry[Experiment]):
    """Read-only mapping from "package/file" to experiment, each under the name it was found by."""

    def __init__(self, package: str = "experiments.catalogue", also: tuple[str, ...] = ()) -> None:
        group = "caregrid.experiments"
        super().__init__(
            package, "experiment", _pick_experiment, accept=EXPERIMENT.accept, group=group, also=also, nested=True
        )

    def __getitem__(self, name: str) -> Experiment:
        """Return the experiment; UnknownName, BadValue or ContractBroken where it cannot be had."""
        known = self.current_name(name)
        return dataclasses.replace(super().__getitem__(name), name=known if known in self.names() else name.strip())


EXPERIMENT = Contract[Experiment]("experiment", instance_of=Experiment)


def check_experiment(experiment: Experiment) -> None:
    """Run an experiment's first quick unit twice, as a worker does, and check its rows and claims.

    `run` must be a module's function (or a partial of one) of the settings and `key`, which gives a list of flat rows,
    the same for the same key, and does not contradict its setting; claims must be functions of rows.

    Parameters
    ----------
    experiment : Experiment

    Raises
    ------
    ContractBroken
        For the first thing that is wrong, in one line.

    Examples
    --------
    >>> check_experiment(CATALOGUE["multislot/threshold"])
    """
    check_definition(experiment)
    check_rows(experiment, _run_unit(experiment, _find_first_setting(experiment)))


def check_definition(experiment: Experiment) -> None:
    """Check an experiment without running it."""
    CATALOGUE.accept(experiment)
    function = experiment.run.func if isinstance(experiment.run, functools.partial) else experiment.run
    module = sys.modules.get(getattr(function, "__module__", ""))
    if getattr(module, getattr(function, "__name__", ""), None) is not function:
        raise ContractBroken(
            f"run is {getattr(function, '__qualname__', function)}",
            place=experiment.name or experiment.reproduces,
            remedy="make it a function of a module, for workers import it by name",
        )
    setting = _find_first_setting(experiment)
    try:
        inspect.signature(experiment.run).bind(**setting, key=0)
    except TypeError as error:
        remedy = f"it is called as {_show_call(setting)}"
        raise ContractBroken(f"run: {error}", place=describe_place(function), remedy=remedy) from None
    for claim in experiment.claims:
        require_parameters(claim.holds, 1, "holds(rows)")


def check_rows(experiment: Experiment, first: Rows) -> None:
    """Run the first quick unit again, and with others. first: the rows that it gave with seed 0."""
    setting = _find_first_setting(experiment)
    second = _run_unit(experiment, setting)
    if experiment.together:
        _check_together(experiment, SettingGrid(experiment.quick_settings), first)
    if experiment.repeatable and first != second:
        raise ContractBroken(
            f"{_show_call(setting)} gave other rows the second time",
            place=describe_place(experiment.run),
            remedy="draw from the key, or say repeatable=False",
        )


def _find_first_setting(experiment: Experiment) -> UnitSetting:
    grid = SettingGrid(experiment.quick_settings)
    return grid.setting(next(grid.points()))


def _show_call(setting: UnitSetting) -> str:
    return f"run({', '.join([*setting, 'key'])})"


def _check_together(experiment: Experiment, grid: SettingGrid, first: Rows) -> None:
    """ContractBroken where `together` does not give for each of a few units what `run` gives."""
    assert experiment.together is not None
    settings = [grid.setting(point) for point in itertools.islice(grid.points(), 3)]
    with user_code(f"{experiment.name or experiment.reproduces}, together"):
        found = experiment.together(settings)
    alone = [first, *(_run_unit(experiment, setting) for setting in settings[1:])]
    try:
        rows = [normalise_rows(of_unit, setting) for of_unit, setting in zip(found, settings, strict=True)]
    except (TypeError, ValueError, ContractBroken) as error:
        remedy = "return a list with a list of rows for each setting"
        raise ContractBroken(f"together: {error}", place=describe_place(experiment.together), remedy=remedy) from None
    if rows != alone:
        remedy = "let run and together use one function"
        raise ContractBroken(
            "together gave other rows than run", place=describe_place(experiment.together), remedy=remedy
        )


def _run_unit(experiment: Experiment, setting: UnitSetting) -> Rows:
    with user_code(f"{experiment.name or experiment.reproduces}, run"):
        rows = experiment.run(**setting, key=make_unit_key(experiment.name, 0, setting))
    try:
        return normalise_rows(rows, setting)
    except ContractBroken as error:
        raise ContractBroken(error.problem, place=describe_place(experiment.run), remedy=error.remedy) from None


def _pick_experiment(module: ModuleType) -> Any:
    if not hasattr(module, "experiment"):
        raise ContractBroken("no experiment in it", place=describe_place(module), remedy="define 'experiment' there")
    return module.experiment


CATALOGUE = Catalogue(also=(ABOVE,))
