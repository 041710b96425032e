"""The scenarios, one file each, a class named like its file; found by the registry `SCENARIOS`."""

from typing import Any

from craftworld.scenario import Scenario
from engine.registry import Registry, namesake_class


def _accept(thing: Any) -> type[Scenario]:
    from craftworld.checks.declaration import accept_scenario  # names are listed without it

    return accept_scenario(thing)


SCENARIOS: Registry[type[Scenario]] = Registry("craftworld.scenarios", "scenario", namesake_class, accept=_accept)
