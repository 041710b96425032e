"""`caregrid cite`: BibTeX for caregrid and for the works that an entry's documentation names."""

import ast
import json
import re
from pathlib import Path

import pytest
import yaml

import caregrid
from caregrid.citations import PAPERS, _read_title, _simplify, cite_run, read_works
from caregrid.kinds import KINDS
from engine.errors import UnknownName
from engine.registry import Registry

ROOT = Path(__file__).resolve().parents[2]
METHODS = {
    "Algorithms for the reduction of the number of points required to represent a digitized line",
    "Learning rates for Q-learning",
    "Reinforcement Learning: An Introduction",
}
"""Works about how something is computed, which users of an entry need not cite."""

OF_A_SECTION = ("section ", "sections ", " of ", " in ", " that ", " and ")


def test_an_entry_cites_caregrid_its_document_and_the_works_that_it_names() -> None:
    assert list(caregrid.cite().works) == ["caregrid"]
    assert {"considerate", "empowerment"} <= set(caregrid.cite("empowerment").works)
    assert list(caregrid.cite("sarsa").works) == ["caregrid", "sarsa", "expected_sarsa"]
    assert list(caregrid.cite("itc", "planning_agents").works) == ["caregrid", "counterfactual"]


@pytest.mark.slow
def test_a_run_keeps_what_to_cite_beside_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its experiment, and the entries that its settings name, in every session; never code that only a file names."""
    monkeypatch.chdir(tmp_path)
    caregrid.run("counterfactual/tamper_grid", quick=True, engine="serial", out="run")
    works = read_works()
    cited = [key for key in works if works[key] in Path("run/CITATION.bib").read_text()]
    assert cited == ["counterfactual", "corrigibility_utility", "indifference"]
    titles = [reference["title"] for reference in yaml.safe_load(Path("run/CITATION.cff").read_text())["references"]]
    assert titles == [_read_title(works[key]) for key in cited]
    caregrid.problem("garden", "empowerment").sweep("0,1", out="sweep")
    assert works["empowerment"] in Path("sweep/CITATION.bib").read_text()
    Path("sung.py").write_text("raise SystemExit('it was imported')")
    [record] = Path("run/logs").glob("*.json")
    settings = {"agents": ["sung:sing", "opposite(q_learning)"], "scenarios": "boat_race,", "formulation": [7, None]}
    record.write_text(json.dumps({**json.loads(record.read_text()), "settings": settings}))
    assert works["q_learning"] in cite_run(Path("run"))["CITATION.bib"]


def test_an_entry_of_a_users_own_cites_what_its_file_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '"""A rule of mine. Reference: A. Arimoto, "An algorithm for computing the capacity of arbitrary discrete\n'
    text += 'memoryless channels", 1972."""\n\nfrom craftworld.formulation import at_the_end\n'
    text += "from craftworld.others.value_distribution import ValueDistribution\n\n\n"
    text += "@at_the_end(weighs=ValueDistribution)\ndef mine(others: ValueDistribution):\n"
    text += "    return others.values.mean(axis=0)\n"
    (tmp_path / "my_rules.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert list(caregrid.cite("my_rules:mine", "formulations").works) == ["caregrid", "arimoto"]


def test_a_name_that_nothing_has_is_refused() -> None:
    with pytest.raises(UnknownName, match="garden"):
        caregrid.cite("gardn")


def test_every_entry_is_valid_bibtex() -> None:
    for key, work in read_works().items():
        assert re.match(rf"@[a-z]+\{{{key},\n", work)
        assert work.count("{") == work.count("}")
        assert {"author", "title"} <= set(re.findall(r"^  (\w+) = ", work, re.MULTILINE)), key
    assert set(PAPERS.values()) <= set(read_works())


def list_referenced_titles() -> set[str]:
    """Titles in the references of files that hold entries: what stands in quotes and is no section of a document."""
    files = {Path(registry.file(name)) for registry in _registries() for name in registry if ":" not in name}
    found = set()
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
        for node in ast.walk(tree):
            text = ast.get_docstring(node) if isinstance(node, documented) else None
            for part in re.findall(r"References?(?::|\n-+\n)(.*?)(?:\n\n|\Z)", text or "", re.DOTALL):
                words = " ".join(part.split())
                quoted = re.finditer(r'"([^"]+)"', words)
                found |= {match[1] for match in quoted if not words[: match.start()].endswith(OF_A_SECTION)}
    return found


def _registries() -> list[Registry[object]]:
    return [kind.light_registry() for kind in KINDS.values()]


def test_every_work_that_an_entry_refers_to_is_in_the_bibliography() -> None:
    titles = [_simplify(_read_title(work)) for work in read_works().values()]
    missing = {
        title
        for title in list_referenced_titles()
        if not any(_simplify(title) in whole for whole in titles) and title.strip(",.") not in METHODS
    }
    assert missing == set()
