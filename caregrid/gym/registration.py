"""Announcing scenarios and extended environments to Gymnasium as `caregrid/NAME-v0`; adapters are imported when used.

Gymnasium is slow to import and the command line rarely needs it: where it is not there yet, names are announced at the
moment it is imported. `import caregrid` and `import gymnasium` thus work in either order.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def register_with_gymnasium() -> None:
    """Register all names now if Gymnasium is imported, else as soon as it is."""
    if "gymnasium" in sys.modules:
        register_names()
    elif not any(isinstance(finder, _WhenImported) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())


def register_names() -> None:
    """Register the scenarios and environments that are not registered yet, without importing any of them."""
    import gymnasium

    from caregrid.kinds import KINDS

    for name in KINDS["scenarios"].light_registry().names():
        if f"caregrid/{name}-v0" not in gymnasium.registry:
            gymnasium.register(
                f"caregrid/{name}-v0",
                entry_point="caregrid.gym.scenario:make_gymnasium_world",
                vector_entry_point="caregrid.gym.vector:GymnasiumVectorWorld",
                kwargs={"scenario": name},
            )
    for name in KINDS["environments"].light_registry().names():
        if f"caregrid/{name}-v0" not in gymnasium.registry:
            gymnasium.register(
                f"caregrid/{name}-v0",
                entry_point="caregrid.gym.extended:GymnasiumExtendedEnvironment",
                kwargs={"environment": name},
            )


class _WhenImported(MetaPathFinder):
    """Finds Gymnasium as the other finders do, and registers the scenarios after it has run."""

    def __init__(self) -> None:
        self._asking_others = False

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        """The spec of Gymnasium with our loader around its own; None, no opinion, for every other module."""
        if name != "gymnasium" or self._asking_others:
            return None
        self._asking_others = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._asking_others = False
        if spec is not None and spec.loader is not None:
            spec.loader = _ThenRegister(spec.loader, self)
        return spec


class _ThenRegister(Loader):
    """Gymnasium's own loader, and afterwards the registration; the finder then has nothing left to do."""

    def __init__(self, loader: Loader, finder: MetaPathFinder) -> None:
        self._loader = loader
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._loader
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        register_names()
