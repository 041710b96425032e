"""Commands import little: they answer at once where no table is large, and load numba and scipy only for those."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"numba", "scipy", "pandas", "networkx", "gymnasium", "pettingzoo", "rich", "torch", "matplotlib", "pygame"}
SCRIPT = """
import contextlib, io, sys
from caregrid.main import main
with contextlib.redirect_stdout(io.StringIO()):
    code = main(sys.argv[1:])
print(code, *sys.modules)
"""


@pytest.mark.parametrize(
    ("line", "most"),
    [("show workshop", 450), ("breakpoints workshop", 500), ("solve workshop", 500),
     ("--version", 300), ("--help", 300), ("list", 300), ("list scenarios", 300), ("doctor", 300),
     ("solve --help", 300), ("show itc", 450)],
)  # fmt: skip
def test_light_commands_import_few_modules(line: str, most: int) -> None:
    command = [sys.executable, "-c", SCRIPT, *line.split()]
    code, *modules = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert code == "0"
    assert not HEAVY & set(modules)
    assert len(modules) <= most


@pytest.mark.parametrize(
    ("line", "most"),
    [("play garden --headless --out OUT.txt", 750), ("view garden --headless --out OUT.png", 600),
     ("demo 1 --headless --out OUT.png", 750), ("demo 2 --headless --out OUT.png", 750),
     ("worlds garden", 500), ("theory deja_vu", 450),
     ("multislot consistency --horizon 3", 450), ("rollout garden", 450)],
)  # fmt: skip
def test_small_worlds_load_nothing_heavy(line: str, most: int, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SCRIPT, *line.replace("OUT", str(tmp_path / "out")).split()]
    code, *modules = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert code == "0"
    assert not HEAVY & set(modules)
    assert len(modules) <= most


def test_a_world_with_an_input_terminal_loads_graphs_alone() -> None:
    command = [sys.executable, "-c", SCRIPT, "terminal", "car-factory"]
    code, *modules = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert code == "0"
    assert HEAVY & set(modules) == {"networkx"}


def test_a_sweep_loads_nothing_heavy_but_the_figure(tmp_path: Path) -> None:
    line = ["sweep", "workshop", "--care", "0,1,2", "--out", str(tmp_path / "sweep")]
    done = subprocess.run([sys.executable, "-c", SCRIPT, *line], cwd=ROOT, capture_output=True, text=True, check=True)
    code, *modules = done.stdout.split()
    assert code == "0"
    assert HEAVY & set(modules) == {"matplotlib"}
    assert len(modules) <= 850


@pytest.mark.parametrize("name", ["boat_race", "icy_yard"])
def test_plans_with_chance_or_rewards_on_the_way_load_numba_and_sparse_matrices_alone(name: str) -> None:
    line = ["breakpoints", name]
    done = subprocess.run([sys.executable, "-c", SCRIPT, *line], cwd=ROOT, capture_output=True, text=True, check=True)
    code, *modules = done.stdout.split()
    assert code == "0"
    assert HEAVY & set(modules) == {"numba", "scipy"}
    assert len(modules) <= 1300
