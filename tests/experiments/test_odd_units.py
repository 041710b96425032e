"""Whatever a unit does, it is a failed unit and nothing more; one that hangs is ended where a timeout is given."""

import json
import sys
import time
from pathlib import Path

import pytest

from caregrid.main import main
from experiments.experiment import Experiment, Rows
from tests.experiments.processes import finish_run
from tests.printed_json import printed_content


class Mute(Exception):
    """Nobody can print it."""

    def __str__(self) -> str:
        raise RuntimeError


class Ender(BaseException):
    """Whoever prints it ends."""

    def __str__(self) -> str:
        sys.exit(0)


class Rooted(str):
    """A word that does not travel."""

    def __reduce__(self) -> str:
        raise TypeError("it stays here")


def run_oddly(n: int, key: int) -> Rows:
    """Every unit up to 13 fails in a way of its own; the others give a row."""
    if n in ODD:
        raise ODD[n]()
    if n == 8:
        return [{"word": "\ud800"}]
    if n == 9:
        return [{"\udfff": 1}]
    if n == 10:
        return [{"number": -(10**5000)}]
    if n == 11:
        return iter([{"number": 1}])  # type: ignore[return-value]
    if n == 12:
        return run_oddly(n, key)
    if n == 13:
        raise ValueError("\ud800 \x1b[31mred\x07")
    if n == 14:
        return [{"word": Rooted("far"), "number": 10**4000}]
    if n == 15:
        sys.stdout.close()
    return [{"word": "plain"}]


ODD = {
    0: SystemExit,
    1: Mute,
    2: Ender,
    3: KeyboardInterrupt,
    4: GeneratorExit,
    5: MemoryError,
    6: StopIteration,
    7: AssertionError,
}
odd = Experiment(reproduces="An odd paper", settings={"n": tuple(range(18))}, run=run_oddly)


def run_hanging_once(n: int, marker: str, key: int) -> Rows:
    """Unit 1 hangs for ever, unit 2 the first time only."""
    if n == 1 or (n == 2 and not Path(marker).exists()):
        if n == 2:
            Path(marker).touch()
        while True:
            time.sleep(1)
    return [{"square": n * n}]


@pytest.mark.parametrize("engine", ["serial", "local"])
def test_an_odd_unit_is_a_failed_unit_and_nothing_more(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "tests.experiments.test_odd_units:odd", "--out", str(tmp_path), "--engine", engine]
    assert main([*words, "--json", "--workers", "1"]) == 1
    printed = capsys.readouterr()
    done = printed_content(printed.out)
    assert [failure["setting"]["n"] for failure in done["failed"]] == list(range(14))
    assert done["done"] == 4
    reasons = [failure["reason"] for failure in done["failed"]]
    assert reasons[0].startswith("SystemExit (test_odd_units.py") or reasons[0].startswith("SystemExit: ")
    assert "an exception that cannot be printed" in reasons[1]
    assert "an exception that cannot be printed" in reasons[2]
    assert "not Unicode text" in reasons[8]
    assert "an integer of about 5001 digits" in reasons[10]
    assert r"\ud800 \x1b[31mred\x07" in reasons[13]
    assert "\x1b" not in printed.err
    [log] = (tmp_path / "logs").glob("*.log")
    assert "\x1b" not in log.read_text()
    assert "word,number" in (tmp_path / "rows.csv").read_text()


HANGING = """
import sys
sys.path.insert(0, {folder!r})
sys.argv[2] = "hanging_experiment:hanging"
from caregrid.main import main
sys.exit(main())
"""
HANGING_EXPERIMENT = """
from experiments.experiment import Experiment
from tests.experiments.test_odd_units import run_hanging_once
hanging = Experiment("hanging", {{"n": (0, 1, 2, 3), "marker": ({marker!r},)}}, run_hanging_once)
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", [["serial"], ["local", "--workers", "2"], ["dask", "--workers", "2"]])
def test_a_unit_that_hangs_is_ended_tried_again_and_named(engine: list[str], tmp_path: Path) -> None:
    file = tmp_path / "hanging_experiment.py"
    file.write_text(HANGING_EXPERIMENT.format(marker=str(tmp_path / "marker")))
    script = HANGING.format(folder=str(tmp_path))
    done = finish_run("counting", tmp_path / "out", "--engine", *engine, "--unit-timeout", "0.7", script=script)
    assert done.returncode == 1, done.stderr
    assert "3 of 4 units are stored" in done.stdout
    [log] = (tmp_path / "out" / "logs").glob("*.log")
    text = log.read_text()
    marker = json.dumps(str(tmp_path / "marker"))
    assert f'{{"marker":{marker},"n":2}}, attempt 1: it ran longer than 0.7 s' in text
    assert text.count("it ran longer than 0.7 s, 3 times") == 1
    assert f'failed: {{"marker":{marker},"n":1}}: it ran longer than 0.7 s, 3 times' in text
