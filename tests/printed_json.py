"""What a command printed with --json: valid JSON, of the schema that it names, and nothing else."""

import functools
import json
from typing import Any, NoReturn

from jsonschema import Draft202012Validator

from caregrid.schemas import SCHEMAS


def printed_content(text: str, schema: str | None = None) -> dict[str, Any]:
    """The fields beside `schema` and `version`, once all agree with the schema. schema: which one it should be."""
    assert text.endswith("}\n")
    assert text.count("\n") == 1
    printed: dict[str, Any] = json.loads(text, parse_constant=_refuse)
    name = printed["schema"].removeprefix("caregrid/")
    assert schema in (None, name)
    faults = [f"{fault.json_path}: {fault.message[:300]}" for fault in _validator(name).iter_errors(printed)]
    assert not faults
    assert list(printed)[:2] == ["schema", "version"]
    return {field: value for field, value in printed.items() if field not in ("schema", "version")}


@functools.cache
def _validator(name: str) -> Draft202012Validator:
    schema = SCHEMAS[name].json_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
