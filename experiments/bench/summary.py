"""The points of a case as one result: the mean of each measure over all coefficients, and the area."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.bench.suite import MEASURES, parse_case
from experiments.experiment import Rows

CaseResult = dict[str, Any]
POINT = ("care_from", "care_to", *MEASURES)


def summarised(case: str, rows: Rows) -> CaseResult:
    """A case's result: suite, world, method, seed, refused (why there is none, else None), area, means, points."""
    head = dict(parse_case(case)._asdict())
    refused = rows[0].get("refused") if rows else "no rows"
    if refused:
        return {**head, "refused": refused, "area": None, **dict.fromkeys(MEASURES), "points": []}
    points = [{name: row[name] for name in POINT} | {"actions": row["actions"]} for row in rows]
    return {
        **head,
        "refused": None,
        "area": rows[0]["area"],
        **{name: _mean(points, name) for name in MEASURES},
        "points": points,
    }


def table_rows(results: Sequence[CaseResult]) -> Rows:
    """A row a result, without its points."""
    return [{name: value for name, value in result.items() if name != "points"} for result in results]


def _mean(points: Sequence[Mapping[str, Any]], name: str) -> float | None:
    """The mean of a measure over the coefficients; of a case without coefficients its one value."""
    from craftworld.measures.trade_off_curve import mean_over_coefficients

    amounts = [point[name] for point in points]
    if any(amount is None for amount in amounts):
        return None
    if points[0]["care_from"] is None:
        return float(amounts[0])
    return mean_over_coefficients([(point["care_from"], point["care_to"]) for point in points], amounts)


def overview(results: Sequence[CaseResult]) -> list[dict[str, str]]:
    """A row a suite and method: the means over the worlds that have the measure, numbers as text.

    Seeds count equally within a world. Areas and violations of different worlds can be compared; returns are on scales
    of their own, so their means say something in `self_reflection` and `copies` only.
    """
    grouped: dict[tuple[str, str], list[CaseResult]] = {}
    for result in results:
        grouped.setdefault((result["suite"], result["method"]), []).append(result)
    rows = []
    for (suite, method), group in grouped.items():
        fitting = [result for result in group if result["refused"] is None]
        rows.append(
            {
                "suite": suite,
                "method": method,
                **{name: _text(world_means(fitting, name)) for name in ("area", "violations", "own", "others")},
                "worlds": str(len({result["world"] for result in fitting})),
                "refused": str(len({result["world"] for result in group}) - len({r["world"] for r in fitting})),
            }
        )
    return rows


def world_means(results: Sequence[CaseResult], measure: str) -> dict[str, float]:
    """World -> the mean of a measure over seeds, where it is measured."""
    by_world: dict[str, list[float]] = {}
    for result in results:
        if result[measure] is not None:
            by_world.setdefault(result["world"], []).append(result[measure])
    return {world: math.fsum(numbers) / len(numbers) for world, numbers in by_world.items()}


def _text(means: Mapping[str, float]) -> str:
    return f"{math.fsum(means.values()) / len(means):.3f}" if means else "-"
