"""The scenarios, one file each, a class named like its file; found by the registry `SCENARIOS`."""

from craftworld.scenario import Scenario
from engine.registry import Registry, namesake_class

SCENARIOS: Registry[type[Scenario]] = Registry("craftworld.scenarios", "scenario", pick=namesake_class)
