"""From what a user names to an experiment: a name of the catalogue, a module's own, a sweep file or a run directory.

    be_considerate/table_1        my_module:experiment        sweep.toml        a run directory

A sweep file (TOML) names an experiment, or a scenario with formulations, care, agents and seeds.

    experiment = "be_considerate/figure_1b"      scenario = "workshop"              (or a list)
    seeds = 10                                   formulations = ["expected"]        (default: the scenario's own)
                                                 care = "0:7:0.01"                  (default: 0)
    [settings]                                   agents = ["exact", "q_learning"]   (default: exact; any agent)
    care = "0:7:0.5"                             steps = 700_000                    (of a learning agent)
                                                 seeds = 8                          (default: 1)

Values are a word, a number, a list of them, or a text as on the command line ("0,1,5", "0:7:0.01").
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import BadFile, BadValue, UnknownName
from engine.files import read_text
from engine.user_code import names_of_file, names_user_code, require_trusted, require_trusted_content
from experiments.catalogue import CATALOGUE
from experiments.experiment import Experiment, Scalar, SettingValues
from experiments.ranges import parse_seed_range
from experiments.runs.run_directory import RESULTS, has_run, read_manifest
from experiments.setting_grid import parse_setting_values, parse_words

OF_AN_EXPERIMENT = ("experiment", "settings", "seeds")
OF_A_SCENARIO = {
    "scenario": "scenario",
    "formulations": "formulation",
    "care": "care",
    "agents": "agent",
    "steps": "steps",
}
NAMES = ("scenario", "formulation")


class SweepFile(NamedTuple):
    """The experiment and settings that a sweep file asks for, and its content with the file's name under "file"."""

    experiment: Experiment
    settings: SettingValues
    content: dict[str, Any]


def read_sweep(path: Path, scenario_name: Callable[[str], str] = str, trust: bool = False) -> SweepFile:
    """Return the experiment and settings of a sweep file; errors name the file, the key and the nearest valid choice.

    scenario_name: from a scenario as the file spells it to its name here. trust: whether code that the file names may
    be imported.
    """
    text = read_text(path, what="the sweep file", remedy="name a TOML file or an experiment")
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFile(f"not TOML: {error}", place=str(path), remedy="see docs/experiments.md") from None
    except (ValueError, RecursionError) as error:  # thousands of digits, or of nested brackets
        raise BadFile(f"cannot be read: {error}", place=str(path), remedy="see docs/experiments.md") from None
    with names_of_file(path, trust):
        return parse_sweep(_resolve_scenarios(content, scenario_name, path), path)


def _resolve_scenarios(content: dict[str, Any], scenario_name: Callable[[str], str], path: Path) -> dict[str, Any]:
    """Return the content with its scenarios by their names here."""
    spelled = content.get("scenario")
    words = [word.strip() for word in spelled.split(",")] if isinstance(spelled, str) else spelled
    if not isinstance(words, list):
        return content
    try:
        names = [scenario_name(word) if isinstance(word, str) else word for word in words]
    except (UnknownName, BadValue) as error:
        raise BadValue(error.problem, place=f"{path}, key 'scenario'", remedy=error.remedy) from error
    return content if names == words else {**content, "scenario": names}


def parse_sweep(content: Mapping[str, Any], path: Path) -> SweepFile:
    """Return the same from a file's content; `path` is what errors and the run directory are named after."""
    _require_known(content, (*OF_AN_EXPERIMENT, *OF_A_SCENARIO), path)
    if ("experiment" in content) == ("scenario" in content):
        both = "experiment" in content
        problem = f"it names {'both an' if both else 'no'} experiment {'and a' if both else 'and no'} scenario"
        remedy = "leave one of them out" if both else "add experiment = NAME, or scenario = NAME"
        raise BadValue(problem, place=str(path), remedy=remedy)
    read = _parse_experiment if "experiment" in content else _parse_scenario
    experiment, settings, entries = read(content, path)
    for key, (name, value) in entries.items():
        settings[name] = _parse_values(key, name, value, experiment.settings, path)
    if "scenario" in content:
        _require_sensible(settings, "steps" in content, path)
    if "seeds" in content:
        settings["seed"] = _parse_seeds(content["seeds"], experiment.settings, path)
    return SweepFile(experiment, settings, {"file": path.name, **content})


