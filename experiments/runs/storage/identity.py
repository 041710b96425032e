"""What all units of a directory have in common; every unit's checksum is keyed with it.

    checksum = BLAKE2b(body; key = BLAKE2b(experiment, version, seed, names of the settings))

A unit of anything else therefore never passes for one of ours, wherever its line or file is put.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from experiments.experiment import Experiment

KEY_BYTES = 32


class Identity(NamedTuple):
    """settings: the names of the settings, in the order of the alphabet."""

    experiment: str
    version: int
    seed: int
    settings: tuple[str, ...]

    @property
    def key(self) -> bytes:
        """What the checksums of the units are keyed with."""
        return _key(self)

    def difference(self, stored: Mapping[str, Any]) -> str:
        """The first thing in which a stored identity differs, "seed 0, not of seed 1"; "" where nothing does.

        What `stored` does not say, as in the manifests of older releases, differs from nothing.
        """
        for what, ours in self._asdict().items():
            theirs = stored.get(what, ours)
            theirs = tuple(theirs) if isinstance(theirs, list) else theirs
            if theirs != ours:
                return f"{what} {_words(theirs)}, not of {what} {_words(ours)}"
        return ""


def identity_of(experiment: Experiment, seed: int) -> Identity:
    """What the units of an experiment and a seed have in common."""
    return Identity(experiment.name, experiment.version, seed, tuple(sorted(experiment.settings)))


def stored_identity(content: Any) -> Identity | None:
    """The identity that a file declares, None where it is none."""
    try:
        settings = tuple(content["settings"])
        identity = Identity(content["experiment"], content["version"], content["seed"], settings)
    except (KeyError, TypeError):
        return None
    plain = isinstance(identity.experiment, str) and all(isinstance(name, str) for name in settings)
    return identity if plain and type(identity.version) is type(identity.seed) is int else None


def _words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


@functools.lru_cache(maxsize=64)
def _key(identity: Identity) -> bytes:
    return hashlib.blake2b(json.dumps(identity).encode(), digest_size=KEY_BYTES).digest()
