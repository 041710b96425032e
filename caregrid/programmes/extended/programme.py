"""Extended environments: worlds that ask what a copy of the agent would do."""

from __future__ import annotations

import caregrid
from caregrid.programmes.extended.film import film_environment
from caregrid.programmes.extended.game import start_environment_game
from caregrid.programmes.extended.lesson_answers import answer_by_hyperparameter
from caregrid.programmes.programme import Programme

extended = Programme(
    worlds="environments",
    example="tempting_button",
    solve=lambda world: caregrid.battery(environments=world, seeds=1, quick=True),
    suites=("self_reflection",),
    film=film_environment,
    film_settings=("agent", "turns", "key"),
    game=start_environment_game,
    game_settings=("turns", "agents", "copy"),
    lesson_answers=(answer_by_hyperparameter,),
)