FileEntries = dict[str, tuple[str, Any]]


def _parse_experiment(
    content: Mapping[str, Any], path: Path
) -> tuple[Experiment, dict[str, tuple[Scalar, ...]], FileEntries]:
    """Return the experiment, the settings to start from, and key -> (setting, what the file says)."""
    _require_known(content, OF_AN_EXPERIMENT, path)
    name = content["experiment"]
    if not isinstance(name, str):
        raise BadValue(f"{name!r} is not a name", place=f"{path}, key 'experiment'", remedy="write it in quotes")
    try:
        experiment = CATALOGUE[name]
    except UnknownName:
        raise UnknownName("experiment", name, CATALOGUE.names(), place=f"{path}, key 'experiment'") from None
    entries = content.get("settings", {})
    if not isinstance(entries, dict):
        raise BadValue(
            "it is not a table", place=f"{path}, key 'settings'", remedy="write [settings] and lines below it"
        )
    return experiment, dict(experiment.settings), {key: (key, value) for key, value in entries.items()}


def _parse_scenario(
    content: Mapping[str, Any], path: Path
) -> tuple[Experiment, dict[str, tuple[Scalar, ...]], FileEntries]:
    from experiments.catalogue.be_considerate._care_sweep import caring_sweep

    _require_known(content, (*OF_A_SCENARIO, "seeds"), path)
    start = {**caring_sweep.settings, "formulation": (None,), "agent": ("exact",)}
    return caring_sweep, start, {key: (name, content[key]) for key, name in OF_A_SCENARIO.items() if key in content}


def _require_sensible(settings: SettingValues, learning_is_given: bool, path: Path) -> None:
    """BadValue for values that their kind allows and the worlds do not: no steps, a formulation that does not fit."""
    from craftworld.scenario_maker import make_scenario
    from craftworld.scenarios import SCENARIOS
    from craftworld.solution.problem import require_applicable

    for steps in settings["steps"] if learning_is_given else ():
        if not isinstance(steps, int) or steps < 1:
            raise BadValue(f"{steps} steps", place=f"{path}, key 'steps'", remedy="take at least one step")
    for scenario in settings["scenario"]:
        make_scenario(SCENARIOS[str(scenario)])  # which complains where there is none, or where a user's own is broken
    for scenario, formulation in itertools.product(settings["scenario"], settings["formulation"]):
        if formulation is not None:
            require_applicable(make_scenario(SCENARIOS[str(scenario)]), str(formulation), f"{path}, key 'formulations'")


def _require_known(content: Mapping[str, Any], keys: tuple[str, ...], path: Path) -> None:
    for key in content:
        if key not in keys and key != "file":
            raise UnknownName("key", key, keys, place=str(path))


def _parse_values(key: str, name: str, value: Any, declared: SettingValues, path: Path) -> tuple[Scalar, ...]:
    """Return the values of one key, in the kind that the experiment declares for the setting it stands for."""
    place = f"{path}, key '{key}'"
    if name not in declared:
        raise UnknownName("setting", name, declared, place=place)
    words = (
        parse_words(value, place) if isinstance(value, str) else tuple(value) if isinstance(value, list) else (value,)
    )
    own = tuple(word for word in words if name in NAMES and isinstance(word, str) and names_user_code(word))
    for word in own:
        require_trusted(word, name)
    if name == "agent":
        from experiments.training import require_trainable

        own = tuple(word for word in words if isinstance(word, str) and word not in declared[name])
        for word in own:
            require_trainable(word, place, [str(known) for known in declared[name]])
    return parse_setting_values(name, words, {**declared, name: (*declared[name], *own)}, place)


