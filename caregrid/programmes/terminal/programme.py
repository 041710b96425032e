"""Agents with an input terminal: in which world an agent plans that people can correct."""

from __future__ import annotations

import caregrid
from caregrid.programmes.programme import Programme
from caregrid.programmes.terminal.film import film_terminal_world
from caregrid.programmes.terminal.game import start_terminal_game
from caregrid.programmes.terminal.lesson_answers import answer_by_parameter

terminal = Programme(
    worlds="terminal_worlds",
    example="tamper_grid",
    solve=lambda world: caregrid.terminal(world),
    film=film_terminal_world,
    game=start_terminal_game,
    lesson_answers=(answer_by_parameter,),
)
