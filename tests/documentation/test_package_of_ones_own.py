"""The package that "Add your own" shows: its entry points give its files names, beside ours."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.documentation.pages import ROOT, steps

PAGE = ROOT / "docs" / "tutorials" / "add_your_own.md"
READER = """
from caregrid.main import main
for words in (["list", "scenarios"], ["breakpoints", "dark_corridor"], ["breakpoints", "my_corridor:Corridor"],
              ["count", "--json"]):
    print("#", *words)
    assert main(words) == 0, words
"""


def test_an_installed_package_is_found_by_its_names(tmp_path: Path) -> None:
    """The package is on the path with its record, as pip leaves it."""
    files = {step.name: step.text for step in steps(PAGE) if step.kind == "file"}
    described = tomllib.loads(files["pyproject.toml"])
    for name in described["tool"]["hatch"]["build"]["include"]:
        (tmp_path / name).write_text(files[name], encoding="utf-8")
    project, record = described["project"], tmp_path / "dark_corridor-1.0.dist-info"
    record.mkdir()
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"].items()
    lines = [line for group, names in groups for line in (f"[{group}]", *(f"{n} = {o}" for n, o in names.items()))]
    (record / "entry_points.txt").write_text("\n".join(lines))
    beside = os.pathsep.join([str(tmp_path), str(ROOT)])
    ran = subprocess.run(
        [sys.executable, "-c", READER],
        env={**os.environ, "PYTHONPATH": beside},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    listed, by_name, by_file, counted = (part.partition("\n")[2] for part in ran.stdout.split("# ")[1:])
    assert any(line.split()[:1] == ["dark_corridor"] for line in listed.splitlines())
    assert by_name == by_file
    assert "care from" in by_name
    assert '"number"' in counted
