"""The formal theory of extended environments: histories, and environments that know the agent's policy."""

from __future__ import annotations

from caregrid.programmes.programme import Programme
from caregrid.programmes.theory.film import film_of_theory
from caregrid.programmes.theory.interaction import theory as interact_with_example
from caregrid.programmes.theory.lesson_answers import answer_by_discount, answer_by_memory

theory = Programme(
    worlds="theory_examples",
    example="deja_vu",
    solve=interact_with_example,
    film=film_of_theory,
    film_settings=("agent", "turns"),
    lesson_answers=(answer_by_discount, answer_by_memory),
)
