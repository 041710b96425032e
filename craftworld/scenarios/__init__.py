"""The scenarios, here and in `craftworld/levels/`, a class each, found by its name in words: the registry `SCENARIOS`.

A user's own may also be a scenario that is made already, such as `caregrid.wrap` gives, or a function that makes one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.registry import Registry, find_namesake_class

if TYPE_CHECKING:
    from craftworld.scenario_maker import ScenarioMaker


def _accept(thing: Any) -> ScenarioMaker:
    from craftworld.scenario_maker import accept_scenario_maker  # names are listed without it

    return accept_scenario_maker(thing)


SCENARIOS: Registry[ScenarioMaker] = Registry(
    "craftworld.scenarios", "scenario", find_namesake_class, accept=_accept, also=("craftworld.levels",)
)
