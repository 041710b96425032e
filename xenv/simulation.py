"""What an environment is given to look into the agent: `simulate(**changes)` makes fresh untrained copies of it.

A copy has the same spec, key, observations and actions as the agent that is measured, unless changed:
`simulate(learning_rate=1.0)`, `simulate(n_actions=3)` (Alexander et al. 2021, section 4: the agent-class that is passed
to the environment).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeAlias

from engine.agent import Agent, AgentSpec
from engine.errors import BadValue
from xenv.handmade import HandmadeSpec

Simulate: TypeAlias = Callable[..., Agent]


class NoSuchSetting(BadValue):
    """A copy was asked for with a setting that the agent's spec does not have; environments may handle it."""


def changed(spec: AgentSpec, **changes: Any) -> AgentSpec:
    """A spec with some hyper-parameters changed; NoSuchSetting where it has none of that name.

    A spec around another one passes on what it does not know itself by a method `changed(**changes)`.
    """
    if not changes:
        return spec
    own = getattr(spec, "changed", None)
    if own is not None:
        result: AgentSpec = own(**changes)
        return result
    fields: set[str] = set()
    if dataclasses.is_dataclass(spec):
        fields = {field.name for field in dataclasses.fields(spec)}
    for name in changes:
        if name not in fields:
            raise NoSuchSetting(
                f"no setting '{name}'",
                place=type(spec).__name__,
                remedy="choose from " + ", ".join(sorted(fields)) if fields else "it has no settings",
            )
    return dataclasses.replace(spec, **changes)  # type: ignore[type-var]


def simulator(spec: AgentSpec, n_observations: int, n_actions: int, key: int) -> Simulate:
    """The function `simulate(**changes) -> Agent` for an agent of this spec; the agent itself is `simulate()`."""

    def simulate(**changes: Any) -> Agent:
        shape = {"n_observations": n_observations, "n_actions": n_actions, "key": key}
        shape |= {name: changes.pop(name) for name in tuple(shape) if name in changes}
        return changed(spec, **changes).build(**shape)

    return simulate


def as_spec(agent: object) -> AgentSpec:
    """A spec as it is; a factory of hand-written agents (a class or function) as a spec; BadValue for anything else."""
    if callable(getattr(agent, "build", None)) and not isinstance(agent, type):
        return agent  # type: ignore[return-value]
    if callable(agent):
        return HandmadeSpec(agent)
    raise BadValue(
        f"{type(agent).__name__} is neither a spec nor a factory of agents",
        remedy="pass a spec, or a class or function that makes objects with 'act' and 'train'",
    )
