"""The scenarios, here and in `craftworld/levels/`, a class each, found by its name in words: the registry `SCENARIOS`.

A user's own may also be a scenario that is made already, such as `caregrid.wrap` gives, or a function that makes one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.registry import Registry, find_namesake_class

if TYPE_CHECKING:
    from craftworld.scenario_maker import ScenarioMaker


SCENARIOS: Registry[ScenarioMaker] = Registry(
    "craftworld.scenarios",
    "scenario",
    find_namesake_class,
    accept="craftworld.scenario_maker:accept_scenario_maker",
    also=("craftworld.levels",),
)
