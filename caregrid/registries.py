"""Every registry of the house in one place, for the commands that list and show what there is."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from engine.errors import UnknownName

KINDS = {
    "scenarios": "craftworld.scenarios:SCENARIOS",
    "formulations": "craftworld.formulations:FORMULATIONS",
    "agents": "xenv.agents:AGENTS",
    "environments": "xenv.environments:ENVIRONMENTS",
    "experiments": "experiments.catalogue:CATALOGUE",
}


def registry(kind: str) -> Mapping[str, Any]:
    """The registry of a kind; UnknownName where there is no such kind."""
    if kind not in KINDS:
        raise UnknownName("kind", kind, KINDS)
    module, _, attribute = KINDS[kind].partition(":")
    found: Mapping[str, Any] = getattr(importlib.import_module(module), attribute)
    return found


def find(name: str) -> list[tuple[str, Any]]:
    """(kind, entry) of everything called `name`; UnknownName, with the nearest names, where there is none."""
    found = [(kind, registry(kind)[name]) for kind in KINDS if name in registry(kind)]
    if not found:
        raise UnknownName("name", name, {known for kind in KINDS for known in registry(kind)})
    return found


def summary(entry: Any) -> str:
    """The first line of an entry's module docstring, or what an experiment reproduces."""
    reproduces = getattr(entry, "reproduces", None)
    if reproduces:
        return str(reproduces)
    return documentation(entry).partition("\n")[0].rstrip(".")


def documentation(entry: Any) -> str:
    """The docstring of the file an entry is defined in; of an experiment, which is data, the file its name says."""
    if hasattr(entry, "reproduces"):
        place = "experiments.catalogue." + entry.name.replace("/", ".")
    else:
        place = entry.__module__ if hasattr(entry, "__module__") else type(entry).__module__
    module = importlib.import_module(place)
    return (module.__doc__ or "").strip()
