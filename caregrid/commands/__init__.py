"""The commands of `caregrid`, one file each, found by their file names.

A command is a module with a docstring (its first line is the help) and `run(arguments: SomeArguments) -> int` (the exit
code), where `SomeArguments` is a frozen dataclass that the module declares by `caregrid.arguments.declaration`. Heavy
imports belong inside `run`, so that `caregrid --help` stays quick.
"""

from dataclasses import is_dataclass
from types import ModuleType
from typing import Any

from engine.contracts import require_instance, require_methods, require_parameters
from engine.errors import ContractBroken
from engine.registry import Registry
from engine.user_code import describe_place


def check_command(module: Any) -> ModuleType:
    """The module of a command; ContractBroken unless `run(arguments: SomeArguments)` names a dataclass in it."""
    require_instance(module, ModuleType, "module of a command")
    require_methods(module, ["run"], "command")
    require_parameters(module.run, 1, "run(arguments)")
    if not is_dataclass(getattr(module, str(module.run.__annotations__.get("arguments")), None)):
        remedy = "write run(arguments: SomeArguments) -> int, with SomeArguments a dataclass of the module"
        raise ContractBroken("run does not declare its arguments", place=describe_place(module), remedy=remedy)
    checked: ModuleType = module
    return checked


COMMANDS: Registry[ModuleType] = Registry(
    "caregrid.commands", "command", pick=lambda module: module, accept=check_command
)
