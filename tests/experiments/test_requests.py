"""Sweeps and batteries on the runner: the plain computation's bytes, resumed, refused, with a user's own things."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from caregrid.main import main
from craftworld.scenarios import SCENARIOS
from craftworld.solution.learning import choose_acting_learning
from craftworld.solution.problem import make_problem
from craftworld.solution.sweep import sweep_by_learning, sweep_exactly
from engine.errors import BadFile
from experiments.caring_problem import NamedProblem
from experiments.ranges import parse_care_range
from experiments.requests import REQUESTS, read_request
from experiments.requests.battery import BatteryRequest
from experiments.requests.sweep import CareSweepRequest
from experiments.stored_rows import format_csv
from xenv.battery import Battery

ROOT = Path(__file__).resolve().parents[2]
CARE = "0.5:2.5:0.04"  # 50 coefficients: three blocks
SWEEP = ["sweep", "workshop_auto", "--care", CARE, "--method", "both", "--seeds", "3:4", "--steps", "3000", "--quiet"]
AGENTS = "simple,reality_check(q_learning)"
BATTERY = ["battery", "--agents", AGENTS, "--environments", "repeater,deja-vu", "--turns", "40", "--quiet"]


def _sweep_csv() -> str:
    problem, cares = make_problem(SCENARIOS["workshop_auto"]()), parse_care_range(CARE)
    acting = choose_acting_learning(problem.scenario, 3000)
    return format_csv(sweep_exactly(problem, cares) + sweep_by_learning(problem, cares, (3,), acting=acting))


def _battery_csv(*seeds: int) -> str:
    battery = Battery(AGENTS.split(","), ("repeater", "deja-vu"), 40, seeds)
    return format_csv([row._asdict() for row in battery])


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("engine", [["serial"], ["local", "--workers", "2"]], ids=str)
def test_a_sweep_gives_the_rows_of_the_plain_computation(engine: list[str], tmp_path: Path) -> None:
    assert main([*SWEEP, "--out", str(tmp_path / "one"), "--engine", *engine]) == 0
    assert (tmp_path / "one" / "sweep.csv").read_text() == _sweep_csv()


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("engine", [["serial"], ["local", "--workers", "2"]], ids=str)
def test_a_battery_gives_the_rows_of_the_plain_computation(engine: list[str], tmp_path: Path) -> None:
    assert main([*BATTERY, "--seeds", "7,2", "--out", str(tmp_path / "one"), "--engine", *engine]) == 0
    assert (tmp_path / "one" / "battery.csv").read_text() == _battery_csv(7, 2)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(
    ("words", "table"), [(SWEEP, "sweep.csv"), ([*BATTERY, "--seeds", "2"], "battery.csv")], ids=["sweep", "battery"]
)
def test_the_same_request_goes_on_where_it_stopped(words: list[str], table: str, tmp_path: Path) -> None:
    command = [*words, "--out", str(tmp_path / "one"), "--engine", "serial"]
    assert main(command) == 0
    [segment] = (tmp_path / "one" / "units").iterdir()
    lines = segment.read_bytes().splitlines(keepends=True)
    whole = (tmp_path / "one" / table).read_bytes()
    (tmp_path / "one" / table).unlink()
    segment.write_bytes(b"".join(lines[:-1]))
    assert main(command) == 0
    assert (tmp_path / "one" / table).read_bytes() == whole
    [again] = set((tmp_path / "one" / "units").iterdir()) - {segment}
    assert again.read_bytes().splitlines(keepends=True)[1:] == lines[-1:]
    assert len(list((tmp_path / "one" / "logs").glob("*.json"))) == 2


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(
    ("words", "other", "which"),
    [
        (SWEEP, ["--care", "0,1"], "care 0.5:2.5:0.04, not of care 0,1"),
        (SWEEP, ["--seeds", "4"], "seeds 3, not of seeds 0, 1, 2, 3"),
        (SWEEP, ["--own", "2"], "own 1.0, not of own 2.0"),
        (BATTERY, ["--turns", "41"], "turns 40, not of turns 41"),
        (BATTERY, ["--agents", "random"], "agents simple, reality_check(q_learning), not of agents simple, reality"),
    ],
)
def test_another_request_in_the_same_place_is_refused(
    words: list[str], other: list[str], which: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--out", str(tmp_path / "one"), "--engine", "serial"]
    assert main([*words, *place]) == 0
    before = {path: path.read_bytes() for path in (tmp_path / "one").rglob("*") if path.is_file()}
    capsys.readouterr()
    assert main([*words, *other, *place]) == 2
    message = capsys.readouterr().err
    assert which in message
    assert "choose another place with --out" in message
    assert message.count("\n") == 1
    assert {path: path.read_bytes() for path in (tmp_path / "one").rglob("*") if path.is_file()} == before
    assert main(["run", "be_considerate/figure_2a", "--quiet", *place]) == 2


def test_results_go_where_they_are_named_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for care in ("0,1", "0,2", "0,1"):
        assert main(["sweep", "workshop_auto", "--care", care, "--quiet"]) == 0
    assert len(list((tmp_path / "results" / "sweep").glob("workshop_auto-expected-exact-*"))) == 2
    assert main([*BATTERY, "--seeds", "1", "--engine", "serial"]) == 0
    [battery] = (tmp_path / "results" / "battery").iterdir()
    assert battery.name.startswith("simple-reality_check_q_learning_-repeater-deja_vu-40_turns-")


def test_results_of_an_older_release_are_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "manifest.json").write_text('{"command": ["caregrid", "sweep"], "seed": 0}')
    (tmp_path / "sweep.csv").write_text("precious")
    assert main(["sweep", "workshop_auto", "--care", "0,1", "--out", str(tmp_path)]) == 2
    assert "choose another place with --out" in capsys.readouterr().err
    assert (tmp_path / "sweep.csv").read_text() == "precious"


@pytest.mark.slow
def test_what_follows_a_run_works_on_requests_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sweep, battery = tmp_path / "results" / "a", tmp_path / "results" / "b"
    main(["sweep", "workshop_auto", "--care", "0,1", "--out", str(sweep), "--quiet"])
    main([*BATTERY, "--seeds", "1", "--out", str(battery), "--engine", "serial"])
    for place in (sweep, battery):
        assert main(["collect", str(place)]) == 0
        assert main(["draw", str(place)]) == 0
        assert (place / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert main(["report", str(tmp_path / "results")]) == 0
    assert "none stated" in capsys.readouterr().out
    assert "workshop_auto-expected" in (tmp_path / "results" / "report.md").read_text()


def test_quick_takes_fewer(tmp_path: Path) -> None:
    main(["sweep", "workshop_auto", "--care", "0:7:0.1", "--quick", "--out", str(tmp_path / "a"), "--quiet"])
    assert (tmp_path / "a" / "sweep.csv").read_text().count("\n") == 1 + 7


def test_requests_are_made_again_from_their_manifests() -> None:
    for request in (
        CareSweepRequest(NamedProblem("workshop_auto"), care="0,1", method="both", seeds=(1, 2)),
        CareSweepRequest(NamedProblem("workshop_auto"), care="0,1", method="both", seeds=(1, 2), seed=3),
        BatteryRequest(("simple",), ("repeater",), 10, (1,)),
    ):
        stored = json.loads(json.dumps(request.as_dict()))
        assert read_request(stored) == request
        assert read_request(stored).name == request.name
        assert REQUESTS[request.sort] is type(request)
    with pytest.raises(BadFile, match="another version"):
        read_request({"request": "battery", "colour": "red"})


LAB = '''"""Things of one's own."""
from craftworld.scenarios.workshop_auto import WorkshopAuto

