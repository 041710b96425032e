"""Utility functions and pairs of states of a user's own: from files, words and Python, and all kinds of wrong ones."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caregrid
from caregrid.main import main
from craftworld.side_effect_penalties import penalise_deviation
from craftworld.utility_functions import read_utilities
from engine.errors import CaregridError
from engine.mdp.mdp import TabularMDP
from engine.mdp.tabulate import tabulate
from engine.randomness.counter_based import randrange
from tests.craftworld.levels.replayed import level

SCENARIO = level("timed_shutdown", noop="yes")
RULES: Any = [[{"state": {"disabled": "yes"}, "value": 2}, {"state": {}, "value": 0.5}], [{"state": {}, "value": -1}]]
PAIR: Any = {"state": {"cell": [2, 4], "disabled": "yes"}, "baseline": {"cell": [2, 2], "left": 2}}


@pytest.fixture(scope="module")
def table() -> TabularMDP:
    return tabulate(SCENARIO, 0.9)


def write(folder: Path, content: object, name: str = "own.json") -> Path:
    (folder / name).write_text(json.dumps(content))
    return folder / name


def test_the_first_rule_that_fits_counts(tmp_path: Path, table: TabularMDP) -> None:
    path = write(tmp_path, {"utilities": RULES})
    first, second = read_utilities(SCENARIO, table, path, 0)
    assert first.tolist() == [2.0 if state.disabled else 0.5 for state in table.states]
    assert set(second) == {-1.0}
    same = [dict(zip(table.states, each.tolist(), strict=True)) for each in (first, second)]
    assert np.array_equal(read_utilities(SCENARIO, table, same, 0), [first, second])
    solved = [
        caregrid.problem(SCENARIO, penalise_deviation("AUP(a)", utilities=own), discount=0.9).breakpoints().points
        for own in (str(path), same)
    ]
    assert solved[0] == solved[1] != ()


def test_pairs_are_measured_as_by_hand(tmp_path: Path, table: TabularMDP) -> None:
    """From the button to the agent's start no way leads back once time has passed; one step to the left of it, one."""
    state = next(each for each in table.states if each.disabled and SCENARIO.describe(each)["cell"] == [2, 4])
    left = next(each for each in table.states if each.disabled and SCENARIO.describe(each)["cell"] == [2, 3])
    rows = caregrid.penalties(SCENARIO, pairs=[(state, left), (PAIR["state"], PAIR["baseline"])], discount=0.5).rows()
    assert [(row["pair"], row["rollouts"], row["steps"]) for row in rows] == [
        (1, False, 1), (1, True, 1), (2, False, None), (2, True, None),
    ]  # fmt: skip
    assert [row["UR"] for row in rows] == pytest.approx([0.5, 0.5, 1.0, 1.0])
    own = write(tmp_path, {"pairs": [PAIR]})
    assert [row["UR"] for row in caregrid.penalties(SCENARIO, pairs=own).rows()] == [1.0, 1.0]


def test_the_command_reads_both_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = [
        "penalties",
        "timed_shutdown",
        "--set",
        "noop=yes",
        "--utilities",
        str(write(tmp_path, {"utilities": RULES})),
    ]
    assert main([*line, "--actions", "right", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["penalties"]) == 4
    assert main([*line, "--pairs", str(write(tmp_path, {"pairs": [PAIR]}, "pairs.json"))]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:3] == ["1", "no", "-"]
    assert main([*line, "--pairs", str(tmp_path / "none.json")]) == 2
    assert "none.json: file not found" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"utilities": []}, "its list of utilities is empty; write"),
        ({"utilities": [[]]}, "function 1: it is []"),
        ({"utilities": [[{"state": {}}]]}, "function 1, rule 1: it is no rule; write"),
        ({"utilities": [[{"state": {}, "value": "1"}]]}, "rule 1: value is '1'; give a number from -1e+100"),
        ({"utilities": [[{"state": {}, "value": 1e300}]]}, "value is 1e+300; give"),
        ({"utilities": [[{"state": {}, "value": float("nan")}]]}, "value is nan; give"),
        (
            {"utilities": [[{"state": {"cel": 1}, "value": 1}]]},
            "state is .*; name fields of a state: cell, left",
        ),
        ({"utilities": [[{"state": {"cell": [0, 0]}, "value": 1}]]}, "no state is .*; write it like"),
        ({"utility": RULES}, "it holds no utilities; write"),
        ([RULES], "it holds no utilities; write"),
    ],
)
def test_a_wrong_file_is_one_line(content: object, said: str, tmp_path: Path, table: TabularMDP) -> None:
    with pytest.raises(CaregridError, match=said.replace("[", r"\[").replace("+", r"\+")) as error:
        read_utilities(SCENARIO, table, write(tmp_path, content), 0)
    assert "own.json" in str(error.value)
    assert "\n" not in str(error.value)


ODD: tuple[Any, ...] = (
    None, True, -1, 10**400, 1e400, "", "x", "0", [], {}, [[]], {"state": {}}, [None], b"x", range(10**9), object(),
    {"cell": [9, 9]}, {"cell": object()}, (1, 2), ("a", "b", "c"), [PAIR, PAIR], np.zeros(3), {1: 2}, float("nan"),
)  # fmt: skip


def test_odd_values_are_refused_in_one_line(tmp_path: Path, table: TabularMDP) -> None:
    """Each in the place of the whole, of a part and of a part of a part, and files that are cut or changed."""
    for odd in ODD:
        keys = () if isinstance(odd, list | dict | range | np.ndarray) else ([{odd: 1.0}],)
        parts = [] if isinstance(odd, dict) and not odd else [[odd]]  # a function of no states is 0 everywhere
        for utilities in (odd, *parts, *keys):
            refuse(lambda own: read_utilities(SCENARIO, table, own, 0), utilities)
        for pairs in (odd, [odd], [(odd, odd)], [(table.states[0], odd)]):
            if pairs is not None:
                refuse(lambda own: caregrid.penalties(SCENARIO, pairs=own), pairs)
    text = json.dumps({"pairs": [PAIR]})
    for key in range(25):
        place = randrange(len(text), key, 0)
        changed = text[:place] + '{}[],:"0x\n'[randrange(10, key, 1)] + text[place + 1 + randrange(2, key, 2) :]
        (tmp_path / "odd.json").write_text(changed)
        with suppress(CaregridError):
            caregrid.penalties(SCENARIO, pairs=tmp_path / "odd.json")


def refuse(function: Any, value: Any) -> None:
    with pytest.raises(CaregridError) as error:
        function(value)
    assert "\n" not in str(error.value)


def test_a_number_in_words_is_that_number_at_discount_1() -> None:
    """AU is not measured there, however the number of utilities is written; utilities of one's own are refused."""
    measured = [
        caregrid.penalties(SCENARIO, pairs=[(PAIR["state"], PAIR["baseline"])], discount=1.0, utilities=each).rows()
        for each in (5, "5", "+5")
    ]
    assert measured[0] == measured[1] == measured[2]
    with pytest.raises(CaregridError, match="utilities at discount 1"):
        caregrid.penalties(SCENARIO, pairs=[(PAIR["state"], PAIR["baseline"])], discount=1.0, utilities=RULES)
