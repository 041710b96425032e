"""How a run came about, as rows for a reader: one a session, then what the sessions have in common."""

from __future__ import annotations

from typing import Any

from experiments.experiment import Rows
from experiments.report.sections import Section


def provenance_rows(section: Section) -> Rows:
    """A row a session: when, where, with what, how long, and the command that goes on or does it again."""
    return [_row(session) for session in section.sessions]


def _row(session: dict[str, Any]) -> dict[str, str | int | float | bool | None]:
    versions = session.get("versions", {})
    shown = ", ".join(
        f"{name} {versions[name]}" for name in ("caregrid", "python", "numpy", "numba") if name in versions
    )
    commit = session.get("git")
    return {
        "started": session.get("started"),
        "seconds": session.get("seconds"),
        "units done": session.get("done"),
        "failed": len(session["failed"]) if "failed" in session else None,
        "engine": f"{session.get('engine')}, {session.get('workers')} workers",
        "host": session.get("host"),
        "commit": str(commit)[:12] + ("+changes" if str(commit).endswith("+changes") else "") if commit else None,
        "versions": shown,
        "command": " ".join(map(str, session.get("command", []))),
    }
