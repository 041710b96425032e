"""The benchmark on maps that nobody has tuned to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from engine.errors import BadValue
from experiments.requests import read_request
from experiments.requests.bench import BenchRequest, run_case
from tests.printed_json import printed_content

MINE = """
import numpy as np

def first(problem, care):
    return problem.mdp.executable(np.zeros(len(problem.mdp.terminal), dtype=np.int32))
"""


@pytest.mark.slow
def test_held_out_maps_take_the_place_of_the_worlds() -> None:
    cases = BenchRequest(("side_effects", "corrigibility", "copies"), quick=True, held_out=7, maps=2).cases()
    worlds = {case.split("/")[1] for case in cases}
    assert {f"garden,held_out=7-{number}-2" for number in (1, 2)} <= worlds
    assert all("held_out=7-" in world for world in worlds)
    assert not any(world.startswith(("boat_race", "car_factory", "kitchen")) for world in worlds)
    assert {case.split("/")[0] for case in cases} == {"side_effects", "corrigibility"}


def test_exact_methods_are_measured_on_them() -> None:
    rows = run_case("side_effects/garden,held_out=7-1/expected", 0)
    assert 0.0 < rows[0]["area"] <= 1.0
    assert rows == run_case("side_effects/garden,held_out=7-1/expected", 3)


@pytest.mark.slow
def test_a_run_repeats_and_holds_its_maps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "held_out_mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    words = ["bench", "side_effects", "--quick", "--quiet", "--held-out", "7", "--maps", "1"]
    words += ["--method", "held_out_mine:first"]
    assert main([*words, "--out", "a"]) == 0
    assert main([*words, "--workers", "2", "--out", "b"]) == 0
    assert Path("a/bench.json").read_bytes() == Path("b/bench.json").read_bytes()
    content = json.loads(Path("a/bench.json").read_text())
    assert (content["held_out"], content["maps"]) == (7, 1)
    assert set(content["drawings"]) == {result["world"] for result in content["results"]}
    garden = content["drawings"]["garden,held_out=7-1-2"]
    found = caregrid.problem("garden", map="\n".join(garden), formulation="expected").breakpoints().points
    difficulty = content["difficulty"]["garden,held_out=7-1-2"]
    assert difficulty["break_points"] == [float(point) for point in found if 0.05 < point < 20.0]
    assert 0.0 <= difficulty["careless_area"] < difficulty["one_care_area"] < 1.0
    capsys.readouterr()
    assert main(["bench", "compare", "a", "b", "--json"]) == 0
    standings = printed_content(capsys.readouterr().out)["standings"]
    assert [row["runs"] for row in standings] == ["a, b"]
    assert main(["bench", "compare", "a", "--out", "page.html"]) == 0
    page = Path("page.html").read_text()
    assert "garden,held_out=7-1-2" in page
    assert ", ".join(f"{point:.6g}" for point in difficulty["break_points"]) in page


def test_requests_with_seeds_are_made_again_from_their_manifests() -> None:
    request = BenchRequest(("side_effects",), quick=True, held_out=5, maps=4)
    assert read_request(json.loads(json.dumps(request.as_dict()))) == request
    assert request.name != BenchRequest(("side_effects",), quick=True).name


def test_what_has_no_random_maps_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadValue, match="no world of copies, self_reflection has random maps"):
        caregrid.bench(["copies", "self_reflection"], held_out=1)
    for words in (["--held-out", "-1"], ["--held-out", "1.5"], ["--held-out", "1", "--maps", "0"]):
        assert main(["bench", "side_effects", *words]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_held_out_map_is_an_option_of_every_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "garden", "--set", "held_out=7-2", "--json"]) == 0
    solved = printed_content(capsys.readouterr().out)
    assert solved["own"] == caregrid.problem("garden", set={"held_out": "7-2"}).solve(1).own
    assert main(["rollout", "garden", "--set", "held-out=7-2", "--actions", "up"]) == 0
    assert main(["solve", "boat_race", "--set", "held_out=7"]) == 2
    assert "has no random maps" in capsys.readouterr().err
