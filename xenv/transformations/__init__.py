"""Transformations of agents, one file each, found by their file names: each takes a spec and returns a spec."""

from __future__ import annotations

from collections.abc import Callable

from engine.agent import AgentSpec
from engine.registry import Registry

TRANSFORMATIONS: Registry[Callable[[AgentSpec], AgentSpec]] = Registry("xenv.transformations", "transformation")
