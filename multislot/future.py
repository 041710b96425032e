"""The one idea: what an agent calls its future is a small pure function of a slot and its copy law.

    v_i(h, a) = sum over copies j and observations o of  w_ij(o) [ r(o) + gamma later_j(h a o) ]
    Q(h, a)   = sum_i P^i(h) v_i(h, a)

A future says four things: `copy_weights` gives the weights w_ij(o) of what the copies of slot i observe;
`continuation` says what `later` is, the value under a new slot estimate (the slot is forgotten) or the value on the
copy's own slot; `admissible` says on which slots one's past may have been; `multiplicity` says for how many agents a
slot counts in the average. Each file of `multislot/futures` is one future. Reference: The Multi-slot Framework,
section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from engine.errors import BadValue
from engine.registry import Registry
from multislot.planning.continuation import Continuation, re_estimated
from multislot.worlds.environment import Label, Law, Slot, SlotTransition

CopyWeights: TypeAlias = Mapping[tuple[Slot, Label], Fraction]


def any_slot(slot: Slot) -> bool:
    """Every slot may belong to one's past."""
    return True


def counted_once(law: Law) -> Fraction:
    """Every slot counts for one in the average over slots."""
    return Fraction(1)


@dataclass(frozen=True)
class Future:
    """copy_weights: what happens on slot i -> {(copy slot j, observation o): w_ij(o)}.

    continuation: the later value of a copy. admissible: slots that may belong to one's past. multiplicity: for how many
    agents a slot with this law counts in the average over slots.
    """

    copy_weights: Callable[[SlotTransition], CopyWeights]
    continuation: Continuation = re_estimated
    admissible: Callable[[Slot], bool] = any_slot
    multiplicity: Callable[[Law], Fraction] = counted_once


FUTURES: Registry[Future | Callable[[int], Future]] = Registry("multislot.futures", "value")


def named_future(name: str) -> Future:
    """A future by name: "cpy", "dyn", or with the slot it needs, "sta:1". UnknownName, BadValue."""
    word, colon, argument = name.partition(":")
    entry = FUTURES[word]
    if isinstance(entry, Future):
        if colon:
            raise BadValue(f"value '{word}' takes no slot, got '{name}'", remedy=f"write '{word}'")
        return entry
    if not argument.isdecimal() or int(argument) < 1:
        raise BadValue(f"value '{word}' needs a slot >= 1, got '{name}'", remedy=f"write '{word}:1'")
    return entry(int(argument))
