"""CITATION.cff is what the Citation File Format 1.2.0 allows, and says what the package says.

The tables hold the part of the schema that the file uses: a key beyond them is a misspelling, or is to be added here
with its type (https://github.com/citation-file-format/citation-file-format, schema-guide.md).
"""

import copy
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from caregrid.citations import DOCUMENTS, read_works, write_citation_file

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())

TYPES = {"art", "article", "blog", "book", "conference-paper", "generic", "proceedings", "report", "software", "thesis"}
PERSON = {"family-names": str, "given-names": str, "orcid": str}
ENTITY = {"name": str}
WORK = {
    "title": str, "type": str, "authors": list, "doi": str, "url": str, "version": str, "year": int, "month": int,
}  # fmt: skip
FILE = WORK | {
    "cff-version": str, "message": str, "license": str, "references": list, "date-released": str,
    "preferred-citation": dict,
}  # fmt: skip
REFERENCE = WORK | {
    "collection-title": str, "collection-type": str, "volume": (int, str), "issue": (int, str), "start": (int, str),
    "end": (int, str), "publisher": dict, "institution": dict, "journal": str, "notes": str,
}  # fmt: skip


def mistakes(citation: dict[str, Any]) -> list[str]:
    """What the format does not allow, a line each."""
    found = _unlike(citation, FILE, {"cff-version", "message", "title", "authors"}, "file")
    if citation.get("cff-version") != "1.2.0":
        found.append("file: cff-version")
    if citation.get("type", "software") not in {"software", "dataset"}:
        found.append("file: type")
    works = [("file", citation)]
    listed = [(f"reference {i + 1}", reference) for i, reference in enumerate(citation.get("references", []))]
    if "preferred-citation" in citation:
        listed.append(("preferred citation", citation["preferred-citation"]))
    for place, reference in listed:
        found += _unlike(reference, REFERENCE, {"type", "title", "authors"}, place)
        found += [f"{place}: type"] * (reference.get("type") not in TYPES)
        works.append((place, reference))
    for place, work in works:
        found += [f"{place}: no authors"] * (not work.get("authors"))
        for author in work.get("authors", []):
            found += _unlike(author, ENTITY if "name" in author else PERSON, set(), f"{place}, author")
            found += [f"{place}: orcid"] * (
                not re.fullmatch(r"(https://orcid\.org/\d{4}(-\d{4}){2}-\d{3}[\dX])?", author.get("orcid", ""))
            )
        found += [f"{place}: month"] * (work.get("month", 1) not in range(1, 13))
        found += [f"{place}: doi"] * (not re.fullmatch(r"(10\.\d{4,}/\S+)?", work.get("doi", "")))
        found += [f"{place}: pages"] * (int(work.get("start", 0)) > int(work.get("end", 0)))
    return found


def _unlike(given: dict[str, Any], allowed: dict[str, Any], required: set[str], place: str) -> list[str]:
    return [
        *(f"{place}: no {key}" for key in sorted(required - given.keys())),
        *(f"{place}: unknown {key}" for key in given if key not in allowed),
        *(
            f"{place}: {key} is of the wrong type"
            for key in given
            if not isinstance(given[key], allowed.get(key, object))
        ),
    ]


def test_it_is_valid() -> None:
    assert mistakes(CITATION) == []


def test_it_is_what_the_bibliography_says() -> None:
    works = read_works()
    assert (ROOT / "CITATION.cff").read_text() == write_citation_file(works[key] for key in DOCUMENTS)
    everything = yaml.safe_load(write_citation_file(works.values()))
    assert mistakes(everything) == []
    assert [reference["title"] for reference in everything["references"] if "year" not in reference] == [
        "Extending environments to incentivize self-reflection in reinforcement learning"
    ]
    authors = [author for reference in everything["references"] for author in reference["authors"]]
    assert {"family-names": "Henriques", "given-names": "João F."} in authors


def test_the_year_is_that_of_the_licence() -> None:
    year = CITATION["preferred-citation"]["year"]
    assert f"Copyright (c) {year} The caregrid developers" in (ROOT / "LICENSE").read_text()


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("version",), 0.1, "file: version is of the wrong type"),
        (("titel",), "x", "file: unknown titel"),
        (("cff-version",), "1.1.0", "file: cff-version"),
        (("authors",), [], "file: no authors"),
        (("references", 0, "type"), "paper", "reference 1: type"),
        (("references", 0, "doi"), "doi.org/10.1", "reference 1: doi"),
        (("references", 1, "year"), "2021", "reference 2: year is of the wrong type"),
        (("references", 0, "authors", 0, "firstname"), "A", "reference 1, author: unknown firstname"),
        (("references", 2, "authors", 0, "orcid"), "0000-0002-7930-110X", "reference 3: orcid"),
    ],
    ids=lambda part: ".".join(map(str, part)) if isinstance(part, tuple) else "",
)
def test_a_mistake_is_found(path: tuple[Any, ...], value: object, expected: str) -> None:
    changed = copy.deepcopy(CITATION)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert mistakes(changed) == [expected]


def test_it_says_what_the_package_says() -> None:
    assert CITATION["version"] == PROJECT["version"]
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["preferred-citation"]["title"] == CITATION["title"]
    assert [author["name"] for author in CITATION["authors"]] == [author["name"] for author in PROJECT["authors"]]


def test_no_paper_is_named_twice() -> None:
    titles = [reference["title"] for reference in CITATION["references"]]
    assert len(set(titles)) == len(titles) >= 5
