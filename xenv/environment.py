"""What an extended environment is: an environment that may make copies of the agent and react to what they would do.

    turn:  a_t = agent.act(o_t);  (r_t, o_{t+1}) = environment.step(a_t);  agent.train(o_t, a_t, r_t, o_{t+1})

Alexander et al. 2021, section 4 (the practical form of Definition 2, in which the environment gets the agent-class; one
that makes no copies is an environment of Definition 1).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple, NoReturn

from engine.compiling.objects import Compilable
from engine.contracts import Contract, require_overrides, require_parameters
from engine.errors import ContractBroken
from engine.printable import show_value
from engine.randomness.random_sources import RandomSource
from engine.user_code import describe_place
from xenv.simulation import Simulate


class RewardReach(NamedTuple):
    """What total rewards agents can get.

    random: expected where the agent and its copies draw each action uniformly, independently of each other. best: the
    most of any semi-deterministic agent, which acts as its copies do after the same transitions.
    """

    random: float
    best: float


def agree_with_copies(n_actions: int, turns: int) -> RewardReach:
    """Return what there is to get where a turn is worth +1 for doing as a copy does, else -1.

    An agent that always takes the same action, whatever it has seen, does in every turn what each of its copies does.
    """
    return RewardReach((2 / n_actions - 1) * turns, turns)


class ExtendedEnvironment(Compilable, ABC):
    """An environment that may simulate the agent and react to what its copies would do.

    A subclass declares its shape as class attributes, calls `super().__init__(simulate)`, and defines `start` and
    `step`.

    Parameters
    ----------
    simulate : Simulate
        Makes any number of untrained copies of the agent; `simulate.random_source` gives random numbers.

    Attributes
    ----------
    n_observations, n_actions : int
        Observations are 0 .. n_observations - 1, actions 0 .. n_actions - 1; 1 and 2 by default.
    reward_range : tuple of two floats
        The least and the greatest reward; -1 and 1 by default.
    action_names, observation_names : tuple of str
        What actions and observations mean, in a few letters each; () for their numbers.
    in_benchmark : bool
        Whether the environment is part of the paper's battery, whose measures should stay comparable.
    compiled : bool
        Whether numba can compile the environment (`engine.compiling.objects`).
    copy_reward_sign : float
        The factor, 1 or -1, of the rewards on which copies in the agent's own role are trained.

    Examples
    --------
    An environment that rewards the agent for doing what an untrained copy does:

    >>> import xenv
    >>> class Unchanged(xenv.ExtendedEnvironment):
    ...     def __init__(self, simulate):
    ...         super().__init__(simulate)
    ...         self.copy = simulate()
    ...
    ...     def start(self):
    ...         return 0
    ...
    ...     def step(self, action):
    ...         return (1.0 if action == self.copy.act(0) else -1.0), 0
    >>> xenv.run_environment(Unchanged, "constant", turns=10).total_reward
    10

    References
    ----------
    S. A. Alexander et al., "Extending environments to measure self-reflection in reinforcement learning", 2021,
    Definition 2 and section 4.
    """

    n_observations: ClassVar[int] = 1
    n_actions: ClassVar[int] = 2
    reward_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    action_names: ClassVar[tuple[str, ...]] = ()
    observation_names: ClassVar[tuple[str, ...]] = ()
    in_benchmark: ClassVar[bool] = False
    compiled: ClassVar[bool] = True

    def __init__(self, simulate: Simulate) -> None:
        self.copy_reward_sign = 1.0

    @abstractmethod
    def start(self) -> int:
        """Return the first observation.

        Returns
        -------
        int
            An observation, 0 .. n_observations - 1.
        """

    @abstractmethod
    def step(self, action: int) -> tuple[float, int]:
        """Respond to an action with a reward and the next observation.

        Parameters
        ----------
        action : int
            The agent's action, 0 .. n_actions - 1.

        Returns
        -------
        reward : float
            A number within `reward_range`.
        observation : int
            The next observation, 0 .. n_observations - 1.
        """

    @classmethod
    def find_reach(cls, turns: int, source: RandomSource) -> RewardReach | None:
        """Return what total rewards agents can get in a number of turns; None where nobody has said so.

        Parameters
        ----------
        turns : int
            The number of turns, at least 1.
        source : RandomSource
            The environment's own random numbers, of which rooms and observations are a function.

        Returns
        -------
        RewardReach or None
            By random actions, and the most of any agent.
        """
        return None


def _require_shape(environment: type[ExtendedEnvironment]) -> None:
    """Raise ContractBroken unless a class overrides methods as each of its bases has them, and declares its shape.

    `n_observations` and `n_actions` are integers from 1, `reward_range` two numbers in order.
    """
    for base in environment.__mro__[1:]:
        if issubclass(base, ExtendedEnvironment):
            require_overrides(environment, base)
    require_parameters(environment, 1, f"{environment.__name__}(simulate)")
    for name in ("n_observations", "n_actions"):
        count: Any = getattr(environment, name)
        if isinstance(count, bool) or not hasattr(count, "__index__") or count < 1:
            _refuse_declaration(environment, name, "declare an integer from 1")
    if not _is_range(environment.reward_range):
        _refuse_declaration(environment, "reward_range", "declare (least, greatest), two finite numbers in order")


ENVIRONMENT = Contract[type[ExtendedEnvironment]]("environment", derives=ExtendedEnvironment, require=_require_shape)


def _refuse_declaration(environment: type, name: str, remedy: str) -> NoReturn:
    raise ContractBroken(
        f"{name} = {show_value(getattr(environment, name))}", place=describe_place(environment), remedy=remedy
    )


def _is_range(declared: object) -> bool:
    if not (isinstance(declared, tuple) and len(declared) == 2):
        return False
    numbers = all(isinstance(bound, int | float) and math.isfinite(bound) for bound in declared)
    return numbers and declared[0] <= declared[1]
