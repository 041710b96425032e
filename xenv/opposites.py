"""Opposites of environments: the same environment with the rewards negated.

    opposite:          the agent gets -r, its copies are still trained on r (as in the published tables)
    literal_opposite:  the agent gets -r, and so do copies in its own role (Definition 2 read literally: the history
                       that the environment answers is the one with the negated rewards)

Alexander et al. 2021, section 6: blind agents score 0 once opposites are included.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.errors import BadValue
from xenv.environments import ENVIRONMENTS
from xenv.specs.simulation import Simulate


def opposite(environment: Any) -> Any:
    """The environment (a class, a factory or a name) that pays the negated rewards; twice is the environment itself."""
    return _signed(environment, paid=-1.0, felt=1.0)


def literal_opposite(environment: Any) -> Any:
    """The environment that pays negated rewards, to copies in the agent's role too; twice is the environment itself."""
    return _signed(environment, paid=-1.0, felt=-1.0)


OPPOSITES = {"opposite": opposite, "literal_opposite": literal_opposite}


@dataclass(frozen=True)
class Signed:
    """An environment whose rewards are multiplied by `paid` for the agent and by `felt` for copies in its role."""

    environment: Callable[..., Any]
    paid: float
    felt: float

    def __call__(self, simulate: Simulate) -> SignedEnvironment:
        """Make the environment."""
        return SignedEnvironment(self.environment(simulate), self.paid, self.felt)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.environment, name)

    @property
    def reward_range(self) -> tuple[float, float]:
        """The least and greatest reward."""
        low, high = sorted(self.paid * reward for reward in self.environment.reward_range)  # type: ignore[attr-defined]
        return low, high


class SignedEnvironment:
    """An environment under way, with its sign."""

    def __init__(self, environment: Any, paid: float, felt: float) -> None:
        self.environment, self.paid = environment, paid
        self.n_observations, self.n_actions = environment.n_observations, environment.n_actions
        if felt != 1.0:
            if not hasattr(environment, "felt"):
                raise BadValue(
                    f"{type(environment).__name__} does not say what copies feel",
                    remedy="derive it from ExtendedEnvironment and train copies on self.felt * reward",
                )
            environment.felt = felt

    def start(self) -> int:
        """The first observation."""
        first: int = self.environment.start()
        return first

    def step(self, action: int) -> tuple[float, int]:
        """The environment's answer with its sign."""
        reward, observation = self.environment.step(action)
        return self.paid * reward, observation


def _signed(environment: Any, paid: float, felt: float) -> Any:
    if isinstance(environment, str):
        environment = ENVIRONMENTS[environment]
    if isinstance(environment, Signed):
        environment, paid, felt = environment.environment, paid * environment.paid, felt * environment.felt
    return environment if paid == felt == 1.0 else Signed(environment, paid, felt)
