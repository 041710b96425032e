"""What commands print with --json: one file an output, named after its command.

A file declares `SCHEMA = OutputSchema(version, shape)`, see `caregrid.json_schema`; its docstring says which command
prints it. `caregrid.arguments.printed.print_json` prints an output by the name of its file.
"""

from types import ModuleType
from typing import Any

from caregrid.json_schema import OutputSchema, check_schema
from engine.errors import ContractBroken
from engine.registry import Registry
from engine.user_code import describe_place


def _declared(module: ModuleType) -> Any:
    if not hasattr(module, "SCHEMA"):
        raise ContractBroken(
            "no SCHEMA in it", place=describe_place(module), remedy="define SCHEMA = OutputSchema(...)"
        )
    return module.SCHEMA


SCHEMAS: Registry[OutputSchema] = Registry("caregrid.schemas", "schema", pick=_declared, accept=check_schema)
