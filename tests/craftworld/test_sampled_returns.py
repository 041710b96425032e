"""Returns estimated from episodes, beside the exact ones, through Python and the command line."""

import json
from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from craftworld.measures import measure_policies, sample_policy_returns
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import make_problem
from engine.errors import BadValue, UnknownName
from engine.planning.trade_off.envelope import find_segment_policy
from tests.printed_json import printed_content


@pytest.mark.parametrize("name", ["icy_yard", "workshop", "boat_race", "workshop_shared", "whisky_gold"])
def test_estimates_are_the_exact_measures(name: str) -> None:
    problem = make_problem(SCENARIOS[name]())
    starts = problem.mdp.start_states().tolist()
    policies = {
        start: find_segment_policy(problem.find_segment(1.0, start), len(problem.mdp.terminal)) for start in starts
    }
    exact, found = measure_policies(problem, policies), sample_policy_returns(problem, policies, 3_000, seed=1)
    for what, estimate in found.items():
        expected = getattr(exact, what)
        assert estimate.mean == pytest.approx(expected, abs=5 * estimate.standard_error + 1e-9 * (1 + abs(expected)))
    assert ("others" in found, "performance" in found) == (exact.others is not None, exact.performance is not None)


def test_the_command_prints_what_python_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "returns.csv"
    words = ["rollout", "icy_yard", "--episodes", "500", "--policy", "optimal", "--epsilon", "0.1", "--seed", "3"]
    assert main([*words, "--json", "--threads", "2", "--out", str(out)]) == 0
    printed = printed_content(capsys.readouterr().out)
    result = caregrid.sample_returns("icy_yard", 500, policy="optimal", epsilon=0.1, seed=3, threads=1)
    assert printed == json.loads(json.dumps(result.as_dict()))
    assert len(out.read_text().splitlines()) == 1 + len(result.rows())
    for episodes, says in (("1", False), ("5", False), ("6", True)):
        assert main(["rollout", "boat_race", "--episodes", episodes]) == 0
        assert ("(standard error" in capsys.readouterr().out) == says


def test_python_refuses_the_same() -> None:
    with pytest.raises(UnknownName, match="unknown policy"):
        caregrid.sample_returns("boat_race", 5, policy="best")
    with pytest.raises(BadValue, match="up to"):
        caregrid.sample_returns("boat_race", 10**9)
