"""From what a user names to an experiment: a name of the catalogue, a module's own, or a sweep file.

be_considerate/table_1        my_module:experiment        sweep.toml        a run directory
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import BadFile
from engine.storage.trusted_names import names_of_file, require_trusted_content
from experiments.catalogue import CATALOGUE
from experiments.experiment import Experiment, SettingValues
from experiments.requests import request_of
from experiments.runs.storage.manifest import has_run, read_manifest

RESULTS = "results"


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
    """What `caregrid run TARGET` means; UnknownName with the nearest names where nothing is called so.

    scenario_name: from a scenario as a sweep file spells it to its name here. trust: import code that the file names.
    """
    if target.endswith(".toml"):
        from experiments.sweep_file import read_sweep

        sweep = read_sweep(path := Path(target), scenario_name, trust)
        return Target(*sweep, directory=default_directory(sweep.experiment, path.stem))
    return _named_experiment(target)


def _named_experiment(name: str) -> Target:
    experiment = CATALOGUE[name]
    return Target(experiment, experiment.settings, None, default_directory(experiment, experiment.name))


def default_directory(experiment: Experiment, name: str) -> Path:
    """Where results of an experiment go by default: a place of its own for every version but the first."""
    later = f"-version-{experiment.version}" if experiment.version != 1 else ""
    return Path(RESULTS) / f"{name.replace(':', '-')}{later}"


def stored_target(
    target: str, directory: str | None, scenario_name: Callable[[str], str] = str, trust: bool = False
) -> tuple[Target, Path, int]:
    """An experiment, the run directory to read (`target` may be one itself) and its seed."""
    if directory is None and has_run(Path(target)):
        directory = target
        target = ""
    if directory is None:
        named = resolve_target(target, scenario_name, trust)
        return named, named.directory, _seed_of(named.directory)
    read = Path(directory)
    named = resolve_target(target, scenario_name, trust) if target else target_of_directory(read, trust)
    return named, Path(directory), _seed_of(Path(directory))


def target_of_directory(directory: Path, trust: bool = False) -> Target:
    """The experiment that a run directory holds; UntrustedCode where it names code, unless `trust` says so."""
    manifest = read_manifest(directory)
    if not manifest:
        raise BadFile("no run in it", place=str(directory), remedy="name a directory that 'caregrid run' made")
    with names_of_file(directory, trust):
        require_trusted_content([manifest.get("experiment"), manifest.get("origin")], "experiment")
        return _target_of_manifest(manifest, directory)


def _target_of_manifest(manifest: dict[str, Any], directory: Path) -> Target:
    origin = manifest.get("origin")
    if isinstance(origin, dict) and "request" in origin:
        experiment = request_of(origin).experiment()
        return Target(experiment, experiment.settings, origin, directory)
    if origin:
        from experiments.sweep_file import sweep_of

        return Target(*sweep_of(origin, directory), directory=directory)
    return _named_experiment(str(manifest["experiment"]))._replace(directory=directory)


def _seed_of(directory: Path) -> int:
    seed = read_manifest(directory).get("seed", 0)
    return seed if isinstance(seed, int) else 0
