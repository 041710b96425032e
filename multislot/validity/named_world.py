"""Environments by name, those among them whose agents interact: a table, a scenario, or one of the user's own."""

from __future__ import annotations

import inspect

from engine.contracts import require_class
from engine.limits.effort import ASK_FIRST, Effort
from engine.user_code import load_user_code, names_user_code, place_of, user_code
from multislot.learning.classes_json import load_environment
from multislot.scenarios import SLOT_SCENARIOS
from multislot.validity.declarations import check_declarations
from multislot.worlds.environment import HistoryBasedEnvironment
from multislot.worlds.protocol import MultiSlotEnvironment


def load_slot_world(name: str, effort: Effort = ASK_FIRST) -> MultiSlotEnvironment | HistoryBasedEnvironment:
    """An environment by its file, the name of a scenario, or MODULE:NAME of an object or class of either kind.

    Raises BadTable, UnknownName, BadValue, ContractBroken.
    """
    if names_user_code(name) and name.partition(":")[0] not in SLOT_SCENARIOS:
        own = load_user_code(name, "environment")
        if inspect.isclass(own) and issubclass(own, MultiSlotEnvironment):
            require_class(own, MultiSlotEnvironment, "multi-slot environment")
            with user_code(f"multi-slot environment in {place_of(own)}"):
                own = own()
        if isinstance(own, MultiSlotEnvironment):
            check_declarations(own, getattr(own, "observations", None))
            return own
    return load_environment(name, effort=effort)
