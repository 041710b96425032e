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
LINES = {
    "--version": 300,
    "--help": 300,
    "list": 300,
    "list scenarios": 300,
    "doctor": 300,
    "cite": 300,
    "solve --help": 300,
    "show workshop": 450,
    "show itc": 450,
    "breakpoints workshop": 500,
    "solve workshop": 500,
    "worlds garden": 500,
    "theory deja_vu": 450,
    "multislot consistency --horizon 3": 450,
    "rollout garden": 450,
    "terminal car-factory": 850,
    "view garden --headless --out OUT.png": 600,
    "play garden --headless --out OUT.txt": 750,
    "demo 1 --headless --frames 1 --out OUT.txt": 450,
    "demo 2 --headless --out OUT.png": 600,
}
"""Command line -> the most modules that it imports, none of them heavy."""
HEAVY_LINES = {
    "sweep workshop --care 0,1,2 --out OUT": ({"matplotlib"}, 850),
    "breakpoints boat_race": ({"scipy"}, 800),
    "breakpoints icy_yard": ({"scipy"}, 800),
}
"""Command line -> what it needs beside, such as scipy for plans with chance or with rewards on the way."""


@pytest.mark.slow_cases(beyond=8)
@pytest.mark.parametrize("line", [*LINES, *HEAVY_LINES])
def test_a_command_loads_what_it_needs_alone(line: str, tmp_path: Path) -> None:
    heavy, most = HEAVY_LINES.get(line) or (set(), LINES[line])
    command = [sys.executable, "-c", SCRIPT, *line.replace("OUT", str(tmp_path / "out")).split()]
    code, *modules = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert code == "0"
    assert HEAVY & set(modules) == heavy
    assert len(modules) <= most
