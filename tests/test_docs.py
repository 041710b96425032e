"""What the documentation shows exists: every link leads somewhere and every command line parses."""

import importlib
import inspect
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from caregrid.kinds import KINDS
from caregrid.operations import COMMANDS as OPERATIONS
from engine.errors import CaregridError
from tests.documentation.pages import PAGES, ROOT, is_there, mentioned, require_readable


def _label(path: Path) -> str:
    return str(path.relative_to(ROOT))


COMMANDS = [(page, line) for page in PAGES for line in mentioned(page)]


def test_there_is_something_to_check() -> None:
    assert len(PAGES) > 10
    assert len(COMMANDS) > 50


def test_links_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        links = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
        inside = [link.partition("#")[0] for link in links if not re.match(r"[a-z]+:", link)]
        broken += [f"{_label(page)}: {link}" for link in inside if link and not is_there(page.parent / link)]
    assert not broken


def test_commands_parse() -> None:
    faults = []
    for page, line in COMMANDS:
        try:
            require_readable(shlex.split(re.split(r"\s(?:\||>|&&|;)\s", line)[0])[1:])
        except (CaregridError, SystemExit) as refused:
            faults.append(f"{_label(page)}: {line}: {refused}")
    assert not faults


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=_label)
def test_files_and_modules_that_are_named_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    files = re.findall(r"`((?:[a-z_]+/)+(?:[a-z_0-9]+\.(?:py|md|json|csv))?)`", text)
    ours = [name for name in files if (ROOT / name.split("/")[0]).is_dir()]
    assert not [name for name in ours if not (ROOT / name).exists()]
    packages = "engine|craftworld|xenv|multislot|counterfactual|renderers|experiments|caregrid"
    dotted = re.findall(rf"`((?:{packages})(?:\.[a-zA-Z_0-9]+)+)`", text)
    groups = {kind.group for kind in KINDS.values()}
    assert not [name for name in dotted if name not in groups and not _importable(name)]


def _importable(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    parts = name.split(".")
    for depth in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:depth])
        if place.is_dir() or place.with_suffix(".py").exists():
            module = importlib.import_module(".".join(parts[:depth]))
            return not parts[depth:] or hasattr(module, parts[depth])
    return False


def test_every_kind_has_a_recipe() -> None:
    """A row of CONTRIBUTING: the kind, its folders, a file to start from that holds entries, what an entry is."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)`(?: \(\w+\))? \| (.+?) \| `(.+?)` \| .+ \|$", page, flags=re.M)
    assert {kind for kind, _, _ in rows} == {*KINDS}
    for kind, folders, start in rows:
        registry = KINDS[kind].light_registry()
        files = {registry.file(name) for name in registry.names() if name not in registry.find_installed()}
        assert ROOT / start in files, start
        assert all((ROOT / folder).is_dir() for folder in re.findall("`(.+?)`", folders))
        assert start.startswith(tuple(re.findall("`(.+?)`", folders)))


WALKS = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("\n### ")[1:]


def _files_on(walk: str) -> list[str]:
    return re.findall(r"^\| \d+ \| `([a-z_]+/[a-z_0-9/]+\.py)`", walk, flags=re.M)


def test_no_file_is_entered_twice_on_a_walk() -> None:
    assert len(WALKS) == 5
    for walk in WALKS:
        entered = _files_on(walk)
        assert len(entered) >= 8
        assert len(entered) == len(set(entered))


TRACE = """
import sys
from caregrid.main import main
entered = set()
def note(frame, event, _):
    if frame.f_code.co_name != "<module>":
        entered.add(frame.f_code.co_filename)
sys.setprofile(note)
code = main(sys.argv[1:])
sys.setprofile(None)
print(*sorted(entered), sep="\\n", file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.slow_cases("A caring coefficient", "A turn of the battery")
@pytest.mark.parametrize("walk", WALKS, ids=[walk.partition(":")[0] for walk in WALKS])
def test_a_command_enters_the_files_of_its_walk(walk: str, tmp_path: Path) -> None:
    """By calls, but for entries that are tables; in a process of its own, which keeps nothing from other commands."""
    words = shlex.split(walk.partition("`caregrid ")[2].partition("`")[0])
    searched = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = [sys.executable, "-c", TRACE, *words]
    done = subprocess.run(run, cwd=tmp_path, env=searched, capture_output=True, text=True, timeout=300, check=True)
    tables = {str(KINDS["slot_scenarios"].light_registry().file("swap").relative_to(ROOT))}
    assert not [file for file in {*_files_on(walk)} - tables if str(ROOT / file) not in done.stderr.splitlines()]


def test_the_changelog_says_each_change_once_under_its_heading() -> None:
    """Keep a Changelog: every line of what is not released yet is under Added, Changed, ... in that order."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n## Unreleased\n")[2].partition("\n## ")[0]
    before, *sections = re.split(r"^### ", text, flags=re.M)
    assert not before.strip(), f"put it under Added, Changed or Fixed: {before.strip()[:80]}"
    names = [section.partition("\n")[0] for section in sections]
    order = ["Added", "Changed", "Deprecated", "Renamed", "Removed", "Fixed", "Security"]
    assert names == [name for name in order if name in names]
    changes = [
        change.strip() for section in sections for change in re.split(r"^- ", section.partition("\n")[2], flags=re.M)
    ]
    assert len(set(changes)) == len([change for change in changes if change]) + 1
    assert all(re.fullmatch(r"\n+(?:- .*\n(?:  .*\n)*)+\n*", section.partition("\n")[2] + "\n") for section in sections)


def test_what_was_renamed_has_its_new_name_only() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n### Renamed\n")[2].partition("\n### ")[0]
    pairs = re.findall(r"`(\w+\.[\w.]+)`\s+is\s+`(\w+\.[\w.]+)`", text)
    assert len(pairs) > 10
    assert not [old for old, _ in pairs if _importable(old)]
    assert not [new for _, new in pairs if not _importable(new)]


def test_options_that_were_removed_are_refused() -> None:
    """By each of the commands that the line names; what stands in their place is taken."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n### Removed\n")[2].partition("\n### ")[0]
    found = 0
    for line in re.split(r"^- ", text, flags=re.M)[1:]:
        gone, _, instead = line.partition(":")
        for options, commands in re.findall(r"((?:`--[a-z]+`(?: and |, )?)+) of ((?:`[a-z]+`(?: and |, )?)+)", gone):
            for name in re.findall(r"`(\w+)`", commands):
                taken = {parameter.spelling for parameter in OPERATIONS[name].parameters}
                assert not taken & {*re.findall(r"`(--\w+)`", options)}
                assert taken >= {*re.findall(r"`(--\w+)`", instead)}
                found += 1
    assert found > 5


SYMBOL = r"\b(?:[A-Za-z]+|1)_(?:[A-Za-z]+|\d)\b\*?|\b[A-Za-z]\^\w+|\b(?:alpha|gamma|pi|nu|mu|xi)\b"


@pytest.mark.parametrize("package", ["craftworld", "xenv", "multislot", "counterfactual"])
def test_the_glossary_has_every_symbol_of_the_papers(package: str) -> None:
    """Those in the first column of a package's table of what is where."""
    rows = re.findall(r"^\| (.+?) +\| ", inspect.getdoc(importlib.import_module(package)) or "", flags=re.M)
    symbols = {symbol for row in rows for symbol in re.findall(SYMBOL, re.sub(r"`.*?`", "", row))}
    assert len(symbols) > 2
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert not symbols - {*re.findall(SYMBOL, glossary)}
