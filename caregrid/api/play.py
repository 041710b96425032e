"""`caregrid.play`: take the agent's place in a world of any programme."""

from __future__ import annotations

from collections.abc import Mapping
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
    play_named(name, settings, seed, (out, frames, keys), text)


def play_named(
    name: str, settings: Mapping[str, Any], seed: int, screen: tuple[str | Path | None, int | None, str], text: bool
) -> None:
    """The same, of settings with any names. screen: `out`, `frames` and `keys`."""
    from caregrid.playing.present import present, require_place
    from caregrid.playing.programmes import game_named
    from caregrid.shows.headless import Screen

    shown_on = Screen(*screen)
    require_place(shown_on, text)
    present(game_named(name, settings, seed), shown_on, text)
