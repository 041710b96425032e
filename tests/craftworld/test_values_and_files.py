"""What others expect: the time limit, learned against exact, worked numbers of Eqs 1 to 3, files and faults."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from craftworld.formulations import FORMULATIONS
from craftworld.others.value_distribution import (
    VALUES_FORMAT,
    ValueDistribution,
    compute_fingerprint,
    load_scenario_values,
    load_values,
    precompute,
    save_values,
)
from craftworld.scenarios import SCENARIOS
from craftworld.solution.learning import NewcomerLearners, choose_newcomer_learning
from craftworld.solution.problem import augment, make_problem
from engine.errors import BadFile, BadValue
from engine.mdp.tabulate import tabulate
from tests.engine.worlds import corridor

WORKED = ValueDistribution(
    names=("a", "b", "c"),
    owners=("a", "b", "c"),
    value=np.array([[0, -8, -10], [0, -5, -4], [0, 2, 6]], dtype=float),
    probability=np.array([0.5, 0.3, 0.2]),
    weight=np.ones(3),
    baseline_value=np.array([-8.0, -5.0, 2.0]),
)


@pytest.mark.parametrize(
    ("formulation", "worked"), [("expected", -15.5), ("worst_case", -29.0), ("no_worse_off", -18.47)]
)
def test_worked_numbers_at_a_terminal_step_and_before_it(formulation: str, worked: float) -> None:
    """P = (.5, .3, .2), V(s') = (-10, -4, 6), V(s0) = (-8, -5, 2), own 2, care 3, gamma .9, r1 = -1."""
    table = augment(corridor(2, 0.9), WORKED, FORMULATIONS[formulation], own=2.0, care=3.0)
    assert table.reward[1, 0, 0] == pytest.approx(worked)
    assert table.reward[0, 0, 0] == table.reward[1, 1, 0] == -2.0
    assert (table.reward[2] == 0.0).all()


def test_the_worst_case_looks_at_possible_values_only() -> None:
    unlikely = replace(WORKED, probability=np.array([0.0, 0.6, 0.4]))
    assert FORMULATIONS["worst_case"].function(unlikely)[2] == -4.0  # type: ignore[index, operator]


@pytest.mark.parametrize("coefficient", [float("nan"), float("inf"), float("-inf")])
def test_coefficients_must_be_finite(coefficient: float) -> None:
    for given in ({"own": coefficient}, {"care": coefficient}):
        with pytest.raises(BadValue, match="give a finite number"):
            augment(corridor(2), WORKED, FORMULATIONS["expected"], **given)


@pytest.mark.parametrize("name", ["workshop", "workshop_auto"])
def test_a_newcomer_without_a_key_gets_its_time_limit(name: str) -> None:
    problem = make_problem(SCENARIOS[name]())
    held = [n for n, state in enumerate(problem.mdp.states) if problem.scenario.describe(state)["key"] == "held"]
    assert set(problem.others.value[0, held]) == {-1000.0}
    rest = np.setdiff1d(np.arange(len(problem.mdp.states)), held)
    assert (problem.others.value[0, rest] > -100).all()


def test_the_baseline_is_the_value_of_the_untouched_start() -> None:
    problem = make_problem(SCENARIOS["workshop"](), "no_worse_off")
    start = int(problem.mdp.start_states()[0])
    assert problem.others.baseline_value[0] == problem.others.value[0, start] == -24.0


@pytest.mark.parametrize("name", ["workshop", "workshop_auto"])
def test_learned_values_equal_exact_ones(name: str) -> None:
    scenario = SCENARIOS[name]()
    mdp = tabulate(scenario)
    exact, learned = (
        precompute(scenario, mdp),
        precompute(scenario, mdp, NewcomerLearners(choose_newcomer_learning(scenario), 1)),
    )
    np.testing.assert_array_equal(learned.value, exact.value)


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Path, str, ValueDistribution]:
    """A file of values, its fingerprint and what it holds."""
    scenario = SCENARIOS["workshop_auto"]()
    mdp = tabulate(scenario)
    others, mark = precompute(scenario, mdp), compute_fingerprint(scenario, mdp)
    path = tmp_path / "values.npz"
    save_values(path, others, mark, {"method": "exact"})
    return path, mark, others


def test_values_come_back_as_they_were(stored: tuple[Path, str, ValueDistribution]) -> None:
    path, mark, others = stored
    loaded, note = load_values(path, mark)
    assert note == {"method": "exact"}
    for name in ("value", "probability", "weight", "baseline_value"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(others, name))
    assert (loaded.names, loaded.owners, loaded.fixed) == (others.names, others.owners, others.fixed)


def test_the_fingerprint_knows_map_options_and_discount(tmp_path: Path) -> None:
    kind = SCENARIOS["workshop"]
    walled = kind(kind.parse_map(kind.art.replace("#.....W..#", "#..##.W..#")))
    worlds = [kind(), kind(None, key_start="K2"), kind(None, key_start="uniform"), walled, SCENARIOS["workshop_auto"]()]
    marks = [compute_fingerprint(world, tabulate(world)) for world in worlds]
    marks.append(compute_fingerprint(worlds[0], tabulate(worlds[0], 0.9)))
    assert len(set(marks)) == len(marks)
    assert compute_fingerprint(kind(), tabulate(kind())) == marks[0]


