"""Likelihoods: how well an environment explains a history, the numbers by which learning agents weigh environments.

    posterior weight of nu  proportional to  w_nu L_nu(h),   L_nu(h) = total of the measure after h

A likelihood is a measure over what the agents with that history could be, step by step. It starts a measure, a weight
for each configuration, from the initial slots, and gives the successors of each configuration on an action and
observation; where nobody can have the history, all laws are empty. `exists` follows the set of slots that hold an
agent with history h, `count` single slots, `path` one copy followed at random, `prior` nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from engine.contracts import Contract, call_method, refuse, require_function
from engine.registry import Registry
from engine.user_code import describe_place, user_code
from multislot.naming import Family, find_named
from multislot.worlds.environment import Label, Law, Slot

Configuration: TypeAlias = Hashable
LikelihoodMeasure: TypeAlias = tuple[tuple[Configuration, Fraction], ...]
LawOf: TypeAlias = Callable[[Slot], Law]


@dataclass(frozen=True)
class Likelihood:
    """A measure over configurations, followed step by step. Both are pure functions.

    start: the initial slots -> the measure before the first action. step: a configuration, the law of each slot as a
    function, an observation -> (configuration, factor >= 0) pairs. Configurations can be hashed.
    Raises ContractBroken for what is no such function.
    """

    start: Callable[[tuple[Slot, ...]], LikelihoodMeasure]
    step: Callable[[Configuration, LawOf, Label], Iterable[tuple[Configuration, Fraction]]]

    def __post_init__(self) -> None:
        require_function("start", self.start, 1, "start(initial)")
        require_function("step", self.step, 3, "step(configuration, law_of, observation)")

    def first_measure(self, initial: tuple[Slot, ...]) -> LikelihoodMeasure:
        """Return the measure before the first action, checked. ContractBroken."""
        measure = call_method(self.start, "__call__", initial)
        if not isinstance(measure, tuple):
            refuse(self.start, "it", measure, "a tuple of (configuration, weight) pairs")
        return tuple(_check_pair(self.start, pair) for pair in measure)

    def successors(
        self, configuration: Configuration, law_of: LawOf, observation: Label
    ) -> list[tuple[Configuration, Fraction]]:
        """Return the successors of a configuration on an observation, with their factors, checked. ContractBroken."""
        try:
            given = self.step(configuration, law_of, observation)
            pairs = list(given) if isinstance(given, Iterable) else None
        except BaseException:
            with user_code(describe_place(self.step)):
                raise
        if pairs is None:
            refuse(self.step, "it", given, "pairs (configuration, weight)")
        return [_check_pair(self.step, pair) for pair in pairs]


def _check_pair(function: Callable[..., Any], pair: Any) -> tuple[Configuration, Fraction]:
    """Return a (configuration, weight) pair, checked."""
    if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], Hashable):
        refuse(function, "it", pair, "pairs (configuration, weight), the configuration hashable")
    if not isinstance(pair[1], Fraction | int) or pair[1] < 0:
        refuse(function, "it", pair[1], "Fractions >= 0 as weights")
    return pair[0], pair[1] if isinstance(pair[1], Fraction) else Fraction(pair[1])


LIKELIHOOD = Contract[Likelihood | Family[Likelihood]]("likelihood", instance_of=Likelihood, also=(Family,))
LIKELIHOODS: Registry[Likelihood | Family[Likelihood]] = Registry(
    "multislot.likelihoods",
    "likelihood",
    accept=LIKELIHOOD.accept,
    group="caregrid.slot_likelihoods",
)


def find_likelihood(name: str) -> Likelihood:
    """Return a likelihood by name: "exists", "my_file:mine". UnknownName, BadValue, ContractBroken."""
    return find_named(LIKELIHOODS, name)
