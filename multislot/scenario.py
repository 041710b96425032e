"""Named worlds: an environment together with worked examples, numbers that can be checked.

A file of `multislot/scenarios` holds one `SlotScenario`, or a family of them by what follows the name
("booth_corridor:move,coloured").
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from engine.contracts import require_class, require_instance
from engine.registry import Registry
from engine.user_code import place_of, user_code
from multislot.naming import Family, named
from multislot.worked_example import WorkedExample
from multislot.worlds.environment import HistoryBasedEnvironment
from multislot.worlds.table_json import table_environment


@dataclass(frozen=True)
class SlotScenario:
    """An environment and what is worked out on it. Raises ContractBroken where it is no environment."""

    environment: HistoryBasedEnvironment
    examples: tuple[WorkedExample, ...] = ()

    def __post_init__(self) -> None:
        require_instance(self.environment, HistoryBasedEnvironment, "history-based environment")


def accept_scenario(entry: Any) -> SlotScenario | Family[SlotScenario]:
    """A scenario or a family of them; an environment, or a class of one made without arguments, becomes a scenario."""
    if isinstance(entry, SlotScenario | Family):
        return entry
    if inspect.isclass(entry) and issubclass(entry, HistoryBasedEnvironment):
        require_class(entry, HistoryBasedEnvironment, "slot scenario")
        with user_code(f"slot scenario in {place_of(entry)}"):
            entry = entry()
    if isinstance(entry, HistoryBasedEnvironment):
        return SlotScenario(entry)
    require_instance(entry, SlotScenario, "slot scenario")
    raise AssertionError("not reached")


SLOT_SCENARIOS: Registry[SlotScenario | Family[SlotScenario]] = Registry(
    "multislot.scenarios", "scenario", accept=accept_scenario, group="caregrid.slot_scenarios"
)


def slot_scenario(name: str) -> SlotScenario:
    """A scenario by its name: "swap", "threshold:2,1,1,3,1", "my_file:world". UnknownName, BadValue, ContractBroken."""
    return named(SLOT_SCENARIOS, name)


def table_scenario(*examples: WorkedExample, **entries: Any) -> SlotScenario:
    """A scenario written down in the table format."""
    return SlotScenario(table_environment(**entries), examples)
