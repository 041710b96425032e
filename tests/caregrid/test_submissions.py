"""Every submission of examples/submissions is measured again, on maps that it has not seen, by one command."""

from __future__ import annotations

import ast
import importlib
import json
import math
from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from craftworld.solution.exact_solution import choose_inner_coefficient

FILES = sorted((Path(__file__).resolve().parents[2] / "examples" / "submissions").glob("*.py"))
SEED = 2027


def test_there_are_submissions() -> None:
    assert len(FILES) >= 2


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_submission_is_one_file_that_is_measured_on_held_out_maps(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the benchmark says of its own return is what `evaluate` computes of the same policy on the same map."""
    monkeypatch.chdir(tmp_path)
    assert (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").strip()
    name = f"examples.submissions.{path.stem}:method"
    words = ["bench", "side_effects", "--quick", f"--held-out={SEED}", "--maps=1", "--engine=serial", "--quiet"]
    assert main([*words, "--method", name, "--out", "anew"]) == 0
    content = json.loads((tmp_path / "anew" / "bench.json").read_text(encoding="utf-8"))
    assert name in content["files"]
    assert len(content["results"]) == len(content["drawings"]) == len(content["difficulty"]) >= 2
    method = importlib.import_module(f"examples.submissions.{path.stem}").method
    for result in content["results"]:
        assert not result.get("refused")
        assert 0.0 <= result["area"] <= 1.0
        world, _, held_out = result["world"].partition(",held_out=")
        problem = caregrid.problem(world, set={"held_out": held_out})
        for point in result["points"]:
            care = choose_inner_coefficient(point["care_from"], point["care_to"] or math.inf)
            assert point["own"] == pytest.approx(problem.evaluate(method, care=care).own)
