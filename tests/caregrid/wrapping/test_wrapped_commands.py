"""Commands on wrapped worlds: `gym:ID`, a user's scenario that is made already, a function that makes one."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import caregrid
from caregrid.main import main
from renderers.formats.json import read_film
from tests.printed_json import printed_content

OWN = """
import caregrid
from tests.caregrid.wrapping.own_worlds import Corridor, TwoRewards

problem = caregrid.wrap(Corridor)

def corridor(length: int = 2):
    return caregrid.wrap(lambda: Corridor(length))

def lights():
    return caregrid.wrap(TwoRewards, own="time", reward_names=("time", "light"))

def nothing():
    return 3
"""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def own(written: Callable[..., str]) -> str:
    """The module of a user's own file."""
    return written(OWN)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main([*words, "--json"]) == 0
    return printed_content(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


def test_breakpoints_of_a_registered_environment(capsys: pytest.CaptureFixture[str]) -> None:
    result = printed(capsys, "breakpoints", "gym:FrozenLake-v1")
    assert result["segments"][0]["own"] == pytest.approx(14 / 17)
    result = printed(capsys, "breakpoints", "gym:FrozenLake-v1", "--set", "is_slippery=false", "--set", "map_name=8x8")
    assert result["segments"][0]["own"] == 1.0


def test_vector_rewards_by_options(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mo_gymnasium")
    words = ["breakpoints", "gym:resource-gathering-v0", "--set", "chance=every_draw", "--set", "own=gem"]
    assert main([*words, "--discount", "0.9", "--json"]) == 0
    out, err = capfd.readouterr()
    assert not err
    assert [segment["others"]["death"] for segment in printed_content(out)["segments"]] == pytest.approx(
        [0, -0.0918861, 0]
    )


def test_solve_a_registered_environment(capsys: pytest.CaptureFixture[str]) -> None:
    result = printed(capsys, "solve", "gym:CliffWalking-v1", "--care", "2")
    assert (result["own"], result["others"]) == (-13.0, {"next agent": -13.0})


def test_a_walk_is_kept_in_the_cache_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("minigrid")
    first = printed(capsys, "solve", "gym:MiniGrid-DoorKey-5x5-v0", "--care", "1")
    files = sorted((tmp_path / "cache").rglob("*.npz"))
    assert len(files) == 2
    before = [file.stat().st_mtime_ns for file in files]
    assert printed(capsys, "solve", "gym:MiniGrid-DoorKey-5x5-v0", "--care", "1") == first
    assert [file.stat().st_mtime_ns for file in files] == before


def test_a_film_of_a_registered_environment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("minigrid")
    assert main(["record", "gym:MiniGrid-DoorKey-5x5-v0", "--care", "0", "--out", "door.json"]) == 0
    film = read_film(tmp_path / "door.json")
    assert all(scene.frame is not None and scene.overlays for scene in film)
    headless = ["view", "gym:MiniGrid-DoorKey-5x5-v0", "--care", "2", "--headless", "--out", "door.gif"]
    assert main([*headless, "--frames", "3"]) == 0
    assert (tmp_path / "door.gif").read_bytes()[:3] == b"GIF"
    capsys.readouterr()


def test_a_film_without_a_screen_says_nothing_of_one(tmp_path: Path) -> None:
    """pygame's own libraries complain on the terminal where they look for a screen in vain."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "SDL_VIDEODRIVER")
    environment = {name: value for name, value in os.environ.items() if name not in screens}
    environment["PYTHONPATH"] = str(Path(caregrid.__file__).parents[1])
    words = ["-m", "caregrid", "record", "gym:CliffWalking-v1", "--care", "1", "--out", "cliff.json"]
    done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert all(scene.frame is not None for scene in read_film(tmp_path / "cliff.json"))


@pytest.mark.slow
def test_a_sweep_of_a_scenario_that_is_made_already(
    own: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    words = ["sweep", f"{own}:problem", "--care", "0:1:0.25", "--out", str(tmp_path / "swept"), "--workers", "2"]
    assert main(words) == 0
    capsys.readouterr()
    lines = (tmp_path / "swept" / "sweep.csv").read_text().splitlines()
    assert len(lines) == 5
    assert "next agent" in lines[0]


def test_a_function_that_makes_a_scenario_has_options(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "solve", f"{own}:corridor")["own"] == -3.0
    assert printed(capsys, "solve", f"{own}:corridor", "--set", "length=6")["own"] == -7.0
    points = printed(capsys, "breakpoints", f"{own}:lights", "--care-max", "0.9")
    assert [segment["care_from"] for segment in points["segments"]] == pytest.approx([0.0, 0.2])


@pytest.mark.slow
def test_sweep_files_take_ids_and_wrapped_scenarios(
    own: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By workers of their own, too, and for what reads the run afterwards."""
    sweep = tmp_path / "ids.toml"
    sweep.write_text(f'scenario = ["gym:FrozenLake-v1", "{own}:problem", "{own}:corridor"]\ncare = [0, 1]\n')
    for out, workers in (("here", ["--engine", "serial"]), ("there", ["--workers", "2"])):
        assert main(["run", str(sweep), "--out", out, "--quiet", "--trust", *workers]) == 0
        assert main(["check", str(sweep), "--from", out, "--trust"]) == 0
    assert Path("here/rows.csv").read_bytes() == Path("there/rows.csv").read_bytes()
    rows = caregrid.load("here", trust=True).frame()
    lake = rows[rows["scenario"].str.endswith("FrozenLake_v1")]
    assert lake["own"].to_numpy() == pytest.approx(14 / 17)
    capsys.readouterr()


def test_unknown_ids_are_named_where_they_are_written(
    tmp_path: Path, written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    sweep = tmp_path / "ids.toml"
    sweep.write_text('scenario = "gym:FrozenLak-v1"\n')
    place = r"ids.toml, key 'scenario': unknown environment 'FrozenLak-v1'; did you mean 'FrozenLake-v1'"
    assert place in refused(capsys, "run", str(sweep), "--out", "x")
    module = written("import caregrid\n\ndef lake():\n    return caregrid.wrap('FrozenLake-v9')\n")
    assert f"{module}.py, line 4: unknown environment 'FrozenLake-v9'" in refused(capsys, "solve", f"{module}:lake")
    sweep.write_text(f'scenario = "{module}:lake"\n')
    assert f"{module}.py, line 4" in refused(capsys, "run", str(sweep), "--out", "x", "--trust")
    assert not Path("x").exists()


def test_an_environment_whose_package_is_missing_says_which(capsys: pytest.CaptureFixture[str]) -> None:
    import gymnasium

    spec = gymnasium.envs.registration.EnvSpec("Far-v0", "no_such_package_here.envs:Far")
    gymnasium.registry["Far-v0"] = spec
    try:
        error = refused(capsys, "solve", "gym:Far-v0")
    finally:
        del gymnasium.registry["Far-v0"]
    assert "gym:Far-v0: it needs the package 'no_such_package_here', which is not installed; install" in error


def test_validate_and_show_take_them(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "scenarios", f"{own}:problem"]) == 0
    assert main(["validate", "scenarios", f"{own}:lights"]) == 0
    assert main(["validate", "world_families", "minigrid"]) == 0
    assert main(["show", "frozen_lake"]) == 0
    assert "the lake stays as it is" in capsys.readouterr().out


def test_what_is_wrong_is_said_in_one_line(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "FrozenLake-v9" in refused(capsys, "solve", "gym:FrozenLake-v9")
    assert "did you mean" in refused(capsys, "solve", "gym:FrozenLak-v1")
    assert "unexpected keyword argument" in refused(capsys, "solve", "gym:FrozenLake-v1", "--set", "slippery=1")
    assert "it has no map of its own" in refused(capsys, "solve", "gym:FrozenLake-v1", "--map", "map.txt")
    assert "unknown option 'width'" in refused(capsys, "solve", f"{own}:corridor", "--set", "width=3")
    assert "expected a scenario" in refused(capsys, "solve", f"{own}:nothing")
    assert "no id" in refused(capsys, "solve", "gym:")


@pytest.mark.parametrize(
    ("name", "package", "remedy"),
    [
        ("MiniGrid-Empty-5x5-v0", "minigrid", "pip install 'caregrid[worlds]'"),
        ("deep-sea-treasure-v0", "mo_gymnasium", "pip install --no-deps mo-gymnasium"),
    ],
)
def test_a_package_that_is_missing_is_named_with_its_remedy(
    name: str, package: str, remedy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import gymnasium

    left = {known: spec for known, spec in gymnasium.registry.items() if known != name}
    monkeypatch.setattr(gymnasium, "registry", left)
    monkeypatch.setitem(sys.modules, package, None)
    error = refused(capsys, "solve", f"gym:{name}")
    assert package in error
    assert remedy in error


def test_doctor_knows_the_worlds() -> None:
    assert set(caregrid.doctor().packages["worlds"]) == {"minigrid", "mo-gymnasium"}


def test_python_functions_take_wrapped_scenarios() -> None:
    problem = caregrid.problem(caregrid.wrap("FrozenLake-v1"))
    assert problem.solve(care=1).own == pytest.approx(14 / 17)
    assert caregrid.problem("gym:FrozenLake-v1", set={"is_slippery": False}).solve(care=0).own == 1.0


def test_pictures_are_made_without_noise_where_there_is_no_desktop(tmp_path: Path) -> None:
    pytest.importorskip("pygame")
    bare = {name: value for name, value in os.environ.items() if name not in ("XDG_RUNTIME_DIR", "SDL_VIDEODRIVER")}
    words = ["record", "gym:CliffWalking-v1", "--frames", "1", "--out", str(tmp_path / "cliff.png")]
    command = [sys.executable, "-m", "caregrid", *words]
    done = subprocess.run(command, env=bare, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert (tmp_path / "cliff.png").stat().st_size > 10_000