class Mine:
    def act(self, observation): return 0
    def train(self, observation, action, reward, after): pass

class Shy:
    def act(self, observation): raise KeyError("no mood")
    def train(self, observation, action, reward, after): pass

def make_agent(): return Mine()
def make_shy(): return Shy()

class Annexe(WorkshopAuto):
    """A room of one's own, which is a workshop."""
'''


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A folder with a user's own file and map."""
    (tmp_path / "my_lab.py").write_text(LAB)
    (tmp_path / "own.txt").write_text("\n".join(SCENARIOS["workshop_auto"]().grid.rows) + "\n")
    return tmp_path


def _caregrid(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    script = "import sys; sys.path.pop(0); from caregrid.main import main; sys.exit(main())"
    command = [sys.executable, "-c", script, *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("engine", [["local", "--workers", "1"], ["dask", "--workers", "1"]], ids=str)
def test_own_things_work_on_every_engine(engine: list[str], lab: Path) -> None:
    done = _caregrid(
        lab, "sweep", "my_lab:Annexe", "--map", "own.txt", "--care", "0,1", "--out", "a", "--engine", *engine, "--quiet"
    )
    assert done.returncode == 0, done.stderr
    assert len((lab / "a" / "sweep.csv").read_text().splitlines()) == 3
    battery = ["battery", "--agents", "my_lab:make_agent", "--environments", "repeater", "--turns", "5"]
    done = _caregrid(lab, *battery, "--seeds", "2", "--out", "b", "--engine", *engine, "--quiet")
    assert done.returncode == 0, done.stderr
    assert "my_lab:make_agent,repeater,1,5,5" in (lab / "b" / "battery.csv").read_text()


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(
    ("command", "old", "new"),
    [
        (["sweep", "my_lab:Annexe", "--care", "0,1"], 'a workshop."""', 'a workshop."""\n    time_limit = 9'),
        (["sweep", "garden", "--care", "0", "--method", "my_lab:Mine", "--steps", "99"], "return 0", "return 1"),
        (["battery", "--agents", "my_lab:Mine", "--environments", "repeater", "--turns", "9"], "return 0", "return 1"),
        (["bench", "self_reflection", "--quick", "--agent", "my_lab:Mine"], "return 0", "return 1"),
        (["train", "my_lab:Annexe", "--steps", "99"], 'a workshop."""', 'a workshop."""\n    time_limit = 9'),
        (["train", "garden", "--agent", "my_lab:Mine", "--steps", "99"], "return 0", "return 1"),
    ],
    ids=lambda part: part[0] if isinstance(part, list) else "",
)
@pytest.mark.usefixtures("users_folder")
def test_ones_own_code_counts_by_its_meaning(
    command: list[str], old: str, new: str, lab: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A comment changes nothing; another rule is told, with a choice where there are units to be kept."""
    command = [*command, "--out", "a", *(["--quiet"] if command[0] != "train" else [])]
    changed = LAB.replace(old, new)
    assert changed != LAB
    for text, code in ((LAB, 0), (LAB + "# edited\n", 0), (changed, 2)):
        (lab / "my_lab.py").write_text(text)
        sys.modules.pop("my_lab", None)
        capsys.readouterr()
        assert main(command) == code
    error = capsys.readouterr().err
    assert "choose another place with --out" in error
    assert command[0] == "train" or "made by other code" in error
    assert error.count("\n") == 1
    assert command[0] == "train" or main([*command, "--force"]) == 0


@pytest.mark.usefixtures("users_folder")
def test_a_changed_map_is_another_request(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["sweep", "my_lab:Annexe", "--map", "own.txt", "--care", "0,1", "--out", "a", "--quiet"]
    assert main(command) == 0
    (lab / "own.txt").write_text((lab / "own.txt").read_text() + "\n")
    capsys.readouterr()
    assert main(command) == 2
    assert capsys.readouterr().err.count("choose another place with --out") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["battery", "--agents", "my_lab:make_shy", "--environments", "repeater"], "my_lab.py, line 9: KeyError"),
        (["battery", "--agents", "my_lab:make_nobody"], "did you mean"),
        (["sweep", "my_lab:Annex"], "did you mean 'Annexe'"),
        (["sweep", "my_lab:Mine"], "my_lab.py, class Mine"),
    ],
)
@pytest.mark.usefixtures("users_folder")
def test_mistakes_in_ones_own_file_are_one_line(
    words: list[str], message: str, lab: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--out", "a", "--quiet"]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (lab / "a").exists()


def test_two_spellings_of_a_name_are_not_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["--quiet", "--out", str(tmp_path)]
    assert main(["sweep", "workshop_auto", "--care", "0,1", *out]) == 0
    assert main(["sweep", "workshop-auto", "--care", "0,1", *out]) == 0
    capsys.readouterr()
    assert main(["sweep", "workshop-auto", "--care", "0,2", *out]) == 2
    assert "it holds results of care 0,1, not of care 0,2;" in capsys.readouterr().err


def test_what_was_left_out_is_called_the_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sweep = ["sweep", "garden", "--care", "0,1", "--quiet", "--out", str(tmp_path)]
    assert main([*sweep, "--set", "weight_3=2.5"]) == 0
    capsys.readouterr()
    assert main(sweep) == 2
    assert "it holds results of options weight_3=2.5, not of default options;" in capsys.readouterr().err
