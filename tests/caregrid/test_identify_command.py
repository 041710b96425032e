"""`caregrid identify`: what it prints of a caring agent, and what it refuses in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caregrid.main import main
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
