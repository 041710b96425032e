"""A formulation: one function by which what the acting agent leaves to others enters its reward, and its declaration.

    r'(s, a, s') = alpha_1 r_1(s, a, s') + [s' terminal] gamma alpha_2 F(s')      at the end   (Eqs 1 to 5, 7, 8)
    r'(s, a, s') = alpha_1 r_1(s, a, s') + alpha_2 f(s, a, s')                    at every step             (Eq 6)

    @at_the_end(weighs=ValueDistribution)
    def expected(others: ValueDistribution) -> Floats:
        return others.probability @ others.value

What a formulation weighs is a class derived from `craftworld.others.other_agents.WeighedDistribution`, which says what
a scenario must have, and makes the distribution: others' values (`ValueDistribution`), rewards (`RewardDistribution`),
options (`OptionDistribution`), worlds (`NewcomerWorlds`), what the agent itself could attain (`AuxiliaryTasks`), or a
class of your own.

Reference: "Be Considerate: Objectives, Side Effects, and Deciding How to Act".
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter
from typing import Any, TypeVar, get_type_hints

import numpy as np

from craftworld.others.other_agents import WeighedDistribution, reward_terminal_states
from engine.contracts import Contract, require_parameters
from engine.errors import ContractBroken
from engine.mdp.mdp import Floats, TabularMDP
from engine.printable import show_value
from engine.user_code import describe_place, user_code

Distribution = TypeVar("Distribution", bound=WeighedDistribution)


class RewardTiming(Enum):
    """When a formulation adds to the acting agent's reward."""

    AT_THE_END = "on entering a terminal state"
    EVERY_STEP = "at every step"


@dataclass(frozen=True)
class Formulation:
    """What the acting agent leaves to others as a reward, declared by `at_the_end` or `at_every_step`.

    Parameters
    ----------
    weighs : type
        The class of distribution that the function takes; it decides to which scenarios the formulation applies
        (`craftworld.solution.problem`).
    function : callable
        At the end (others) -> F, f64[S]; at every step (others, mdp) -> f, f64[S, A, K].
    reward_timing : RewardTiming
        Which of the two.
    additive : bool
        Whether the function is linear in `weight`, a sum over agents, so that agents of fixed weight stay outside the
        sweep of care.
    discounted : bool
        Whether F is multiplied by gamma.

    Raises
    ------
    ContractBroken
        If the declaration contradicts the function.

    Examples
    --------
    >>> from craftworld.formulations import FORMULATIONS
    >>> FORMULATIONS["worst_case"].reward_timing.name
    'AT_THE_END'

    References
    ----------
    "Be Considerate", Eqs 1 to 8.
    """

    weighs: type[WeighedDistribution]
    function: Callable[..., Floats]
    reward_timing: RewardTiming = RewardTiming.AT_THE_END
    additive: bool = False
    discounted: bool = True

    def __post_init__(self) -> None:
        if not inspect.isclass(self.weighs):
            raise ContractBroken(
                f"weighs = {show_value(self.weighs)}", place=describe_place(self), remedy="name a distribution's class"
            )
        at_the_end = self.reward_timing is RewardTiming.AT_THE_END
        require_parameters(self.function, 1 if at_the_end else 2, "F(others)" if at_the_end else "f(others, mdp)")
        self._check_annotation()
        object.__setattr__(self, "__doc__", self.function.__doc__)
        object.__setattr__(self, "__module__", self.function.__module__)

    __wrapped__ = property(attrgetter("function"))  # what messages name

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    def reward(self, mdp: TabularMDP, others: Any) -> Floats:
        """Compute what one unit of care adds to the reward of every step.

        Parameters
        ----------
        mdp : TabularMDP
            The acting agent's table.
        others : instance of `weighs`
            On the table's states.

        Returns
        -------
        f64[S, A, K]

        Raises
        ------
        ContractBroken
            If the function raises anything, or returns another shape or numbers that are not finite.
        """
        if self.reward_timing is RewardTiming.EVERY_STEP:
            return mdp.complete(self._call_checked(mdp.reward.shape, others, mdp))
        amount = self._call_checked(mdp.terminal.shape, others)
        return reward_terminal_states(mdp, mdp.discount * amount if self.discounted else amount)

    def _call_checked(self, shape: tuple[int, ...], *arguments: Any) -> Floats:
        with user_code(describe_place(self.function)):
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
                problem,
                place=describe_place(self.function),
                remedy=f"return finite f64{letters}, here of shape {shape}",
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
            found = (
                "no annotation"
                if annotation is inspect.Parameter.empty
                else f"the annotation {_name_annotation(annotation)}"
            )
            raise ContractBroken(
                f"parameter '{first.name}' has {found}",
                place=describe_place(self.function),
                remedy=f"annotate it with {self.weighs.__name__}, which the formulation weighs",
            )


