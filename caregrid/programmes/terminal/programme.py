"""A world with an input terminal: production line, plan, rewards (`--set agent=itf`, and the world's own settings)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import caregrid
from caregrid.programmes.programme import Programme, import_later

if TYPE_CHECKING:
    from caregrid.programmes.terminal.simulation import TerminalSimulation

FOLDER = "caregrid.programmes.terminal"


def solve(world: str, settings: dict[str, Any]) -> TerminalSimulation:
    """Simulate an agent; settings other than `agent` are the world's parameters."""
    parameters: dict[str, Any] = {name: str(value) for name, value in settings.items()}
    return caregrid.terminal(world, **parameters)


terminal = Programme(
    example="tamper_grid",
    worlds="terminal_worlds",
    solve=solve,
    game=import_later(f"{FOLDER}.game:start_terminal_game"),
    explain=import_later(f"{FOLDER}.identification:explain"),
    lesson_answers={"parameter": import_later(f"{FOLDER}.lesson_answers:answer_by_parameter")},
)
