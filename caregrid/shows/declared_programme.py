"""What programmes to view and to play declare alike: a function of a world, an example, the names of its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.contracts import require_parameters
from engine.errors import BadValue, ContractBroken, argument, did_you_mean
from engine.printable import shown_value


def require_known(given: Mapping[str, Any], declared: tuple[str, ...] | None) -> None:
    """BadValue for a setting that is not declared. declared: None where every world has settings of its own."""
    if declared is None:
        return
    for name in given:
        if name not in declared:
            remedy = did_you_mean(name, declared)
            raise BadValue(f"unknown setting '{name}'", place=argument("settings", option="--set"), remedy=remedy)


def require_declaration(
    field: str,
    function: Callable[..., Any],
    parameters: tuple[str, ...],
    example: str,
    declared: tuple[str, ...] | None,
) -> None:
    """ContractBroken where the function in a field, the example or the names of settings are of another type."""
    if not callable(function):
        raise ContractBroken(f"{field} is {shown_value(function)}", place="programme", remedy="expected a function")
    require_parameters(function, len(parameters), f"{field}({', '.join(parameters)})")
    if not isinstance(example, str) or not example:
        raise ContractBroken(f"example is {shown_value(example)}", place="programme", remedy="name a world")
    if declared is not None and not (isinstance(declared, tuple) and all(isinstance(name, str) for name in declared)):
        remedy = "expected a tuple of names, or None"
        raise ContractBroken(f"settings is {shown_value(declared)}", place="programme", remedy=remedy)
