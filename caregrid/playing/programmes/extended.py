"""An extended environment: a person against copies of that person (`--set turns=20`, `--set agents=simple`)."""

from __future__ import annotations

from typing import Any

from caregrid.playing.game import StartGame
from caregrid.playing.games.environment_game import EnvironmentGame, TurnsPlayed
from caregrid.playing.games.player_model import PlayerModel
from caregrid.playing.playable_programme import PlayableProgramme
from engine.errors import BadValue
from xenv.environments import ENVIRONMENTS
from xenv.specs import names

MOST_TURNS = 200
AGENTS = "simple,q_learning,reality_check(q_learning),random,constant"


def extended_game(name: str, settings: dict[str, Any], seed: int) -> StartGame:
    """The game of an environment, compared with agents of the battery."""
    turns = settings.get("turns", 20)
    if not isinstance(turns, int) or isinstance(turns, bool) or not 1 <= turns <= MOST_TURNS:
        raise BadValue(f"{turns} turns", place="turns", remedy=f"choose from 1 to {MOST_TURNS}")
    agents = list(dict.fromkeys(agent.strip() for agent in str(settings.get("agents", AGENTS)).split(",")))
    for agent in agents:
        names.agent_spec(agent)
    name = names.normalised_name(name, ENVIRONMENTS)
    names.environment_factory(name)
    text = ENVIRONMENTS.documentation(name.rpartition("(")[2].rstrip(")"))
    copy = names.agent_spec(str(settings["copy"])) if "copy" in settings else PlayerModel()
    return lambda: EnvironmentGame(name, text, TurnsPlayed(turns, seed, agents, copy))


extended = PlayableProgramme(
    extended_game, example="tempting_button", kind="environments", settings=("turns", "agents", "copy")
)
