"""Sweep files: what they run, and what is wrong with them in one line that names file, key and the nearest choice."""

import csv
from pathlib import Path

import pytest

from caregrid.main import main
from engine.errors import BadFile
from experiments.targets import read_sweep


def _write(folder: Path, text: str) -> Path:
    path = folder / "sweep.toml"
    path.write_text(text)
    return path


def test_a_scenario_sweep_runs_resumes_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'scenario = "workshop"\ncare = "0:8:4"\nagents = ["exact", "q-learning"]\nsteps = 50_000\nseeds = 1\n'
    path, out = _write(tmp_path, text), tmp_path / "out"
    common = ("run", str(path), "--out", str(out), "--engine", "serial", "--quiet")
    assert main([*common]) == 0
    assert "4 of 4 units are stored" in capsys.readouterr().out
    rows = list(csv.DictReader((out / "rows.csv").read_text().splitlines()))
    assert [(row["care"], row["agent"]) for row in rows] == [
        ("0.0", "exact"),
        ("0.0", "q_learning"),
        ("4.0", "exact"),
        ("4.0", "q_learning"),
    ]
    assert rows[0]["own"] == "-24.0"
    assert rows[0]["weighing"] == "expected"
    path.write_text(text.replace("0:8:4", "0:12:4"))
    assert main([*common]) == 0
    assert "(2 now, 4 before)" in capsys.readouterr().out
    assert main(["check", str(out)]) == 0
    assert main(["draw", str(out), "--out", str(tmp_path / "care.png")]) == 0
    assert "holds: from care 0 on the optimum's own return never rises" in capsys.readouterr().out


def test_negative_care_is_swept_and_judged_from_nought_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _write(tmp_path, 'scenario = "playroom"\ncare = [-3, 0, 3]\n')
    common = ("--out", str(tmp_path / "out"), "--engine", "serial", "--quiet")
    assert main(["run", str(path), *common]) == 0
    rows = list(csv.DictReader((tmp_path / "out" / "rows.csv").read_text().splitlines()))
    assert [float(row["own"]) for row in rows] == [-7, -4, -7]
    assert "holds: from care 0 on" in capsys.readouterr().out
    _write(tmp_path, 'scenario = "playroom"\ncare = [-3, -2]\n')
    assert main(["run", str(path), "--out", str(tmp_path / "harm"), "--engine", "serial", "--quiet"]) == 0
    assert "not enough rows: from care 0 on" in capsys.readouterr().out


def test_an_experiments_sweep_changes_its_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from experiments import targets as sweep_file
    from experiments.targets import resolve_target
    from tests.experiments.workloads import counting

    monkeypatch.setattr(sweep_file, "CATALOGUE", _Shelf({"papers/counting": counting}))
    named = resolve_target(
        str(_write(tmp_path, 'experiment = "papers/counting"\nseeds = 2\n[settings]\ncare = [0, "1/2"]\n'))
    )
    assert named.experiment is counting
    assert dict(named.settings) == {"care": (0.0, 0.5), "seed": (0, 1)}
    with pytest.raises(Exception, match="key 'cares': unknown setting 'cares'; did you mean 'care'"):
        resolve_target(str(_write(tmp_path, 'experiment = "papers/counting"\n[settings]\ncares = 1\n')))


class _Shelf(dict):  # type: ignore[type-arg]
    """A catalogue of our own."""

    def names(self) -> tuple[str, ...]:
        return tuple(self)


SCENARIO = 'scenario = "workshop"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('scenaro = "workshop"', "unknown key 'scenaro'; did you mean 'scenario'"),
        ("seeds = 3", "no experiment and no scenario"),
        ('scenario = "workshp"', "key 'scenario': no scenario 'workshp'; did you mean 'workshop'"),
        (
            SCENARIO + 'formulations = ["expcted"]',
            "key 'formulations': no formulation 'expcted'; did you mean 'expected'",
        ),
        (SCENARIO + 'formulation = "expected"', "unknown key 'formulation'; did you mean 'formulations'"),
        (SCENARIO + 'agents = "exat"', "key 'agents': no agent 'exat'; did you mean 'exact'"),
        (SCENARIO + 'care = "0:1:0"', "key 'care'"),
        (SCENARIO + 'care = "1:1:1"', "is empty"),
        (SCENARIO + "care = [nan]", "key 'care'"),
        (SCENARIO + "care = []", "no values"),
        (SCENARIO + "care = true", "'True' is not a number"),
        (SCENARIO + "care = {a = 1}", "is not a number"),
        (SCENARIO + "care = [[1]]", "is not a number"),
        (SCENARIO + "care = 2026-01-01", "is not a number"),
        (SCENARIO + "steps = 0", "key 'steps': 0 steps; take at least one step"),
        (SCENARIO + "steps = [1000, -1]", "key 'steps': -1 steps"),
        (SCENARIO + 'formulations = ["expected", "options"]', "key 'formulations': the formulation 'options' needs"),
        (SCENARIO + "seeds = 0", "key 'seeds': 0 seeds"),
        (SCENARIO + "seeds = 10_000_000_000", "key 'seeds': 10000000000 seeds"),
        (SCENARIO + "seeds = 1.5", "key 'seeds': 1.5 seeds"),
        (SCENARIO + 'care = "0:1:0.00001"\nseeds = 10_000', "1,000,000,000 units"),
        ('experiment = "be_considerate/figure_9"', "key 'experiment': unknown experiment"),
        ("experiment = 3", "key 'experiment': 3 is not a name"),
        ('experiment = "x"\nscenario = "y"', "both an experiment and a scenario"),
        ("scenario = workshop", "not TOML"),
    ],
)
def test_mistakes_are_named_in_one_line(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _write(tmp_path, text)
    assert main(["run", str(path), "--out", str(tmp_path / "out"), "--quiet"]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert str(path) in error or "units" in message
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_names_of_ones_own_and_ranges_of_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_scenarios.py").write_text(
        "from craftworld.scenarios.workshop_auto import WorkshopAuto\n\nclass Annexe(WorkshopAuto):\n"
        '    """A workshop of one\'s own."""\n'
    )
    monkeypatch.chdir(tmp_path)
    text = 'scenario = ["own_scenarios:Annexe", "workshop_auto"]\ncare = [0, 1]\nseeds = "3:5"\n'
    _write(tmp_path, text)
    assert main(["run", "sweep.toml", "--engine", "local", "--workers", "1", "--quiet", "--trust"]) == 0
    rows = list(csv.DictReader((tmp_path / "results" / "sweep-version-5" / "rows.csv").read_text().splitlines()))
    assert {(row["scenario"], row["seed"]) for row in rows} == {
        (scenario, seed) for scenario in ("own_scenarios:Annexe", "workshop_auto") for seed in ("3", "4")
    }
    _write(tmp_path, 'experiment = "tests.experiments.workloads:counting"\nseeds = 1\n[settings]\ncare = 0\n')
    assert main(["run", "sweep.toml", "--out", "other", "--engine", "serial", "--quiet", "--trust"]) == 0
    _write(tmp_path, 'scenario = "own_scenarios:Annex"\n')
    assert main(["run", "sweep.toml", "--out", "third", "--quiet", "--trust"]) == 2


def test_an_integer_of_thousands_of_digits_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    path.write_text("scenario = 'garden'\ncare = " + "9" * 5000)
    with pytest.raises(BadFile, match=r"long\.toml: cannot be read") as caught:
        read_sweep(path)
    assert len(str(caught.value)) < 400
