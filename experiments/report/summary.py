"""What a reader should know first: what is reproduced, how closely, and what is not; sentences, and a row a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from experiments.claims import FAILS, HOLDS, Comparison
from experiments.report.sections import Section

CLOSE = 0.01


def summary_sentences(sections: Sequence[Section], expected: Iterable[str] = ()) -> list[str]:
    """Sentences for the top of a report. expected: the names of experiments that could have been run."""
    return [
        sentence
        for sentence in (
            _runs(sections),
            _claims(sections),
            _numbers(sections),
            _not_reproduced(sections),
            _not_run(sections, expected),
        )
        if sentence
    ]


def overview_rows(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """A row a run."""
    return [
        {
            "run": section.label,
            "reproduces": section.title,
            "claims": section.problem or section.claims_summary,
            "printed numbers": closeness(section),
            "grid": section.extent_summary,
        }
        for section in sections
    ]


def closeness(section: Section) -> str:
    """How many printed numbers have one of ours beside them, and how far the farthest is off."""
    comparisons = section.comparisons
    if not comparisons:
        return "-"
    found = [number for number in comparisons if number.ours is not None]
    if not found:
        return f"0 of {len(comparisons)}"
    count = f"{len(found)} of {len(comparisons)}"
    return f"{count}, {_off(max(found, key=_distance))}" if section.repeatable else f"{count}, measured here"


def _runs(sections: Sequence[Section]) -> str:
    counted = Counter("unreadable" if section.problem else section.extent for section in sections)
    kinds = ("whole", "quick", "partial", "unreadable")
    parts = [f"{counted[kind]} {kind}" for kind in kinds if counted[kind]]
    return f"{len(sections)} {'run' if len(sections) == 1 else 'runs'}: {', '.join(parts)}."


def _claims(sections: Sequence[Section]) -> str:
    verdicts = Counter((claim.verdict, section.extent) for section in sections for claim in section.claims)
    total = sum(verdicts.values())
    if not total:
        return ""
    failed = sum(count for (verdict, _), count in verdicts.items() if verdict == FAILS)
    held = {extent: verdicts[HOLDS, extent] for extent in ("whole", "quick", "partial")}
    rest = total - failed - sum(held.values())
    parts = [
        (held["whole"], "hold on whole grids"),
        (held["quick"], "hold on quick subsets (quick)"),
        (held["partial"], "hold on the rows that are there (partial)"),
        (failed, "fail"),
        (rest, "cannot be judged yet"),
    ]
    return f"Of {total} claims, {', '.join(f'{count} {words}' for count, words in parts if count)}."


def _numbers(sections: Sequence[Section]) -> str:
    found = [
        (number, section)
        for section in sections
        for number in section.comparisons
        if number.ours is not None and section.repeatable
    ]
    if not found:
        return ""
    near = sum(_distance(number) <= CLOSE for number, _ in found)
    start = f"Of {len(found)} printed numbers, {near} come out within 1 %"
    number, section = max(found, key=lambda pair: _distance(pair[0]))
    if near == len(found):
        return f"{start}."
    ours = f"{number.ours:.4g} here, {number.published:.4g} printed"
    kind = "" if section.extent == "whole" else f", {section.extent}"
    return f"{start}; the farthest is {number.what} ({section.label}{kind}): {ours}."


def _not_reproduced(sections: Sequence[Section]) -> str:
    failing = [
        f"{claim.says} ({section.label})" for section in sections for claim in section.claims if claim.verdict == FAILS
    ]
    failing += [f"{section.label}: {section.problem}" for section in sections if section.problem]
    return f"Not reproduced: {'; '.join(failing)}." if failing else ""


def _not_run(sections: Sequence[Section], expected: Iterable[str]) -> str:
    names = {section.name for section in sections}
    listed = list(expected)
    missing = [name for name in listed if name not in names]
    return f"Not run: {', '.join(missing)}." if missing and len(missing) < len(listed) else ""


def _distance(number: Comparison) -> float:
    """Relative to the printed number; to 1 where that is 0."""
    return abs((number.ours or 0.0) - number.published) / (abs(number.published) or 1.0)


def _off(number: Comparison) -> str:
    distance = _distance(number)
    if distance < 5e-5:
        return "exact to four digits"
    if number.published == 0:
        return f"farthest {distance:.2g} off"
    return f"farthest {100 * distance:.2g} % off" if distance < 1 else f"farthest {distance:.1f} times off"
