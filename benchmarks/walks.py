"""How far a reader walks: the product files that a command enters, and its moves from one to another.

Each command runs in a process of its own, where `sys.setprofile` sees every call. A file is entered when one of its
functions is called or the body of one of its classes runs; a move is such a call in another file than the one before.
Modules are those of ours that were imported, and their lines. Bodies of modules, lambdas and comprehensions are not
counted, and calls in compiled loops are not seen. Processor seconds are of the whole process without the profile, the
least of several runs, beside those of `python -c pass` in the same run. The first run of each command only fills the
caches of compiled code.

    python benchmarks/walks.py [--quick] [--tree DIR] [--ratios FILE]
    python benchmarks/walks.py --files "a signal"

The second form lists the files of one walk in the order in which they are entered, with their lines and calls. "i"
marks those that are entered by an import only: their classes or decorators run, and no function that the command needs.

Only `caregrid.main.main` is called, so that the script measures any state of the code: `git worktree add ../earlier
COMMIT`, then `--tree ../earlier`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any, TypedDict

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("caregrid", "experiments", "craftworld", "xenv", "multislot", "counterfactual", "renderers", "engine")
WALKS = {
    "a coefficient": "solve playroom --care 1",
    "a slot's value": "multislot swap --value cpy --horizon 4",
    "a turn of the battery": (
        "battery --agents q_learning --environments crying_baby --turns 1 --seeds 1 --engine serial --quiet --out kept"
    ),
    "a signal": "terminal car-factory --agent itc --set lobbying=0.6",
    "a stored unit": "run unit:experiment --engine serial --quiet --out stored",
    "a lesson": "demo 1 --headless --frames 1 --out film.txt",
    "all segments": "breakpoints workshop",
    "the help": "--help",
    "all names": "list",
}
"""Walk -> the command line."""
STARTS = ("the help", "all names")
"""Walks whose processor seconds are ratios: they do next to nothing but start."""
UNIT = '''"""An experiment of one unit."""

from caregrid import Experiment


def run(n, key):
    return [{"square": n * n}]


experiment = Experiment(reproduces="a square", settings={"n": (3,)}, run=run)
'''


class Entered(TypedDict):
    """How a walk enters a file."""

    lines: int
    calls: int
    by_import: int


def walk(words: Sequence[str], tree: Path) -> dict[str, Any]:
    """Run one command in this process and count what it enters and imports."""
    sys.path.insert(0, str(tree))
    folders = tuple(f"{tree / package}{os.sep}" for package in PACKAGES)
    ours: dict[str, bool] = {}
    entered: dict[str, Entered] = {}
    calls, moves, before = 0, 0, ""

    def see(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls, moves, before
        if event != "call":
            return
        code = frame.f_code
        file = code.co_filename
        if file not in ours:
            ours[file] = file.startswith(folders)
        if not ours[file] or code.co_name.startswith("<"):
            return
        calls += 1
        if file != before:
            moves += bool(before)
            before = file
        found = entered.setdefault(file, {"lines": 0, "calls": 0, "by_import": 0})
        found["calls"] += 1
        found["by_import"] += frame.f_back is not None and frame.f_back.f_code.co_name == "<module>"

    with contextlib.redirect_stdout(io.StringIO()):
        sys.setprofile(see)
        try:
            from caregrid.main import main

            exit_code = main(list(words))
        finally:
            sys.setprofile(None)
    files = [str(getattr(module, "__file__", None)) for module in list(sys.modules.values())]
    imported = {file for file in files if file.startswith(folders)}
    lines = sum(map(count_lines, imported))
    counted = {"files": len(entered), "moves": moves, "calls": calls, "modules": len(imported), "lines": lines}
    for file, found in entered.items():
        found["lines"] = count_lines(file)
    inside = {str(Path(file).relative_to(tree)): found for file, found in entered.items()}
    return {"exit": exit_code, **counted, "all_modules": len(sys.modules), "entered": inside}


def count_lines(file: str) -> int:
    """Count the lines of a file."""
    return len(Path(file).read_bytes().splitlines())


def run_walk(line: str, tree: Path, folder: Path) -> dict[str, Any]:
    """Run it in a fresh process, whose working directory is empty but for the experiment."""
    command = [sys.executable, __file__, f"--walk={line}", f"--tree={tree}"]
    place, variables = prepare(folder), make_environment(tree)
    done = subprocess.run(command, cwd=place, env=variables, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(next(said for said in done.stdout.splitlines() if said.startswith("{")))
    assert found["exit"] == 0, f"{line}: exit code {found['exit']}"
    return found


def print_files(title: str, tree: Path) -> None:
    """List the files of one walk."""
    with tempfile.TemporaryDirectory() as name:
        entered = run_walk(WALKS[title], tree, Path(name))["entered"]
    print("    file" + "lines   calls".rjust(62))
    for number, (file, found) in enumerate(entered.items(), start=1):
        mark = "i" if found["calls"] == found["by_import"] else " "
        print(f"{number:3} {file:52} {found['lines']:8} {found['calls']:7} {mark}".rstrip())


def prepare(folder: Path) -> Path:
    """Make a new working directory with the experiment of one unit."""
    place = Path(tempfile.mkdtemp(dir=folder))
    (place / "unit.py").write_text(UNIT, encoding="utf-8")
    return place


def make_environment(tree: Path) -> dict[str, str]:
    """Make the environment of a process that finds our packages from any directory."""
    return os.environ | {"PYTHONPATH": str(tree), "SDL_VIDEODRIVER": "dummy"}


def measure_seconds(words: Sequence[str], tree: Path, folder: Path) -> float:
    """Return the processor seconds of a process, its start included."""
    place, variables = prepare(folder), make_environment(tree)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], cwd=place, env=variables, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Print a line for each walk."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer runs for the seconds")
    parser.add_argument("--tree", type=Path, default=ROOT, metavar="DIR", help="another checkout, to be measured")
    parser.add_argument("--files", choices=WALKS, metavar="WALK", help="list the files of one walk")
    parser.add_argument("--walk", metavar="LINE", help=argparse.SUPPRESS)
    add_ratios_option(parser)
    asked = parser.parse_args()
    tree = asked.tree.resolve()
    if asked.walk is not None:
        print(json.dumps(walk(shlex.split(asked.walk), tree)))
        return 0
    if asked.files is not None:
        print_files(asked.files, tree)
        return 0
    ratios = Ratios("walks", asked.ratios, quick=asked.quick)
    repeats = 3 if asked.quick else 11
    print(f"{'walk':22} files   moves    calls  modules   lines  all modules  seconds")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, line in WALKS.items():
            run_walk(line, tree, folder)
            found = run_walk(line, tree, folder)
            bare, whole = [], []
            for _ in range(repeats):
                bare.append(measure_seconds(["-c", "pass"], tree, folder))
                whole.append(measure_seconds(["-m", "caregrid", *shlex.split(line)], tree, folder))
            print(
                f"{title:22} {found['files']:5} {found['moves']:7} {found['calls']:8} {found['modules']:8}"
                f" {found['lines']:7} {found['all_modules']:12} {min(whole):8.3f}"
            )
            if title in STARTS:
                ratios.add(f"bare start / {title}", min(bare) / min(whole), least=0.05)
    return 0


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
