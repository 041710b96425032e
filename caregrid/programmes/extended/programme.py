"""An extended environment: what the agent did beside what its copy would have done (`--set agent=simple`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import caregrid
from caregrid.programmes.programme import Programme, import_later

if TYPE_CHECKING:
    from caregrid.programmes.extended.battery import BatteryResult

FOLDER = "caregrid.programmes.extended"


def solve(environment: str, settings: dict[str, Any]) -> BatteryResult:
    """Measure an agent in an environment."""
    agent, turns = settings.get("agent", "q_learning"), settings.get("turns", 40)
    return caregrid.battery(agent, environment, turns=turns, seeds=[settings.get("key", 0)])


extended = Programme(
    example="tempting_button",
    worlds="environments",
    solve=solve,
    film=import_later(f"{FOLDER}.film:film_environment"),
    settings=("agent", "turns", "key"),
    game=import_later(f"{FOLDER}.game:start_environment_game"),
    game_settings=("turns", "agents", "copy"),
    explain=import_later(f"{FOLDER}.identification:explain"),
    lesson_answers={"hyperparameter": import_later(f"{FOLDER}.lesson_answers:answer_by_hyperparameter")},
    suites=("self_reflection",),
)
