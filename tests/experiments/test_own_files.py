"""Engines and experiments in a user's own file: good ones work through the public path, every mistake is one line."""

from pathlib import Path

import pytest

from caregrid.main import main
from engine.errors import ContractBroken
from experiments.catalogue import CATALOGUE, check_experiment
from experiments.runs.engines import ENGINES, check_engine

ENGINE = """
from concurrent.futures import Future
from experiments.runs.engines import ExecutionEngine

class Mine(ExecutionEngine):
    capacity = 1

    def start(self): self.queue = []

    def submit(self, function, *arguments):
        future = Future()
        self.queue.append((future, function, arguments))
        return future

    def wait(self, futures, timeout):
        future, function, arguments = self.queue.pop(0)
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return {future}

    def close(self, abandon): self.queue.clear()
"""
EXPERIMENT = """
from experiments.experiment import Claim, Experiment

def run(n, key):
    return [{"square": n * n}]

mine = Experiment(
    reproduces="mine",
    settings={"n": (1, 2)},
    run=run,
    claims=(Claim("squares are positive", lambda rows: all(row["square"] > 0 for row in rows)),),
)
"""


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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    def close(self, abandon): self.queue.clear()\n", "", "own_things.py, class Mine: no 'close'"),
        ("Mine(ExecutionEngine)", "Mine", "own_things.py, class Mine: .* is not an engine; derive a class"),
        ("return future\n", "return None\n", "own_things.py, class Mine: submit gave None; expected a concurrent"),
        (
            "return {future}",
            "return {Future()}",
            "own_things.py, class Mine: wait gave .*; expected some of the futures",
        ),
        (
            "capacity = 1",
            "capacity = 0",
            "own_things.py, class Mine: capacity gave 0; expected a whole number from 1 on",
        ),
        (
            "self.queue = []",
            "self.queue = 1 / 0",
            "own_things.py, class Mine, start: own_things.py, line 8: Zero",
        ),
        (
            "function(*arguments)",
            "function(2, 11)",
            "own_things.py, class Mine: submit gave 2048; expected a future",
        ),
    ],
)
def test_a_broken_engine_is_one_line(old: str, new: str, message: str, own: Path) -> None:
    assert old in ENGINE
    own.write_text(ENGINE.replace(old, new))
    with pytest.raises(ContractBroken, match=message) as caught:
        check_engine(ENGINES["own_things:Mine"])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("run=run", "run=lambda n, key: []", "run is <lambda>; make it a function of a module"),
        ("run(n, key)", "run(m, key)", "own_things.py, function run: run: .*; it is called as run.n, key."),
        ("run(n, key)", "run(n)", "own_things.py, function run: run: .*; it is called as run.n, key."),
        ('[{"square": n * n}]', '{"square": n * n}', "own_things.py, function run: run returned dict"),
        ('{"square": n * n}', '{"square": [n]}', "own_things.py, function run: column 'square' holds a list"),
        ('{"square": n * n}', '{"n": 7}', "own_things.py, function run: column 'n' contradicts the setting"),
        ("return [", "raise KeyError(n)\n    return [", "own_things:mine, run: own_things.py, line 5: KeyError: 1"),
        ("lambda rows:", "lambda rows, more:", "own_things.py, function <lambda>: takes .rows, more."),
        ("run=run", "run=3", "own_things.py, line 7, experiment 'mine': run is int; give a function"),
        (
            "claims=(Claim",
            "claims=((lambda *words: 0)",
            "own_things.py, line 7, experiment 'mine': claims is tuple; give a tuple of Claim",
        ),
        ('{"n": (1, 2)}', "(1, 2)", "own_things.py, line 7, experiment 'mine': settings is tuple; give a dict"),
        ("(1, 2)", "()", "own_things.py, line 7, mine: setting 'n' has no values"),
        ("mine = Experiment", "nobody = Experiment", "did you mean|no 'mine' in it"),
        ("mine = Experiment(", "mine = dict(", "own_things.py, 'mine': .* is not an experiment"),
        ("from experiments", "from experiment", "own_things.py, line 2: ModuleNotFoundError"),
    ],
)
def test_a_broken_experiment_is_one_line(
    old: str, new: str, message: str, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in EXPERIMENT
    own.write_text(EXPERIMENT.replace(old, new, 1))
    assert main(["validate", "experiments", "own_things:mine"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    import re

    assert re.search(message, error), error


def test_an_experiment_that_does_not_draw_from_its_key_is_found_out(own: Path) -> None:
    own.write_text(EXPERIMENT.replace("n * n}", 'n * n, "time": __import__("time").perf_counter()}'))
    with pytest.raises(ContractBroken, match="gave other rows the second time"):
        check_experiment(CATALOGUE["own_things:mine"])


def test_a_unit_that_calls_sys_exit_fails_alone_and_says_where(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own.write_text(EXPERIMENT.replace("    return [", "    import sys\n    n == 1 or sys.exit(3)\n    return [", 1))
    assert main(["run", "own_things:mine", "--engine", "serial", "--out", "rows"]) == 1
    printed = capsys.readouterr()
    assert 'failed: {"n":2}: SystemExit: 3 (own_things.py, line 6)' in printed.err
    assert "1 of 2 units are stored" in printed.out
