"""`caregrid identify`: what it prints of a caring agent, and what it refuses in one line."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from craftworld.identification.behaviour import read_behaviours
from engine.errors import BadFile, BadValue
from tests.caregrid.accepted_lines import BEHAVIOUR, write_behaviour
from tests.printed_json import printed_content


def test_a_caring_agent_is_told_from_a_careless_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_behaviour(tmp_path)
    assert main(["identify", BEHAVIOUR, "--formulation=expected", "--json"]) == 0
    printed = printed_content(capsys.readouterr().out)
    posterior = {row["hypothesis"]: row["probability"] for row in printed["hypotheses"]}
    assert posterior["own"] + posterior["random"] < 0.1


def test_replayed_actions_are_behaviour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_behaviour(tmp_path)
    recorded = [json.loads(line) for line in (tmp_path / BEHAVIOUR).read_text(encoding="utf-8").splitlines()]
    first = [line for line in recorded[1:] if line["episode"] == 1]
    assert (
        main(["rollout", "garden", f"--actions={','.join(line['action'] for line in first)}", "--out=mine.jsonl"]) == 0
    )
    mine = [json.loads(line) for line in (tmp_path / "mine.jsonl").read_text(encoding="utf-8").splitlines()]
    assert mine[1:] == first
    assert mine[0] == recorded[0] | {"agent": "replayed", "seed": None}
    assert main(["rollout", "garden", "--out=none.jsonl"]) == 2
    assert not (tmp_path / "none.jsonl").exists()
    assert "no step to record" in capsys.readouterr().err


WRONG = {
    "no file": ([], "no behaviour"),
    "a file that is not there": (["nowhere.jsonl"], "nowhere.jsonl"),
    "an empty file": (["empty.jsonl"], "empty.jsonl"),
    "another map": (["other.jsonl"], "other.jsonl"),
    "an impossible action": (["impossible.jsonl"], "impossible.jsonl"),
    "an unknown formulation": ([BEHAVIOUR, "--formulation=expectd"], "did you mean 'expected'"),
    "no temperature": ([BEHAVIOUR, "--temperature=0:1"], "temperature"),
}


@pytest.mark.parametrize("words", WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_one_line_and_nothing_is_written(
    words: tuple[list[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_behaviour(tmp_path)
    head, *steps = (tmp_path / BEHAVIOUR).read_text(encoding="utf-8").splitlines()
    (tmp_path / "empty.jsonl").touch()
    other = json.dumps(json.loads(head) | {"scenario": "playroom"})
    (tmp_path / "other.jsonl").write_text("\n".join([other, *steps]) + "\n", encoding="utf-8")
    first = json.dumps(json.loads(steps[0]) | {"action": "fly"})
    (tmp_path / "impossible.jsonl").write_text("\n".join([head, first, *steps[1:]]) + "\n", encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    arguments, sentence = words
    try:
        code = main(["identify", *arguments, "--out=found.csv"])
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    told = capsys.readouterr()
    assert code == 2
    assert sentence in told.err
    assert told.err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


TRAINING = "train playroom --care 6 --steps 800 --seed 1"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training with four points in its record."""
    folder = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main([*TRAINING.split(), "--out=first", "--record=points.jsonl", "--record-points=4"]) == 0
    return folder


def test_points_of_a_training_are_what_shorter_trainings_learn(trained: Path) -> None:
    """A record at 400 of 800 steps is that of a learner of 400 steps, which a loop of our own lets act."""
    from experiments.training import prepare

    points = read_behaviours(trained / "points.jsonl")
    assert [each.trained_steps for each in points] == [200, 400, 600, 800]
    problem = caregrid.problem("playroom")
    learner = prepare(problem.exact, 6.0, "q_learning", 800, 1)
    policies = list(learner.learn(800, 40))
    for each in points:
        assert each.trained_steps is not None
        policy = policies[each.trained_steps // 40 - 1]
        assert all(policy[state] == action for episode in each.episodes for state, action, _ in episode)
        assert len(each.episodes) == 20
        assert max(map(len, each.episodes)) <= problem.scenario.time_limit


@pytest.mark.slow
def test_points_change_nothing_that_is_learned_and_a_stored_training_is_run_again(
    trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trained)
    kept = {path.name: path.read_bytes() for path in (trained / "first").iterdir()}
    assert main([*TRAINING.split(), "--out=second"]) == 0
    assert kept == {path.name: path.read_bytes() for path in (trained / "second").iterdir()}
    assert main([*TRAINING.split(), "--out=second", "--record=again.jsonl", "--record-points=4"]) == 0
    assert (trained / "again.jsonl").read_bytes() == (trained / "points.jsonl").read_bytes()
    assert kept == {path.name: path.read_bytes() for path in (trained / "second").iterdir()}
    assert main([*TRAINING.split(), "--out=second", "--record=end.jsonl"]) == 0
    (end,) = read_behaviours(trained / "end.jsonl")
    assert end.text() == read_behaviours(trained / "points.jsonl")[-1].text()


@pytest.mark.slow
def test_each_point_is_an_agent_of_its_own_and_care_is_drawn_over_the_training(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(trained / "points.jsonl")
    group = caregrid.identify(file, formulation="expected", by_agent=True)
    alone = [caregrid.identify(each, formulation="expected") for each in read_behaviours(file)]
    rows = [row for row in group.rows() if row["hypothesis"] == "expected"]
    assert [row["trained_steps"] for row in rows] == [200, 400, 600, 800, None]
    for row, one in zip(rows, alone, strict=False):
        expected = next(each for each in one.rows() if each["hypothesis"] == "expected")
        assert row["log_evidence"] == pytest.approx(expected["log_evidence"], abs=1e-6)
        assert row["care"] == pytest.approx(expected["care"], rel=1e-6)
    axes = group.figure().axes[0]
    assert axes.lines[0].get_xdata().tolist() == [200, 400, 600, 800]
    assert axes.lines[0].get_ydata() == pytest.approx([math.atan(row["care"]) for row in rows[:-1]])
    with pytest.raises(BadValue, match="record several points"):
        caregrid.identify(alone[0].identified.behaviours[0], formulation="expected", by_agent=True).figure()
    assert main(["identify", file, "--formulation=expected"]) == 0
    assert "several points of a training count as one agent here: --by-agent" in capsys.readouterr().out


@pytest.mark.parametrize("steps", [-1, 1.5, "many", None, True])
def test_steps_of_a_training_that_are_none_are_refused(steps: object, trained: Path, tmp_path: Path) -> None:
    header, *lines = (trained / "points.jsonl").read_text(encoding="utf-8").splitlines()
    changed = json.dumps(json.loads(header) | {"trained_steps": steps})
    (tmp_path / "wrong.jsonl").write_text("\n".join([changed, *lines]), encoding="utf-8")
    with pytest.raises(BadFile, match="trained_steps is"):
        caregrid.identify(tmp_path / "wrong.jsonl")
