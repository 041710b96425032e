"""The results of a benchmark: a case's points as one result, and the file of all results with its digest.

A case's result is the mean of each measure over all coefficients, the area, and what the method acts like. The file
also says what the results were made with:

    {"format": 2, "name": ..., "quick": ..., "suites": [...], "versions": {...}, "results": [...], "digest": "..."}

It holds no time and no machine: the same caregrid and packages write the same bytes again.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any

from engine.errors import BadFile
from engine.files import read_text
from experiments.bench.identified_care import IdentifiedCare
from experiments.bench.suite import MEASURES, SHARES, parse_case
from experiments.experiment import Rows
from experiments.provenance import read_package_versions

CaseResult = dict[str, Any]
OBSERVES = "observes"
POINT_COLUMNS = ("care_from", "care_to", *MEASURES)
IDENTIFIED = IdentifiedCare._fields
CASE_COLUMNS = ("area", *MEASURES, "identified", "identified_share", "recovered")


def summarise_case(case: str, rows: Rows) -> CaseResult:
    """Return a case's result: suite, world, method, seed, refused (why there is none, else None), area, means, points.

    observes: "state" or "observation" in worlds that hide a part of the state. identified: what the method acts like at
    most coefficients; identified_share: how many these are. recovered: the mean, as of the measures.
    """
    head = dict(parse_case(case)._asdict())
    refused = rows[0].get("refused") if rows else "no rows"
    if refused:
        return {**head, "refused": refused, **dict.fromkeys(CASE_COLUMNS), "points": []}
    points = [
        {name: row[name] for name in POINT_COLUMNS}
        | {name: row.get(name) for name in IDENTIFIED}
        | {"actions": row["actions"]}
        for row in rows
    ]
    identified, share = _find_commonest(points)
    return {
        **head,
        "refused": None,
        **({OBSERVES: rows[0][OBSERVES]} if OBSERVES in rows[0] else {}),
        "area": rows[0]["area"],
        **{name: _average_points(points, name) for name in MEASURES},
        "identified": identified,
        "identified_share": share,
        "recovered": _average_points(points, "recovered"),
        "points": points,
    }


def make_point_rows(results: Sequence[CaseResult]) -> Rows:
    """Return a row for each interval of coefficients of each result: its measures, what acts there, and the actions."""
    head = ("suite", "world", "method", "seed")
    return [{**{name: result[name] for name in head}, **point} for result in results for point in result["points"]]


def make_case_rows(results: Sequence[CaseResult]) -> Rows:
    """Return a row per result, without its points; observes: None where nothing is hidden."""
    return [
        {
            **{name: value for name, value in result.items() if name not in ("points", "observes")},
            OBSERVES: result.get(OBSERVES),
        }
        for result in results
    ]


def describe_observers(results: Sequence[CaseResult]) -> list[str]:
    """A line per world that hides a part of the state: how many methods know it all the same, and which do not."""
    lines = []
    for world in dict.fromkeys(result["world"] for result in results if OBSERVES in result):
        sees = {each["method"]: each[OBSERVES] for each in results if each["world"] == world and OBSERVES in each}
        blind = [method for method, what in sees.items() if what == "observation"]
        knowing = len(sees) - len(blind)
        named = f", not to {', '.join(blind)}" if blind else ""
        lines.append(f"what {world} hides is known to {knowing} method{'' if knowing == 1 else 's'}{named}")
    return lines


def _find_commonest(points: Sequence[Mapping[str, Any]]) -> tuple[str | None, float | None]:
    """Return what is identified at the largest share of the coefficients, and that share."""
    if any(point["identified"] is None for point in points):
        return None, None
    names = dict.fromkeys(point["identified"] for point in points)
    shares = {
        name: _average_points([{**point, "here": float(point["identified"] == name)} for point in points], "here")
        for name in names
    }
    name, share = max(shares.items(), key=lambda each: each[1] or 0.0)
    return name, share


def _average_points(points: Sequence[Mapping[str, Any]], name: str) -> float | None:
    """Return the mean of a measure over the coefficients; of a case without coefficients its one value."""
    from craftworld.trade_off_curve import average_over_coefficients

    amounts = [point[name] for point in points]
    if any(amount is None for amount in amounts):
        return None
    if points[0]["care_from"] is None:
        return float(amounts[0])
    return average_over_coefficients([(point["care_from"], point["care_to"]) for point in points], amounts)


def summarise_methods(results: Sequence[CaseResult]) -> list[dict[str, str]]:
    """Return a row per suite and method: the means over the worlds that have the measure, numbers as text.

    "acts as" is what the method is identified as in most worlds and at most coefficients, with that share. Seeds count
    equally within a world. Areas, shares and violations of different worlds can be compared; returns are on scales of
    their own, so `own` is the mean over worlds without shares, such as those of a user's own suite.
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
                **{name: _format_mean(average_worlds(fitting, name)) for name in ("area", *SHARES, "violations")},
                "own": _format_mean(average_worlds([each for each in fitting if each["own_share"] is None], "own")),
                "acts as": name_commonest(fitting) or "-",
                "recovered": _format_mean(average_worlds(fitting, "recovered")),
                "worlds": str(len({result["world"] for result in fitting})),
                "refused": str(len({result["world"] for result in group}) - len({r["world"] for r in fitting})),
            }
        )
    return rows


