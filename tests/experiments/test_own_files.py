"""Engines and experiments in a user's own file: good ones work through the public path, every mistake is one line."""

from pathlib import Path

import pytest

from caregrid.main import main
from engine.errors import ContractBroken
from experiments.catalogue import CATALOGUE, check_experiment
from experiments.runs.engines import ENGINES, check_engine
from tests.users_files import read_right_file

ENGINE = read_right_file("engines", "Mine")
EXPERIMENT = read_right_file("experiments", "mine")


@pytest.fixture
def own(users_folder: Path) -> Path:
    """A working directory for own_things.py, which every test writes anew."""
    return users_folder / "own_things.py"


@pytest.mark.parametrize("name", ["serial", "local"])
def test_every_engine_keeps_the_contract(name: str) -> None:
    check_engine(ENGINES[name])


def test_an_engine_and_an_experiment_of_ones_own(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own.write_text(ENGINE + EXPERIMENT)
    check_engine(ENGINES["own_things:Mine"])
    check_experiment(CATALOGUE["own_things:mine"])
    assert main(["run", "own_things:mine", "--engine", "own_things:Mine", "--quiet"]) == 0
    assert "holds: squares are positive" in capsys.readouterr().out
    assert (own.parent / "results" / "own_things-mine" / "rows.csv").read_text() == "n,square\n1,1\n2,4\n"


def test_an_experiment_that_does_not_draw_from_its_key_is_found_out(own: Path) -> None:
    own.write_text(EXPERIMENT.replace("n * n}", 'n * n, "time": __import__("time").perf_counter()}'))
    with pytest.raises(ContractBroken, match="gave other rows the second time"):
        check_experiment(CATALOGUE["own_things:mine"])


def test_a_unit_that_calls_sys_exit_fails_alone_and_says_where(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own.write_text(EXPERIMENT.replace("    return [", "    import sys\n    n == 1 or sys.exit(3)\n    return [", 1))
    assert main(["run", "own_things:mine", "--engine", "serial", "--out", "rows"]) == 1
    printed = capsys.readouterr()
    assert 'failed: {"n":2}: SystemExit: 3 (own_things.py, line 5)' in printed.err
    assert "1 of 2 units are stored" in printed.out


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (
            "claims=(Claim('c', lambda rows: rows[0]['cube'] > 0),)",
            "claim 'c': own_things.py, line 10: KeyError",
        ),
        ("published=(Published('p', 1.0, lambda rows: 1 / 0),)", "published number 'p': own_things.py, line 10: Zero"),
        ("table=lambda rows: rows[9]", "own_things:mine, table: own_things.py, line 10: IndexError"),
        ("figure=lambda rows: rows[9]", "own_things:mine, figure: own_things.py, line 10: IndexError"),
    ],
)
def test_what_judges_rows_and_fails_is_one_line(
    part: str, said: str, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = EXPERIMENT.replace("import Claim,", "import Claim, Published,")
    own.write_text(text.replace(text[text.index("    claims=") : text.index("\n)\n")], f"    {part},"))
    assert main(["run", "own_things:mine", "--engine", "serial", "--quiet"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
