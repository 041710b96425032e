"""Every registry is listed, every entry can be shown, what is broken breaks nothing, own things can be validated."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from caregrid.kinds import KINDS, find_checker
from caregrid.main import main
from engine.contracts import require_methods
from engine.registry import Registry
from tests.printed_json import printed_content

ROOT = Path(__file__).resolve().parents[2]


def test_every_registry_of_the_repository_is_a_kind() -> None:
    packages = set()
    for path in ROOT.glob("*/**/*.py"):
        if path.relative_to(ROOT).parts[0] in ("tests", "benchmarks", ".venv"):
            continue
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "Registry(" in text else ():
            made = isinstance(node, ast.Call) and ast.unparse(node.func) == "Registry" and node.args
            if made and isinstance(node.args[0], ast.Constant):  # type: ignore[attr-defined]
                packages.add(node.args[0].value)  # type: ignore[attr-defined]
                also = [word.value for word in node.keywords if word.arg == "also"]  # type: ignore[attr-defined]
                packages |= {one.value for tree in also for one in ast.walk(tree) if isinstance(one, ast.Constant)}
    packages |= {"experiments.catalogue", "caregrid.experiments"}  # a registry of its own class
    assert packages == {package for kind in KINDS.values() for package in kind.packages}


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_what_is_listed_is_what_the_registry_holds(kind) -> None:  # type: ignore[no-untyped-def]
    registry = kind.full_registry()
    assert isinstance(registry, Registry)
    assert (registry.packages, registry.group) == (kind.packages, kind.group)
    assert tuple(kind.light_registry()) == tuple(registry)
    checker = find_checker(kind)
    if checker is not None:
        require_methods(checker, ["__call__"], "checker")


@pytest.mark.slow_cases(beyond=8)
@pytest.mark.parametrize("kind", KINDS)
def test_every_entry_can_be_shown(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in KINDS[kind].light_registry():
        assert main(["show", f"{kind}/{name}", "--json"]) == 0
        [description] = printed_content(capsys.readouterr().out)["things"]
        assert description["kind"] == kind
        assert description["documentation"]
        assert (ROOT / description["file"]).is_file()
        assert main(["show", f"{kind}/{name}"]) == 0
        assert description["file"] in capsys.readouterr().out


@pytest.fixture
def own(users_folder: Path) -> Path:
    """A working directory with a user's own file."""
    (users_folder / "my_lab.py").write_text(
        '"""Things of my lab."""\n'
        "from experiments.experiment import Experiment\n\n"
        "def run(n, key):\n    return [{'square': n * n}]\n\n"
        "def broken_run(n, key):\n    return {'square': n * n}\n\n"
        "squares = Experiment(reproduces='squares', settings={'n': (1, 2)}, run=run)\n"
        "broken = Experiment(reproduces='squares', settings={'n': (1, 2)}, run=broken_run)\n"
        "number = 3\n"
    )
    return users_folder


def test_a_users_own_things_are_shown_and_validated(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "my_lab:squares", "--kind", "experiments"]) == 0
    shown = capsys.readouterr().out
    assert "my_lab.py" in shown
    assert "reproduces:\n  squares" in shown
    assert main(["validate", "experiments", "my_lab:squares"]) == 0
    assert "its contract holds" in capsys.readouterr().out
    assert main(["validate", "agents", "engine.agents.constant:Constant"]) == 0
    assert main(["validate", "engines", "serial"]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "my_lab:squares"], "add --kind"),
        (["show", "my_lab:square", "--kind", "experiments"], "did you mean 'squares'"),
        (["validate", "experiments", "my_lab:number"], "my_lab.py, 'number': 3 is not an experiment"),
        (["validate", "experiments", "my_lab:broken"], "my_lab.py, function broken_run: run returned dict"),
        (["validate", "experiment", "my_lab:broken"], "did you mean 'experiments'"),
        (["validate", "agents", "my_lab:number"], "my_lab.py, 'number': 3 is not an agent spec"),
        (["list", "things"], "unknown kind 'things'"),
    ],
)
def test_mistakes_are_one_line(words: list[str], message: str, own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_a_broken_plugin_is_one_line_and_breaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken_lab.py").write_text('"""A lab that cannot be imported."""\n1 / 0\n')
    record = tmp_path / "broken_lab-1.0.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-lab\nVersion: 1.0\n")
    (record / "entry_points.txt").write_text(
        "[caregrid.scenarios]\nkitchen = broken_lab:Kitchen\n[caregrid.experiments]\nlab/one = broken_lab:one\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["list", "scenarios"]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["kitchen"]]
    assert "broken_lab.py, line 2: ZeroDivisionError" in line
    assert main(["list"]) == 0
    listed = capsys.readouterr().out
    count = len(list(KINDS["scenarios"].light_registry()))
    assert re.search(rf"scenarios +{count} ", listed)
    assert "kitchen" in KINDS["scenarios"].light_registry()
    assert main(["solve", "workshop_auto"]) == 0


COMMANDS_BESIDE_A_BROKEN_PLUGIN = """
from caregrid.main import main
from xenv.environments import benchmark
for words in (["--help"], ["demo"], ["demo", "1", "--headless", "--out", "one.png"], ["multislot"]):
    assert main(words) == 0, words
assert "oven" not in benchmark()
assert main(["rest"]) == 2
"""


def test_what_asks_for_every_entry_leaves_a_broken_plugin_out_with_a_notice(tmp_path: Path) -> None:
    (tmp_path / "broken_lab.py").write_text('"""A lab that cannot be imported."""\n1 / 0\n')
    record = tmp_path / "broken_lab-1.0.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-lab\nVersion: 1.0\n")
    (record / "entry_points.txt").write_text(
        "[caregrid.commands]\nbake = broken_lab\nrest = math:pi\n[caregrid.lessons]\nfirst = broken_lab:lesson\n"
        "[caregrid.environments]\noven = broken_lab:Oven\n[caregrid.slot_scenarios]\nshelf = broken_lab:shelf\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", COMMANDS_BESIDE_A_BROKEN_PLUGIN],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    for name in ("command 'bake'", "lesson 'first'", "environment 'oven'"):
        assert f"caregrid: left out: {name} of broken-lab: broken_lab.py, line 2: ZeroDivisionError" in ended.stderr
    assert "rest.py, 'rest': 3.141592653589793 is not an operation; decorate a function: @operation" in ended.stderr


def test_the_help_lists_every_command_with_a_whole_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "List the kinds of things there are and how many each has" in capsys.readouterr().out


def test_newcomers_of_different_weights_are_shown_with_them(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "my_garden.py").write_text(
        '"""A garden whose agent 3 counts for more."""\n'
        "from craftworld.scenarios.garden import Garden\n\n"
        "class Heavier(Garden):\n    def __init__(self, grid=None, *, weight_3: float = 2.5):\n"
        "        super().__init__(grid, weight_3=weight_3)\n"
    )
    assert main(["show", "my_garden:Heavier", "--kind", "scenarios"]) == 0
    assert "weights:\n  agent 2: 1.0\n  agent 3: 2.5\n" in capsys.readouterr().out
    assert main(["show", "garden"]) == 0
    assert "weights:" not in capsys.readouterr().out
