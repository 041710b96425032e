"""The formal theory of extended environments: histories, and environments that know the agent's policy."""

from __future__ import annotations

import caregrid
from caregrid.programmes.programme import Programme
from caregrid.programmes.theory.film import film_of_theory
from caregrid.programmes.theory.lesson_answers import answer_by_discount, answer_by_memory

theory = Programme(
    worlds="theory_examples",
    example="deja_vu",
    solve=lambda world: caregrid.theory(world),
    film=film_of_theory,
    film_settings=("agent", "turns"),
    lesson_answers=(answer_by_discount, answer_by_memory),
)
