"""Tabular and deep agents, one file each, found by their file names: `AGENTS["q_learning"]` is the class of its spec.

A spec is a frozen dataclass of hyper-parameters with `build(n_observations, n_actions, key) -> Agent`; a new agent is
a new file that defines exactly one.
"""

from __future__ import annotations

from types import ModuleType

from engine.agent import AgentSpec
from engine.errors import ContractBroken
from engine.registry import Registry


def sole_spec(module: ModuleType) -> type[AgentSpec]:
    """The one public class with a `build` method that a module defines itself; ContractBroken otherwise."""
    own = [
        thing
        for name, thing in vars(module).items()
        if isinstance(thing, type)
        and thing.__module__ == module.__name__
        and not name.startswith("_")
        and callable(getattr(thing, "build", None))
    ]
    if len(own) != 1:
        raise ContractBroken(
            f"it defines {len(own)} agent specs", place=module.__name__, remedy="define exactly one class with 'build'"
        )
    return own[0]


AGENTS: Registry[type[AgentSpec]] = Registry("engine.agents", "agent", pick=sole_spec)
