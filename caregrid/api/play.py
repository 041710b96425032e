"""`caregrid.play`: take the agent's place in a world of any programme."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from caregrid.api.checked import checked
from engine.limits.whole_numbers import Frames, Seed


@checked
def play(
    name: str = "workshop",
    *,
    seed: Seed = 0,
    text: bool = False,
    out: str | Path | None = None,
    frames: Frames | None = None,
    keys: str = "",
    **settings: Any,
) -> None:
    """Play a world in a window; with `text` in the terminal; with `out`, `keys` play into a film.

    name: of a scenario, an extended environment, a slot scenario or a world with an input terminal; "environments/NAME"
    or "extended/NAME" says which. seed: of chance; the same seed gives the same game. keys: to press, joined by commas;
    into a film without any, an exact agent plays. frames: at most so many. settings: of the game, such as care, turns,
    horizon or agents, and the world's own; see docs/play.md. Raises UnknownName, BadValue, MissingExtra.
    """
    from caregrid.playing.present import present, require_place
    from caregrid.playing.programmes import game_named
    from caregrid.shows.headless import Screen

    screen = Screen(out, frames, keys)
    require_place(screen, text)
    present(game_named(name, settings, seed), screen, text)
