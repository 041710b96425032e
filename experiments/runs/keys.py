"""The canonical form of a setting, and what follows from it: a unit's id and its random key.

    canonical_json(s) = JSON of s, names sorted, numbers in shortest form
    id  = BLAKE2b(experiment, version, seed, canonical_json(s))
    key = split(split(split(0, seed), experiment), canonical_json(s))

Neither depends on the engine, the worker, the order of work or the process, which is why the same bytes come out.
"""

from __future__ import annotations

import hashlib
import json

from engine.randomness.counter_based import split
from experiments.experiment import Scalar, UnitSetting

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def canonical_json(setting: UnitSetting) -> str:
    """One text for equal settings: names sorted, no spaces, -0.0 written as 0.0."""
    return _CANONICAL.encode({name: _positive_zero(value) for name, value in setting.items()})


def _positive_zero(value: Scalar) -> Scalar:
    return value + 0.0 if isinstance(value, float) else value


def unit_id(experiment: str, version: int, seed: int, setting: UnitSetting) -> str:
    """The name of a unit's file: 32 hexadecimal digits."""
    text = f"{experiment}\n{version}\n{seed}\n{canonical_json(setting)}"
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def unit_key(experiment: str, seed: int, setting: UnitSetting) -> int:
    """The random key of a unit: a function of the experiment's name, its seed and the setting, of nothing else."""
    return split(split(split(0, seed), experiment), canonical_json(setting))
