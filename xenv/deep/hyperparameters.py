"""The domains of the hyper-parameters of deep learners, checked when a spec is made.

Names and meanings are Stable-Baselines3's; each learner's own are in `xenv/agents/`.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

from engine.agent import AgentSpec
from engine.value_types import Numbers, ValueType, WholeNumbers

MOST = 10**9
MOST_UNITS = 10_000
MOST_LAYERS = 100
UNITS = WholeNumbers(1, MOST_UNITS)
ACTOR_CRITIC_EPSILON = 1e-5  # Adam's, Stable-Baselines3's for A2C and PPO

Count = Annotated[int, WholeNumbers(1, MOST)]
CountOrNone = Annotated[int, WholeNumbers(0, MOST)]
CountForVariance = Annotated[int, WholeNumbers(2, MOST)]
"""Of turns over which advantages are normalised: of one there is no standard deviation."""
Amount = Annotated[float, Numbers(0)]


def _is_layers(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) <= MOST_LAYERS and all(UNITS.admit(units) for units in value)


HiddenLayers = Annotated[
    tuple[int, ...],
    ValueType(f"a tuple of at most {MOST_LAYERS} whole numbers from {UNITS}, such as (64, 64)", _is_layers),
]
"""Units of each hidden layer."""


class Hyperparameters(AgentSpec):
    """The hyper-parameters of a deep learner."""

    def read_settings(self) -> dict[str, Any]:
        """Return the hyper-parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
