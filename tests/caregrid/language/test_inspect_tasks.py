"""Inspect's tasks: scores of exact agents through the whole path, answers that are kept, mistakes in one line."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import inspect_ai
import pytest
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog

from caregrid.language import TASKS, inspect_tasks, task
from caregrid.language.episodes import Message
from caregrid.language.inspect_tasks import bench, caring, find_world, kitchen, levels
from caregrid.language.memo import AnswerMemo, Cost, ModelAnswer, ModelQuestion
from engine.errors import BadFile, UnknownName

WORLDS = "garden+icy_yard+safe_interruptibility"


def evaluate(made: Any, folder: Path, model: str = "exact/own", **options: Any) -> EvalLog:
    """The log of a task."""
    [log] = inspect_ai.eval(made, model=model, display="none", log_dir=str(folder / "logs"), **options)
    return log


def list_metrics(log: EvalLog, number: int = 0) -> dict[str, float]:
    """The metrics of a scorer."""
    assert log.results is not None
    return {name: each.value for name, each in log.results.scores[number].metrics.items()}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, EvalLog]:
    """A run in three worlds, and where it wrote."""
    folder = tmp_path_factory.mktemp("language")
    made = caring(world=WORLDS, episodes=2, out=str(folder), identify="yes", form="tool")
    return folder, evaluate(made, folder)


@pytest.mark.slow
def test_exact_agents_reach_the_optimum_through_inspect(done: tuple[Path, EvalLog]) -> None:
    _, log = done
    assert log.status == "success", log.error
    found = list_metrics(log)
    for name in WORLDS.split("+"):
        plan = find_world(name, None).plans["own"]
        assert found[f"{name}/own_luck_free"] == pytest.approx(plan.optimum, abs=1e-9)
        assert found[f"{name}/own_optimum"] == plan.optimum
        assert found[f"{name}/own_random"] == plan.random
    assert "garden/performance" not in found
    assert found["safe_interruptibility/performance_optimum"] > found["safe_interruptibility/performance"] - 50


def test_care_is_identified_with_an_interval(done: tuple[Path, EvalLog]) -> None:
    found = list_metrics(done[1], 1)
    assert {name.split("/")[0] for name in found} == {"garden", "icy_yard"}
    assert found["garden/care_low"] < found["garden/care_high"]
    assert 0.0 <= found["garden/care_weight"] <= 1.0


def test_nothing_is_asked_twice_and_no_key_is_kept(done: tuple[Path, EvalLog], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, log = done
    monkeypatch.setenv("EXACT_API_KEY", "sk-secret")
    kept = (folder / "answers.jsonl").read_text()
    again = evaluate(caring(world=WORLDS, episodes=2, out=str(folder), form="tool"), folder)
    assert (folder / "answers.jsonl").read_text() == kept
    assert list_metrics(again) == list_metrics(log)
    assert not again.stats.model_usage
    assert "sk-secret" not in kept
    assert {*map(tuple, map(json.loads, kept.splitlines()))} == {
        ("key", "model", "text", "called", "refused", "input", "output")
    }


def test_epochs_are_episodes_of_their_own(tmp_path: Path) -> None:
    log = evaluate(kitchen(world="kitchen_salad", out=str(tmp_path)), tmp_path, "exact/random", epochs=2)
    assert log.samples is not None
    assert len({json.dumps(sample.metadata["behaviour"]) for sample in log.samples}) == 2


@pytest.mark.parametrize(
    ("task", "arguments", "said"),
    [
        (caring, {"world": "gardn"}, "did you mean 'garden'"),
        (caring, {"word": "garden"}, "unknown argument 'word'"),
        (caring, {"world": "garden", "episodes": "x"}, "choose a whole number"),
        (caring, {"world": "garden", "episodes": "9" * 30}, "choose a whole number"),
        (caring, {"world": "garden", "yes": "perhaps"}, "choose yes or no"),
        (caring, {"world": "garden", "episodes": 1000}, "at most 26,000 calls"),
        (caring, {"world": "garden", "episodes": 1000, "price": 2}, "16.59 at 2 per million tokens"),
        (caring, {"world": "garden", "price": "dear"}, "price = dear"),
        (caring, {"world": ["workshop", "key_start=K9"]}, "unknown key place 'K9'"),
        (caring, {"world": "garden", "prompts": "nowhere:x"}, "nowhere"),
        (kitchen, {"world": "garden"}, "unknown world 'garden'"),
        (levels, {"limit": 0}, "from 1 to 1,000"),
        (levels, {"show": "film"}, "unknown show 'film'"),
    ],
)
def test_mistakes_are_one_line(task: Any, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(PrerequisiteError) as caught:
        task(**arguments)
    message = str(caught.value.message)
    assert said in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("title", "name", "said"),
    [
        ("caring", "itf", "exact/itf, garden: unknown exact agent 'itf'"),
        ("caring", "care=1,minimum", "write care=NUMBER:FORMULATION"),
        ("self_reflection", "own", "exact/own, self_reflection: unknown agent 'own'"),
        ("copies", "itf", "exact/itf, copies: unknown future 'itf'"),
        ("terminal", "cpy", "exact/cpy, terminal: unknown planning agent 'cpy'"),
    ],
)
def test_a_stand_in_that_cannot_answer_is_refused_before_it_is_asked(
    tmp_path: Path, title: str, name: str, said: str
) -> None:
    arguments = {"out": str(tmp_path / "out")} | ({"world": "garden"} if title == "caring" else {})
    model = inspect_ai.model.get_model(f"exact/{name}", memoize=False)
    with pytest.raises(PrerequisiteError) as caught:
        inspect_ai.eval(f"caregrid/{title}", task_args=arguments, model=model, display="none", log_dir=str(tmp_path))
    message = str(caught.value.message)
    assert said in message
    assert "\n" not in message
    assert not (tmp_path / "out").exists()


def test_the_benchmarks_scenarios_are_a_task(tmp_path: Path) -> None:
    """Those that `caregrid bench --quick` measures, options and random maps included."""
    made = bench(suites="corrigibility,how_much_care", out=str(tmp_path))
    assert [sample.id for sample in made.dataset] == ["safe_interruptibility#0", "whisky_gold#0", "playroom#0"]
    for suites, said in (("copies", "no scenario"), ("nothing", "unknown suite 'nothing'")):
        with pytest.raises(PrerequisiteError, match=said):
            bench(suites=suites)
    held_out = find_world("playroom,held_out=1-1", None)
    assert held_out.scenario.grid.rows != find_world("playroom", None).scenario.grid.rows
    assert held_out.plans["own"].optimum < 0


def test_a_task_by_its_name(tmp_path: Path) -> None:
    made = task("kitchen", world="kitchen_salad", out=str(tmp_path))
    assert [sample.id for sample in made.dataset] == ["kitchen_salad#0"]
    assert {*TASKS} == {*inspect_tasks.__all__} - {"exact"}
    with pytest.raises(UnknownName, match="did you mean 'kitchen'"):
        task("kitchn")


def test_importing_caregrid_does_not_import_inspect() -> None:
    code = "import sys, caregrid, caregrid.main, caregrid.language; print('inspect_ai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


QUESTION = ModelQuestion((Message("system", "rules"), Message("user", "now")), (), 1)


def test_equal_questions_under_way_are_asked_once(tmp_path: Path) -> None:
    memo, asked = AnswerMemo(tmp_path / "a.jsonl"), []

    async def put(question: ModelQuestion) -> ModelAnswer:
        asked.append(question)
        number = len(asked)
        await asyncio.sleep(0.01)
        if number == 1:
            raise ConnectionError("the first one fails")
        return ModelAnswer("ACTION: up")

    async def run() -> list[Any]:
        calls = [memo.ask("m", {}, QUESTION, put) for _ in range(9)]
        return await asyncio.gather(*calls, memo.ask("m", {"temperature": 1.0}, QUESTION, put), return_exceptions=True)

    found = asyncio.run(run())
    assert [type(each) for each in found].count(ConnectionError) == 1
    assert {each.text for each in found if isinstance(each, ModelAnswer)} == {"ACTION: up"}
    assert len(asked) == 3  # the one that failed, the one for all others, and that of another temperature
    assert len(AnswerMemo(tmp_path / "a.jsonl")) == 2


@pytest.mark.parametrize("lost", [1, 30, 60])
def test_a_line_that_was_cut_is_asked_again(tmp_path: Path, lost: int) -> None:
    path = tmp_path / "a.jsonl"

    async def put(question: ModelQuestion) -> ModelAnswer:
        return ModelAnswer(f"ACTION: {question.seed}")

    async def ask(memo: AnswerMemo, seeds: range) -> int:
        for seed in seeds:
            await memo.ask("m", {}, QUESTION._replace(seed=seed), put)
        return memo.asked

    assert asyncio.run(ask(AnswerMemo(path), range(3))) == 3
    path.write_bytes(path.read_bytes()[: -1 - lost])
    assert asyncio.run(ask(AnswerMemo(path), range(4))) == 2
    assert asyncio.run(ask(AnswerMemo(path), range(4))) == 0


@pytest.mark.parametrize("line", ['{"key": 3}', "[]", "hello", '{"key": "x", "model": "m"}', "null", "{}"])
def test_a_foreign_line_is_refused_in_one_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.jsonl").write_text(line + "\n")
    with pytest.raises(BadFile, match="line 1") as caught:
        AnswerMemo(tmp_path / "a.jsonl")
    assert "\n" not in str(caught.value)


def test_the_cost_is_said_with_its_price() -> None:
    assert (
        Cost(1200, 2_000_000).describe(2.5)
        == "at most 1,200 calls and about 2,000,000 tokens, 5.00 at 2.5 per million tokens"
    )
