"""Fault: unbounded work is refused with its cost before it is done, and done where it is confirmed."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import caregrid
from caregrid.main import main
from multislot.planning.planner import make_plan
from multislot.policies import planning
from tests.printed_json import printed_content

DATA = Path(__file__).resolve().parent.parent / "data" / "multislot"
BELIEF = str(DATA / "bench_belief.json")
TOO_MUCH = [
    (["mono", "--horizon", "100000000"], "horizon 100000000: about "),
    (["mono", "--horizon", "100000000", "--arithmetic", "float"], "horizon 100000000: about "),
    ([BELIEF, "--horizon", "60"], "horizon 60: about "),
    ([BELIEF, "--horizon", "60", "--policy", "random:1"], "horizon 60: about "),
    (["exponential", "--horizon", "40", "--value", "prime"], "horizon 40: about "),
    (["coin_flip", "--horizon", "60", "--value", "common_ancestor", "--policy", "random:1"], "steps of agents"),
    (["mono", "--simulate", "100000000", "--policy", "0"], "simulation of 100000000 steps: about "),
    (["universal", "--simulate", "60", "--policy", "0"], "simulation of 60 steps: about "),
    (["deletion", "--simulate", "100000000", "--policy", "1"], "simulation of 100000000 steps: about "),
    (["mono", "--simulate", "100000", "--policy", "lookahead:40,cpy"], "policy for 100,000 steps: about "),
    (["mono", "--simulate", "700", "--policy", "cpy", "--arithmetic", "float"], "policy for 700 steps: about "),
    (["threshold:1000000,1,1,1,1", "--horizon", "2"], "scenario 'threshold': about 1,000,000 entries"),
    (["threshold:100000000000000000000,1,1,1,1", "--horizon", "2"], "about 1e+20 entries"),
    (["locality", "universal", "--horizon", "30"], "universal, 30 steps: about "),
]
NO_NUMBER = [
    (["mono", "--horizon", "1e8"], "--horizon is 100000000.0; give a whole number from"),
    (["mono", "--horizon", "2", "--discount", "1e-100000000"], "has 100,000,001 digits"),
    (["mono", "--horizon", "2", "--discount", "1/" + "7" * 4400], "has 4,401 digits"),
    (["mono", "--horizon", "2", "--value", "sta:" + "1" * 5000], "has 5,000 digits"),
    (["mono", "--simulate", "2", "--policy", "random:" + "1" * 5000], "has 5,000 digits"),
    (["threshold:" + "1" * 5000 + ",1,1,1,1", "--horizon", "2"], "has 5,000 digits"),
    (["threshold:2,1,1,1e-100000000,1", "--horizon", "2"], "has 100,000,001 digits"),
]


@pytest.mark.slow_cases("exponential", "_flip")
@pytest.mark.parametrize(("words", "message"), TOO_MUCH, ids=[" ".join(words)[-60:] for words, _ in TOO_MUCH])
def test_too_much_work_is_refused_with_an_estimate(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["multislot", *words, "--quiet"]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert "to work out; " in printed.err
    assert "or confirm it with --yes" in printed.err
    assert (printed.out, len(printed.err.splitlines())) == ("", 1)


@pytest.mark.parametrize(("words", "message"), NO_NUMBER, ids=[message for _, message in NO_NUMBER])
def test_long_numbers_are_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["multislot", *words]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert len(printed.err.splitlines()) == 1
    assert len(printed.err) < 300


def test_confirmed_work_is_done(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from engine import effort
    from engine.effort import Effort

    monkeypatch.setattr(effort, "ASK_FIRST", Effort(10))
    words = ["multislot", "mono", "--horizon", "9", "--json"]
    assert main(words) == 2
    assert "about 5 values" not in capsys.readouterr().err
    assert main([*words, "--yes"]) == 0
    assert printed_content(capsys.readouterr().out)["action"] in (0, 1)


def test_a_long_simulation_follows_one_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """400 steps of a world of one state: one plan of 400 steps, and not one of 400, 399, 398 ... steps."""
    planned: list[int] = []
    monkeypatch.setattr(
        planning, "make_plan", lambda *asked, **named: planned.append(asked[2]) or make_plan(*asked, **named)
    )
    trace = caregrid.simulate_slots("mono", "cpy", 400).trace
    assert planned == [400]
    assert {action for step in trace[1:] for action in step.actions.values()} == {1}


def test_where_everyone_is_gone_nothing_is_left_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content: dict[str, Any] = {"name": "end", "actions": [0], "rewards": {"0": "1"}, "z0": "s"}
    content["rules"] = [["s", 1, 0, [["1", {"1": 0}]]], ["t", 1, 0, [["1", {}]]]]
    path = tmp_path / "end.json"
    path.write_text(json.dumps(content | {"update": [["s", 0, 0, "t"]]}))
    for arithmetic in ("exact", "float"):
        assert main(["multislot", str(path), "--horizon", "1000000000", "--arithmetic", arithmetic, "--json"]) == 0
        assert printed_content(capsys.readouterr().out)["action"] == 0


def test_results_of_many_digits_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["multislot", "mono", "--horizon", "6", "--discount", "1/" + "7" * 990, "--json"]
    assert main(words) == 2
    assert "digits; ask for floats, or for fewer steps" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_it_can_be_interrupted_and_shows_how_far_it_is() -> None:
    command = [sys.executable, "-m", "caregrid", "multislot", BELIEF, "--horizon", "40", "--yes"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    first = running.stderr.readline()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert "of about" in first
    assert (running.returncode, out, err.splitlines()[-1]) == (130, "", "caregrid: interrupted")
