"""Every command where only caregrid's own dependencies are installed: it works, or names the extra that it needs."""

import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from caregrid.operations import COMMANDS
from tests.caregrid.accepted_lines import ACCEPTED, STORED, write_behaviour

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
RUN = f"run be_considerate/figure_2a --quick --engine=serial --quiet --out={STORED}"
LINES = {
    "run": RUN,
    "bench": f"bench {ACCEPTED['bench']} --out=bench",
    "bench_compare": "bench-compare bench/bench.json",
    **{
        name: f"{name.replace('_', '-')} {words}"
        for name, words in ACCEPTED.items()
        if not name.startswith(("bench", "run"))
    },
}
REFUSED = {"battery": "plot", "draw": "plot", "sweep": "plot"}  # before any work: what they are for ends in a figure
NEEDING = {
    "render": [
        "view garden",
        "demo 1",
        "play swap",
        "record garden --out=film.gif",
        "rollout boat_race --actions=up --out=a.gif",
    ],
    "movie": ["record garden --out=film.mp4"],
    "plot": [f"draw {STORED}", "infer garden --out=figure.png"],
    "deep": ["train garden --agent=sb3_dqn --steps=10 --out=p", "train garden --agent=dqn --steps=10 --out=p"],
    "worlds": ["breakpoints gym:MiniGrid-Empty-5x5-v0"],
    "parquet": [f"collect {STORED} --out=rows.parquet"],
    "cluster": ["run be_considerate/figure_2a --quick --engine=dask --quiet --out=elsewhere"],
}
SCRIPT = """
import contextlib, io, json, sys
blocked, lines = json.load(sys.stdin)

class Without:
    # a finder that does not find what is blocked

    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in blocked else self.finder.find_spec(name, path, target)

sys.meta_path[:] = map(Without, sys.meta_path)
from caregrid.main import main
from caregrid.operations import COMMANDS

answers = []
for words in lines:
    printed, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
        answers.append((main(words), printed.getvalue(), said.getvalue()))
print(json.dumps(answers))
"""


def modules(extras: dict[str, list[str]]) -> set[str]:
    """The top-level modules of all packages that extras name."""
    packages = {re.split(r"[\[>=<]", each)[0] for extra in extras.values() for each in extra} - {"caregrid"}
    return {
        module
        for module, owners in importlib.metadata.packages_distributions().items()
        if packages & {owner.lower().replace("_", "-") for owner in owners}
    }


def answers(lines: list[list[str]], folder: Path) -> list[tuple[int, str, str]]:
    """Exit code, stdout and stderr of each line, run one after the other where no extra is installed."""
    asked = json.dumps((sorted(modules({name: EXTRAS[name] for name in NEEDING})), lines))
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{SCRIPT}"]
    done = subprocess.run(command, cwd=folder, input=asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    lines = [*LINES.values(), *(line for needing in NEEDING.values() for line in needing)]
    folder = tmp_path_factory.mktemp("plain")
    write_behaviour(folder)
    given = answers([line.split() for line in lines], folder)
    return dict(zip(lines, given, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_works_or_names_its_extra(command: str, answered: dict[str, tuple[int, str, str]]) -> None:
    code, _, said = answered[LINES[command]]
    if command in REFUSED:
        assert_names(REFUSED[command], code, said)
    else:
        assert code == 0 or command == "doctor", said  # which sees that what is installed cannot be imported


@pytest.mark.parametrize("extra", sorted(NEEDING))
def test_what_needs_an_extra_names_it(extra: str, answered: dict[str, tuple[int, str, str]]) -> None:
    for line in NEEDING[extra]:
        code, _, said = answered[line]
        assert_names(extra, code, said)


def test_a_run_says_what_its_figure_needs(answered: dict[str, tuple[int, str, str]]) -> None:
    assert "pip install 'caregrid[plot]'" in answered[RUN][1]


def assert_names(extra: str, code: int, said: str) -> None:
    assert code == 2, said
    assert len(said.splitlines()) == 1
    assert said.count(f"pip install 'caregrid[{extra}]'") == said.count("pip install") == 1
    assert said.count("caregrid doctor") == 1
