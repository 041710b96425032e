"""What is known of an experiment without its code: what its manifest and the last run of its code have stored.

A manifest, like any file, may come from anybody, and code that it names is imported only for who says so
(`engine.trusted_names`); rows, verdicts and figures that were stored with it are data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import ContractBroken, argument
from engine.files import read_bytes, write_atomically
from experiments.experiment import Experiment, Rows, Scalar, SettingValues
from experiments.runs.storage.segments import BLOCK

SUMMARY = "summary.json"
LONGEST_SUMMARY = 64 * BLOCK
LONGEST_AXIS = 1000


def describe_settings(settings: SettingValues) -> dict[str, list[Scalar] | None]:
    """What a manifest keeps of the declared settings: their order, and that of words, by which rows are sorted."""
    return {
        name: list(values) if len(values) <= LONGEST_AXIS and any(isinstance(value, str) for value in values) else None
        for name, values in settings.items()
    }


def describe_experiment(manifest: Mapping[str, Any]) -> Experiment:
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


def _list_words(stored: Any) -> tuple[str, ...]:
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
