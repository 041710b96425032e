"""Worlds with an input terminal, one file each: `WORLDS["barricade"].make({"units": 6})`."""

from typing import Any

from counterfactual.world import World
from engine.registry import Registry, sole_subclass

WORLDS: Registry[type[World[Any]]] = Registry("counterfactual.worlds", "world", sole_subclass(World))  # type: ignore[type-abstract]
