"""Salad: close the fridge, or what is in it spoils before the next cook comes (`_kitchen` says what all tasks share).

Fridge and stove may be visited in either order. Each arrival at the fridge by a move opens its door; closing it is an
action of its own there. Nothing can be made of food that an earlier cook has let spoil. Both kinds of newcomer are
alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from craftworld.scenario import Demonstration, LearningProtocol, where
from craftworld.scenarios._kitchen import (
    ACTING,
    FLAG,
    OTHER,
    OWN,
    TO_EXIT,
    TO_FRIDGE,
    TO_STOVE,
    UNTOUCHED,
    Kitchen,
    Words,
)
from engine.scene import Mark

CLOSE = "close the fridge"


class KitchenSaladState(NamedTuple):
    """got: from the fridge; stove: been there; made: the salad; open: the fridge; spoiled: by an earlier cook."""

    cell: int
    got: int
    stove: int
    made: int
    open: int
    spoiled: int


class KitchenSalad(Kitchen):
    """The salad task."""

    problem = "A fridge left open costs its user nothing, and the next cook finds spoiled food."
    state = KitchenSaladState
    learning = LearningProtocol(steps=200_000, newcomer_steps=100_000, epsilon=0.2)
    extra_actions: ClassVar[Mapping[str, Words]] = {ACTING: (CLOSE,)}
    cooks: ClassVar[Mapping[str, str]] = {OWN: "next cook", OTHER: "next cook"}
    beginnings: ClassVar[Mapping[str, Mapping[str, int]]] = {UNTOUCHED: {}, "spoiled": {"spoiled": 1}}
    trained_on = (UNTOUCHED, "spoiled")
    words: ClassVar[Mapping[str, Words]] = dict.fromkeys(KitchenSaladState._fields[1:], FLAG)
    courses = (
        Demonstration(
            "selfish", "It leaves the fridge open, and what is in it spoils.", (*TO_FRIDGE, *TO_STOVE, *TO_EXIT)
        ),
        Demonstration("considerate", "One step more closes the fridge.", (*TO_FRIDGE, CLOSE, *TO_STOVE, *TO_EXIT)),
    )

    def arrive(self, state: KitchenSaladState, action: str) -> KitchenSaladState:
        at_fridge = self.at("fridge")[state.cell]
        got, stove = state.got | at_fridge, state.stove | self.at("stove")[state.cell]
        return state._replace(
            got=got,
            open=where(at_fridge, int(action != CLOSE), state.open),
            stove=stove,
            made=state.made | (got & stove & (np.asarray(state.spoiled) == 0)),
        )

    def left_behind(self, state: KitchenSaladState) -> Mapping[str, Any]:
        return {"spoiled": state.open}

    def marks(self, state: KitchenSaladState) -> tuple[Mark, ...]:
        spoiled = self.mark("fridge", "x", "spoiled food", "danger") if state.spoiled else ()
        return spoiled + (self.mark("fridge", "o", "open door") if state.open else ())