def name_commonest(results: Sequence[CaseResult]) -> str | None:
    """Name what a method is identified as in most of its worlds, with that share; None where nothing is identified."""
    identified = [result for result in results if result["identified"] is not None]
    if not identified:
        return None
    names = dict.fromkeys(result["identified"] for result in identified)
    shares = {
        name: math.fsum(each["identified_share"] for each in identified if each["identified"] == name) for name in names
    }
    name = max(shares, key=lambda each: shares[each])
    return f"{name} {shares[name] / len(identified):.2f}"


def average_worlds(results: Sequence[CaseResult], measure: str) -> dict[str, float]:
    """World -> the mean of a measure over seeds, where it is measured."""
    by_world: dict[str, list[float]] = {}
    for result in results:
        if result[measure] is not None:
            by_world.setdefault(result["world"], []).append(result[measure])
    return {world: math.fsum(numbers) / len(numbers) for world, numbers in by_world.items()}


def _format_mean(means: Mapping[str, float]) -> str:
    return f"{math.fsum(means.values()) / len(means):.3f}" if means else "-"


BENCH_FILE = "bench.json"
FORMAT = 2
BENCH_KEYS = ("format", "suites", "quick", "versions", "results")
MOST_BYTES = 200_000_000
NUMBER = (int, float, NoneType)
TEXT = (str, NoneType)
RESULT_FIELDS = {
    **dict.fromkeys(("suite", "world", "method", OBSERVES), str),
    "seed": (int, NoneType),
    "points": list,
    **dict.fromkeys(CASE_COLUMNS, NUMBER),
    **dict.fromkeys(("refused", "identified"), TEXT),
}
DIFFICULTY_FIELDS = {"states": int, "break_points": list, "careless_area": NUMBER, "one_care_area": NUMBER}
POINT_FIELDS = {**dict.fromkeys((*POINT_COLUMNS, *IDENTIFIED), NUMBER), "identified": TEXT, "actions": str}


def make_bench_content(results: Sequence[Mapping[str, Any]], request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the file holds. request: what was asked for, as JSON."""
    content = {"format": FORMAT, **request, "versions": read_package_versions(), "results": list(results)}
    return {**content, "digest": digest_bench(content)}


def encode_bench(content: Mapping[str, Any]) -> str:
    """Return the text of the file."""
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def digest_bench(content: Mapping[str, Any]) -> str:
    """32 hexadecimal digits over everything but the digest itself."""
    rest = {name: value for name, value in content.items() if name != "digest"}
    return hashlib.blake2b(json.dumps(rest, sort_keys=True).encode(), digest_size=16).hexdigest()


def read_bench(path: str | Path) -> dict[str, Any]:
    """Return the content of a file, or of the one in a run directory.

    BadFile where it cannot be read, is none, does not agree with its digest, or holds results of another shape.
    """
    file = Path(path) / BENCH_FILE if os.path.isdir(path) else Path(path)
    place = str(file)
    remedy = "name a file that 'caregrid bench' wrote"
    text = read_text(file, MOST_BYTES, remedy=remedy)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFile("it is not JSON", place=place, remedy=remedy) from error
    if not isinstance(content, dict) or any(name not in content for name in BENCH_KEYS):
        raise BadFile("it holds no results of the benchmark", place=place, remedy=remedy)
    if content["format"] != FORMAT:
        raise BadFile(f"its format is {content['format']!r}, not {FORMAT}", place=place, remedy="run it again")
    if content.get("digest") != digest_bench(content):
        raise BadFile("its content does not agree with its digest", place=place, remedy="run it again")
    fault = _find_fault(content)
    if fault:
        raise BadFile(fault, place=place, remedy="run it again")
    return content


def _find_fault(content: Mapping[str, Any]) -> str:
    """Return what is wrong with the shape of a file's content; "" where nothing is."""
    suites = content["suites"]
    versions = content["versions"]
    results = content["results"]
    if not isinstance(suites, list) or not all(isinstance(name, str) for name in suites):
        return "its suites are not a list of names"
    if not isinstance(versions, dict) or not isinstance(results, list):
        return "its versions are not an object, or its results not a list"
    for number, result in enumerate(results):
        if not isinstance(result, dict) or not _fits({OBSERVES: "", **result}, RESULT_FIELDS):
            return f"result {number} is not as the benchmark writes it"
        points = result["points"]
        if not all(isinstance(point, dict) and _fits(point, POINT_FIELDS) for point in points):
            return f"result {number} has a point that is not as the benchmark writes it"
        measured = [name for name in MEASURES if result[name] is not None]
        if result["refused"] is None and (
            not points or any(point[name] is None for point in points for name in measured)
        ):
            return f"result {number} lacks a number that it has a mean of"
        if (result["identified"] is None) != (result["identified_share"] is None):
            return f"result {number} lacks what it acts as, or the share of that"
    difficulty = content.get("difficulty", {})
    if not isinstance(difficulty, dict) or not all(
        isinstance(each, dict) and _fits(each, DIFFICULTY_FIELDS) for each in difficulty.values()
    ):
        return "the difficulty of its maps is not as the benchmark writes it"
    return ""


def _fits(record: Mapping[str, Any], shape: Mapping[str, Any]) -> bool:
    """Return whether a record has every field, of its type; numbers are finite, also as floats."""
    return all(
        name in record
        and isinstance(record[name], kind)
        and not isinstance(record[name], bool)
        and (not isinstance(record[name], int | float) or abs(record[name]) <= sys.float_info.max)
        for name, kind in shape.items()
    )
