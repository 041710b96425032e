"""--json: one JSON object on stdout and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caregrid.arguments.declaration import option
from caregrid.command_line.terminal_width import print_text

if TYPE_CHECKING:
    from caregrid.results.result import Result


@dataclass(frozen=True, kw_only=True)
class JsonArgument:
    """What every command that answers something takes."""

    json: bool = option(False, "print one JSON object (see 'caregrid list schemas')")

    def print_result(self, schema: str, result: Result) -> None:
        """Print a result: with --json what `as_dict` says, as an output of that schema, else its text."""
        if self.json:
            print_json(schema, result.as_dict())
        else:
            print_text(result.text())


def print_json(schema: str, content: Mapping[str, Any]) -> None:
    """Print an output in one line: `schema` and `version`, then the content, whose fields that schema names.

    nan and infinite numbers are null, fractions text; see docs/json.md.
    """
    from caregrid.schemas import SCHEMAS
    from engine.plain_values import make_json_value

    print(json.dumps({**SCHEMAS[schema].heading(), **make_json_value(content)}, allow_nan=False))
