"""Workers of this machine that die in the middle of a message: whoever waits for its rest is told."""

import os
import signal
import threading
import time
from concurrent.futures import BrokenExecutor
from multiprocessing.connection import Connection

import psutil
import pytest

from experiments.runs.engines import EngineOptions
from experiments.runs.engines.local import LocalEngine

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
LARGE = b"x" * 10_000_000  # far more than a pipe holds


def die_while_answering() -> None:
    """The next message of this process is cut off in the middle."""

    def send_a_half(self: Connection, content: bytes, *rest: object) -> None:
        os.write(self.fileno(), content[: len(content) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    Connection._send = send_a_half  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_worker_killed_while_it_answers_is_noticed() -> None:
    engine = LocalEngine(EngineOptions(workers=1))
    future = engine.submit(die_while_answering)
    for _ in range(600):
        if engine.wait([future], 0.1):
            break
    assert isinstance(future.exception(0), BrokenExecutor)
    again = engine.submit(len, LARGE)
    assert again.result(60) == len(LARGE)
    engine.close(abandon=False)


def test_a_worker_killed_between_two_chunks_is_noticed_and_replaced() -> None:
    engine = LocalEngine(EngineOptions(workers=1))
    pid = engine.submit(os.getpid).result(60)
    os.kill(pid, signal.SIGKILL)
    while psutil.pid_exists(pid):  # loky takes leave of it
        time.sleep(0.01)
    time.sleep(0.2)
    assert isinstance(engine.submit(len, b"x").exception(60), BrokenExecutor)
    assert engine.submit(len, b"x").result(60) == 1
    engine.close(abandon=False)


@pytest.mark.parametrize("answered", [False, True])
def test_work_is_abandoned_in_the_middle_of_a_message(answered: bool) -> None:
    engine = LocalEngine(EngineOptions(workers=1))
    if answered:
        engine.submit(len, b"").result(60)
        engine.submit(die_while_answering)
    else:
        engine.submit(len, LARGE)  # the process has not started yet, so that nobody reads it
    closing = threading.Thread(target=engine.close, args=(True,), daemon=True)
    closing.start()
    closing.join(60)
    assert not closing.is_alive()
