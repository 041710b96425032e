"""An example of the formal theory: what an agent sees, does and gets, turn by turn (`--set agent=parity`)."""

from __future__ import annotations

from typing import Any

from caregrid.shows.theory_film import theory_film
from caregrid.shows.viewable_programme import ViewableProgramme
from engine.scene import Film
from experiments.figures.names import name_of
from xenv.theory.interaction import interact
from xenv.theory.naming import named_agent, named_environment


def film_of_theory(name: str, settings: dict[str, Any]) -> Film:
    """The first turns of an agent (default: parity) in an example."""
    turns = settings.get("turns", 30)
    named = named_environment(name)
    agent = named_agent(str(settings.get("agent", "parity")), named.n_observations, named.n_actions)
    return theory_film(interact(agent, named.environment, turns), f"{name_of(named.name)}, {name_of(agent.name)}")


theory = ViewableProgramme(film_of_theory, example="deja_vu", settings=("agent", "turns"))
