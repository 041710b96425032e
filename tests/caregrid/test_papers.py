"""docs/papers.md is made of the references of the entries; every command in it parses, every entry is tested."""

import re
from pathlib import Path
from typing import Any

import pytest

from caregrid.paper_items import ITEMS, list_references, read_paper

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "papers.md"


def list_items() -> list[tuple[str, dict[str, Any]]]:
    return [(document, item) for document in ITEMS for item in read_paper(document).items]


@pytest.mark.parametrize("document", ITEMS)
def test_the_page_holds_the_table_that_the_references_give(document: str) -> None:
    """To write the page anew, put `caregrid.papers(DOCUMENT).markdown()` in the place of its table."""
    assert read_paper(document).markdown() in PAGE.read_text(encoding="utf-8")


def test_no_item_is_missing() -> None:
    assert [(document, item["name"]) for document, item in list_items() if item["state"] == "not here"] == []


@pytest.mark.parametrize(
    ("document", "numbered"),
    [
        ("considerate", {"Eq": 8, "Definition": 1, "Proposition": 1, "Table": 2}),
        ("multislot", {"Definition": 9, "Theorem": 1, "Eq": 2}),
        ("selfreflection_theory", {"Definition": 5, "Lemma": 4, "Example": 13}),
    ],
)
def test_every_number_of_the_papers_is_an_item(document: str, numbered: dict[str, int]) -> None:
    names = {item["name"] for item in read_paper(document).items}
    assert {f"{word} {n}" for word, most in numbered.items() for n in range(1, most + 1)} <= names


def test_the_numbers_of_the_battery_s_paper_run_through_all_kinds() -> None:
    """Its definitions, examples, the conjecture and the proposition share one numbering, 1 to 13."""
    names = [item["name"] for item in read_paper("selfreflection").items]
    numbers = {int(name.split()[1]) for name in names if re.fullmatch(r"(Def|Exa|Con|Pro)\w+ \d+", name)}
    assert numbers == set(range(1, 14))


def test_python_calls_are_expressions_or_imports() -> None:
    """The commands of the page are parsed with those of all pages."""
    for document, item in list_items():
        compile(item["python"] or "None", f"{document}, {item['name']}", "exec")


def test_every_first_entry_is_in_a_test() -> None:
    """The state is true: what a row names first is exercised by name; experiments are, by loops over the catalogue."""
    tests = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("*.py")))
    first = [item["entries"][0].split("/", 1) for _, item in list_items() if item["state"] == "here"]
    names = {name for kind, name in first if kind != "experiments"}
    assert [name for name in sorted(names) if not re.search(rf"\b{name.replace('-', '.')}\b", tests)] == []


def test_references_are_read_as_they_are_written() -> None:
    assert list_references("Examples 3 and 6, Eqs 1 to 5; Figure 2(a); Table 1. Definition 10") == {
        *("Example 3", "Example 6", "Eq 1", "Eq 2", "Eq 3", "Eq 4", "Eq 5", "Figure 2(a)", "Table 1", "Definition 10")
    }
