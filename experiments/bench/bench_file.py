"""The file of a benchmark: results, what they were made with, and a digest of all of it.

    {"format": 1, "name": ..., "quick": ..., "suites": [...], "versions": {...}, "results": [...], "digest": "..."}

It holds no time and no machine: the same caregrid and packages write the same bytes again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.errors import BadFile
from experiments.provenance import package_versions

FORMAT = 1
KEYS = ("format", "suites", "quick", "versions", "results")
MOST_BYTES = 200_000_000


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
    """The content of a file; BadFile where it cannot be read, is none, or does not agree with its digest."""
    place, remedy = str(path), "name a file that 'caregrid bench' wrote"
    try:
        if Path(path).stat().st_size > MOST_BYTES:
            raise BadFile("it is too large", place=place, remedy=remedy)
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(error.strerror or str(error), place=place, remedy=remedy) from error
    except (ValueError, RecursionError) as error:
        raise BadFile("it is no JSON", place=place, remedy=remedy) from error
    if not isinstance(content, dict) or any(name not in content for name in KEYS):
        raise BadFile("it holds no results of the benchmark", place=place, remedy=remedy)
    if content["format"] != FORMAT:
        raise BadFile(f"its format is {content['format']!r}, not {FORMAT}", place=place, remedy="run it again")
    if content.get("digest") != digest_of(content):
        raise BadFile("its content does not agree with its digest", place=place, remedy="run it again")
    return content
