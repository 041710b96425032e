"""What a user can ask for: one typed function for each operation, from which its command and its Python call are made.

A file of this folder lists its operations in `__all__`. Each is a function with `@operation(group=...)` and a docstring
in sections (`caregrid.command_line.operation`). Heavy imports belong inside the functions, so that
`caregrid --help` stays quick. Several operations take what only a maker can make of words, such as a problem: MAKERS.
"""

import inspect
from typing import Any

from caregrid.command_line.operation import MAKERS, Operation, accept_operation
from engine.errors import ContractBroken
from engine.printable import show_value
from engine.registry import Registry
from engine.user_code import describe_place
from engine.value_types import annotations_of

MAKERS |= {
    "problem": "caregrid.operations.makers:problem",
    "screen": "caregrid.operations.makers:make_screen",
    "results": "caregrid.runs.experiment:load",
    "stored_rows": "caregrid.runs.experiment:load_rows",
    "dry_run": "caregrid.runs.experiment:plan_run",
    "array_script": "caregrid.runs.job_arrays:write_array_script",
}


def check_operation(operation: Any) -> None:
    """ContractBroken unless the docstring has a summary and documents every parameter, and `--help` can be written."""
    from caregrid.command_line.help_text import help_text
    from caregrid.command_line.parser import CommandParser

    declared = accept_operation(operation)
    place = describe_place(declared.function)
    if not isinstance(declared.group, str) or not declared.group:
        remedy = "name a group of `caregrid --help`, or a new one: @operation(group=...)"
        raise ContractBroken(f"group is {show_value(declared.group)}", place=place, remedy=remedy)
    if not declared.documentation.summary:
        raise ContractBroken("no docstring", place=place, remedy="begin with one sentence that says what it does")
    typed = annotations_of(inspect.unwrap(declared.function))
    untyped = [name for name in inspect.signature(declared.function).parameters if name not in typed]
    if untyped:
        remedy = "annotate it, such as `kind: str`: the type checks the value and writes the help"
        raise ContractBroken(f"parameter '{untyped[0]}' has no type", place=place, remedy=remedy)
    silent = [parameter.name for parameter in declared.parameters if not parameter.text]
    if silent:
        remedy = "describe it in the docstring's section Parameters"
        raise ContractBroken(f"parameter '{silent[0]}' is not documented", place=place, remedy=remedy)
    CommandParser(declared)
    help_text(declared)


COMMANDS: Registry[Operation] = Registry(
    "caregrid.operations", "command", accept=accept_operation, group="caregrid.commands"
)
