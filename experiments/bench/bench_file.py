"""The file of a benchmark: results, what they were made with, and a digest of all of it.

    {"format": 1, "name": ..., "quick": ..., "suites": [...], "versions": {...}, "results": [...], "digest": "..."}

It holds no time and no machine: the same caregrid and packages write the same bytes again.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any

from engine.errors import BadFile
from engine.files import read_text
from experiments.bench.suite import MEASURES
from experiments.provenance import package_versions

FILE = "bench.json"
FORMAT = 1
KEYS = ("format", "suites", "quick", "versions", "results")
MOST_BYTES = 200_000_000
NUMBER = (int, float, NoneType)
RESULT = {
    **dict.fromkeys(("suite", "world", "method"), str),
    "seed": (int, NoneType),
    "refused": (str, NoneType),
    "points": list,
    **dict.fromkeys(("area", *MEASURES), NUMBER),
}
POINT = {**dict.fromkeys(("care_from", "care_to", *MEASURES), NUMBER), "actions": str}


def bench_content(results: Sequence[Mapping[str, Any]], request: Mapping[str, Any]) -> dict[str, Any]:
    """What the file holds. request: what was asked for, as JSON."""
    content = {"format": FORMAT, **request, "versions": package_versions(), "results": list(results)}
    return {**content, "digest": digest_of(content)}


def encoded(content: Mapping[str, Any]) -> str:
    """The text of the file."""
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def digest_of(content: Mapping[str, Any]) -> str:
    """32 hexadecimal digits over everything but the digest itself."""
    rest = {name: value for name, value in content.items() if name != "digest"}
    return hashlib.blake2b(json.dumps(rest, sort_keys=True).encode(), digest_size=16).hexdigest()


def read_bench(path: str | Path) -> dict[str, Any]:
    """The content of a file, or of the one in a run directory.

    BadFile where it cannot be read, is none, does not agree with its digest, or holds results of another shape.
    """
    file = Path(path) / FILE if os.path.isdir(path) else Path(path)
    place, remedy = str(file), "name a file that 'caregrid bench' wrote"
    text = read_text(file, MOST_BYTES, remedy=remedy)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFile("it is not JSON", place=place, remedy=remedy) from error
    if not isinstance(content, dict) or any(name not in content for name in KEYS):
        raise BadFile("it holds no results of the benchmark", place=place, remedy=remedy)
    if content["format"] != FORMAT:
        raise BadFile(f"its format is {content['format']!r}, not {FORMAT}", place=place, remedy="run it again")
    if content.get("digest") != digest_of(content):
        raise BadFile("its content does not agree with its digest", place=place, remedy="run it again")
    fault = _fault(content)
    if fault:
        raise BadFile(fault, place=place, remedy="run it again")
    return content


def _fault(content: Mapping[str, Any]) -> str:
    """What is wrong with the shape of a file's content; "" where nothing is."""
    suites, versions, results = content["suites"], content["versions"], content["results"]
    if not isinstance(suites, list) or not all(isinstance(name, str) for name in suites):
        return "its suites are not a list of names"
    if not isinstance(versions, dict) or not isinstance(results, list):
        return "its versions are not an object, or its results not a list"
    for number, result in enumerate(results):
        if not isinstance(result, dict) or not _fits(result, RESULT):
            return f"result {number} is not as the benchmark writes it"
        points = result["points"]
        if not all(isinstance(point, dict) and _fits(point, POINT) for point in points):
            return f"result {number} has a point that is not as the benchmark writes it"
        measured = [name for name in MEASURES if result[name] is not None]
        if result["refused"] is None and (
            not points or any(point[name] is None for point in points for name in measured)
        ):
            return f"result {number} lacks a number that it has a mean of"
    return ""


def _fits(record: Mapping[str, Any], shape: Mapping[str, Any]) -> bool:
    """Whether a record has every field, of its type; numbers are finite."""
    return all(
        name in record
        and isinstance(record[name], kind)
        and not isinstance(record[name], bool)
        and (not isinstance(record[name], float) or math.isfinite(record[name]))
        for name, kind in shape.items()
    )
