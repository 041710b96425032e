"""caregrid infer: from a file of demonstrations to others' values that every command takes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import caregrid
from caregrid.main import main
from craftworld.inference import make_candidates, sample_demonstration_entry
from tests.printed_json import printed_content

WORDS = ["office_kitchen", "--formulation", "expected"]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    problem = caregrid.problem("office_kitchen", "expected").exact
    cook = make_candidates(problem.scenario, problem.mdp, 2.0)[2]
    path = tmp_path_factory.mktemp("seen") / "seen.json"
    path.write_text(json.dumps({"demonstrations": [sample_demonstration_entry(cook, seed) for seed in range(3)]}))
    return path


def test_posterior_values_and_break_points(seen: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = tmp_path / "values.npz"
    words = ["infer", *WORDS, "--demonstrations", str(seen), "--temperature", "2"]
    assert main([*words, "--out", str(values), "--json"]) == 0
    result = printed_content(capsys.readouterr().out)
    assert result["posterior"]["cook"] > 0.99
    assert [row["demonstrations"] for row in result["demonstrations"]] == [0, 1, 2, 3]
    believed = caregrid.problem("office_kitchen", "expected", values=values).breakpoints()
    assert believed.points[0] == pytest.approx(result["break_points"][0]["care"])
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("seen")


def test_the_worth_of_watching(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["infer", "icy_yard", "--worth-at"]
    assert main([*words, "8", "--json"]) == 0
    printed = printed_content(capsys.readouterr().out)["worth_of_watching"]
    found = caregrid.problem("icy_yard").infer().worth_of_watching(8.0)
    assert (printed["care"], printed["worth"], printed["samples"]) == (8.0, found.worth, found.samples)
    assert found.worth >= 0.0
    assert main([*words, "0"]) == 0
    assert "one more demonstration is worth 0 (0 to 0) at 0" in capsys.readouterr().out
    assert main(["infer", *WORDS, "--worth-at", "nan", "--out", str(tmp_path / "values.npz")]) == 2
    assert not list(tmp_path.iterdir())
    assert "finite" in capsys.readouterr().err


def test_in_python(seen: Path, tmp_path: Path) -> None:
    problem = caregrid.problem("office_kitchen", "expected")
    before = problem.infer(temperature=2.0, prior={"baker": 0.5, "tea drinker": 0.4, "cook": 0.1})
    after = before.updated(seen)
    assert before.posterior["cook"] == pytest.approx(0.1)
    assert after.posterior["cook"] > 0.9
    assert after.worth_of_watching(2.0, samples=20).worth < before.worth_of_watching(2.0, samples=20).worth
    assert list(after.frame()["demonstrations"]) == [0, 1, 2, 3]
    assert after.save(tmp_path / "who.png").exists()
    assert all(float(tick).is_integer() for tick in before.updated(seen).figure().axes[0].get_xticks())
    np.testing.assert_allclose(after.values.distribution.probability, list(after.posterior.values()))


def test_mistakes_that_are_very_unlikely_are_not_impossible() -> None:
    begin = {"cell": [5, 4], "pan": "dirty", "kettle": "empty", "bag": "in the bin", "done": "no"}
    shown = [{"start": begin, "actions": ["left", "right"] * 3 + ["left", "up", "up", "right"]}]
    found = caregrid.problem("office_kitchen", "expected").infer(shown, temperature=1e-3)
    assert found.posterior["cook"] == pytest.approx(1.0)
