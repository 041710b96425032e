"""The agents of the battery that only this programme needs, one file each, found by their file names.

The tabular ones that others use too (random, constant, Q-learning) are in `engine.agents`; a name is looked up here
first (`xenv.specs.names.agent`).
"""

from __future__ import annotations

from engine.agent import AgentSpec
from engine.agents import sole_spec
from engine.registry import Registry

AGENTS: Registry[type[AgentSpec]] = Registry("xenv.agents", "agent", pick=sole_spec)
