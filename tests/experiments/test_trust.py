"""Commands that read results run no code that the results name, and show nothing that moves the cursor."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

import caregrid
from caregrid.at_import import PACKAGES
from caregrid.main import main
from engine.printable import make_printable
from engine.user_code import OWN_PACKAGES, UntrustedCode, find_code_names
from experiments.report.pages import write_html_report, write_markdown_report
from experiments.report.sections import ROWS_SHOWN, Section
from tests.experiments.processes import PLAIN, ROOT

OWN = """
from pathlib import Path
from experiments.experiment import Claim, Experiment

Path(__file__).with_name("imported").touch()


def run(word, n, key):
    return [{"value": 2 * n}]


experiment = Experiment(
    "own", {"word": ("zebra", "ape"), "n": (1, 2)}, run, claims=(Claim("it is even", lambda rows: True),),
    table=lambda rows: rows,
)
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of an experiment of one's own, made by another process, without the mark that importing it leaves."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "own.py").write_text(OWN)
    words = ["run", "own:experiment", "--out", "run", "--engine", "serial", "--quiet"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    command = [sys.executable, "-W", "ignore", "-c", PLAIN, *words]
    subprocess.run(command, cwd=folder, env=environment, check=True, timeout=100)
    (folder / "imported").unlink()
    return folder


@pytest.fixture
def own(stored: Path, users_folder: Path) -> Path:
    """A copy of the run in the working directory, where nothing has imported the experiment yet."""
    sys.modules.pop("own", None)
    shutil.copytree(stored, users_folder, dirs_exist_ok=True)
    return users_folder


Ask: TypeAlias = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(own: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Run a command; the exit code, and what is printed and said."""

    def call(*words: str) -> tuple[int, str, str]:
        code = main(list(words))
        return (code, *capsys.readouterr())

    return call


def test_rows_are_collected_and_verdicts_reported_without_importing_anything(own: Path, ask: Ask) -> None:
    whole = (own / "run" / "rows.csv").read_bytes()
    assert ask("collect", "run", "--out", "all.csv")[0] == 0
    assert (own / "all.csv").read_bytes() == whole, "words in the order in which the experiment declares them"
    assert "own:experiment: 1 hold" in ask("report", ".", "--out", "report")[1]
    text = (own / "report" / "report.md").read_text()
    assert "as the run itself judged it" in text
    assert "- **holds**: it is even" in text
    for command in ("check", "draw"):
        code, _, error = ask(command, "run")
        assert code == 2
        assert error == (
            "caregrid: run: it names code, own:experiment, for which the module 'own' would be imported; "
            "add --trust if you trust it\n"
        )
    assert not (own / "imported").exists()


def test_who_trusts_it_or_names_it_has_it_imported(own: Path, ask: Ask) -> None:
    for words in (
        ["check", "run", "--trust"],
        ["check", "own:experiment", "--from", "run"],
        ["report", ".", "--trust"],
    ):
        sys.modules.pop("own", None)
        assert ask(*words)[0] == 0
        (own / "imported").unlink()


def test_rows_stored_after_a_verdict_leave_it_open(own: Path, ask: Ask) -> None:
    summary = own / "run" / "summary.json"
    summary.write_text(json.dumps(json.loads(summary.read_text()) | {"units": 3}))
    ask("report", ".", "--out", "report")
    text = (own / "report" / "report.md").read_text()
    assert "rows were stored since it was judged" in text
    assert "**holds**" not in text


def test_in_python_too(own: Path) -> None:
    with pytest.raises(UntrustedCode, match="add trust=True"):
        caregrid.load(own / "run")
    [section] = caregrid.report(own).sections
    assert section.units == 4
    assert not (own / "imported").exists()


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("be_considerate/table_1", []),
        ({"care": "0:7:0.5", "file": "sweep.toml"}, []),
        (["reality_check(mine:Agent)", "a,mine:b"], ["mine:Agent", "mine:b"]),
        ({"request": "mine:request", "deep": [{"mine:key": 1}]}, ["mine:request", "mine:key"]),
    ],
)
def test_what_counts_as_code(content: object, names: list[str]) -> None:
    assert list(find_code_names(content)) == names


@pytest.mark.parametrize(
    "damage",
    [
        {"declared": 3},
        {"declared": {"n": [[1]], "word": [None, "x", "x"]}},
        {"declared": None, "settings": ["n", "word"]},
        {"reproduces": 7, "origin": {"experiment": "own:experiment"}},
        {"seed": "0"},
        {"version": None},
        {"experiment": "\x1b[31mown:experiment\x07"},
    ],
    ids=str,
)
def test_a_hostile_manifest_is_read_or_refused_in_one_line(own: Path, ask: Ask, damage: dict[str, object]) -> None:
    manifest = own / "run" / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | damage))
    for words in (["collect", "run", "--out", "all.csv"], ["report", ".", "--out", "report"], ["check", "run"]):
        code, printed, said = ask(*words)
        assert code in (0, 1, 2), said
        assert said.count("\n") <= 1, said
        assert "\x1b" not in printed + said
    assert not (own / "imported").exists()


def test_what_a_terminal_would_obey_is_written_out() -> None:
    assert make_printable("plain\ttext\n") == "plain\ttext\n"
    assert make_printable("\x1b[2J\r\x07\x9b\u202e\ud800\u2028") == r"\x1b[2J\r\x07\x9b\u202e\ud800\u2028"


def test_a_report_of_very_many_rows_stays_small_and_links_them(tmp_path: Path) -> None:
    rows = tuple({"n": n, "value": float(n)} for n in range(200 * ROWS_SHOWN))
    section = Section("many", "a paper", tmp_path, units=len(rows), table=rows)
    for text in (write_html_report([section]), write_markdown_report([section], "figures")):
        assert len(text) < 200_000
        assert f"{199 * ROWS_SHOWN:,} more rows" in text
        assert "rows.csv" in text


def test_code_of_caregrid_itself_needs_trust_too() -> None:
    names = ["caregrid.wrapping.gym_names:FrozenLake_v1", "caregrid.main:os", "engine_room:Boiler"]
    assert list(find_code_names(names)) == ["caregrid.main:os", "engine_room:Boiler"]
    assert ("caregrid", *PACKAGES) == OWN_PACKAGES
