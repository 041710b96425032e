"""The one idea: what an agent calls its future is a small pure function of a slot and its copy law.

    v_i(h, a) = sum over copies j and observations o of  w_ij(o) [ r(o) + gamma later_j(h a o) ]
    Q(h, a)   = sum_i P^i(h) v_i(h, a)

A future says four things: `weigh` gives the weights w_ij(o) of what the copies of slot i observe; `read` says what
`later` is, the whole estimate made anew (the slot is forgotten) or the value on the copy's own slot; `place` says on
which slots one's past may have been; `crowd` says for how many a slot counts in the average. Each file of
`multislot/futures` is one future. Reference: The Multi-slot Framework, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from engine.errors import BadValue
from engine.registry import Registry
from multislot.planning.continuation import Reading, re_estimated
from multislot.worlds.environment import Copying, Label, Law, Slot

Weights: TypeAlias = Mapping[tuple[Slot, Label], Fraction]


def anywhere(slot: Slot) -> bool:
    """Every slot may belong to one's past."""
    return True


def one_each(law: Law) -> Fraction:
    """Every slot counts for one in the average over slots."""
    return Fraction(1)


@dataclass(frozen=True)
class Future:
    """weigh: what happens on slot i -> {(copy slot j, observation o): w_ij(o)}.

    read: what comes later. place: slots that belong to one's past. crowd: a slot's share in the average.
    """

    weigh: Callable[[Copying], Weights]
    read: Reading = re_estimated
    place: Callable[[Slot], bool] = anywhere
    crowd: Callable[[Law], Fraction] = one_each


FUTURES: Registry[Future | Callable[[int], Future]] = Registry("multislot.futures", "value")


def future(name: str) -> Future:
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
