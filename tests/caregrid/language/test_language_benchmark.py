"""`caregrid bench --agent language:MODEL`: exact stand-ins get the numbers of exact methods; nothing is asked twice."""

from __future__ import annotations

import contextvars
import gc
import warnings
from pathlib import Path

import pytest

import caregrid
from caregrid.language.inspect_benchmark import measure_models
from caregrid.language.inspect_tasks import find_world, make_episodes_task, read_arguments
from caregrid.language.memo import _open_memo
from caregrid.main import main
from caregrid.runs.bench import BenchResult
from engine.errors import BadValue
from experiments.bench.suite import BenchCase, parse_case
from experiments.requests.bench import run_case
from tests.caregrid.language.chat_server import serve

AGENTS = ("language:exact/care=3", "language:exact/own")
SECRET = "sk-not-to-be-kept"
WORDS = ["bench", "how_much_care", "--quick", "--quiet", "--agent", ",".join(AGENTS)]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BenchResult]:
    """A run of two stand-ins, and where it wrote."""
    folder = tmp_path_factory.mktemp("bench") / "run"
    return folder, caregrid.bench("how_much_care", quick=True, agent=AGENTS, out=folder)


@pytest.mark.parametrize(("agent", "care"), [(AGENTS[0], 3.0), (AGENTS[1], 0.0)])
def test_a_stand_in_gets_what_the_exact_method_gets_at_its_care(
    done: tuple[Path, BenchResult], agent: str, care: float
) -> None:
    exact = next(
        row
        for row in run_case("how_much_care/playroom/expected", 0)
        if row["care_from"] <= care and (row["care_to"] is None or care < row["care_to"])
    )
    [point] = [point for point in done[1].points() if point["method"] == agent]
    for measure in ("own", "others", "performance", "own_share", "quality_share"):
        assert point[measure] == pytest.approx(exact[measure], abs=1e-9), measure
    if care:
        assert point["identified"] == "expected"
        assert point["identified_from"] <= care
        assert point["identified_to"] is None or care <= point["identified_to"]
    else:
        assert (point["identified"], point["identified_care"]) == ("own", 0.0)
    assert point["recovered"] is None


def test_the_same_command_asks_nothing_and_writes_the_same_bytes(
    done: tuple[Path, BenchResult], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = done
    before = {name: (folder / name).read_bytes() for name in ("answers.jsonl", "bench.json")}
    _open_memo.cache_clear()  # as in a new process
    assert main([*WORDS, "--out", str(folder)]) == 0
    assert before == {name: (folder / name).read_bytes() for name in before}
    assert "acts as" in capsys.readouterr().out
    assert main([*WORDS[:-1], AGENTS[0], "--out", str(folder)]) == 2
    assert "it holds results of agents" in capsys.readouterr().err


def test_language_agents_stand_beside_exact_agents_and_learners(done: tuple[Path, BenchResult]) -> None:
    compared = caregrid.compare_bench(done[1], caregrid.bench("how_much_care", quick=True))
    listed = {row["method"]: row for row in compared.rows()}
    assert {*AGENTS, "expected", "q_learning(expected)"} < {*listed}
    assert all(listed[agent]["rank"] is not None for agent in AGENTS)
    assert listed["expected"]["rank"] < listed[AGENTS[0]]["rank"] < listed[AGENTS[1]]["rank"]


@pytest.mark.parametrize("agent", ["q_learning", "random", "simple"])
def test_turns_are_those_of_the_agent_that_speaks(tmp_path: Path, agent: str) -> None:
    case = BenchCase("self_reflection", "repeater,turns=20", f"language:exact/{agent}", 2)
    left_out = case._replace(world="punish_slow_agent,turns=20")
    assert parse_case(case.text) == case
    found = measure_models([left_out, case], tmp_path, yes=False, price=None)
    assert found[case][0]["own"] == run_case(f"self_reflection/repeater,turns=20/{agent}/2", 0)[0]["own"]
    assert found[left_out] == [{"refused": "it does not apply to language models"}]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["self_reflection", "--quick", "--agent", "language:exact/simple"], "measure less, or confirm it with --yes"),
        (["self_reflection", "--quick", "--agent", "language:exact/simple", "--price", "2"], "at 2 per million tokens"),
        (["copies", "--quick", "--agent", "language:exact/own"], "no world of copies is told in words"),
        (["how_much_care", "--quick", "--agent", "language:nobody/model"], "language:nobody/model"),
        (["how_much_care", "--quick", "--agent", "language:"], "language:"),
        (["how_much_care", "--quick", "--agent", "language:exact/nobody"], "unknown exact agent 'nobody'"),
        (["how_much_care", "--quick", "--agent", "language:exact/care=3,minimum"], "minimum"),
        (["how_much_care", "--quick", "--agent", "language:exact/care=3,least_well_off"], "in care=3:least_well_off"),
        (["how_much_care", "--quick", "--agent", "language:openai-api/local/m"], "LOCAL_API_KEY"),
        (["how_much_care", "--quick", "--agent", "language:exact/own", "--price", "-1"], "--price"),
    ],
)
def test_mistakes_are_one_line(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOCAL_API_KEY", raising=False)
    assert main(["bench", *words, "--quiet", "--out", str(tmp_path / "run")]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert said in last
    assert not (tmp_path / "run" / "bench.json").exists()


def test_a_stand_in_is_refused_where_it_does_not_fit_and_measured_elsewhere(tmp_path: Path) -> None:
    worlds = {
        "how_much_care": "playroom",
        "corrigibility": "safe_interruptibility",
        "self_reflection": "repeater,turns=5",
    }
    said = {"corrigibility": "there is nobody to care for", "self_reflection": "unknown agent 'care=3'"}
    cases = [BenchCase(suite, world, AGENTS[0], 0) for suite, world in worlds.items()]
    found = measure_models(cases, tmp_path, yes=False, price=None)
    for case, [row] in found.items():
        assert row.get("refused", "").startswith(said.get(case.suite, "")), row
        assert (row.get("own") is None) is (case.suite in said)
    with pytest.raises(BadValue, match="there is nobody to care for"):
        measure_models(cases[1:], tmp_path, yes=False, price=None)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # Inspect leaves the connections of its client to the collector
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_server_is_asked_and_its_key_is_kept_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", SECRET)
    monkeypatch.setenv("INSPECT_EVAL_CTL_SERVER", "false")  # it would hold the client for ever
    arguments, run = read_arguments({"out": str(tmp_path)}, "bench")
    make_episodes_task("known", [(find_world("playroom", None), 0)], arguments, run)  # the server's process knows it
    case = BenchCase("how_much_care", "playroom", "language:openai-api/local/exact", 0)
    with serve("care=3") as server:
        monkeypatch.setenv("LOCAL_BASE_URL", server.address)
        [row] = contextvars.copy_context().run(measure_models, [case], tmp_path, yes=False, price=None)[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    assert row["identified"] == "expected"
    assert server.keys == {f"Bearer {SECRET}"}
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(written) >= 2
    assert not any(SECRET.encode() in file.read_bytes() for file in written)


def test_a_model_that_cannot_be_had_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    cases = [BenchCase("how_much_care", "playroom", f"language:{name}", 0) for name in ("exact/own", "nobody/model")]
    with pytest.raises(BadValue, match="nobody"):
        measure_models(cases, tmp_path, yes=False, price=None)
    assert not list(tmp_path.iterdir())
