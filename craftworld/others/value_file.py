"""Saving and loading a ValueDistribution as `.npz`: plain arrays, no pickle, and a fingerprint of what it was made for.

The fingerprint covers the scenario's table (which its map and options decide), who comes after, how likely and by which
rules; a file made for anything else is refused. How the values were made (method, seed, steps) is kept as a note beside
them.

`ARRAYS` maps a field of the distribution to its key in the file; the baseline keeps the key of the first files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from craftworld.others.named_others import newcomers_of
from craftworld.others.value_distribution import ValueDistribution
from craftworld.scenario import Scenario
from engine.errors import BadFile
from engine.mdp.mdp import TabularMDP
from engine.storage.array_file import read_arrays, write_arrays

FORMAT = "caregrid values 3"
ARRAYS = {"value": "value", "probability": "probability", "weight": "weight", "baseline_value": "untouched"}
REMEDY = "make it again with 'caregrid precompute'"
WORDS = ("names", "owners", "fixed")


def fingerprint(scenario: Scenario, mdp: TabularMDP) -> str:
    """32 hexadecimal digits: the same for the same world, newcomers and discount, on every machine.

    Of a newcomer's world count its class and its attributes that are numbers or words.
    """
    digest = hashlib.blake2b(digest_size=16)
    newcomers = [
        (n.name, n.owner, float(n.probability).hex(), float(n.weight).hex(), n.swept, _settings(n.scenario))
        for n in newcomers_of(scenario)
    ]
    words = [type(scenario).__name__, list(scenario.grid.rows), list(mdp.actions), float(mdp.discount).hex(), newcomers]
    digest.update(json.dumps(words).encode())
    arrays: list[tuple[Any, str]] = [
        (mdp.next_state, "<i4"),
        (mdp.reward, "<f8"),
        (mdp.terminal, "u1"),
        (mdp.start, "<f8"),
    ]
    arrays += [] if mdp.is_deterministic else [(mdp.probability, "<f8")]
    arrays += [] if mdp.available is None else [(mdp.available, "u1")]
    for array, kind in arrays:
        digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    return digest.hexdigest()


def _settings(scenario: Scenario) -> list[Any]:
    """A scenario's class and those of its attributes that are numbers or words, in order of their names."""
    plain = {name: value for name, value in vars(scenario).items() if isinstance(value, int | float | str)}
    return [type(scenario).__name__, *([name, repr(plain[name])] for name in sorted(plain))]


def save_values(path: str | Path, others: ValueDistribution, mark: str, note: Mapping[str, Any]) -> None:
    """Write a file, completely or not at all. mark: the fingerprint; note: how the values were made (JSON)."""
    arrays: dict[str, Any] = {key: getattr(others, name) for name, key in ARRAYS.items()}
    arrays |= {name: np.array(getattr(others, name), dtype=np.str_) for name in WORDS}
    write_arrays(path, {"format": FORMAT, "fingerprint": mark, "note": dict(note)}, arrays)


def values_for(scenario: Scenario, mdp: TabularMDP, path: str | Path) -> ValueDistribution:
    """The values of a file, which must be those of the scenario's own newcomers; BadFile as from `load_values`.

    How likely they are may differ from the scenario: `caregrid infer --out` writes what demonstrations say of it.
    mdp: the acting agent's table of the scenario.
    """
    others, _ = load_values(path, fingerprint(scenario, mdp))
    listed = newcomers_of(scenario)
    belongs = (
        others.names == tuple(n.name for n in listed)
        and others.owners == tuple(n.owner or n.name for n in listed)
        and others.fixed == tuple(n.owner or n.name for n in listed if not n.swept)
        and all(0.0 <= probability <= 1.0 for probability in others.probability.tolist())
        and others.weight.tolist() == [float(n.weight) for n in listed]
    )
    if not belongs:
        raise BadFile("its newcomers are not the scenario's", place=str(path), remedy=REMEDY)
    return others


def load_values(path: str | Path, mark: str) -> tuple[ValueDistribution, dict[str, Any]]:
    """The values of a file and its note. BadFile where it is missing, corrupt, foreign or made for another world."""
    place = str(path)
    header, found = read_arrays(path, [*ARRAYS.values(), *WORDS], "values", REMEDY)
    arrays = dict(zip([*ARRAYS, *WORDS], found, strict=True))
    if header.get("format") != FORMAT:
        raise BadFile("not a file of values", place=place, remedy=REMEDY)
    if header.get("fingerprint") != mark:
        raise BadFile("its values were made for another scenario, map or setting", place=place, remedy=REMEDY)
    _check(arrays, place)
    fields: dict[str, Any] = {name: tuple(str(word) for word in arrays[name]) for name in WORDS}
    fields |= {name: arrays[name].astype(np.float64) for name in ARRAYS}
    note = header.get("note", {})
    if not isinstance(note, dict):
        raise BadFile("its note is not a list of settings", place=place, remedy=REMEDY)
    return ValueDistribution(**fields), note


def _check(arrays: Mapping[str, Any], place: str) -> None:
    """Refuse arrays that do not fit together or are not finite."""
    count = len(arrays["names"]) if arrays["names"].ndim == 1 else -1
    shapes_fit = (
        arrays["value"].ndim == 2
        and len(arrays["value"]) == count
        and all(arrays[name].shape == (count,) for name in ("probability", "weight", "baseline_value", "owners"))
    )
    numeric = shapes_fit and all(arrays[name].dtype.kind == "f" for name in ARRAYS)
    if not numeric or not all(np.isfinite(arrays[name]).all() for name in ARRAYS):
        raise BadFile("its arrays do not fit together", place=place, remedy=REMEDY)
