"""--json: one JSON object on stdout and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.declaration import option


@dataclass(frozen=True, kw_only=True)
class JsonArgument:
    """What every command that answers something takes."""

    json: bool = option(False, "print one JSON object")
