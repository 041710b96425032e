"""Commands that read results run no code that the results name, and show nothing that moves the cursor."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import caregrid
from caregrid.own_packages import PACKAGES
from engine.printable import make_printable
from engine.user_code import OWN_PACKAGES, UntrustedCode, find_code_names
from experiments.report.pages import write_html_report, write_markdown_report
from experiments.report.sections import ROWS_SHOWN, Section
from tests.experiments.processes import PLAIN, ROOT

OWN = """
from pathlib import Path
from experiments.experiment import Claim, Experiment

Path({marker!r}).touch()


def run(word, n, key):
    return [{{"value": 2 * n}}]


experiment = Experiment(
    "own", {{"word": ("zebra", "ape"), "n": (1, 2)}}, run, claims=(Claim("it is even", lambda rows: True),),
    table=lambda rows: rows,
)
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A run of an experiment of one's own, and the mark that importing it leaves, removed."""
    (tmp_path / "own.py").write_text(OWN.format(marker=str(tmp_path / "imported")))
    done = _caregrid(tmp_path, "run", "own:experiment", "--out", "run", "--engine", "serial", "--quiet")
    assert done.returncode == 0, done.stderr
    (tmp_path / "imported").unlink()
    return tmp_path


def _caregrid(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PLAIN, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def test_rows_are_collected_and_verdicts_reported_without_importing_anything(own: Path) -> None:
    whole = (own / "run" / "rows.csv").read_bytes()
    collected = _caregrid(own, "collect", "run", "--out", "all.csv")
    assert collected.returncode == 0, collected.stderr
    assert (own / "all.csv").read_bytes() == whole, "words in the order in which the experiment declares them"
    reported = _caregrid(own, "report", ".", "--out", "report")
    assert "own:experiment: 1 hold" in reported.stdout
    text = (own / "report" / "report.md").read_text()
    assert "as the run itself judged it" in text
    assert "- **holds**: it is even" in text
    for command in ("check", "draw"):
        refused = _caregrid(own, command, "run")
        assert refused.returncode == 2
        assert refused.stderr == (
            "caregrid: run: it names code, own:experiment, for which the module 'own' would be imported; "
            "add --trust if you trust it\n"
        )
    assert not (own / "imported").exists()


def test_who_trusts_it_or_names_it_has_it_imported(own: Path) -> None:
    for words in (
        ["check", "run", "--trust"],
        ["check", "own:experiment", "--from", "run"],
        ["report", ".", "--trust"],
    ):
        done = _caregrid(own, *words)
        assert done.returncode == 0, done.stderr
        assert (own / "imported").exists()
        (own / "imported").unlink()


def test_rows_stored_after_a_verdict_leave_it_open(own: Path) -> None:
    summary = own / "run" / "summary.json"
    summary.write_text(json.dumps(json.loads(summary.read_text()) | {"units": 3}))
    _caregrid(own, "report", ".", "--out", "report")
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
def test_a_hostile_manifest_is_read_or_refused_in_one_line(own: Path, damage: dict[str, object]) -> None:
    manifest = own / "run" / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | damage))
    for words in (["collect", "run", "--out", "all.csv"], ["report", ".", "--out", "report"], ["check", "run"]):
        done = _caregrid(own, *words)
        assert done.returncode in (0, 1, 2), done.stderr
        assert done.stderr.count("\n") <= 1, done.stderr
        assert "\x1b" not in done.stdout + done.stderr
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
