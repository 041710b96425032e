"""`caregrid bench`: one file, the same bytes again; what is wrong is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from engine.errors import BadValue, UnknownName
from experiments.bench.case_results import read_bench
from tests.printed_json import printed_content


@pytest.mark.slow
def test_a_second_run_writes_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--quick", "--quiet", "--out", str(tmp_path / "a")]) == 0
    assert "wrote" in capsys.readouterr().out
    content = read_bench(tmp_path / "a" / "bench.json")
    few = ["bench", "copies", "--quick", "--quiet"]
    assert main([*few, "--out", str(tmp_path / "b")]) == 0
    assert main([*few, "--workers", "2", "--out", str(tmp_path / "c")]) == 0
    assert (tmp_path / "b" / "bench.json").read_bytes() == (tmp_path / "c" / "bench.json").read_bytes()
    again = read_bench(tmp_path / "b" / "bench.json")["results"]
    assert again == [result for result in content["results"] if result["suite"] == "copies"]
    assert {result["suite"] for result in content["results"]} == set(content["suites"])


@pytest.mark.slow
def test_the_same_command_goes_on_and_the_same_digest_comes_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bench", "copies", "--quick", "--quiet", "--out", str(tmp_path / "a"), "--json"]
    assert main(words) == 0
    first = printed_content(capsys.readouterr().out)
    units = sorted((tmp_path / "a" / "units").iterdir())
    for unit in units[::2]:
        unit.unlink()
    assert main(words) == 0
    assert printed_content(capsys.readouterr().out) == first
    assert caregrid.bench("copies", quick=True).digest == first["digest"]
    assert main(["bench", "side_effects", "--quick", "--out", str(tmp_path / "a")]) == 2
    assert "results of suites copies" in capsys.readouterr().err


def test_unknown_suites_are_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "side_efects", "--out", str(tmp_path / "a")]) == 2
    assert "side_effects" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()
    with pytest.raises(UnknownName):
        caregrid.bench(["corrigibility", "nothing"])
    with pytest.raises(BadValue, match="empty name"):
        caregrid.bench("corrigibility,")
