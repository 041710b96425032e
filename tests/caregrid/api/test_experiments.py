"""`caregrid.run`, `load` and `report`: the same as the commands, and nothing is kept unless a place is named."""

from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from engine.errors import BadFile, BadValue, ContractBroken, UnknownName
from tests.printed_json import printed_content

NAME = "be_considerate/figure_2b"


def rows_of_three(care: float, key: int) -> list[dict[str, float]]:
    """One row: three times the coefficient."""
    return [{"three": 3 * care}]


OWN = caregrid.Experiment(
    reproduces="An example",
    settings={"care": (0.0, 1.0, 2.0)},
    run=rows_of_three,
    quick={"care": (0.0, 1.0)},
    claims=(caregrid.Claim("it is three times as much", lambda rows: rows[-1]["three"] == 3 * rows[-1]["care"]),),
)


def test_a_run_keeps_nothing_unless_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = caregrid.run(NAME, quick=True, engine="serial")
    assert result.directory is None
    assert list(tmp_path.iterdir()) == []
    assert result.check()
    assert {claim.verdict for claim in result.claims} == {"holds"}
    assert [row["care"] for row in result.table()] == [1.0, 10.0]
    for keep in (result.draw, result.collect):
        with pytest.raises(BadValue, match="nothing is kept"):
            keep()
    assert result.collect("rows.csv").read_text().startswith("care,who,return,")
    assert result.report("page.html").read_text().startswith("<!DOCTYPE html>")
    assert "holds: " in result._repr_html_()


def test_a_stored_run_is_loaded_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    result = caregrid.run(NAME, quick=True, engine="serial", out=out)
    assert {"manifest.json", "rows.csv"} <= {path.name for path in out.iterdir()}
    loaded = caregrid.load(out)
    assert loaded.frame().equals(result.frame())
    assert loaded.check()
    assert main(["check", str(out), "--json"]) == 0
    assert printed_content(capsys.readouterr().out, "check") == loaded.as_dict()
    report = caregrid.report(tmp_path)
    assert [row["verdict"] for row in report.rows()] == ["holds"] * len(result.claims)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]
    assert [path.name for path in caregrid.report(tmp_path, out=tmp_path).files] == ["report.html", "report.md"]
    with pytest.raises(BadFile, match="no run below it"):
        caregrid.report(tmp_path / "none")
    with pytest.raises(BadFile, match="nothing is stored there"):
        caregrid.load(NAME, tmp_path / "none").collect()


def test_an_experiment_of_a_session(tmp_path: Path) -> None:
    result = caregrid.run(OWN, engine="serial", out=tmp_path / "own")
    assert result.frame()["three"].tolist() == [0.0, 3.0, 6.0]
    assert result.check()
    again = caregrid.run(OWN, engine="serial", out=tmp_path / "own")
    assert again.summary is not None
    assert again.summary.already == 3
    some = caregrid.run(OWN, set={"care": [0, 2.0]}, engine="serial")
    assert some.frame()["care"].tolist() == [0.0, 2.0]
    assert caregrid.run(OWN, set=["care=0:2:1"], engine="serial").frame()["care"].tolist() == [0.0, 1.0]
    assert caregrid.run(OWN, set={"care": 2}, engine="serial").frame()["three"].tolist() == [6.0]
    with pytest.raises(BadValue, match="no figure"):
        result.figure()


def failing(care: float, key: int) -> list[dict[str, float]]:
    """Fails for 1."""
    if care == 1:
        raise ValueError("one is too much")
    return [{"care_twice": 2 * care}]


def test_a_unit_that_fails(tmp_path: Path) -> None:
    broken = caregrid.Experiment(reproduces="A failure", settings={"care": (0.0, 1.0)}, run=failing)
    with pytest.raises(caregrid.CaregridError, match="one is too much"):
        caregrid.run(broken, engine="serial")
    kept = caregrid.run(broken, engine="serial", out=tmp_path / "kept")
    assert kept.exit_code == 1
    assert [dict(failure.setting) for failure in kept.summary.failures] == [{"care": 1.0}]
    assert kept.frame()["care_twice"].tolist() == [0.0]


@pytest.mark.parametrize(
    ("target", "more", "error", "message"),
    [
        ("be_considerate/figur_2b", {}, UnknownName, "did you mean"),
        (NAME, {"set": {"caer": [1]}}, UnknownName, "did you mean 'care'"),
        (NAME, {"set": {"care": ["much"]}}, BadValue, "not a number"),
        (NAME, {"set": {"care": []}}, BadValue, "care"),
        (NAME, {"seeds": 3}, UnknownName, "seed"),
        (NAME, {"workers": 0}, BadValue, "workers is 0; give a whole number from 1 to 10000"),
        (NAME, {"engine": "seriel"}, UnknownName, "did you mean 'serial'"),
        (rows_of_three, {}, ContractBroken, "is not an experiment"),
    ],
)
def test_bad_input_is_one_line(target: object, more: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        caregrid.run(target, **more)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
