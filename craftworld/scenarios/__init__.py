"""The scenarios, one file each, a class named like its file; found by the registry `SCENARIOS`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.registry import Registry, namesake_class

if TYPE_CHECKING:
    from craftworld.scenario import Scenario


def _accept(thing: Any) -> type[Scenario]:
    from craftworld.checkers.declaration import accept_scenario  # names are listed without it

    return accept_scenario(thing)


SCENARIOS: Registry[type[Scenario]] = Registry("craftworld.scenarios", "scenario", namesake_class, accept=_accept)
