"""A sweep file (TOML) names an experiment and the values to run.

    experiment = "be_considerate/figure_1b"
    seeds = 10

    [settings]
    care = "0:7:0.5"

Values are a word, a number, a list of them, or a text as on the command line ("0,1,5", "0:7:0.01").
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import BadFile, BadValue, UnknownName
from experiments.catalogue import CATALOGUE
from experiments.experiment import Experiment, Scalar, Settings, check_settings
from experiments.grid import parse_words, setting_values
from experiments.lookup import RESULTS, Found

OF_AN_EXPERIMENT = ("experiment", "settings", "seeds")


def read_sweep(path: Path) -> Found:
    """The experiment and settings of a sweep file; errors name the file, the key and the nearest valid choice."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadFile("no such sweep file", place=str(path), remedy="name a TOML file or an experiment") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile("cannot read the sweep file", place=str(path)) from error
    except tomllib.TOMLDecodeError as error:
        raise BadFile(f"not TOML: {error}", place=str(path), remedy="see docs/experiments.md") from None
    return sweep_of(content, path)


def sweep_of(content: Mapping[str, Any], path: Path) -> Found:
    """The same from a file's content; `path` is what errors and the run directory are named after."""
    if "experiment" not in content:
        raise BadValue("it names no experiment", place=str(path), remedy='add experiment = "NAME"')
    experiment, declared, given = _of_experiment(content, path)
    settings = dict(declared)
    for name, value in given.items():
        settings[name] = _values(name, value, experiment.settings, path)
    if "seeds" in content:
        settings["seed"] = _seeds(content["seeds"], experiment.settings, path)
    return Found(experiment, settings, Path(RESULTS) / path.stem, {"file": path.name, **content})


def _of_experiment(content: Mapping[str, Any], path: Path) -> tuple[Experiment, Settings, Mapping[str, Any]]:
    _known(content, OF_AN_EXPERIMENT, path)
    name = content["experiment"]
    if not isinstance(name, str):
        raise BadValue(f"{name!r} is no name", place=f"{path}, key 'experiment'", remedy="write it in quotes")
    if name not in CATALOGUE:
        raise UnknownName("experiment", name, CATALOGUE.names(), place=f"{path}, key 'experiment'")
    given = content.get("settings", {})
    if not isinstance(given, dict):
        raise BadValue("it is no table", place=f"{path}, key 'settings'", remedy="write [settings] and lines below it")
    return CATALOGUE[name], CATALOGUE[name].settings, given


def _known(content: Mapping[str, Any], keys: tuple[str, ...], path: Path) -> None:
    for key in content:
        if key not in keys and key != "file":
            raise UnknownName("key", key, keys, place=str(path))


def _values(name: str, value: Any, declared: Settings, path: Path) -> tuple[Scalar, ...]:
    """The values of one key, in the declared kind."""
    place = f"{path}, key"
    words: tuple[Scalar, ...]
    if isinstance(value, str):
        words = parse_words(value, f"{place} '{name}'")
    elif isinstance(value, list):
        check_settings({name: tuple(value)}, str(path))
        words = tuple(value)
    else:
        words = (value,)
    check_settings({name: words}, str(path))
    return setting_values(name, words, declared, place)


def _seeds(value: Any, declared: Settings, path: Path) -> tuple[Scalar, ...]:
    if isinstance(value, list):
        return _values("seed", value, declared, path)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadValue(f"{value!r} seeds", place=f"{path}, key 'seeds'", remedy="give a number or a list of seeds")
    return setting_values("seed", range(value), declared, f"{path}, key")
