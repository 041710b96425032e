"""Settings that make units longer: what cannot be run is refused, and what takes long asks, before anything runs."""

import re
from pathlib import Path

import pytest

from caregrid.main import main
from engine.errors import BadValue
from experiments.catalogue import CATALOGUE
from experiments.experiment import Experiment, Length
from experiments.runs.runner import run_experiment

MODES = {"seed", "block", "draw", "tampering", "noticing"}
"""Whole numbers that make nothing longer."""


def whole_settings() -> list[tuple[str, str]]:
    """Experiment and setting, for all settings of whole numbers."""
    return [
        (name, setting)
        for name in CATALOGUE.names()
        for setting, values in CATALOGUE[name].settings.items()
        if all(type(value) is int for value in values)
    ]


LENGTHS = [(name, setting) for name, setting in whole_settings() if setting not in MODES]


def refusal(name: str, setting: str, value: str, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    """What `caregrid run` says of a value, after it has been checked to be one line, exit code 2 and nothing else."""
    assert main(["run", name, "--quick", "--engine=serial", f"--set={setting}={value}", *more]) == 2
    printed, error = capsys.readouterr()
    assert not printed
    assert error.count("\n") == 1
    assert len(error) < 300
    return error


@pytest.mark.parametrize(("name", "setting"), whole_settings(), ids=" ".join)
def test_whole_numbers_have_64_bits(
    name: str, setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for value in (str(10**30), str(-(10**30)), str(2**64), "1e30", "9" * 5000):
        assert re.search(
            f"--set {setting}: .*(2\\^6[34] - 1|not finite)", refusal(name, setting, value, capsys, "--yes")
        )
    for value in ("x", "nan", "1e400", "1.5", ""):
        refusal(name, setting, value, capsys, "--yes")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "setting"), LENGTHS, ids=" ".join)
def test_what_takes_very_long_is_confirmed_first(
    name: str, setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    length = CATALOGUE[name].lengths[setting]
    if length.without_asking < length.most:
        error = refusal(name, setting, str(length.without_asking + 1), capsys)
        assert re.search(f"'{setting}': {length.without_asking + 1:,} .* take .*--yes", error)
    for beyond in {length.least - 1, -1, length.most + 1} - {2**63}:
        assert "choose a whole number from" in refusal(name, setting, str(beyond), capsys, "--yes")
    assert not list(tmp_path.iterdir())


def test_turns_are_refused_as_those_of_the_battery_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    error = refusal("extended_environments/table_2", "turns", "100000000", capsys)
    assert "100,000,000 turns a run take 5 seconds or more" in error
    assert "from 1 to 1000000000" in refusal("extended_environments/table_2", "turns", str(10**12), capsys, "--yes")


def one(n: int, key: int) -> list[dict[str, int]]:
    return [{"n_again": n}]


def test_ones_own_experiment_declares_its_lengths(tmp_path: Path) -> None:
    mine = Experiment("mine", {"n": (1,)}, one, lengths={"n": Length("rounds", without_asking=10)})  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="11 rounds take very long; ask for fewer, or confirm it with yes=True"):
        run_experiment(mine, tmp_path / "run", {"n": (11,)})
    assert not (tmp_path / "run").exists()
    assert run_experiment(mine, tmp_path / "run", {"n": (11,)}, yes=True).complete
    with pytest.raises(BadValue, match="0 rounds"):
        run_experiment(mine, tmp_path / "run", {"n": (0,)}, yes=True)


def test_whole_numbers_are_read_exactly() -> None:
    from experiments.setting_grid import parse_setting_values

    assert parse_setting_values("n", [str(2**63 - 1), 2**53 + 1, "1e5"], {"n": (1,)}, "here") == (
        2**63 - 1,
        2**53 + 1,
        100_000,
    )
