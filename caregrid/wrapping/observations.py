"""What an agent observes in a state into which its environment was put.

Where no step or reset has said it, the innermost environment's own method makes the observation
(`WorldFamily.observation`), or the user's `observe`; observation wrappers around it then do what they do. One
observation is compared with that of a reset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from caregrid.wrapping.family import WorldFamily
from engine.errors import BadValue
from engine.user_code import describe_place, user_code

Observe = Callable[[Any], Any]
"""From an environment without wrappers to what its agent observes in its present state."""


def make_observation(layers: Sequence[Any], states: WorldFamily, observe: Observe | None) -> Any:
    """layers: the environment and what it wraps, from the outside in. observe: None for the environment's own."""
    from gymnasium import ObservationWrapper

    bare = getattr(layers[-1], "unwrapped", layers[-1])
    if observe is None:
        with user_code(describe_place(bare)):
            given = states.observation()
    else:
        with user_code(describe_place(observe)):
            given = observe(bare)
    for layer in reversed(layers[:-1]):
        if isinstance(layer, ObservationWrapper):
            given = layer.observation(given)
    return given


def require_observed(layers: Sequence[Any], states: WorldFamily, observe: Observe | None, reset_gave: Any) -> None:
    """BadValue where the state after a reset is observed otherwise than the reset said."""
    from gymnasium.utils.env_checker import data_equivalence

    made = make_observation(layers, states, observe)
    if not data_equivalence(made, reset_gave) and not _are_equal(made, reset_gave):
        raise BadValue(
            "an observation made of its state is not the one that its reset gives",
            place=type(getattr(layers[-1], "unwrapped", layers[-1])).__name__,
            remedy="give observe=, a function that makes an observation of the environment without wrappers",
        )


def _are_equal(made: Any, given: Any) -> bool:
    """Equal up to types: 3 and int64(3)."""
    try:
        return bool(made == given)
    except (TypeError, ValueError):
        return False
