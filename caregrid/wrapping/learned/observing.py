"""What an environment observes in the state in which it has been put, where no step or reset has said so.

The innermost environment's own method makes the observation (`WorldFamily.observation`), or the user's `observe`;
observation wrappers around it then do what they do. One observation is compared with that of a reset.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from caregrid.wrapping.family import WorldFamily
from caregrid.wrapping.worlds.stepped import layers
from engine.errors import BadValue
from engine.user_code import place_of, user_code

Observe = Callable[[Any], Any]


def observation_of(env: Any, states: WorldFamily, observe: Observe | None) -> Any:
    """env: with its wrappers. observe: the user's function of the environment without wrappers."""
    from gymnasium import ObservationWrapper

    if observe is None:
        given = states.observation()
    else:
        with user_code(place_of(observe)):
            given = observe(env.unwrapped)
    for layer in reversed(layers(env)[:-1]):
        if isinstance(layer, ObservationWrapper):
            given = layer.observation(given)
    return given


def require_observed(env: Any, states: WorldFamily, observe: Observe | None, reset_gave: Any) -> None:
    """BadValue where the observation of the state after a reset is not the one that the reset gave."""
    from gymnasium.utils.env_checker import data_equivalence

    made = observation_of(env, states, observe)
    if not data_equivalence(made, reset_gave) and not _are_equal(made, reset_gave):
        raise BadValue(
            "an observation made of its state is not the one that its reset gives",
            place=type(env.unwrapped).__name__,
            remedy="give observe=, a function that makes an observation of the environment without wrappers",
        )


def _are_equal(made: Any, given: Any) -> bool:
    """Equal up to types: 3 and int64(3)."""
    try:
        return bool(made == given)
    except (TypeError, ValueError):
        return False
