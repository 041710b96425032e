"""The agents of the battery: those that only this programme needs, and those of `engine.agents`.

`BATTERY_AGENTS["simple"]` is the class of its spec. `dqn.py`, `a2c.py` and `ppo.py` hold all agents of one learner:
Stable-Baselines3's algorithm (`sb3_...`) and lanes of stacks. `BATTERY_AGENTS["my_file:thing"]` is one of a user's
own: a class of specs, a spec, or a factory of specs or of objects with `act` and `train`.
"""

from __future__ import annotations

import inspect
from typing import Any

from engine.agent import AgentSpec
from engine.agents import AGENT_SPEC, find_sole_spec
from engine.contracts import require_instance
from engine.registry import Registry
from xenv.simulation import as_spec


def accept_agent(thing: Any) -> type[AgentSpec] | AgentSpec:
    """Return a class of specs or a spec as it is, a factory as a spec; raise ContractBroken for anything else."""
    if inspect.isclass(thing) and issubclass(thing, AgentSpec):
        return AGENT_SPEC.accept(thing)
    if not callable(thing):
        require_instance(thing, AgentSpec, "agent spec")
    return as_spec(thing)


BATTERY_AGENTS: Registry[type[AgentSpec] | AgentSpec] = Registry(
    "xenv.agents",
    "agent",
    pick=find_sole_spec,
    accept=accept_agent,
    also=("engine.agents",),
    renamed={"a2c": "sb3_a2c", "ppo": "sb3_ppo"},
)
