"""Worlds with an input terminal, one file each; a world is made from named settings: `WORLDS["barricade"].make({...})`."""

from typing import Any

from counterfactual.world import World
from engine.registry import Registry, sole_subclass

WORLDS: Registry[type[World[Any]]] = Registry("counterfactual.worlds", "world", sole_subclass(World))
