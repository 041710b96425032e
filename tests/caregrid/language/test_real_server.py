"""The whole path to a server that speaks HTTP, and what it does wrong: nothing is scored wrongly, or asked twice."""

import contextvars
import gc
import json
import os
import signal
import subprocess
import sys
import time
import warnings
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import inspect_ai
import pytest
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, get_model

from caregrid.language import memo
from caregrid.language.inspect_tasks import caring, find_world
from tests.caregrid.language.chat_server import ChatHandler, ChatServer, complete, serve

pytestmark = [  # Inspect leaves the connections of its client to the collector
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
MODEL, SECRET = "openai-api/local/exact", "sk-not-to-be-kept"
OPTIMUM = -6.0
CLIENTS: weakref.WeakSet[Model] = weakref.WeakSet()


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A key of an account, as a user sets it; connections that a client of Inspect leaves open are closed."""
    monkeypatch.setenv("LOCAL_API_KEY", SECRET)
    monkeypatch.setenv("INSPECT_EVAL_CTL_SERVER", "false")  # it would hold the client for ever
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        for _ in range(3):
            gc.collect()
    assert not CLIENTS


def ask(server: ChatServer, task: Any, folder: Path, **options: Any) -> EvalLog:
    """The log of a task. Its context, which holds the client and its connections, ends with it."""
    model = get_model(MODEL, base_url=server.address, memoize=False)
    CLIENTS.add(model)
    run = contextvars.copy_context().run
    [log] = run(inspect_ai.eval, task, model=model, display="none", log_dir=str(folder / "logs"), **options)
    return log


def evaluate(server: ChatServer, folder: Path, world: str = "garden", **options: Any) -> EvalLog:
    """The log of an episode whose questions a server answers."""
    defaults: dict[str, Any] = {"max_retries": 3, "attempt_timeout": 2, "timeout": 20}
    return ask(server, caring(world=world, out=str(folder)), folder, **(defaults | options))


def find_own(log: EvalLog, world: str = "garden") -> float:
    """The own return."""
    assert log.status == "success", log.error
    assert log.results is not None
    return log.results.scores[0].metrics[f"{world}/own"].value


def _slow(handler: ChatHandler, number: int) -> bool:
    if number == 2:
        time.sleep(2.5)
    return False


def _halve(handler: ChatHandler, number: int) -> bool:
    if number != 2:
        return False
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"id": "x", "choi')
    handler.close_connection = True
    return True


def _once(status: int, content: Any, **headers: str) -> Any:
    def fault(handler: ChatHandler, number: int) -> bool:
        if number == 2:
            handler.send(status, content, **headers)
        return number == 2

    return fault


RECOVERED = {
    "too many requests": _once(429, {"error": {"message": "slow down"}}, Retry_After="0"),
    "an error of the server": _once(500, {"error": {"message": "oops"}}),
    "half an answer": _halve,
    "a time-out": _slow,
}
REPAIRED = {
    "a refusal": _once(200, complete("", "content_filter")),
    "an empty answer": _once(200, complete("")),
    "markup and escape codes": _once(200, complete("\x1b[31m<b>ACTION: up</b>\x1b[0m")),
    "another action": _once(200, complete("ACTION: fly")),
}


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("what", RECOVERED)
def test_what_passes_is_tried_again(tmp_path: Path, what: str) -> None:
    with serve("own", RECOVERED[what]) as server:
        log = evaluate(server, tmp_path)
    assert find_own(log) == OPTIMUM
    assert server.requests > -OPTIMUM
    assert server.keys == {f"Bearer {SECRET}"}


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("what", REPAIRED)
def test_what_names_no_action_is_told_so(tmp_path: Path, what: str) -> None:
    with serve("own", REPAIRED[what]) as server:
        log = evaluate(server, tmp_path)
    assert find_own(log) == OPTIMUM
    assert log.results is not None
    found = {name: each.value for name, each in log.results.scores[0].metrics.items()}
    assert (found["garden/repairs"], found["garden/unread"]) == (1, 0)
    assert found["garden/refusals"] == (what == "a refusal")


FATAL = {
    "no account": (401, {"error": {"message": "who are you?"}}),
    "malformed JSON": (200, "{nothing"),
    "no choices": (200, {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": []}),
}


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("what", FATAL)
def test_what_does_not_pass_ends_the_run_and_is_asked_again_by_the_next(tmp_path: Path, what: str) -> None:
    status, content = FATAL[what]

    def fault(handler: ChatHandler, number: int) -> bool:
        if number >= 3:
            handler.send(status, content)
        return number >= 3

    with serve("own", fault) as server:
        log = evaluate(server, tmp_path, max_retries=1)
        assert log.status == "error" or what == "no choices"
        assert SECRET not in log.model_dump_json()
    with serve("own") as again:
        finished = evaluate(again, tmp_path)
    if log.status == "error":
        assert find_own(finished) == OPTIMUM
        assert not {*server.asked} & {*again.asked}
        assert len(server.asked) + len(again.asked) == -OPTIMUM
    kept = (tmp_path / "answers.jsonl").read_text()
    assert SECRET not in kept
    assert "127.0.0.1" not in kept


SCRIPT = """
import sys
import inspect_ai
from inspect_ai.model import get_model
from caregrid.language.inspect_tasks import caring
address, folder = sys.argv[1:]
model = get_model("openai-api/local/exact", base_url=address)
inspect_ai.eval(caring(world="icy_yard", episodes=3, out=folder), model=model, display="none", log_dir=folder + "/logs")
"""


@pytest.mark.slow
def test_a_killed_run_goes_on_without_a_question_asked_twice(tmp_path: Path) -> None:
    def dawdle(handler: ChatHandler, number: int) -> bool:
        time.sleep(0.05)
        return False

    find_world("icy_yard", None)
    caring(world="icy_yard", episodes=3, out=str(tmp_path))  # the server's process knows the rules
    with serve("own", dawdle) as server:
        command = [sys.executable, "-W", "ignore", "-c", SCRIPT, server.address, str(tmp_path)]
        run = subprocess.Popen(command, env={**os.environ, "LOCAL_API_KEY": SECRET})
        limit = time.monotonic() + 120
        while len(server.asked) < 9 and run.poll() is None and time.monotonic() < limit:
            time.sleep(0.01)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        first = [*server.asked]
    assert len(first) >= 9
    kept = len((tmp_path / "answers.jsonl").read_text().splitlines())
    with serve("own") as again:
        memo._open_memo.cache_clear()  # as in a new process
        log = ask(again, caring(world="icy_yard", episodes=3, out=str(tmp_path)), tmp_path)
    assert log.status == "success", log.error
    under_way = len(first) - kept
    assert 0 <= under_way <= 3  # an answer that was on its way to each of three episodes
    assert len({*first} & {*again.asked}) <= under_way
    assert log.results is not None
    found = log.results.scores[0].metrics
    assert found["icy_yard/own_luck_free"].value == pytest.approx(found["icy_yard/own_optimum"].value, abs=1e-9)
    assert json.loads((tmp_path / "answers.jsonl").read_text().splitlines()[0])["model"] == MODEL
