"""Named scenarios, one file each, with worked examples; a family of them takes what follows its name.

"booth_corridor:move,coloured", "threshold:3,2,1,2,1".
"""

from __future__ import annotations

import inspect
from typing import Any

from engine.contracts import require_class, require_instance, require_overrides
from engine.errors import ContractBroken
from engine.limits.effort import ASK_FIRST, Effort
from engine.registry import Registry
from engine.user_code import place_of, user_code
from multislot.naming import Family, named
from multislot.scenario import SlotScenario
from multislot.worlds.environment import HistoryBasedEnvironment
from multislot.worlds.protocol import MultiSlotEnvironment


def accept_slot_scenario(entry: Any) -> SlotScenario | Family[SlotScenario]:
    """A scenario or a family of them; an environment, or a class of one made without arguments, becomes a scenario."""
    if isinstance(entry, SlotScenario | Family):
        return entry
    if inspect.isclass(entry) and issubclass(entry, HistoryBasedEnvironment):
        require_class(entry, HistoryBasedEnvironment, "slot scenario")
        with user_code(f"slot scenario in {place_of(entry)}"):
            entry = entry()
    if isinstance(entry, HistoryBasedEnvironment):
        require_overrides(type(entry), HistoryBasedEnvironment)
        return SlotScenario(entry)
    if isinstance(entry, MultiSlotEnvironment) or (inspect.isclass(entry) and issubclass(entry, MultiSlotEnvironment)):
        remedy = "check it by 'multislot locality', or simulate it by multislot.simulation.simulation.simulate_slots"
        raise ContractBroken("agents may interact in it, so it has no values", place=place_of(entry), remedy=remedy)
    require_instance(entry, SlotScenario, "slot scenario")
    raise AssertionError("not reached")


SLOT_SCENARIOS: Registry[SlotScenario | Family[SlotScenario]] = Registry(
    "multislot.scenarios", "scenario", accept=accept_slot_scenario, group="caregrid.slot_scenarios"
)


def slot_scenario(name: str, effort: Effort = ASK_FIRST) -> SlotScenario:
    """A scenario by its name: "swap", "threshold:2,1,1,3,1", "my_file:world". UnknownName, BadValue, ContractBroken."""
    return named(SLOT_SCENARIOS, name, effort)
