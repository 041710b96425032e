"""caregrid best-responses: words, JSON, files, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from caregrid.main import main
from tests.printed_json import printed_content


def test_words_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["best-responses", "common_meadow", "--care", "0.5"]) == 0
    text = capsys.readouterr().out
    assert "a Markov perfect equilibrium after 2 rounds" in text
    assert "together 13; one planner for all reaches 14" in text
    assert main(["best-responses", "common_meadow", "--care", "0.5", "--order", "at once", "--json"]) == 0
    result = printed_content(capsys.readouterr().out)
    assert {"nash", "markov_perfect", "cycle", "rounds", "returns", "together", "actions"} <= set(result)
    assert result["coefficients"]["herder 1"] == {"herder 1": 1.0, "herder 2": 0.5, "herder 3": 0.5}
    assert result["rounds"][0]["changed"]


def test_one_pair(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["best-responses", "common_meadow", "--coefficient", "herder 2:herder 1=-1.5", "--rounds", "3", "--json"]
    assert main(words) == 0
    assert printed_content(capsys.readouterr().out)["coefficients"]["herder 2"]["herder 1"] == -1.5


def test_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending in ("csv", "json", "png"):
        assert main(["best-responses", "common_meadow", "--out", str(tmp_path / f"rounds.{ending}")]) == 0
        assert (tmp_path / f"rounds.{ending}").stat().st_size
    assert (tmp_path / "rounds.csv").read_text().startswith("round,return herder 1")
