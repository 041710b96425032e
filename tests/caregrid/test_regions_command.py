"""caregrid regions: JSON as documented, words, pictures, refusals; the same from Python."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caregrid
from caregrid.main import main
from engine.errors import BadValue


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["regions", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["regions", *words]) == 2
    printed = capsys.readouterr()
    assert not printed.out
    assert printed.err.count("\n") == 1
    return printed.err


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "mailroom", "--axes", "agent E,agent A")
    assert (result["scenario"], result["axes"]) == ("mailroom", ["agent E", "agent A"])
    for region in result["regions"]:
        assert {"own", "others", "returns", "interior", "halfspaces"} <= set(region)
        assert region["returns"] == pytest.approx([0.2 * region["others"][name] for name in result["axes"]])
        sides = np.array(region["halfspaces"])
        assert (sides[:, :-1] @ region["interior"] < sides[:, -1]).all()
    assert [region["own"] for region in result["regions"]] == [-13, -14, -19]


def test_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["regions", "mailroom", "--axes", "agent E,agent A"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "c1 is the coefficient of agent E, c2 is the coefficient of agent A"
    assert printed[4].endswith("c1 >= 25, c1 + c2 >= 29, c2 >= 0")
    assert main(["regions", "toll_road", "--axes", "villagers,walkers", "--care", "0"]) == 0
    assert "c1 - 0.8 c2 >= 0" in capsys.readouterr().out
    assert main(["regions", "icy_yard", "--beliefs", "postman,neighbour", "--care", "8"]) == 0
    assert "what is left to 1 is that of neighbour" in capsys.readouterr().out


def test_ranges_reach_below_zero_and_say_where_nothing_is_finite(capsys: pytest.CaptureFixture[str]) -> None:
    result = ask(capsys, "workshop_shared", "--care-min=-5")
    limit = json.loads(json.dumps(result["limits"]))[0]
    assert limit[1] / limit[0] == pytest.approx(-1.0)
    assert limit[0] < 0
    with pytest.raises(BadValue, match="domain"):
        caregrid.problem("workshop_shared").regions(between=(-5.0, math.inf)).at(-2.0)


@pytest.mark.parametrize("words", [["workshop"], ["garden"], ["icy_yard", "--beliefs", "postman,neighbour"]])
def test_pictures(tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["regions", *words, "--out", str(tmp_path / "map.png")]) == 0
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    assert "regions from" in capsys.readouterr().out


def test_what_cannot_be_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean 'agent 2'" in refused(capsys, "garden", "--axes", "agent2")
    assert "give one of them" in refused(capsys, "garden", "--axes", "own", "--beliefs", "agent 2,agent 3")
    assert "probabilities go from 0 to 1" in refused(
        capsys, "garden", "--beliefs", "agent 2,agent 3", "--care-max", "2"
    )
    assert "--care-min" in refused(capsys, "garden", "--care-min", "nan")
    assert "epsilon" in refused(capsys, "garden", "--epsilon=-1")
    assert "finite" in refused(capsys, "garden", "--axes", "agent 2", "--care", "nan")
    assert "or none: -inf, inf" in refused(capsys, "mailroom", "--axes", "own", "--care-min=-1e308", "--care-max=1e308")
    target = tmp_path / "map.png"
    assert "choose one or two axes, as agent A,agent B" in refused(capsys, "mailroom", "--out", str(target))
    assert not target.exists()


def test_the_result_in_python(tmp_path: Path) -> None:
    found = caregrid.problem("mailroom").regions(["agent E", "agent A"])
    assert found.at(3.0, 1.0).outcome.own == -13
    assert found.at(30.0, 9.0).outcome.own == -19
    with pytest.raises(BadValue, match="give 2, one an axis"):
        found.at(1.0)
    with pytest.raises(BadValue, match="domain"):
        found.at(-1.0, 0.0)
    frame = found.frame()
    assert list(frame["return agent E"]) == [0.0, 0.0, 0.2]
    assert found.save(tmp_path / "map.csv").exists()
    assert caregrid.problem("garden").regions("care").axes == ("care",)


def test_six_nutrients() -> None:
    found = caregrid.problem("gym:fruit-tree-v0").regions()
    assert len(found.axes) == 5
    assert len(found.regions) == 64
