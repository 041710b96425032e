"""dm_env: time steps in place of tuples; bsuite is a part of it.

An episode ends with discount 0; an episode that ends with another discount was cut. The state is the environment's
attributes, without those that bsuite only writes down for its scores: what `bsuite_info` names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from caregrid.wrapping.door import CountedActions, Door
from caregrid.wrapping.hidden_state import list_generators
from caregrid.wrapping.settings import WorldSettings
from engine.errors import BadValue, ContractBroken
from engine.mdp.enumeration.linked_generators import reseed

__all__ = ["DmEnvironment"]


class DmEnvironment(Door):
    """An environment of dm_env, or one of the same methods."""

    holds_state = False

    def __init__(self, given: Any, settings: WorldSettings) -> None:
        self.env = given
        self._first, count = _read_actions(given)
        self.action_space = CountedActions(count)
        self._to_action: Callable[[int], Any] = given.action_spec().dtype.type if self._first == 0 else self._shift

    @classmethod
    def applies(cls, given: Any) -> bool:
        return all(
            callable(getattr(given, name, None)) for name in ("action_spec", "observation_spec", "reset", "step")
        )

    @property
    def unwrapped(self) -> Any:
        return self.env

    def reset(self, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            reseed(list_generators([self.env]), seed)
        return self.env.reset().observation, {}

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        shown = self.env.step(self._to_action(action))
        if shown.reward is None:
            raise ContractBroken("a step gave no reward", place=self.title(), remedy="begin an episode by reset alone")
        over = bool(shown.last())
        discount = 1.0 if shown.discount is None else float(shown.discount)
        if not over and discount != 1.0:
            problem = f"a step in an episode has the discount {discount:g}"
            raise BadValue(problem, place=self.title(), remedy="let it be 1, and give wrap's discount=")
        return shown.observation, float(shown.reward), over and discount == 0.0, over and discount != 0.0, {}

    def ignored(self) -> Sequence[str]:
        report = getattr(type(self.env), "bsuite_info", None)
        names = report.__code__.co_names if report is not None else ()
        return [name for name in names if name in vars(self.env)]

    def _shift(self, action: int) -> int:
        return action + self._first


def _read_actions(env: Any) -> tuple[int, int]:
    """Return the first action and their number; BadValue unless they are finitely many whole numbers."""
    spec = env.action_spec()
    if hasattr(spec, "num_values") and np.ndim(spec.num_values) == 0:
        return 0, int(spec.num_values)
    least, most = (np.asarray(getattr(spec, name, np.nan)) for name in ("minimum", "maximum"))
    if spec.shape != () or np.dtype(spec.dtype).kind not in "iu" or np.isnan(least).any():
        raise BadValue(f"its actions are {spec}", place=type(env).__name__, remedy="give a finite number of actions")
    return int(least), int(most) - int(least) + 1
