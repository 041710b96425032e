"""Every command with --json, on small and on awkward inputs: what it prints is of its schema, whose shape is kept."""

import hashlib
import json
import shlex
from pathlib import Path
from typing import Annotated, TypedDict

import pytest

from caregrid.json_schema import OutputSchema, check_schema
from caregrid.lessons import list_lessons
from caregrid.main import main
from caregrid.operations import COMMANDS
from caregrid.schemas import SCHEMAS
from engine.errors import ContractBroken
from tests.caregrid.json_lines import JSON_LINES
from tests.printed_json import printed_content

ROOT = Path(__file__).resolve().parents[2]
DIGESTS = Path(__file__).with_name("json_schema_digests.json")
WINDOWS = {"play", "view"}  # which show something to a person; their films are JSON by --out FILE.json
LINES = [(schema, line) for schema, lines in JSON_LINES.items() for line in lines]


@pytest.mark.slow_cases("demo_files-", "battery-", "papers-", "bench-bench copies")
@pytest.mark.parametrize(("schema", "line"), LINES)
def test_what_is_printed_is_of_its_schema(
    schema: str, line: str, workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if schema == "demo_files":  # all lessons take a while: their tests write them
        first = list_lessons()[:1]
        monkeypatch.setattr("caregrid.lessons.list_lessons", lambda: first)
    assert main([*shlex.split(line), "--json"]) in (0, 1)
    printed_content(capsys.readouterr().out, schema)


def test_every_command_with_json_is_tried_and_so_is_every_schema() -> None:
    assert set(SCHEMAS) == set(JSON_LINES)
    tried = {"_".join(line.split()[: 1 + line.startswith("bench compare")]).replace("-", "_") for _, line in LINES}
    assert tried == set(COMMANDS) - WINDOWS


def test_a_shape_changes_with_its_version_only() -> None:
    """To change an output, raise its version and add the digest of the new shape; digests of old versions stay."""
    kept = json.loads(DIGESTS.read_text())
    now = {name: {str(schema.version): _digest(schema)} for name, schema in SCHEMAS.items()}
    differing = {name: digest for name, digest in now.items() if not digest.items() <= kept.get(name, {}).items()}
    assert not differing
    assert set(kept) == set(now)
    assert all(max(map(int, kept[name])) == SCHEMAS[name].version for name in now)


def _digest(schema: OutputSchema) -> str:
    """Of everything but descriptions."""
    text = json.dumps(_without_words(schema.json_schema()), sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _without_words(part: object, of_fields: bool = False) -> object:
    if isinstance(part, list):
        return [_without_words(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        name: _without_words(each, name == "properties" and not of_fields)
        for name, each in part.items()
        if of_fields or name != "description"
    }


def test_every_object_is_closed_and_every_field_is_described() -> None:
    assert all(SCHEMAS[name].name == f"caregrid/{name}" for name in SCHEMAS)
    objects = [SCHEMAS[name].json_schema() for name in SCHEMAS]
    while objects:
        part = objects.pop()
        fields = part.get("properties", {})
        if fields:
            assert part["additionalProperties"] is False
            assert all(field.get("description") for key, field in fields.items() if "const" not in field), fields
        nested = [*fields.values(), part.get("items"), part.get("additionalProperties"), *part.get("anyOf", ())]
        objects += [each for each in nested if isinstance(each, dict)]


class Fine(TypedDict):
    number: Annotated[int, "how many"]


class Taken(TypedDict):
    version: Annotated[int, "how many"]


class Odd(TypedDict):
    number: Annotated[set[int], "which"]


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (Fine, "make an OutputSchema"),
        (OutputSchema(0, Fine), "its version is 0; count from 1"),
        (OutputSchema(True, Fine), "its version is True"),
        (OutputSchema(1, dict), "its shape is .*; declare a TypedDict"),
        (OutputSchema(1, Taken), "it has a field 'version'"),
        (OutputSchema(1, Odd), r"set\[int\] is no type of JSON"),
    ],
    ids=["no schema", "version 0", "version True", "dict", "taken field", "set"],
)
def test_what_is_no_schema_is_named(schema: object, words: str) -> None:
    with pytest.raises(ContractBroken, match=words):
        check_schema(schema)


def test_every_schema_is_on_the_page() -> None:
    rows = (ROOT / "docs" / "json.md").read_text().splitlines()
    assert not [name for name in SCHEMAS if f"| `{name}` | {SCHEMAS.summary(name)} |" not in rows]


def test_nested_fields_are_listed() -> None:
    fields = SCHEMAS["solve"].fields()
    assert fields["certificate.own.exact"] == "string or null: the number itself as p/q; null: not known, or too long"
    assert fields["certificate.others.*.lower"].startswith("number or null")
    assert fields["alternatives[][].actions"].startswith("list of string")
    assert fields["certificate"] == "optional object: with --certify"


def test_an_error_prints_nothing_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "nowhere", "--json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
