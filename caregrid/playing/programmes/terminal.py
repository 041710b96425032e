"""A world with an input terminal: a person presses the buttons (`--set agents=itf,itc`, the world's own settings)."""

from __future__ import annotations

from typing import Any

from caregrid.playing.game import StartGame
from caregrid.playing.games.compared_planners import ComparedPlanners
from caregrid.playing.games.terminal_game import TerminalGame
from caregrid.playing.playable_programme import PlayableProgramme
from counterfactual.agents import PLANNING_AGENTS
from counterfactual.worlds import TERMINAL_WORLDS
from engine.user_code import names_user_code

AGENTS = "itf,itc,citc"


def terminal_game(name: str, settings: dict[str, Any], seed: int) -> StartGame:
    """The game of a world, compared with exact planning agents."""
    asked = [one.strip() for one in str(settings.pop("agents", AGENTS)).split(",")]
    agents = {one: PLANNING_AGENTS[one] for one in asked}
    kind = TERMINAL_WORLDS[name]
    world = kind.make({key: str(value) for key, value in settings.items()})
    text = str(kind.__doc__) if names_user_code(name) else TERMINAL_WORLDS.documentation(name)
    planners = ComparedPlanners(world, agents)
    assert planners.summaries  # what is too much work is refused before the game, and what is found is kept
    return lambda: TerminalGame(world, text, planners, seed)


terminal = PlayableProgramme(terminal_game, example="tamper_grid", kind="terminal_worlds")