def test_values_of_another_world_are_refused(stored: tuple[Path, str, ValueDistribution]) -> None:
    path, _, _ = stored
    scenario = SCENARIOS["workshop_auto"](None, key_start="K2")
    with pytest.raises(BadFile, match="made for another scenario, map or setting; make it again"):
        load_values(path, compute_fingerprint(scenario, tabulate(scenario)))


def test_every_flipped_byte_and_every_truncation_is_refused_or_harmless(
    stored: tuple[Path, str, ValueDistribution], tmp_path: Path
) -> None:
    path, mark, others = stored
    whole = path.read_bytes()
    damaged = tmp_path / "damaged.npz"
    for cut in range(0, len(whole), max(1, len(whole) // 60)):
        damaged.write_bytes(whole[:cut])
        with pytest.raises(BadFile, match="make it again"):
            load_values(damaged, mark)
    for place in range(0, len(whole), max(1, len(whole) // 250)):
        damaged.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        try:
            loaded, _ = load_values(damaged, mark)
        except BadFile:
            continue
        np.testing.assert_array_equal(loaded.value, others.value)
        np.testing.assert_array_equal(loaded.probability, others.probability)


def _foreign(path: Path) -> None:
    np.savez(path, weights=np.arange(3.0))


def _text(path: Path) -> None:
    path.write_text("not a zip\n")


def _array(path: Path) -> None:
    with path.open("wb") as stream:
        np.save(stream, np.arange(3))


def _objects(path: Path) -> None:
    np.savez(path, header=np.array({"format": VALUES_FORMAT}, dtype=object), value=np.array([object()]))


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _other_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", "nonsense")


def _not_json(path: Path) -> None:
    np.savez(path, header=np.array("{"), value=np.zeros(1))


def _folder(path: Path) -> None:
    path.mkdir()


def _missing(path: Path) -> None:
    assert not path.exists()


@pytest.mark.parametrize(
    "make",
    [_foreign, _text, _array, _objects, _empty, _other_zip, _not_json, _folder, _missing],
    ids=lambda f: f.__name__,
)
def test_foreign_files_are_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "foreign.npz"
    make(path)
    with pytest.raises(BadFile, match=r"foreign\.npz: .*make it again with 'caregrid precompute'"):
        load_values(path, "0" * 32)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("value", np.zeros((1, 3))),
        ("value", np.full((2, 5), np.nan)),
        ("probability", np.array([1.0])),
        ("probability", np.array(["a", "b"])),
        ("names", np.array("alone")),
        ("fixed", np.array("alone")),
        ("untouched", np.array([0.0, np.inf])),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, name: str, value: Any) -> None:
    arrays: dict[str, Any] = {
        "value": np.zeros((2, 5)),
        "probability": np.array([0.5, 0.5]),
        "weight": np.ones(2),
        "untouched": np.zeros(2),
        "names": np.array(["a", "b"]),
        "owners": np.array(["a", "b"]),
        "fixed": np.array([], dtype=np.str_),
    }
    header = json.dumps({"format": VALUES_FORMAT, "fingerprint": "f", "note": {}})
    path = tmp_path / "odd.npz"
    buffer = io.BytesIO()
    np.savez(buffer, header=np.array(header), **(arrays | {name: value}))
    path.write_bytes(buffer.getvalue())
    with pytest.raises(BadFile, match="do not fit"):
        load_values(path, "f")


def test_values_that_do_not_belong_to_the_table_are_refused_by_shape(tmp_path: Path) -> None:
    """A file whose fingerprint is right and whose columns are not is damaged: posing a problem with it is refused."""
    scenario = SCENARIOS["workshop_auto"]()
    mdp = tabulate(scenario)
    short = precompute(scenario, mdp)
    with pytest.raises(BadValue, match="states"):
        make_problem(scenario, others=replace(short, value=short.value[:, :-1]))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("probability", [5.0, -3.0], "newcomers are not"),
        ("names", ["somebody", "else"], "newcomers are not"),
        ("owners", ["somebody", "else"], "newcomers are not"),
        ("weight", [7.0, 7.0], "newcomers are not"),
        ("note", 5, "note"),
        ("note", ["method"], "note"),
    ],
)
def test_values_of_other_newcomers_are_refused_whatever_the_fingerprint_says(
    tmp_path: Path, name: str, value: Any, words: str
) -> None:
    scenario = SCENARIOS["playroom"]()
    mdp = tabulate(scenario)
    others, mark = precompute(scenario, mdp), compute_fingerprint(scenario, mdp)
    path = tmp_path / "values.npz"
    if name == "note":
        save_values(path, others, mark, {})
        with np.load(path) as file:
            arrays: dict[str, Any] = dict(file)
        arrays["header"] = np.array(json.dumps(json.loads(str(arrays["header"])) | {"note": value}))
        np.savez(path, **arrays)
    else:
        given = (*value, *getattr(others, name)[2:])
        changed: dict[str, Any] = {name: given if isinstance(value[0], str) else np.array(given)}
        save_values(path, dataclasses.replace(others, **changed), mark, {})
    with pytest.raises(BadFile, match=rf"values\.npz: .*{words}.*make it again"):
        load_scenario_values(scenario, mdp, path)
