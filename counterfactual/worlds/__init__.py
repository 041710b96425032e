"""Worlds with an input terminal, one file each: `TERMINAL_WORLDS["barricade"].make({"units": 6})`."""

from typing import Any

from counterfactual.terminal_world import TerminalWorld, accept_terminal_world
from engine.registry import Registry, sole_subclass

TERMINAL_WORLDS: Registry[type[TerminalWorld[Any]]] = Registry(
    "counterfactual.worlds",
    "terminal world",
    sole_subclass(TerminalWorld),
    accept=accept_terminal_world,
    group="caregrid.terminal_worlds",
)
