"""What commands print with --json: a typed dictionary for each output, from which its JSON Schema is made.

    class OptimaOutput(TypedDict): ...

    optima = OutputSchema(version=1, shape=OptimaOutput)
    '`caregrid optima`: the best return and the best hidden performance.'

A file lists its outputs in `__all__`, see `caregrid.json_schema`; `caregrid.main.print_json` prints
one by its name.
"""

from caregrid.json_schema import OutputSchema, check_schema
from engine.registry import Registry

SCHEMAS: Registry[OutputSchema] = Registry("caregrid.schemas", "schema", accept=check_schema)
