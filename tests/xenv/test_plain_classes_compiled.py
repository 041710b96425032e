"""Plain classes of users' own, in the paper's form, compiled: the rows of the plain run, at the speed of C."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xenv
from engine.compiling.objects import make_compilable
from engine.errors import ContractBroken
from tests.xenv import plain_classes
from tests.xenv.plain_classes import (
    ArrayLearner,
    Flatterer,
    ForgetfulLearner,
    HastyLearner,
    ListLearner,
    PlainNet,
    Registered,
    TableFlatterer,
)

TURNS = 400


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize(
    ("environment", "agent"),
    [
        (Flatterer, ArrayLearner),
        (TableFlatterer, HastyLearner),
        (Flatterer, "q_learning"),
        ("opposite(tempting_button)", ArrayLearner),
    ],
)
def test_a_compiled_run_of_plain_classes_is_the_plain_one(environment: Any, agent: Any) -> None:
    runs = [xenv.run_environment(environment, agent, TURNS, record=True, compiled=choice) for choice in (True, False)]
    assert [run.compiled for run in runs] == [True, False]
    assert runs[0].record is not None
    assert runs[1].record is not None
    assert runs[0].record.tobytes() == runs[1].record.tobytes()


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (ListLearner, "'values' of ListLearner is a list"),
        (ForgetfulLearner, "the fork of ForgetfulLearner is its own"),
    ],
)
def test_what_cannot_be_compiled_runs_plainly_and_says_why(
    agent: Any, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = xenv.run_environment("limited_memory", agent, TURNS, compiled=True)
    assert not run.compiled
    assert run == xenv.run_environment("limited_memory", agent, TURNS, compiled=False)
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("compiled", [True, False])
def test_an_infinite_reward_is_refused(compiled: bool) -> None:
    class Generous(Flatterer):
        def step(self, action: int) -> tuple[float, int]:
            return (float("inf") if self.room else super().step(action)[0]), 0

    with pytest.raises(ContractBroken, match=r"turn 2: .* step gave \(inf, 0\); expected a finite number"):
        xenv.run_environment(Generous, ArrayLearner, TURNS, compiled=compiled)


def test_an_object_of_a_users_own_stays_as_it_is() -> None:
    """It may be held elsewhere, and its class may be looked at."""
    net = PlainNet(3)
    twin = make_compilable(net)
    assert (type(net), type(twin).__name__) == (PlainNet, "PlainNet")
    assert isinstance(twin, PlainNet)
    assert type(net.inner) is PlainNet
    assert twin.weights is net.weights
    assert twin.inner is twin.same, "what is shared stays shared, and is refused"
    assert make_compilable([1]) == [1]
    assert type(make_compilable(Registered())) is Registered
    assert Registered.known == []


def test_long_runs_of_plain_classes_are_compiled_without_being_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not xenv.run_environment(Flatterer, ArrayLearner, TURNS).compiled
    monkeypatch.setattr("xenv.interaction_loop.WORTH_COMPILING_PLAIN_CLASSES", TURNS)
    assert xenv.run_environment(Flatterer, ArrayLearner, TURNS).compiled


def test_compiled_plain_classes_make_twenty_times_the_turns_of_a_bare_loop() -> None:
    """Some 70 times, measured in the same process; the bound leaves room for a busy machine."""
    xenv.run_environment(Flatterer, ArrayLearner, TURNS, compiled=True)
    ratios = []
    for _ in range(3):
        began = time.process_time()
        bare = _run_bare(4_000)
        middle = time.process_time()
        ours = xenv.run_environment(Flatterer, ArrayLearner, 400_000, compiled=True)
        ratios.append(100 * (middle - began) / (time.process_time() - middle))
        assert np.isfinite(bare)
        assert ours.compiled
    assert max(ratios) > 20, ratios


def _run_bare(turns: int) -> float:
    """The loop that a user would write."""
    environment, agent, total = Flatterer(lambda: ArrayLearner(2, 2)), ArrayLearner(2, 2), 0.0
    observation = environment.start()
    for _ in range(turns):
        action = agent.act(observation)
        reward, following = environment.step(action)
        agent.train(observation, action, reward, following)
        total, observation = total + reward, following
    return total


@pytest.mark.slow
def test_a_script_of_a_users_own_is_compiled(tmp_path: Path) -> None:
    """Classes of `__main__` have no module that others could import."""
    script = tmp_path / "study.py"
    script.write_text(
        Path(plain_classes.__file__).read_text(encoding="utf-8") + "\n\nimport xenv\n"
        "runs = [xenv.run_environment(Flatterer, ArrayLearner, 400, compiled=choice) for choice in (True, False)]\n"
        "print(runs[0].compiled, runs[0] == runs[1])\n"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, text=True, check=False)
    assert done.stdout == "True True\n", done.stderr
