"""Futures: what an agent that may be copied counts as its own, a small pure function of a slot and its copy law.

    v_i(h, a) = sum over copies j and observations o of  w_ij(o) [ r(o) + gamma later_j(h a o) ]
    Q(h, a)   = sum_i P^i(h) v_i(h, a)

A future declares four things: `copy_weights`, the weights w_ij(o) of what the copies of slot i observe;
`continuation`, what `later_j` is; `admissible`, the slots on which one's past may have been; `multiplicity`, for how
many agents a slot counts in the average. `multislot.planning.backup` computes Q from them. This file holds the
declaration (`Future`) and the registry (`FUTURES`); the futures of section 4 lie in the files beside it, by what they
follow: the copies of the agent, or a slot. Reference: The Multi-slot Framework, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from engine.contracts import Contract, call_method, refuse, require_function
from engine.errors import BadValue, ContractBroken
from engine.plain_values import parse_rational
from engine.printable import show_value
from engine.registry import Registry
from engine.user_code import find_users_line
from multislot.naming import Family, find_named
from multislot.worlds.environment import Label, Law, Slot, SlotTransition, copy_observation

CopyWeights: TypeAlias = Mapping[tuple[Slot, Label], Fraction]


class Continuation(Enum):
    """What the later value of a copy is."""

    RE_ESTIMATED = "re-estimated"
    """later_j(h a o) = V(h a o), whatever the slot j: the agent estimates its slot anew."""
    ON_THE_SLOT = "on the slot"
    """later_j(h a o) = v_j(h a o, a*): the value on slot j, although a* is the best action on average."""


def admit_any_slot(slot: Slot) -> bool:
    """Admit every slot to one's past."""
    return True


def count_once(law: Law) -> Fraction:
    """Count every slot for one agent in the average over slots."""
    return Fraction(1)


@dataclass(frozen=True)
class Future:
    """A definition of one's own future, as every entry of `multislot/futures` declares it.

    All functions are pure.

    Parameters
    ----------
    copy_weights : callable
        A transition of slot i -> {(copy slot j, observation o): w_ij(o)}, Fractions >= 0, for copies in its law only.
    continuation : Continuation
        What the later value of a copy is.
    admissible : callable
        A slot -> whether it may belong to one's past; by default every slot may. A copy on another one counts for what
        it observes next, and for nothing later.
    multiplicity : callable
        The law of a slot -> for how many agents the slot counts in the average, a Fraction > 0; by default for one.
    ignores_slot_numbers : bool
        Whether other numbers for all slots would leave the weights of the copies as they are; slots that are
        interchangeable (`HistoryBasedEnvironment.representative`) are then planned as one, and a plan refuses a future
        that gives them different weights.

    Raises
    ------
    ContractBroken
        If one of the functions does not take one argument, or another field is not of its type.

    References
    ----------
    L. Orseau, "The Multi-slot Framework: A Formal Model for Multiple, Copiable AIs", AGI 2014, section 4.

    Examples
    --------
    The sum over all copies, one step ahead: a copy on slot 2 counts as much as one on slot 1.

    >>> from fractions import Fraction
    >>> from multislot.futures import Future
    >>> from multislot.planning.planner import evaluate
    >>> from multislot.scenarios import slot_scenario
    >>> from multislot.worlds.environment import copy_observation
    >>> every = Future(lambda transition: copy_observation(transition.law))
    >>> evaluate(slot_scenario("harmless_duplication").environment, every, 1, Fraction(1)).Q
    {0: Fraction(1, 1), 1: Fraction(2, 1)}
    """

    copy_weights: Callable[[SlotTransition], CopyWeights]
    continuation: Continuation = Continuation.RE_ESTIMATED
    admissible: Callable[[Slot], bool] = admit_any_slot
    multiplicity: Callable[[Law], Fraction] = count_once
    ignores_slot_numbers: bool = False

    def __post_init__(self) -> None:
        require_function("copy_weights", self.copy_weights, 1, "copy_weights(transition)")
        require_function("admissible", self.admissible, 1, "admissible(slot)")
        require_function("multiplicity", self.multiplicity, 1, "multiplicity(law)")
        if not isinstance(self.continuation, Continuation):
            choices = " or ".join(f"Continuation.{choice.name}" for choice in Continuation)
            raise ContractBroken(
                f"continuation is {show_value(self.continuation)}", place=find_users_line(), remedy=f"choose {choices}"
            )
        if not isinstance(self.ignores_slot_numbers, bool):
            problem = f"ignores_slot_numbers is {show_value(self.ignores_slot_numbers)}"
            raise ContractBroken(problem, place=find_users_line(), remedy="give True or False")

    def copy_weights_of(self, transition: SlotTransition) -> CopyWeights:
        """Compute and check the weights w_ij(o) of a transition.

        Parameters
        ----------
        transition : SlotTransition

        Returns
        -------
        mapping of (int, label) to Fraction
            (copy slot, observation) -> weight.

        Raises
        ------
        ContractBroken
            If a weight is of no copy in the law, or not a Fraction >= 0.
        """
        weights = call_method(self.copy_weights, "__call__", transition)
        if not isinstance(weights, Mapping):
            refuse(self.copy_weights, "it", weights, "{(copy slot, observation): weight}")
        copies = copy_observation(transition.law)
        for copy, weight in weights.items():
            if copy not in copies:
                refuse(self.copy_weights, "it", copy, f"a weight for copies in the law, {list(copies)}")
            if not isinstance(weight, Fraction | int) or weight < 0:
                refuse(self.copy_weights, "it", weight, "Fractions >= 0 as weights")
        return weights

    def multiplicity_of(self, law: Law) -> Fraction:
        """Compute and check for how many agents a slot counts in the average.

        Parameters
        ----------
        law : Law
            Of the slot.

        Returns
        -------
        Fraction

        Raises
        ------
        ContractBroken
            If it is not a Fraction > 0.
        """
        count = call_method(self.multiplicity, "__call__", law)
        if not isinstance(count, Fraction | int) or count <= 0:
            refuse(self.multiplicity, "it", count, "a Fraction > 0")
        return Fraction(count)


def slot_family(make: Callable[[Slot], Future]) -> Family[Future]:
    """Return the futures that need a slot after their name, as in "sta:1"."""

    def of_text(argument: str) -> Future:
        number = parse_rational(argument, "slot", remedy="write an integer >= 1") if argument.isdecimal() else 0
        if number < 1:
            raise BadValue(f"'{argument}' is not a slot", remedy="write an integer >= 1")
        return make(int(number))

    return Family(of_text, example="1")


FUTURE = Contract[Future | Family[Future]]("future", instance_of=Future, also=(Family,))
FUTURES: Registry[Future | Family[Future]] = Registry(
    "multislot.futures", "future", accept=FUTURE.accept, group="caregrid.slot_futures"
)


def find_future(name: str) -> Future:
    """Return a future by name: "cpy", "sta:1", "my_file:mine". UnknownName, BadValue, ContractBroken."""
    return find_named(FUTURES, name)
