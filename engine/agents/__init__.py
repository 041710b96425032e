"""Tabular agents by name: `AGENTS["q_learning"]` is the class of the spec that `q_learning.py` defines.

A spec is a frozen dataclass of hyper-parameters with `build(n_observations, n_actions, key) -> Agent`. A file that
defines exactly one spec is an agent of its own name. `engine.agent.check_agent` checks the rest of the contract.
"""

from __future__ import annotations

import inspect
from types import ModuleType

from engine.agent import AgentSpec
from engine.contracts import Contract
from engine.errors import ContractBroken
from engine.registry import Registry
from engine.user_code import describe_place


def find_sole_spec(module: ModuleType) -> type[AgentSpec]:
    """Find the one public class with a `build` method that a module defines; raise ContractBroken otherwise."""
    own = [
        thing
        for name, thing in vars(module).items()
        if inspect.isclass(thing)
        and thing.__module__ == module.__name__
        and not name.startswith("_")
        and issubclass(thing, AgentSpec)
    ]
    if len(own) != 1:
        raise ContractBroken(
            f"it defines {len(own)} agent specs",
            place=describe_place(module),
            remedy="define exactly one class with 'build'",
        )
    return own[0]


def _require_frozen(kind: type[AgentSpec]) -> None:
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is None or not parameters.frozen:
        raise ContractBroken(
            "its hyper-parameters can be changed",
            place=describe_place(kind),
            remedy="decorate it with @dataclass(frozen=True)",
        )


AGENT_SPEC = Contract[type[AgentSpec]](
    "agent spec",
    derives=AgentSpec,
    require=_require_frozen,
)
"""The class of a spec: a frozen dataclass; `check_agent` checks the agents that it builds."""
AGENTS: Registry[type[AgentSpec]] = Registry("engine.agents", "agent", pick=find_sole_spec, accept=AGENT_SPEC.accept)
