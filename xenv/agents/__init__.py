"""The agents of the battery: those that only this programme needs, one file each, and those of `engine.agents`.

`AGENTS["simple"]` is the class of its spec. `sb3_dqn`, `sb3_a2c` and `sb3_ppo` are Stable-Baselines3's algorithms;
`dqn` is the engine's own.
"""

from __future__ import annotations

from engine.agent import AgentSpec
from engine.agents import accept_spec, sole_spec
from engine.registry import Registry

AGENTS: Registry[type[AgentSpec]] = Registry(
    "xenv.agents",
    "agent",
    pick=sole_spec,
    accept=accept_spec,
    also=("engine.agents",),
    renamed={"a2c": "sb3_a2c", "ppo": "sb3_ppo"},
)
