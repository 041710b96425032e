"""The file of a model as a scenario's name.

It is the scenario `caregrid.tables.doors:from_file` with the option `file`, so that it travels to workers as `gym:ID`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from caregrid.tables import ENDINGS, POMDP

SCENARIO = "caregrid.tables.doors:from_file"


def split_file_name(
    name: str, options: Mapping[str, Any] | Sequence[str]
) -> tuple[str, Mapping[str, Any] | Sequence[str]]:
    """A scenario's name and its options; a file's name as the function that reads it, and the option `file`."""
    if ":" in name or Path(name).suffix.removeprefix(".").lower() not in (*ENDINGS, POMDP):
        return name, options
    return SCENARIO, {"file": name, **options} if isinstance(options, Mapping) else (f"file={name}", *options)