def _parse_seeds(value: Any, declared: SettingValues, path: Path) -> tuple[Scalar, ...]:
    if isinstance(value, list):
        return _parse_values("seeds", "seed", value, declared, path)
    place = f"{path}, key 'seeds'"
    if isinstance(value, str):
        return parse_setting_values("seed", parse_seed_range(value, place), declared, place)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadValue(f"{value!r} seeds", place=place, remedy="give a number, a list or a range such as '0:10'")
    return parse_setting_values("seed", parse_seed_range(str(value), place), declared, place)


class Target(NamedTuple):
    """What a user names.

    settings: those asked for. origin: the content of its sweep file, if any. directory: where its results go unless
    --out names another place.
    """

    experiment: Experiment
    settings: SettingValues
    origin: dict[str, Any] | None
    directory: Path

    def directory_of(self, seed: int) -> Path:
        """Where results of a seed go: those of seed 0 into `directory`, others beside it."""
        return self.directory.with_name(f"{self.directory.name}-seed-{seed}") if seed else self.directory


def resolve_target(target: str, scenario_name: Callable[[str], str] = str, trust: bool = False) -> Target:
    """Return what `caregrid run TARGET` means; UnknownName with the nearest names where nothing is called so.

    scenario_name: from a scenario as a sweep file spells it to its name here. trust: import code that the file names.
    """
    if target.endswith(".toml"):
        sweep = read_sweep(path := Path(target), scenario_name, trust)
        return Target(*sweep, directory=choose_directory(sweep.experiment, path.stem))
    return _find_experiment(target)


def _find_experiment(name: str) -> Target:
    experiment = CATALOGUE[name]
    return Target(experiment, experiment.settings, None, choose_directory(experiment, experiment.name))


def choose_directory(experiment: Experiment, name: str) -> Path:
    """Where results of an experiment go by default: a place of its own for every version but the first."""
    later = f"-version-{experiment.version}" if experiment.version != 1 else ""
    return Path(RESULTS) / f"{name.replace(':', '-')}{later}"


def find_stored_target(
    target: str, directory: str | None, scenario_name: Callable[[str], str] = str, trust: bool = False
) -> tuple[Target, Path, int]:
    """Return an experiment, the run directory to read (`target` may be one itself) and its seed."""
    if directory is None and has_run(Path(target)):
        directory = target
        target = ""
    if directory is None:
        named = resolve_target(target, scenario_name, trust)
        return named, named.directory, _read_seed(named.directory)
    read = Path(directory)
    named = resolve_target(target, scenario_name, trust) if target else read_target(read, trust)
    return named, Path(directory), _read_seed(Path(directory))


def read_target(directory: Path, trust: bool = False) -> Target:
    """Return the experiment that a run directory holds; UntrustedCode where it names code, unless `trust` says so."""
    manifest = read_manifest(directory)
    if not manifest:
        raise BadFile("no run in it", place=str(directory), remedy="name a directory that 'caregrid run' made")
    with names_of_file(directory, trust):
        require_trusted_content([manifest.get("experiment"), manifest.get("origin")], "experiment")
        return _make_manifest_target(manifest, directory)


def _make_manifest_target(manifest: dict[str, Any], directory: Path) -> Target:
    origin = manifest.get("origin")
    if isinstance(origin, dict) and "request" in origin:
        from experiments.requests import read_request

        experiment = read_request(origin).experiment()
        return Target(experiment, experiment.settings, origin, directory)
    if origin:
        return Target(*parse_sweep(origin, directory), directory=directory)
    return _find_experiment(str(manifest["experiment"]))._replace(directory=directory)


def _read_seed(directory: Path) -> int:
    seed = read_manifest(directory).get("seed", 0)
    return seed if isinstance(seed, int) else 0
