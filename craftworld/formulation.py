"""A formulation: how what the acting agent leaves to others enters its reward, one function and what is declared of it.

    r'(s, a, s') = alpha_1 r_1(s, a, s') + [s' terminal] gamma alpha_2 F(s')      at the end   (Eqs 1 to 5, 7, 8)
    r'(s, a, s') = alpha_1 r_1(s, a, s') + alpha_2 f(s, a, s')                    at every step             (Eq 6)

    @at_the_end(weighs=ValueDistribution)
    def expected(others: ValueDistribution) -> Floats:
        return others.probability @ others.value

Reference: "Be Considerate: Objectives, Side Effects, and Deciding How to Act".
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar, get_type_hints

import numpy as np

from engine.contracts import require_instance, require_parameters
from engine.errors import ContractBroken
from engine.mdp.mdp import Floats, TabularMDP
from engine.printable import shown_value
from engine.user_code import place_of, user_code

Distribution = TypeVar("Distribution")


class RewardTiming(Enum):
    """When a formulation adds to the acting agent's reward."""

    AT_THE_END = "on entering a terminal state"
    EVERY_STEP = "at every step"


@dataclass(frozen=True)
class Formulation:
    """A frozen declaration, made by `at_the_end` or `at_every_step`; ContractBroken where it contradicts its function.

    weighs: the class of distribution that the function takes; it decides which scenarios the formulation applies to
    (`craftworld.others.applicability`). function: at the end (others) -> F f64[S]; at every step (others, mdp) ->
    f f64[S, A, K]. reward_timing: which of the two. additive: whether the function is linear in `weight`, a sum over
    agents, so that agents of fixed weight stay outside the sweep of care. discounted: whether F is multiplied by gamma.
    """

    weighs: type
    function: Callable[..., Floats]
    reward_timing: RewardTiming = RewardTiming.AT_THE_END
    additive: bool = False
    discounted: bool = True

    def __post_init__(self) -> None:
        if not inspect.isclass(self.weighs):
            raise ContractBroken(
                f"weighs = {shown_value(self.weighs)}", place=place_of(self), remedy="name a distribution's class"
            )
        at_the_end = self.reward_timing is RewardTiming.AT_THE_END
        require_parameters(self.function, 1 if at_the_end else 2, "F(others)" if at_the_end else "f(others, mdp)")
        self._check_annotation()
        object.__setattr__(self, "__doc__", self.function.__doc__)
        object.__setattr__(self, "__module__", self.function.__module__)

    @property
    def __wrapped__(self) -> Callable[..., Floats]:
        """The function, by which messages find the file."""
        return self.function

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    def reward(self, mdp: TabularMDP, others: Any) -> Floats:
        """f64[S, A, K]: what one unit of care adds to the reward of every step.

        mdp: the acting agent's table. others: an instance of `weighs` on its states. Raises ContractBroken, naming the
        function, for an amount of another shape or that is not finite, and for whatever the function raises.
        """
        from craftworld.others.other_agents import terminal_reward

        if self.reward_timing is RewardTiming.EVERY_STEP:
            return mdp.completed(self._checked(mdp.reward.shape, others, mdp))
        amount = self._checked(mdp.terminal.shape, others)
        return terminal_reward(mdp, mdp.discount * amount if self.discounted else amount)

    def _checked(self, shape: tuple[int, ...], *arguments: Any) -> Floats:
        with user_code(place_of(self.function)):
            amount = self.function(*arguments)
        problem = ""
        if not isinstance(amount, np.ndarray) or amount.dtype != np.float64:
            problem = f"gave {getattr(amount, 'dtype', type(amount).__name__)}"
        elif amount.shape != shape:
            problem = f"gave an array of shape {amount.shape}"
        elif not np.isfinite(amount).all():
            problem = "gave values that are not finite"
        if problem:
            letters = "[S, A, K]" if self.reward_timing is RewardTiming.EVERY_STEP else "[S]"
            raise ContractBroken(
                problem, place=place_of(self.function), remedy=f"return finite f64{letters}, here of shape {shape}"
            )
        return amount

    def _check_annotation(self) -> None:
        first = next(iter(inspect.signature(self.function).parameters.values()))
        annotation = first.annotation
        if isinstance(annotation, str):
            try:
                annotation = get_type_hints(self.function)[first.name]
            except NameError:  # imported for type checkers only
                annotation = self.weighs if annotation.rpartition(".")[2] == self.weighs.__name__ else annotation
        if annotation is not self.weighs:
            given = "no annotation" if annotation is inspect.Parameter.empty else f"the annotation {_named(annotation)}"
            raise ContractBroken(
                f"parameter '{first.name}' has {given}",
                place=place_of(self.function),
                remedy=f"annotate it with {self.weighs.__name__}, which the formulation weighs",
            )


def at_the_end(
    weighs: type[Distribution], *, additive: bool = False, discounted: bool = True
) -> Callable[[Callable[[Distribution], Floats]], Formulation]:
    """Declare F(others) -> f64[S] a formulation: entering a terminal state s' is rewarded with gamma F(s')."""
    return lambda function: Formulation(weighs, function, RewardTiming.AT_THE_END, additive, discounted)


def at_every_step(
    weighs: type[Distribution], *, additive: bool = False
) -> Callable[[Callable[[Distribution, TabularMDP], Floats]], Formulation]:
    """Declare f(others, mdp) -> f64[S, A, K] a formulation: it is added to the reward of every step."""
    return lambda function: Formulation(weighs, function, RewardTiming.EVERY_STEP, additive)


def accept_formulation(thing: Any) -> Formulation:
    """The formulation; ContractBroken where it is none, or weighs what no scenario has."""
    from craftworld.others.sources import SOURCES

    if inspect.isfunction(thing):
        raise ContractBroken(
            "a function, not yet a formulation",
            place=place_of(thing),
            remedy="declare it with @at_the_end(weighs=...) or @at_every_step(weighs=...) of craftworld.formulation",
        )
    require_instance(thing, Formulation, "formulation")
    formulation: Formulation = thing
    if formulation.weighs not in SOURCES:
        raise ContractBroken(
            f"it weighs {formulation.weighs.__name__}",
            place=place_of(formulation.function),
            remedy=f"weigh one of {', '.join(known.__name__ for known in SOURCES)}",
        )
    return formulation


def _named(annotation: Any) -> str:
    return str(getattr(annotation, "__name__", annotation))
