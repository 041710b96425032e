"""Formal twins of the battery's environments, found by the names of those environments.

A twin is a function from a source of random numbers to an environment of histories: `TWINS["repeater"](source)`. Run
with the same key, a practical environment and its twin give the same observations and rewards to every deterministic
agent of the theory (`xenv.theory.bridges`); the first percept's reward is 0. `formal_twins.py` makes them from the
practical environments, and says which have none.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.contracts import Contract
from engine.randomness.random_sources import RandomSource
from engine.registry import Registry
from xenv.theory.environments import HistoryEnvironment

FormalTwin = Callable[[RandomSource], HistoryEnvironment]


TWIN = Contract[FormalTwin]("formal twin", remedy="define a function of a random source", called="twin(source)")
TWINS: Registry[FormalTwin] = Registry(
    "xenv.theory.twins", "formal twin", accept=TWIN.accept, group="caregrid.formal_twins"
)
