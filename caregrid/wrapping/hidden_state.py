"""What an environment's code can reach beside its attributes, as a part of its state (`engine.reach` finds it).

A place is a part of the state where a reset or a step changes it. `find_moving_places` sees that in plain episodes;
`Hidden` then offers these places as attributes, so that they are saved, restored and known as any attribute is.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from caregrid.wrapping.family import WorldFamily
from engine.mdp.enumeration.frozen_values import freeze_value, is_opaque, read_attributes
from engine.mdp.enumeration.linked_generators import DrawSource, find_drawing_generator, link, seed_modules
from engine.reach import HidingPlace, is_drawing, is_trusted, list_names, make_attribute_place, reach


class Watch:
    """The values of places as they were, so that it is seen which have changed, and all can be put back."""

    def __init__(self, places: Mapping[str, HidingPlace]) -> None:
        self.places = dict(places)
        self._kept = {label: _copy_or_keep(place.read()) for label, place in places.items()}
        self._frozen = {label: _freeze(place.read()) for label, place in places.items()}

    def find_changed(self) -> set[str]:
        """Return the labels of places that hold another value than before."""
        return {label for label, place in self.places.items() if _freeze(place.read()) != self._frozen[label]}

    def put_back(self, labels: Iterable[str]) -> None:
        """Write the former values of places."""
        for label in labels:
            self.places[label].write(self._kept[label])


def _freeze(value: Any) -> Any:
    try:
        return type(value).__qualname__ if is_opaque(value) else freeze_value(value)
    except Exception:  # a foreign object may fail when it is looked at
        return id(value)


def _copy_or_keep(value: Any) -> Any:
    if is_opaque(value):
        return value
    try:
        return copy.deepcopy(value)
    except Exception:  # windows, files and sockets raise what they like
        return value


class Hidden:
    """Places that are a part of the state, as the attributes of an object: a layer beside environment and wrappers."""

    def __init__(self, places: Mapping[str, HidingPlace]) -> None:
        self._places = dict(places)

    def read(self) -> dict[str, Any]:
        """Return what the places hold, by their labels."""
        return {label: place.read() for label, place in self._places.items()}

    def write(self, values: Mapping[str, Any]) -> None:
        """Put values into the places."""
        for label, value in values.items():
            self._places[label].write(value)


def find_places(layers: Sequence[Any], family: WorldFamily | None) -> dict[str, HidingPlace]:
    """Places of data outside the attributes; in a user's class of a known family, what the family lacks, too."""
    places = {label: place for label, place in reach(layers).data.items() if not is_opaque(place.read())}
    bare = layers[-1]
    if family is not None and not is_trusted(type(bare)):
        known = {
            name
            for base in type(bare).__mro__
            if is_trusted(base)
            for method in vars(base).values()
            if isinstance(method, FunctionType)
            for name in list_names(method.__code__)
        }
        for name in read_attributes(bare).keys() - known:
            places[name] = make_attribute_place(name, bare, name)
    return places


EPISODES = 20
STEPS = 300
SECONDS = 1.0


def find_moving_places(env: Any, seeds: Sequence[int], family: WorldFamily | None, layers: Sequence[Any]) -> set[str]:
    """The labels of places that resets and random steps of an environment change; afterwards they are as before."""
    with contextlib.suppress(Exception), seed_modules(0):  # what the environment raises the walk will name
        env.reset(seed=int(seeds[0]))
    places = find_places(layers, family)
    if not places:
        return set()
    watch = Watch(places)
    moving: set[str] = set()
    generator = np.random.Generator(np.random.PCG64(0))
    began, steps = time.perf_counter(), 0
    with contextlib.suppress(Exception), seed_modules(0):
        for episode in range(EPISODES):
            env.reset(seed=int(seeds[episode % len(seeds)]))
            moving |= watch.find_changed()
            over = False
            while not over and steps < STEPS * (episode + 1) / EPISODES:
                _, _, terminated, truncated, _ = env.step(int(generator.integers(int(env.action_space.n))))
                moving |= watch.find_changed()
                over = bool(terminated or truncated)
                steps += 1
            if time.perf_counter() - began > SECONDS:
                break
    moving |= find_places(layers, family).keys() - places.keys()
    watch.put_back(watch.find_changed())
    return moving


def link_generators(
    layers: Sequence[Any], source: DrawSource, is_shared: bool | None = None
) -> list[Callable[[], None]]:
    """Replace generators that can be reached by ones that draw from a source; what undoes each.

    is_shared: whether only those outside the environment, or only those within.
    """
    undo: list[Callable[[], None]] = []
    for place in reach(layers).generators:
        if is_shared is None or place.is_shared == is_shared:
            found = place.read()
            parts = [link(part, source) if is_drawing(part) else part for part in _as_tuple(found)]
            place.write(tuple(parts) if isinstance(found, tuple) else parts[0])
            undo.append(functools.partial(place.write, found))
    return undo


def list_generators(layers: Sequence[Any]) -> list[Any]:
    """Return every generator that can be reached."""
    found = (find_drawing_generator(part) for place in reach(layers).generators for part in _as_tuple(place.read()))
    return list({id(generator): generator for generator in found if generator is not None}.values())


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
