"""The one idea: what an agent calls its future is a small pure function of a slot and its copy law.

    v_i(h, a) = sum over copies j and observations o of  w_ij(o) [ r(o) + gamma later_j(h a o) ]
    Q(h, a)   = sum_i P^i(h) v_i(h, a)

A future declares four things: `copy_weights`, the weights w_ij(o) of what the copies of slot i observe;
`continuation`, what `later_j` is; `admissible`, the slots on which one's past may have been; `multiplicity`, for how
many agents a slot counts in the average. `multislot.planning.backup` computes Q from them. Each file of
`multislot/futures` is one future. Reference: The Multi-slot Framework, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from engine.contracts import require_parameters
from engine.errors import BadValue, ContractBroken
from engine.registry import Registry
from multislot.naming import Family, instance_or_family, named
from multislot.worlds.environment import Label, Law, Slot, SlotTransition

CopyWeights: TypeAlias = Mapping[tuple[Slot, Label], Fraction]


class Continuation(Enum):
    """What the later value of a copy is."""

    RE_ESTIMATED = "re-estimated"
    """later_j(h a o) = V(h a o), whatever the slot j: the agent estimates its slot anew."""
    ON_THE_SLOT = "on the slot"
    """later_j(h a o) = v_j(h a o, a*): the value on slot j, although a* is the best action on average."""


def any_slot(slot: Slot) -> bool:
    """Every slot may belong to one's past."""
    return True


def counted_once(law: Law) -> Fraction:
    """Every slot counts for one agent in the average over slots."""
    return Fraction(1)


@dataclass(frozen=True)
class Future:
    """A definition of one's own future, the declaration that every file of `multislot/futures` makes.

    copy_weights: a transition of slot i -> {(copy slot j, observation o): w_ij(o) >= 0}, for copies in its law only.
    continuation: the later value of a copy. admissible: a slot -> whether it may belong to one's past. multiplicity:
    the law of a slot -> for how many agents the slot counts in the average, > 0. All are pure functions.
    Raises ContractBroken for what is no function of one argument.
    """

    copy_weights: Callable[[SlotTransition], CopyWeights]
    continuation: Continuation = Continuation.RE_ESTIMATED
    admissible: Callable[[Slot], bool] = any_slot
    multiplicity: Callable[[Law], Fraction] = counted_once

    def __post_init__(self) -> None:
        for field, call in (
            ("copy_weights", "copy_weights(transition)"),
            ("admissible", "admissible(slot)"),
            ("multiplicity", "multiplicity(law)"),
        ):
            function = getattr(self, field)
            if not callable(function):
                raise ContractBroken(f"{field} is {function!r}", place="Future", remedy=f"it is called as {call}")
            require_parameters(function, 1, call)
        if not isinstance(self.continuation, Continuation):
            raise ContractBroken(
                f"continuation is {self.continuation!r}",
                place="Future",
                remedy="choose " + " or ".join(f"Continuation.{choice.name}" for choice in Continuation),
            )


FUTURES: Registry[Future | Family[Future]] = Registry(
    "multislot.futures", "future", accept=instance_or_family(Future, "future"), group="caregrid.slot_futures"
)


def named_future(name: str) -> Future:
    """A future by name: "cpy", "sta:1", "my_file:mine". UnknownName, BadValue, ContractBroken."""
    return named(FUTURES, name)


def slot_family(make: Callable[[Slot], Future]) -> Family[Future]:
    """The futures that need a slot after their name, as in "sta:1"."""

    def of_text(argument: str) -> Future:
        if not argument.isdecimal() or int(argument) < 1:
            raise BadValue(f"'{argument}' is no slot", remedy="write an integer >= 1")
        return make(int(argument))

    return Family(of_text, example="1")
