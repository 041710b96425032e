"""Outcomes, segments and ties as plain dictionaries, ready for JSON: nan and infinite numbers become null."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.plain_values import json_value

if TYPE_CHECKING:
    from craftworld.solution.outcome import CaringOutcome, StartOutcome
    from craftworld.solution.solution import CaringSegment, Tie


def outcome_dict(outcome: CaringOutcome, cases: Sequence[StartOutcome]) -> dict[str, Any]:
    """own, others, total, handover, actions; with several start states also a list of cases."""
    result = {
        "own": outcome.own,
        "others": dict(outcome.others),
        "total": outcome.total,
        "handover": outcome.handover,
        "actions": list(outcome.actions),
    }
    if len(cases) > 1:
        result["cases"] = [
            {"start": case.start, "probability": case.probability, **outcome_dict(case.outcome, ())} for case in cases
        ]
    return {name: json_value(value) for name, value in result.items()}


def segment_dict(segment: CaringSegment) -> dict[str, Any]:
    """care_from, care_to (null where unbounded) and the outcome."""
    bounds = {"care_from": segment.care_from, "care_to": segment.care_to}
    return bounds | outcome_dict(segment.outcome, segment.cases)


def tie_dict(tie: Tie) -> dict[str, Any]:
    """The coefficient and the policies that tie there, as lines own + care * auxiliary; the last one is taken."""
    return {"care": tie.care, "policies": [{"own": line.own, "auxiliary": line.auxiliary} for line in tie.lines]}


def values_text(others: Mapping[str, float]) -> str:
    """Other agents and their values in one line."""
    return ", ".join(f"{name} {value:g}" for name, value in others.items()) or "nobody"
