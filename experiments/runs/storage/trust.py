"""Reading what others have stored without running what they have written.

Which code a manifest names, and what is known of an experiment without that code.

A manifest, like any file, may come from anybody. What it names of the form `module:attribute` is imported only by who
says so; rows, verdicts and figures that were stored with it are data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.errors import BadFile, ContractBroken, argument
from engine.files import read_bytes, write_atomically
from engine.user_code import names_own_code, names_user_code
from experiments.experiment import Experiment, Rows, Scalar, SettingValues
from experiments.runs.storage.regular_files import BLOCK

SUMMARY = "summary.json"
LONGEST_SUMMARY = 64 * BLOCK
LONGEST_AXIS = 1000


class UntrustedCode(BadFile):
    """A run directory names code that nobody has said to import."""


def require_trusted(manifest: Mapping[str, Any], directory: Path) -> None:
    """UntrustedCode where a manifest names somebody's own code."""
    for name in code_names([manifest.get("experiment"), manifest.get("origin")]):
        raise UntrustedCode(
            f"it names code of its own, {name}, which would be imported and run",
            place=str(directory),
            remedy=f"add {argument('trust', True)} if you trust it",
        )


def code_names(content: Any) -> Iterator[str]:
    """Every `module:attribute` of others that stands anywhere in a manifest's content, also inside other names."""
    if isinstance(content, str):
        parts = re.split(r"[(),;\s]+", content)
        yield from (part for part in parts if names_user_code(part) and not names_own_code(part))
    elif isinstance(content, Mapping):
        for key, value in content.items():
            yield from code_names(key)
            yield from code_names(value)
    elif isinstance(content, list | tuple):
        for value in content:
            yield from code_names(value)


def declared_words(settings: SettingValues) -> dict[str, list[Scalar] | None]:
    """What a manifest keeps of the declared settings: their order, and that of words, by which rows are sorted."""
    return {
        name: list(values) if len(values) <= LONGEST_AXIS and any(isinstance(value, str) for value in values) else None
        for name, values in settings.items()
    }


def described_experiment(manifest: Mapping[str, Any]) -> Experiment:
    """An experiment as far as a manifest describes it: its rows can be read and sorted, but not judged."""
    declared = manifest.get("declared")
    if not isinstance(declared, dict):
        declared = dict.fromkeys(map(str, manifest.get("settings") or ()), None)
    settings = {
        str(name): tuple(words) if isinstance(words, list) and words else (0,) for name, words in declared.items()
    }
    version = manifest.get("version")
    return Experiment(
        reproduces=str(manifest.get("reproduces") or "an experiment"),
        settings=settings,
        run=_cannot_run,
        version=version if isinstance(version, int) else 1,
        name=str(manifest.get("experiment", "")),
    )


def _words(stored: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in stored if isinstance(word, str))) if isinstance(stored, list) else ()


def _cannot_run(key: int, **setting: Scalar) -> Rows:
    raise ContractBroken("its code was not imported", remedy=f"add {argument('trust', True)} if you trust it")


def write_summary(directory: Path, summary: Mapping[str, Any]) -> None:
    """Keep what a run has judged of its own rows beside them."""
    write_atomically(directory / SUMMARY, json.dumps(summary, indent=1) + "\n")


def read_summary(directory: Path) -> dict[str, Any]:
    """What the last run judged of its rows; {} where nothing readable is kept."""
    try:
        summary = json.loads(read_bytes(directory / SUMMARY, LONGEST_SUMMARY))
    except (OSError, ValueError, RecursionError):
        return {}
    return summary if isinstance(summary, dict) else {}
