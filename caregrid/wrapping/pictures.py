"""The environment's own pictures of its states, by a second environment that is made to draw."""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from caregrid.wrapping.family import WorldFamily
from caregrid.wrapping.worlds.world import Pixels
from engine.notices import notice

MODE, SOUND, VIDEO = "rgb_array", "SDL_AUDIODRIVER", "SDL_VIDEODRIVER"
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")


def pictures_of(
    source: Any, env: Any, states: WorldFamily, seeds: Sequence[int]
) -> Callable[[Any], Pixels | None] | None:
    """A function from a state (as `states.state` gives it) to its picture; None where the environment draws none.

    source: what the environment was made from, an id, a function or itself. env: the environment. seeds: of its
    resets. The second one is made when the first picture is asked for; where it cannot be, a notice says so once.
    """
    modes = getattr(env.unwrapped, "metadata", {}).get("render_modes", ())
    if MODE not in modes:
        return None
    drawing: list[tuple[Any, WorldFamily] | None] = []

    def draw(state: Any) -> Pixels | None:
        if not drawing:
            drawing.append(_drawing(source, env, states, seeds))
        if drawing[0] is None:
            return None
        artist, its_states = drawing[0]
        its_states.load(its_states.snapshot(state))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.ascontiguousarray(artist.render(), dtype=np.uint8)

    return draw


def _drawing(source: Any, env: Any, states: WorldFamily, seeds: Sequence[int]) -> tuple[Any, WorldFamily] | None:
    """An environment that draws, and the states of it."""
    if getattr(env.unwrapped, "render_mode", None) == MODE:
        return env, states
    try:
        with warnings.catch_warnings(), _silent():
            warnings.simplefilter("ignore")
            artist = _made_to_draw(source, env)
            if artist is None:
                return None
            its_states = states.of_another(artist)
            for seed in seeds:
                artist.reset(seed=int(seed))
                its_states.begin()
            artist.render()
    except Exception as error:  # whatever an environment's own drawing raises
        notice(f"{type(env.unwrapped).__name__} draws no pictures here: {' '.join(str(error).split())}")
        return None
    return artist, its_states


@contextmanager
def _silent() -> Iterator[None]:
    """No device is opened that is not there: what draws with pygame would look for a sound card, and for a screen."""
    wanted = {SOUND: "dummy"}
    if sys.platform == "linux" and not any(os.environ.get(screen) for screen in SCREENS):
        wanted[VIDEO] = "dummy"
    added = {name: driver for name, driver in wanted.items() if not os.environ.get(name)}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def _made_to_draw(source: Any, env: Any) -> Any:
    import gymnasium

    spec = getattr(env, "spec", None)
    if spec is not None:
        kwargs = {name: value for name, value in spec.kwargs.items() if name != "render_mode"}
        return gymnasium.make(spec.id, render_mode=MODE, **kwargs)
    is_maker = isinstance(source, type) or (callable(source) and not hasattr(source, "reset"))
    made_by = source if is_maker else type(env.unwrapped)
    if "render_mode" in inspect.signature(made_by).parameters:
        return made_by(render_mode=MODE)
    return None
