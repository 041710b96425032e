"""The world of a suite, NAME or NAME,OPTION=VALUE,..., as one in which behaviour is observed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.bench.suite import split_world
from experiments.caring_problem import parse_options

if TYPE_CHECKING:
    from craftworld.identification.behaviour import ObservedWorld


def make_observed_world(world: str) -> ObservedWorld:
    """Make the world; UnknownName or BadValue for what cannot be made."""
    from craftworld.identification.behaviour import ObservedWorld

    name, options = split_world(world)
    return ObservedWorld.make(name, None, parse_options(options))
