"""Fault: everything that can be wrong with a table has an error that says where; the command exits with 2."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import caregrid
from caregrid.main import main
from engine.errors import CaregridError
from multislot.errors import BadTable
from multislot.planning.planner import evaluate
from multislot.scenarios import slot_scenario
from multislot.worlds.table import parse_table, read_json
from tests.printed_json import printed_content

GOOD: dict[str, Any] = {
    "name": "good",
    "actions": [0, 1],
    "init": [1],
    "z0": "S",
    "rewards": {"0": "1/2", "1": 1},
    "rules": [["S", 1, 0, [["1", {"1": 0}]]], ["S", "*", "*", [["1/3", {"1": 1}], ["2/3", {}]]]],
    "update": [["S", 1, "*", "T"]],
}


def law(*outcomes: Any) -> dict[str, Any]:
    return {"rules": [["S", 1, "*", list(outcomes)]]}


BAD = [
    ({"rules": [["S", 1, 0]]}, "rules, row 0: not a rule"),
    (law(["1", {"1": 7}]), "unknown observation 7"),
    (law(["1", {"0": 0}]), 'copy slot "0"'),
    (law(["1", {"x": 0}]), 'copy slot "x"'),
    (law(["1", {"1" * 5000: 0}]), "of up to 1,000 digits"),
    (law(["1", {"1": "*"}]), "copy slot 1"),
    (law(["1", {"1": 0, "01": 0}]), "copy slot 01: 0; give each copy one observation"),
    (law(["1/2", {"1": 0}]), "sum to 1/2"),
    (law(["3/2", {"1": 0}], ["-1/2", {}]), "negative probability"),
    (law([0.5, {"1": 0}], ["1/2", {}]), "0.5 is not a fraction"),
    (law(["1/0", {"1": 0}]), '"1/0" is not a fraction'),
    (law(["1"]), "not an outcome"),
    (law(), "sum to 0"),
    ({"rules": [["S", 0, 0, [["1", {}]]]]}, "slot 0"),
    ({"rules": [["S", 1, 5, [["1", {}]]]]}, "unknown action 5"),
    ({"rules": {}}, "not a list of rows"),
    ({"update": [["S", 0, 0]]}, "update, row 0: not an update"),
    ({"update": [["S", 0, 0, "*"]]}, "'*' as the next state"),
    ({"rewards": {"0": "half", "1": "1"}}, 'rewards, "0": "half" is not a fraction'),
    ({"rewards": []}, "'rewards' is not an object"),
    ({"actions": []}, "'actions' is []"),
    ({"actions": None}, "'actions' is null"),
    ({"actions": [True, "a"]}, "true in 'actions' is not a label"),
    ({"init": [None, True]}, "'init' is [null, true]"),
    (law(["1", {"1": True}]), "unknown observation true"),
    ({"rules": [["S", None, 0, []]]}, "slot null is not"),
    ({"rules": [["S", 1, None, [["1", {}]]]]}, "unknown action null"),
    ({"actions": [0, "0"]}, "listed twice"),
    ({"actions": ["a,b", 1]}, "holds ','"),
    ({"actions": ["*", 1]}, "not a label"),
    ({"init": [0]}, "'init' is"),
    ({"init": []}, "'init' is"),
    ({"reward": {}}, "unknown key 'reward'; did you mean 'rewards'"),
]


@pytest.mark.parametrize(("change", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_tables_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(CaregridError) as caught:
        parse_table(GOOD | change, "table.json")
    assert message in str(caught.value)
    assert str(caught.value).startswith("table.json")


@pytest.mark.parametrize("key", ["name", "actions", "rewards", "rules"])
def test_missing_keys_are_named(key: str) -> None:
    with pytest.raises(BadTable, match=f"no '{key}'"):
        parse_table({k: v for k, v in GOOD.items() if k != key}, "table.json")


def test_wildcards_the_first_row_and_an_unchanged_state() -> None:
    environment = parse_table(GOOD, "good")
    assert environment.law("S", 1, 0)[0].copies == {1: 0}
    assert environment.law("S", 9, 0)[0].copies == environment.law("S", 1, 1)[0].copies == {1: 1}
    assert environment.update("S", 1, 0) == "T"
    assert environment.update("S", 0, 0) == "S"
    assert environment.rewards == {0: 0.5, 1: 1}


def test_a_missing_rule_is_an_error_where_it_is_needed() -> None:
    with pytest.raises(BadTable, match="good: no rule for state 'T', slot 1, action 0"):
        evaluate(parse_table(GOOD, "good"), "cpy", 2, Fraction(1, 2))


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(BadTable, match="file not found"):
        read_json(tmp_path / "none.json")
    path = tmp_path / "twice.json"
    path.write_text('{"name": 1, "name": 2}')
    with pytest.raises(BadTable, match="'name' is written twice"):
        read_json(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadTable, match="not UTF-8"):
        read_json(path)
    for monster in ("[" * 200_000, "9" * 5000):
        path.write_text(monster)
        with pytest.raises(BadTable, match="too long, or brackets too deep"):
            read_json(path)
    path.write_text("[1, 2")
    with pytest.raises(BadTable, match=r"twice.json, line 1: not JSON"):
        read_json(path)


def test_bare_tables_histories_and_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "good.json"
    path.write_text(json.dumps(GOOD | {"update": []}))
    assert main(["multislot", str(path), "--horizon", "1", "--history", "0,0", "--json"]) == 0
    printed = printed_content(capsys.readouterr().out)
    assert printed == {
        "Q": {"0": "1/2", "1": "1/3"},
        "V": "1/2",
        "action": 0,
        "ties": [0],
        "P": {"1": "1"},
        "slot_Q": {"1": {"0": "1/2", "1": "1/3"}},
    }
    assert main(["multislot", str(path), "--horizon", "1", "--history", "0,1"]) == 0
    assert "no agent can have this history" in capsys.readouterr().out
    assert main(["multislot", "grey_red_blue", "--horizon", "1", "--history", "red,grey", "--json"]) == 0
    assert printed_content(capsys.readouterr().out)["action"] == "blue"


def test_scenarios_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["multislot", "--json"]) == 0
    listed = printed_content(capsys.readouterr().out)["scenarios"]
    assert listed["swap"].startswith("Swap: two agents")
    assert main(["multislot"]) == 0
    assert "sleeping_beauty" in capsys.readouterr().out


STAYS = {key: entry for key, entry in GOOD.items() if key != "update"}


def test_a_callers_dictionary_is_what_its_file_is(tmp_path: Path) -> None:
    """In Python's own words too: tuples, Fractions, whole numbers as keys."""
    outcomes = [(Fraction(1, 3), {1: 1}), ("2/3", {})]
    rules = (("S", 1, 0, [(1, {1: 0})]), ("S", "*", "*", outcomes))
    own = STAYS | {"rewards": {0: Fraction(1, 2), 1: 1}, "rules": rules}
    asked = {"spec": own, "horizon": 3, "discount": Fraction(2, 3)}
    path = tmp_path / "good.json"
    path.write_text(json.dumps({"spec": STAYS, "horizon": 3, "discount": "2/3"}))
    assert caregrid.slots(asked).Q == caregrid.slots(path).Q == caregrid.slots(own, horizon=3, discount="2/3").Q
    assert caregrid.slots(own, horizon=3).Q != caregrid.slots(asked).Q
    assert caregrid.simulate_slots(own, "0", 2).trace == caregrid.simulate_slots(path, "0", 2).trace


def test_a_class_holds_what_a_caller_has_at_hand() -> None:
    """Objects, dictionaries and names, with weights or without; the members of a file are the same."""
    table = parse_table(STAYS, "good")
    other = STAYS | {"name": "other", "rules": [["S", 1, "*", [["1", {"1": 1}]]]]}
    content = {"environments": [{"spec": table, "weight": Fraction(1, 3)}, {"spec": other, "weight": "2/3"}]}
    weighted = caregrid.slots(members=content, horizon=2, likelihood="prior")
    one, two = (caregrid.slots(each, horizon=1).Q[0] for each in (table, other))
    assert caregrid.slots(members=content, horizon=1, likelihood="prior").Q[0] == one / 3 + 2 * two / 3
    assert weighted.title == "good, other, cpy"
    scenario = slot_scenario("swap")
    both = caregrid.slots(members=[scenario, scenario.environment, "swap"], horizon=2)
    assert both.Q == caregrid.slots("swap", horizon=2).Q


@pytest.mark.parametrize(("given", "message"), [(5, "members: no environments in it"), ([3], "members, environment 0")])
def test_what_is_no_class_is_one_line(given: Any, message: str) -> None:
    with pytest.raises(BadTable, match=message):
        caregrid.slots(members=given, horizon=2)
