"""An extended environment: what the agent did beside what its copy would have done (`--set agent=simple`)."""

from __future__ import annotations

from typing import Any

from caregrid.shows.copy_actions import copy_action
from caregrid.shows.extended_film import EnvironmentLabels, film_of_turns, run_turns
from caregrid.shows.viewable_programme import ViewableProgramme
from engine.errors import BadValue, argument
from engine.scene import Film
from experiments.figures.names import name_of
from xenv.specs import names

MOST_TURNS = 10_000


def extended_film(name: str, settings: dict[str, Any]) -> Film:
    """The first turns of an agent (default: q_learning) in an environment."""
    agent, turns, key = settings.get("agent", "q_learning"), settings.get("turns", 40), settings.get("key", 0)
    if not isinstance(turns, int) or not 1 <= turns <= MOST_TURNS:
        remedy = f"choose from 1 to {MOST_TURNS}"
        raise BadValue(f"{turns} turns", place=argument("turns", option="--set turns"), remedy=remedy)
    if not isinstance(key, int) or key < 0:
        raise BadValue(f"key {key}", place=argument("key", option="--set key"), remedy="choose an integer from 0 on")
    make = names.environment_factory(name)
    labels = EnvironmentLabels(
        {n: str(n) for n in range(make.n_actions)}, {n: str(n) for n in range(make.n_observations)}
    )
    history = run_turns(name, str(agent), turns, copy_action, key)
    return film_of_turns(history, labels, f"{name_of(name)}, {name_of(agent)}", "copy's action")


extended = ViewableProgramme(extended_film, example="tempting_button", settings=("agent", "turns", "key"))
