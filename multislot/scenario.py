"""Named worlds: an environment together with worked examples, numbers that can be checked.

A file of `multislot/scenarios` holds one `SlotScenario`, or a family of them by what follows the name
("booth_corridor:move,coloured").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.contracts import require_instance
from multislot.worked_example import WorkedExample
from multislot.worlds.environment import HistoryBasedEnvironment
from multislot.worlds.table_json import table_environment


@dataclass(frozen=True)
class SlotScenario:
    """An environment and what is worked out on it. Raises ContractBroken where it is not an environment."""

    environment: HistoryBasedEnvironment
    examples: tuple[WorkedExample, ...] = ()

    def __post_init__(self) -> None:
        require_instance(self.environment, HistoryBasedEnvironment, "history-based environment")


def table_scenario(*examples: WorkedExample, **entries: Any) -> SlotScenario:
    """A scenario written down in the table format."""
    return SlotScenario(table_environment(**entries), examples)