def at_the_end(
    weighs: type[Distribution], *, additive: bool = False, discounted: bool = True
) -> Callable[[Callable[[Distribution], Floats]], Formulation]:
    """Declare F(others) -> f64[S] a formulation: entering a terminal state s' is rewarded with gamma F(s').

    Parameters
    ----------
    weighs : type
        The class of distribution that F takes, derived from `WeighedDistribution`.
    additive : bool
        Whether F is linear in `others.weight`, a sum over agents.
    discounted : bool
        Whether F is multiplied by gamma.

    Returns
    -------
    callable
        A decorator that makes a `Formulation` from the function.

    Raises
    ------
    ContractBroken
        From the decorator, if the function does not take one argument that is annotated with `weighs`.

    References
    ----------
    "Be Considerate", Eqs 1 to 5, 7 and 8.

    Examples
    --------
    >>> from craftworld.others.value_distribution import ValueDistribution
    >>> @at_the_end(weighs=ValueDistribution)
    ... def best_case(others: ValueDistribution) -> Floats:
    ...     return others.value[others.probability > 0].max(axis=0)
    >>> best_case.name
    'best_case'
    """
    return lambda function: Formulation(weighs, function, RewardTiming.AT_THE_END, additive, discounted)


def at_every_step(
    weighs: type[Distribution], *, additive: bool = False
) -> Callable[[Callable[[Distribution, TabularMDP], Floats]], Formulation]:
    """Declare f(others, mdp) -> f64[S, A, K] a formulation: it is added to the reward of every step.

    Parameters
    ----------
    weighs : type
        The class of distribution that f takes, derived from `WeighedDistribution`.
    additive : bool
        Whether f is linear in `others.weight`, a sum over agents.

    Returns
    -------
    callable
        A decorator that makes a `Formulation` from the function.

    Raises
    ------
    ContractBroken
        From the decorator, if the function does not take two arguments, the first annotated with `weighs`.

    Examples
    --------
    >>> from craftworld.others.value_distribution import ValueDistribution
    >>> @at_every_step(weighs=ValueDistribution)
    ... def no_care(others: ValueDistribution, mdp: TabularMDP) -> Floats:
    ...     return np.zeros(mdp.reward.shape)
    >>> no_care.reward_timing.name
    'EVERY_STEP'

    References
    ----------
    "Be Considerate", Eq 6.
    """
    return lambda function: Formulation(weighs, function, RewardTiming.EVERY_STEP, additive)


def _refuse_function(thing: Any) -> Any:
    if inspect.isfunction(thing):
        raise ContractBroken(
            "a function, not yet a formulation",
            place=describe_place(thing),
            remedy="declare it with @at_the_end(weighs=...) or @at_every_step(weighs=...) of craftworld.formulation",
        )
    return thing


def _require_distribution(formulation: Formulation) -> None:
    """Raise ContractBroken where a formulation weighs what is not made from a scenario."""
    if not issubclass(formulation.weighs, WeighedDistribution):
        raise ContractBroken(
            f"it weighs {formulation.weighs.__name__}",
            place=describe_place(formulation.function),
            remedy="weigh a class derived from WeighedDistribution, such as ValueDistribution",
        )


FORMULATION = Contract[Formulation](
    "formulation", instance_of=Formulation, convert=_refuse_function, require=_require_distribution
)


def _name_annotation(annotation: Any) -> str:
    return str(getattr(annotation, "__name__", annotation))
