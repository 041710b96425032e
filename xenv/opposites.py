"""Opposites of environments: the same environment with the rewards negated.

    opposite:          the agent gets -r, its copies are still trained on r (as in the published tables)
    literal_opposite:  the agent gets -r, and so do copies in its own role (Definition 2 read literally: the history
                       that the environment answers is the one with the negated rewards)

Alexander et al. 2021, section 6: blind agents score 0 once opposites are included.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from engine.errors import BadValue
from engine.printable import show_value
from engine.registry import spell_name
from xenv.environments import ENVIRONMENTS
from xenv.simulation import Simulate


def opposite(environment: Any) -> Any:
    """Negate the rewards of an environment; copies are still trained on the original ones.

    The opposite of an opposite is the environment itself.

    Parameters
    ----------
    environment : str or class or function
        The name, the class or a factory of an extended environment.

    Returns
    -------
    class or SignedFactory
        What makes the environment with negated rewards.

    Raises
    ------
    BadValue
        If `environment` is neither a name nor callable.
    UnknownName
        If there is no environment of that name.

    Examples
    --------
    >>> import xenv
    >>> xenv.run_environment(xenv.opposite("repeater"), "constant", turns=10).total_reward
    -10

    References
    ----------
    S. A. Alexander et al., "Extending environments to measure self-reflection in reinforcement learning", 2021,
    section 6, as its tables were made.
    """
    return _apply_signs(environment, agent_reward_sign=-1.0, copy_reward_sign=1.0)


def literal_opposite(environment: Any) -> Any:
    """Negate the rewards of an environment, those on which copies in the agent's role are trained among them.

    Arguments, result and errors are those of `opposite`; this is Definition 2 read literally.
    """
    return _apply_signs(environment, agent_reward_sign=-1.0, copy_reward_sign=-1.0)


OPPOSITES = {"opposite": opposite, "literal_opposite": literal_opposite}


@dataclass(frozen=True)
class SignedFactory:
    """A factory of environments whose rewards carry a sign.

    environment: the class or factory of the unsigned environment. agent_reward_sign: factor of the agent's rewards.
    copy_reward_sign: factor of the rewards on which copies in the agent's role are trained.
    """

    environment: Callable[..., Any]
    agent_reward_sign: float
    copy_reward_sign: float

    __wrapped__ = property(attrgetter("environment"))  # what messages name

    def __call__(self, simulate: Simulate) -> SignedEnvironment:
        """Make the environment."""
        return SignedEnvironment(self.environment(simulate), self.agent_reward_sign, self.copy_reward_sign)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.environment, name)

    @property
    def reward_range(self) -> tuple[float, float]:
        """Return the least and the greatest reward."""
        unsigned: tuple[float, float] = self.environment.reward_range  # type: ignore[attr-defined]
        low, high = sorted(self.agent_reward_sign * reward for reward in unsigned)
        return low, high


class SignedEnvironment:
    """An environment that a `SignedFactory` has made; the arguments are those of the factory."""

    def __init__(self, environment: Any, agent_reward_sign: float, copy_reward_sign: float) -> None:
        self.environment = environment
        self.agent_reward_sign = agent_reward_sign
        self.n_observations, self.n_actions = environment.n_observations, environment.n_actions
        if copy_reward_sign != 1.0:
            if not hasattr(environment, "copy_reward_sign"):
                raise BadValue(
                    f"{type(environment).__name__} has no 'copy_reward_sign'",
                    remedy="derive it from ExtendedEnvironment and train copies on self.copy_reward_sign * reward",
                )
            environment.copy_reward_sign = copy_reward_sign

    __wrapped__ = property(attrgetter("environment"))  # what messages name

    def start(self) -> int:
        """Return the first observation."""
        first: int = self.environment.start()
        return first

    def step(self, action: int) -> tuple[float, int]:
        """Return the signed reward and the next observation."""
        reward, observation = self.environment.step(action)
        return self.agent_reward_sign * reward, observation


def _apply_signs(environment: Any, agent_reward_sign: float, copy_reward_sign: float) -> Any:
    if isinstance(environment, str):
        environment = _find_environment(environment)
    if not callable(environment):
        raise BadValue(
            f"{show_value(environment)} is not an environment",
            place="opposite",
            remedy="give a class, a factory or a name",
        )
    if isinstance(environment, SignedFactory):
        agent_reward_sign *= environment.agent_reward_sign
        copy_reward_sign *= environment.copy_reward_sign
        environment = environment.environment
    if agent_reward_sign == copy_reward_sign == 1.0:
        return environment
    return SignedFactory(environment, agent_reward_sign, copy_reward_sign)


def _find_environment(name: str) -> Any:
    """Return the environment of a name, which may be an opposite itself."""
    outer, bracket, inner = name.strip().partition("(")
    if bracket and inner.endswith(")") and spell_name(outer) in OPPOSITES:
        return OPPOSITES[spell_name(outer)](inner[:-1])
    return ENVIRONMENTS[name]
