"""What a reader should know first: what is reproduced, how closely, and what is not; sentences, and a row per run.

How each run came about is a table: a row per session, then what the sessions have in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from experiments.experiment import Rows
from experiments.report.sections import Section
from experiments.results import FAILS, HOLDS, Comparison


def tabulate_provenance(section: Section) -> Rows:
    """Return a row per session: when, where, with what, how long, and the command that goes on or does it again."""
    return [_make_session_row(session) for session in section.sessions]


def _make_session_row(session: dict[str, Any]) -> dict[str, str | int | float | bool | None]:
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


CLOSE = 0.01
WHERE = {
    "whole": "on whole grids",
    "quick": "on quick subsets (quick)",
    "partial": "on the rows that are there (partial)",
}


def write_summary_sentences(sections: Sequence[Section], expected: Iterable[str] = ()) -> list[str]:
    """Sentences for the top of a report. expected: the names of experiments that could have been run."""
    return [
        sentence
        for sentence in (
            _describe_runs(sections),
            _describe_claims(sections),
            _describe_numbers(sections),
            _describe_not_reproduced(sections),
            _describe_failed(sections),
            _describe_not_run(sections, expected),
        )
        if sentence
    ]


def tabulate_runs(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """Return a row per run."""
    return [
        {
            "run": section.label,
            "reproduces": section.title,
            "claims": section.problem or section.claims_summary,
            "printed numbers": measure_closeness(section),
            "grid": section.extent_summary,
        }
        for section in sections
    ]


def measure_closeness(section: Section) -> str:
    """Return how many printed numbers have one of ours beside them, and how far the farthest is off."""
    comparisons = section.comparisons
    if not comparisons:
        return "-"
    found = [number for number in comparisons if number.ours is not None]
    if not found:
        return f"0 of {len(comparisons)}"
    close = _describe_distance(max(found, key=_measure_distance)) if section.repeatable else "measured here"
    return f"{len(found)} of {len(comparisons)}, {close}{section.extent_note}"


def _describe_runs(sections: Sequence[Section]) -> str:
    counted = Counter("unreadable" if section.problem else section.extent for section in sections)
    kinds = ("whole", "quick", "partial", "unreadable")
    parts = [f"{counted[kind]} {kind}" for kind in kinds if counted[kind]]
    return f"{len(sections)} {'run' if len(sections) == 1 else 'runs'}: {', '.join(parts)}."


def _describe_claims(sections: Sequence[Section]) -> str:
    verdicts = Counter((claim.verdict, section.extent) for section in sections for claim in section.claims)
    total = sum(verdicts.values())
    if not total:
        return ""
    failed = sum(count for (verdict, _), count in verdicts.items() if verdict == FAILS)
    held = {extent: verdicts[HOLDS, extent] for extent in WHERE}
    rest = total - failed - sum(held.values())
    parts = [
        *((count, f"hold {WHERE[extent]}") for extent, count in held.items()),
        (failed, "fail"),
        (rest, "cannot be judged yet"),
    ]
    return f"Of {total} claims, {', '.join(f'{count} {words}' for count, words in parts if count)}."


def _describe_numbers(sections: Sequence[Section]) -> str:
    found = [
        (number, section)
        for section in sections
        for number in section.comparisons
        if number.ours is not None and section.repeatable
    ]
    if not found:
        return ""
    near = Counter(section.extent for number, section in found if _measure_distance(number) <= CLOSE)
    counted = Counter(section.extent for _, section in found)
    parts = [f"{near[kind]} of {counted[kind]} {where}" for kind, where in WHERE.items() if counted[kind]]
    start = f"Printed numbers that come out within 1 %: {', '.join(parts)}"
    number, section = max(found, key=lambda pair: _measure_distance(pair[0]))
    if near == counted:
        return f"{start}."
    ours = f"{number.ours:.4g} here, {number.published:.4g} printed"
    return f"{start}; the farthest is {number.what} ({section.label}){section.extent_note}: {ours}."


def _describe_not_reproduced(sections: Sequence[Section]) -> str:
    failing = [
        f"{claim.says} ({section.label})" for section in sections for claim in section.claims if claim.verdict == FAILS
    ]
    failing += [f"{section.label}: {section.problem}" for section in sections if section.problem]
    return f"Not reproduced: {'; '.join(failing)}." if failing else ""


def _describe_failed(sections: Sequence[Section]) -> str:
    failed = [f"{len(section.failed)} ({section.label})" for section in sections if section.failed]
    return f"Units that failed: {', '.join(failed)}." if failed else ""


def _describe_not_run(sections: Sequence[Section], expected: Iterable[str]) -> str:
    names = {section.name for section in sections}
    listed = list(expected)
    missing = [name for name in listed if name not in names]
    return f"Not run: {', '.join(missing)}." if missing and len(missing) < len(listed) else ""


def _measure_distance(number: Comparison) -> float:
    """Relative to the printed number; to 1 where that is 0."""
    return abs((number.ours or 0.0) - number.published) / (abs(number.published) or 1.0)


def _describe_distance(number: Comparison) -> str:
    distance = _measure_distance(number)
    if distance < 5e-5:
        return "exact to four digits"
    if number.published == 0:
        return f"farthest {distance:.2g} off"
    return f"farthest {100 * distance:.2g} % off" if distance < 1 else f"farthest {distance:.1f} times off"
