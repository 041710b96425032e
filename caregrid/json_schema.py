"""What a command prints with --json, declared as a TypedDict, and the same as a JSON Schema.

    class OptimaOutput(TypedDict):
        steps: Annotated[int, "the step limit"]
        gap: NotRequired[Annotated[float | None, "reward; null: no bound"]]

    optima = OutputSchema(version=1, shape=OptimaOutput)

Types: a TypedDict, `list`, `dict` with keys of text, `tuple`, `|`, `Literal`, str, int, float, bool, None, and `object`
for any value. A TypedDict has exactly the fields that it names; `return_` stands for the field "return", which Python
keeps for itself. Every change of a shape raises its version.
"""

import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, is_typeddict

from engine.contracts import require_instance
from engine.errors import ContractBroken
from engine.printable import show_value
from engine.registry import write_in_small_letters

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PLAIN: Mapping[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    object: {},
}


@dataclass(frozen=True)
class OutputSchema:
    """What an output holds beside `schema` and `version`. version: 1, 2, ...; shape: a TypedDict."""

    version: int
    shape: type

    @property
    def name(self) -> str:
        """The name of the shape, after "caregrid/": `SolveOutput` -> caregrid/solve."""
        return f"caregrid/{write_in_small_letters(self.shape.__name__.removesuffix('Output'))}"

    def heading(self) -> dict[str, Any]:
        """Return the two fields that every output begins with."""
        return {"schema": self.name, "version": self.version}

    def json_schema(self) -> dict[str, Any]:
        """Return the whole output as a JSON Schema; no other fields are allowed."""
        content = _object(self.shape)
        constants = {name: {"const": value} for name, value in self.heading().items()}
        return {
            "$schema": DIALECT,
            "title": self.name,
            **content,
            "properties": {**constants, **content["properties"]},
            "required": [*constants, *content["required"]],
        }

    def fields(self) -> dict[str, str]:
        """Return every field, nested ones as `segments[].own` and `others.*.lower`, with its type and meaning."""
        return dict(_fields(self.json_schema(), ""))


def check_schema(schema: Any) -> OutputSchema:
    """Return an entry of the registry; ContractBroken for what cannot be printed as a JSON Schema."""
    require_instance(schema, OutputSchema, "schema of an output")
    checked: OutputSchema = schema
    if not is_typeddict(checked.shape):
        remedy = "declare a TypedDict: shape=MyOutput"
        raise ContractBroken(f"its shape is {show_value(checked.shape)}", place="OutputSchema", remedy=remedy)
    if not isinstance(checked.version, int) or isinstance(checked.version, bool) or checked.version < 1:
        raise ContractBroken(f"its version is {show_value(checked.version)}", place=checked.name, remedy="count from 1")
    reserved = {"schema", "version"} & set(typing.get_type_hints(checked.shape))
    if reserved:
        remedy = "call it otherwise: every output has that field"
        raise ContractBroken(f"it has a field '{min(reserved)}'", place=checked.name, remedy=remedy)
    checked.json_schema()
    return checked


def _object(shape: type) -> dict[str, Any]:
    """Return a TypedDict: its fields, in their order, and no others."""
    hints = {name.removesuffix("_"): kind for name, kind in typing.get_type_hints(shape, include_extras=True).items()}
    return {
        "description": (shape.__doc__ or "").strip(),
        "type": "object",
        "properties": {name: _schema(_unwrap(kind)) for name, kind in hints.items()},
        "required": [name for name, kind in hints.items() if typing.get_origin(kind) is not NotRequired],
        "additionalProperties": False,
    }


def _unwrap(kind: Any) -> Any:
    return typing.get_args(kind)[0] if typing.get_origin(kind) is NotRequired else kind


def _schema(kind: Any) -> dict[str, Any]:
    """Any type that a shape may use; ContractBroken for another."""
    if is_typeddict(kind):
        return _object(kind)
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        return _schema(parts[0]) | {"description": parts[1]}
    if origin in (types.UnionType, typing.Union):
        return _either([_schema(part) for part in parts])
    if origin is Literal:
        return {"enum": list(parts)}
    if origin is list:
        return {"type": "array", "items": _schema(parts[0])}
    if origin is dict and parts[0] is str:
        return {"type": "object", "additionalProperties": _schema(parts[1])}
    if origin is tuple:
        return {
            "type": "array",
            "prefixItems": [_schema(part) for part in parts],
            "items": False,
            "minItems": len(parts),
        }
    if kind in PLAIN:
        return dict(PLAIN[kind])
    raise ContractBroken(f"{kind} is no type of JSON", place="schema", remedy="see caregrid/json_schema.py")


def _either(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one of several: their types in a list where types are all that they say."""
    if all(set(choice) == {"type"} for choice in choices):
        return {"type": [choice["type"] for choice in choices]}
    return {"anyOf": choices}


def _fields(part: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of an object and of what lies in it, depth first."""
    for name, field in part.get("properties", {}).items():
        dotted = f"{path}.{name}" if path else name
        optional = "" if name in part["required"] else "optional "
        meaning = f": {field['description']}" if "description" in field else ""
        yield dotted, f"{optional}{_type_words(field)}{meaning}"
        yield from _fields(field, dotted)
    for inner, mark in ((part.get("items"), "[]"), (part.get("additionalProperties"), ".*")):
        if inner:
            yield from _fields(inner, path + mark)
    for choice in part.get("anyOf", ()):
        yield from _fields(choice, path)


def _type_words(field: Mapping[str, Any]) -> str:
    """Return a type as a reader says it: number or null, list of string, object of list of number."""
    if "const" in field:
        return repr(field["const"])
    if "enum" in field:
        return " or ".join(map(repr, field["enum"]))
    if "anyOf" in field:
        return " or ".join(map(_type_words, field["anyOf"]))
    if "prefixItems" in field:
        return f"list ({', '.join(map(_type_words, field['prefixItems']))})"
    if field.get("type") == "array":
        return f"list of {_type_words(field['items'])}"
    if field.get("additionalProperties"):
        return f"object of {_type_words(field['additionalProperties'])}"
    kinds = field.get("type", "any value")
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


OutputScalar = str | float | bool | None
OutputRow = Annotated[dict[str, OutputScalar], "a row of a table: column -> value"]
ExactNumber = str | float
Arrow = tuple[str, str]
