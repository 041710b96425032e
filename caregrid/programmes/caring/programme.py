"""Caring agents: an agent whose reward counts what others can still reach after it."""

from __future__ import annotations

import caregrid
from caregrid.programmes.caring.game import start_caring_game
from caregrid.programmes.programme import Programme

caring = Programme(
    worlds="scenarios",
    example="garden",
    solve=lambda world: caregrid.problem(world).solve(),
    suites=("corrigibility", "side_effects"),
    game=start_caring_game,
)
