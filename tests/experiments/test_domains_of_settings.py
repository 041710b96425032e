"""Values that no unit can run are refused in one line before any unit starts."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from caregrid.main import main
from caregrid.runs.experiment import choose_settings
from engine.errors import BadValue, CaregridError, ContractBroken, UnknownName
from engine.randomness.counter_based import split
from experiments.catalogue import CATALOGUE
from experiments.experiment import Experiment, Rows
from experiments.runs.runner import run_experiment
from experiments.setting_grid import MOST_PREPARED, SettingGrid, parse_setting_values
from experiments.targets import Target

EXTREMES = (-1, -0.5, 0, 0.5, 2, 3, 1e300, 1e-300, 2**63)


def with_domains() -> list[tuple[str, str]]:
    """Experiment and setting, for all settings of numbers that say neither how long a unit runs nor which sample."""
    return [
        (name, setting)
        for name in CATALOGUE.names()
        for setting, values in CATALOGUE[name].settings.items()
        if type(values[0]) in (int, float) and setting != "seed" and setting not in CATALOGUE[name].lengths
    ]


@pytest.mark.slow_cases(
    "identification/drift", "identification/calibration", "be_considerate/deep_learners", "learned_care"
)
@pytest.mark.parametrize(("name", "setting"), with_domains())
def test_what_is_not_refused_at_once_can_be_run(name: str, setting: str) -> None:
    experiment = CATALOGUE[name]
    first = {setting: values[:1] for setting, values in experiment.quick_settings.items()}
    accepted = []
    for extreme in EXTREMES:
        try:
            grid = SettingGrid(first | {setting: parse_setting_values(setting, [extreme], experiment.settings, "here")})
            grid.require_prepared(experiment.prepare, name)
        except BadValue:
            continue
        accepted.append(grid)
    if experiment.learned or name.startswith(("learned_care/", "identification/")):  # a unit takes seconds
        accepted = accepted[:: max(1, len(accepted) - 1)]
    for grid in accepted:
        experiment.run(**grid.setting(next(grid.points())), key=split(0, name))


@pytest.mark.parametrize(
    ("name", "assignment", "says"),
    [
        ("tamper_grid", "tampering=0,2", "setting tampering=2: tamper-grid: .* from 0 to 1"),
        ("tamper_grid", "tampering=-1", "setting tampering=-1: .* from 0 to 1"),
        ("lobbying_power", "noticing=1,3", "setting noticing=3, lobbying=0.0: .* from 0 to 2"),
        ("lobbying_power", "lobbying=1e-300", "too many decimals; use fewer decimals"),
        ("off_switch", "belief=0:1.5:0.5", "no refusal"),
        ("off_switch", "belief=1.01", "belief is 1.01; give a number from 0 to 1"),
        ("car_factory", "lobbying=1,-2", "setting lobbying=-2.0: .* from 0 on"),
    ],
)
def test_the_command_writes_nothing(
    name: str,
    assignment: str,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code = main(["run", f"counterfactual/{name}", "--quick", "--engine=serial", f"--set={assignment}"])
    printed, error = capsys.readouterr()
    if says == "no refusal":
        assert code == 0, error
        return
    assert code == 2
    assert not printed
    assert error.count("\n") == 1
    assert re.search(says, error)
    assert not list(tmp_path.iterdir())


def half(share: float) -> float:
    if not 0 <= share <= 1:
        raise BadValue(f"a share of {share}", place="half", remedy="give one from 0 to 1")
    return share / (share - 0.25)


def one(share: float, count: int, key: int) -> Rows:
    return [{"half": half(share)}]


def below_half(left: float, right: float) -> None:
    if left * right > 0.5:
        raise BadValue(f"{left} times {right}", place="below_half", remedy="stay below a half")


def two(left: float, right: float, seed: int, key: int) -> Rows:
    below_half(left, right)
    return [{"product": left * right}]


def product(settings: dict[str, tuple[float, ...]]) -> Experiment:
    return Experiment("products", settings, two, prepare=below_half, name="products")


def test_what_only_a_combination_breaks_is_refused_before_anything_runs(tmp_path: Path) -> None:
    experiment = product({"left": (0.1, 1.0), "right": (0.2, 0.4, 1.0), "seed": (0, 1)})
    with pytest.raises(BadValue, match=r"setting left=1.0, right=1.0: below_half: 1.0 times 1.0; stay below a half"):
        run_experiment(experiment, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_each_combination_is_prepared_once_whatever_other_settings_there_are() -> None:
    seen = []
    grid = SettingGrid({"left": (0.1, 0.2), "right": (0.3, 0.4), "seed": tuple(range(1000))})
    grid.require_prepared(lambda left, right: seen.append((left, right)), "here")
    assert seen == [(0.1, 0.3), (0.1, 0.4), (0.2, 0.3), (0.2, 0.4)]


def test_a_large_grid_is_prepared_by_a_sample_with_its_corners() -> None:
    values = tuple(n / 1_000 for n in range(1_000))
    grid, seen = SettingGrid({"left": values, "right": values}), list[tuple[float, float]]()
    grid.require_prepared(lambda left, right: seen.append((left, right)), "here")
    assert len(seen) <= 3 * MOST_PREPARED
    assert {(0.0, value) for value in values} | {(value, 0.0) for value in values} <= set(seen)
    assert {(0.0, 0.0), (0.999, 0.999)} <= set(seen)
    for corner in itertools.product((0.0, 0.5), repeat=2):  # some from each quarter
        assert any(corner[0] < left < corner[0] + 0.5 and corner[1] < right < corner[1] + 0.5 for left, right in seen)
    with pytest.raises(BadValue, match="stay below a half"):
        grid.require_prepared(below_half, "here")


def test_ones_own_experiment_declares_what_it_makes_first(tmp_path: Path) -> None:
    mine = Experiment("mine", {"share": (0.5,), "count": (1,)}, one, prepare=half, name="mine")
    with pytest.raises(BadValue, match=r"setting share=2.0: half: a share of 2.0; give one from 0 to 1"):
        run_experiment(mine, tmp_path / "run", {"share": (0.5, 2.0), "count": (1,)})
    with pytest.raises(ContractBroken, match=r"mine, prepare: test_domains_of_settings.py, line \d+: ZeroDivision"):
        run_experiment(mine, tmp_path / "run", {"share": (0.25,), "count": (1,)})
    assert not (tmp_path / "run").exists()
    assert run_experiment(mine, tmp_path / "run").complete
    with pytest.raises(UnknownName, match="mine, prepare: unknown setting 'share'"):
        Experiment("mine", {"shares": (0.5,)}, one, prepare=half)


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("repr")


WRONG = ("high", "9" * 5000, None, True, np.array(0.5), 10**400, 1 + 2j, [[1]], {"a": 1}, object(), Unprintable())


@pytest.mark.parametrize("name", ["be_considerate/figure_1b", "be_considerate/kitchen", "multislot/threshold"])
def test_any_value_of_any_setting_is_taken_or_named_in_one_line(name: str) -> None:
    experiment = CATALOGUE[name]
    target = Target(experiment, experiment.settings, None, Path("rows"))
    for setting in experiment.settings:
        for value in WRONG:
            said = ""
            try:
                choose_settings(target, False, {setting: value}, None)
            except CaregridError as error:
                said = str(error)
            assert len(said) < 1000, (setting, said)
            assert "\n" not in said
