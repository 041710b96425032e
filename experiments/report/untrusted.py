"""The section of a run whose code nobody has said to import: its rows are counted, its own run's verdicts repeated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import BadFile
from engine.files import read_bytes
from experiments.claims import FAILS, HOLDS, NOT_ENOUGH, ClaimResult, Comparison
from experiments.report.sections import Section
from experiments.runs.run_directory import RunDirectory
from experiments.runs.storage.trust import described_experiment, read_summary

HOW = "as the run itself judged it; --trust imports its code and judges anew"
STALE = "rows were stored since it was judged; --trust imports its code and judges anew"
LARGEST_PICTURE = 4 << 20
PNG = b"\x89PNG\r\n\x1a\n"


def untrusted_section(directory: Path, manifest: Mapping[str, Any]) -> Section:
    """What is stored, nothing of it imported or run; BadFile where it cannot be read."""
    seed = manifest.get("seed", 0)
    experiment = described_experiment(manifest)
    store = RunDirectory(directory, experiment, seed if isinstance(seed, int) else 0)
    units, summary = len(store.index), read_summary(directory)
    section = Section(
        experiment.name, experiment.reproduces, directory, units=units, sessions=tuple(store.sessions()), note=STALE
    )
    if summary.get("units") != units:
        return section
    return section._replace(
        note=HOW,
        extent=str(summary.get("extent", "partial")),
        claims=tuple(_claims(summary.get("claims"))),
        comparisons=tuple(_comparisons(summary.get("published"))),
        table=tuple(row for row in _list(summary.get("table")) if isinstance(row, dict)),
        image=_picture(directory / "figure.png"),
        repeatable=summary.get("repeatable") is not False,
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _claims(stored: Any) -> list[ClaimResult]:
    pairs = [(one.get("says"), one.get("verdict")) for one in _list(stored) if isinstance(one, dict)]
    return [ClaimResult(str(says), verdict) for says, verdict in pairs if verdict in (HOLDS, FAILS, NOT_ENOUGH)]


def _comparisons(stored: Any) -> list[Comparison]:
    found = []
    for one in (entry for entry in _list(stored) if isinstance(entry, dict)):
        published, ours = one.get("published"), one.get("ours")
        if isinstance(published, int | float) and isinstance(ours, int | float | None):
            found.append(Comparison(str(one.get("what")), published, ours))
    return found


def _picture(path: Path) -> bytes | None:
    try:
        content = read_bytes(path, LARGEST_PICTURE)
    except BadFile:
        return None
    return content if content.startswith(PNG) else None
