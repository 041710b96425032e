"""Extended environments of the theory: their validated response to a play, examples of them, and their opposites.

    e(T, s) = <r, o>
    other rewards: e'(T, p) = (f(r), o),   opposite: e'(T, p) = (-r, o),   with  (r, o) = e(T, p)

An example is an extended environment on histories, or a family of them with parameters; parameters may be environments,
such as those that `mirror` is applied to. The play p of an opposite holds the negated rewards, as
`xenv.opposites.literal_opposite` has it. S. A. Alexander, "Extending environments to
incentivize self-reflection in reinforcement learning", Definition 2; Alexander et al. 2021, section 6.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from typing import Any, TypeAlias

from engine.contracts import Contract, Field, refuse, require_parameters
from engine.errors import BadValue, ContractBroken
from engine.user_code import describe_place, user_code
from xenv.theory.agents import HistoryAgent
from xenv.theory.histories import Percept, Play, as_natural, as_rational
from xenv.theory.pictures import WorldPicture

HistoryEnvironment: TypeAlias = Callable[[HistoryAgent, Play], Percept]

ZERO, ONE, MINUS_ONE = Fraction(0), Fraction(1), Fraction(-1)
START = Percept(ZERO, 0)
"""The first percept of most examples."""


def respond(environment: HistoryEnvironment, agent: HistoryAgent, play: Play) -> Percept:
    """Return e(T, s), the reward as a `Fraction`; raise ContractBroken where the answer is not a percept.

    So every interaction has a result (Lemma 2), or ends with the name of the environment that gave none.
    """
    try:
        given: Any = environment(agent, play)
    except BaseException:
        with user_code(describe_place(environment)):
            raise
    if not isinstance(given, tuple) or len(given) != 2:
        refuse(environment, "it", given, "a Percept (reward, observation)")
    try:
        return Percept(as_rational(given[0]), as_natural(given[1], "observation"))
    except BadValue as error:
        problem = f"{error.problem}, given at turn {len(play) // 3 + 1}"
        raise ContractBroken(problem, place=describe_place(environment), remedy=error.remedy) from None


def sign(matches: bool) -> Fraction:
    """Return 1 for a match, -1 otherwise."""
    return ONE if matches else MINUS_ONE


def truth(holds: bool) -> Fraction:
    """Return 1 where something holds, 0 otherwise."""
    return ONE if holds else ZERO


@dataclass(frozen=True)
class TheoryExample:
    """An example of the theory: a function that makes an environment, and what is declared about the environment.

    Parameters
    ----------
    environment : function
        Makes the environment, a function from an agent and a play to a percept, of the example's parameters.
    sample : tuple
        The parameters that are used where none are passed.
    is_handicap : bool
        Whether rewards are 1 or -1 (or 0 before the first action) and observations 0.
    is_merciful : bool
        Whether rewards are never negative.
    read : function, optional
        Reads a parameter from the text after the name, as in `false_memories:0,0,1`.
    of_environments : bool
        Whether the parameters are environments, written in brackets.
    function : function, optional
        Reads a last parameter in brackets that is a function, as in `mirror(e,my_file:view)`.
    keeps_observations : bool
        Whether it shows what the first environment in brackets shows.
    n_actions : int
        The number of actions; greater ones mean what the last one means.
    n_observations : int or None
        The number of observations at most; None where it grows with the turns.
    picture : function, optional
        The world that the sample parameters make, as a scene of an observation and the action taken at it, for films.

    Examples
    --------
    >>> from xenv.theory.interaction import interact
    >>> echo = TheoryExample(lambda: lambda agent, play: Percept(Fraction(len(play) // 3), 0), is_merciful=True)
    >>> str(interact(lambda prompt: 0, echo(), turns=3).total)
    '6'
    """

    environment: Callable[..., HistoryEnvironment]
    sample: tuple[Any, ...] = ()
    is_handicap: bool = False
    is_merciful: bool = False
    read: Callable[[str], Any] | None = None
    of_environments: bool = False
    function: Callable[[str], Any] | None = None
    keeps_observations: bool = False
    n_actions: int = 2
    n_observations: int | None = 1
    picture: WorldPicture | None = None

    __wrapped__ = property(attrgetter("environment"))  # what messages name

    def __call__(self, *parameters: Any) -> HistoryEnvironment:
        """Make the environment with these parameters, or with the sample where there are none.

        An example among the parameters stands for its environment.
        """
        made = [make_environment(one) for one in parameters or self.sample]
        if self.of_environments:
            require_parameters(self.environment, len(made), f"environment with {len(made)} parameters")
            for one in made[: len(made) - (self.function is not None and len(made) > 1)]:
                if not callable(one):
                    refuse(self.environment, "its parameter", one, "an environment, a function of agent and play")
                require_parameters(one, 2, "environment(agent, play)")
        return self.environment(*made)


def make_environment(thing: Any) -> Any:
    """Return the environment of an example with its sample parameters, anything else as it is."""
    return thing() if isinstance(thing, TheoryExample) else thing


def as_theory_example(thing: Any) -> Any:
    """Return a function of an agent and a play as an example without parameters, anything else as it is.

    Such a function is an environment itself: a function, a method, or an object that can be called.
    """
    if isinstance(thing, TheoryExample | type) or not callable(thing):
        return thing
    require_parameters(thing, 2, "environment(agent, play)")

    def make() -> HistoryEnvironment:
        environment: HistoryEnvironment = thing
        return environment

    make.__wrapped__ = thing  # type: ignore[attr-defined]  # where messages say that it is
    make.__signature__ = inspect.Signature()  # type: ignore[attr-defined]  # not that of the environment
    make.__name__ = str(getattr(thing, "__name__", type(thing).__name__))
    make.__doc__ = thing.__doc__
    return TheoryExample(make, n_observations=None)


def _require_sample(example: TheoryExample) -> None:
    require_parameters(example.environment, len(example.sample), f"environment with {len(example.sample)} parameters")


FLAGS = ("is_handicap", "is_merciful", "of_environments", "keeps_observations")
THEORY_EXAMPLE = Contract[TheoryExample](
    "example of the theory",
    instance_of=TheoryExample,
    convert=as_theory_example,
    fields=tuple(Field(name, "expected True or False", lambda value: isinstance(value, bool)) for name in FLAGS),
    place=describe_place,
    require=_require_sample,
)


def replace_rewards(
    environment: HistoryEnvironment, reward: Callable[[Fraction], Fraction | int]
) -> HistoryEnvironment:
    """Return the environment with every reward r replaced by f(r)."""

    def respond_otherwise(agent: HistoryAgent, play: Play) -> Percept:
        percept = respond(environment, agent, play)
        return Percept(as_rational(reward(percept.reward)), percept.observation)

    return respond_otherwise


def negate(environment: HistoryEnvironment) -> HistoryEnvironment:
    """Return the opposite, the environment with negated rewards."""
    return replace_rewards(environment, operator.neg)
