"""Fault: a world in which two agents can be copied onto one slot has no values; files are taken as they are written."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caregrid.main import main
from engine.errors import CaregridError, ContractBroken
from multislot.crowds import evaluate_crowd, find_crowd
from multislot.errors import CopyConflict
from multislot.learning import Mixture, make_single_environment
from multislot.likelihoods import find_likelihood
from multislot.planning.planner import evaluate
from multislot.simulation import simulate_slots
from multislot.worlds import conflicts
from multislot.worlds.protocol import MultiSlotEnvironment, ProtocolResponse
from multislot.worlds.table import TableEnvironment, parse_table, table_environment

HALF = Fraction(1, 2)
DATA = Path(__file__).resolve().parent.parent / "data" / "multislot"
CLASH: dict[str, Any] = {
    "name": "clash",
    "actions": [0, 1],
    "rewards": {"0": "0", "1": "1"},
    "z0": "a",
    "rules": [
        ["a", 1, "*", [["1", {"1": 0, "2": 1}]]],
        ["b", 1, 0, [["1/2", {"3": 1}], ["1/2", {"1": 1}]]],
        ["b", 1, 1, [["1", {"1": 0}]]],
        ["c", 2, 0, [["1", {"2": 0}]]],
        ["c", 2, 1, [["1/3", {"3": 0}], ["2/3", {"2": 0}]]],
        ["*", 3, "*", [["1", {"3": 0}]]],
    ],
    "update": [["a", "*", 0, "b"], ["a", "*", 1, "c"]],
}
MESSAGE = (
    "clash, t = 2: slot 3 is copied from both slot 1 and slot 2 with probability 1/6: "
    "slot 1 in state 'b' under action 0, slot 2 in state 'c' under action 1"
)


def clash() -> TableEnvironment:
    return parse_table(CLASH, "clash")


@pytest.mark.parametrize("value", ["cpy", "cpy_joint", "sta:1", "dyn", "every", "first", "prime", "slot:2"])
def test_every_value_refuses_a_conflict_that_comes_by_chance(value: str) -> None:
    assert evaluate(clash(), value, 1, HALF).ties, "what cannot happen within the horizon is not refused"
    with pytest.raises(CopyConflict) as caught:
        evaluate(clash(), value, 2, HALF)
    assert MESSAGE in str(caught.value)


def test_so_do_classes_policies_and_crowds() -> None:
    mixture = make_single_environment(clash())
    with pytest.raises(CopyConflict):
        evaluate(Mixture((clash(), clash()), (HALF, HALF), find_likelihood("exists")), "cpy", 2, HALF)
    with pytest.raises(CopyConflict):
        evaluate(mixture, "cpy", 2, HALF, policy=lambda history: 0)
    with pytest.raises(CopyConflict):
        evaluate_crowd(mixture, find_crowd("common_ancestor", mixture), lambda history: 0, 2, HALF)


def test_the_command_names_it_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "clash.json"
    path.write_text(json.dumps(CLASH))
    for words in (
        ["--value", "cpy"],
        ["--value", "dyn", "--policy", "0"],
        ["--value", "common_ancestor", "--policy", "0"],
    ):
        assert main(["multislot", str(path), "--horizon", "3", *words]) == 2
        printed = capsys.readouterr()
        assert (printed.out, MESSAGE in printed.err, len(printed.err.splitlines())) == ("", True, 1)


def test_slots_that_are_never_occupied_together_may_share_a_target() -> None:
    """Awake on slot 1 or on slot 2, never on both: whoever it is may go to slot 3."""
    rules = [
        ["a", 1, "*", [["1/2", {"1": 0}], ["1/2", {"2": 0}]]],
        ["b", "*", "*", [["1", {"3": 1}]]],
    ]
    alone = parse_table(CLASH | {"rules": rules, "update": [["a", "*", "*", "b"]]}, "alone")
    assert Fraction(1, 4) == evaluate(alone, "cpy", 2, HALF).V
    together = [["a", 1, "*", [["1/2", {"1": 0}], ["1/2", {"1": 0, "2": 0}]]], rules[1]]
    with pytest.raises(CopyConflict, match="slot 3 is copied from both slot 1 and slot 2 with probability 1:"):
        evaluate(parse_table(CLASH | {"rules": together, "update": [["a", "*", "*", "b"]]}, "together"), "cpy", 2, HALF)


def test_agents_with_one_history_act_alike() -> None:
    """Two agents who cannot tell themselves apart change places or stay, both: they cannot bring about a conflict."""
    rules = [
        ["a", 1, "*", [["1", {"1": 0, "2": 0}]]],
        ["b", 1, 0, [["1", {"1": 0}]]],
        ["b", 1, 1, [["1", {"2": 0}]]],
        ["b", 2, 0, [["1", {"2": 0}]]],
        ["b", 2, 1, [["1", {"1": 0}]]],
    ]
    alike = parse_table(CLASH | {"rules": rules, "update": [["a", "*", "*", "b"]]}, "alike")
    assert evaluate(alike, "cpy", 6, HALF).V == 0
    apart = [*rules[:1], *([*row[:3], [["1", dict.fromkeys(row[3][0][1], row[1] - 1)]]] for row in rules[1:])]
    with pytest.raises(CopyConflict, match="t = 3"):
        evaluate(parse_table(CLASH | {"rules": apart, "update": [["a", "*", "*", "b"]]}, "apart"), "cpy", 6, HALF)


@st.composite
def any_tables(draw: st.DrawFn) -> TableEnvironment:
    """Tables with two outcomes a rule, conflicts included."""
    slots = st.dictionaries(st.sampled_from(("1", "2", "3")), st.sampled_from((0, 1)), max_size=2)
    rules = [
        [state, slot, action, [["1/2", draw(slots)], ["1/2", draw(slots)]]]
        for state, slot, action in product("ab", (1, 2, 3), (0, 1))
    ]
    update = [["*", "*", 0, draw(st.sampled_from("ab"))], ["*", "*", 1, draw(st.sampled_from("ab"))]]
    return parse_table(CLASH | {"rules": rules, "update": update}, "any")


def copies_collide(environment: TableEnvironment, steps: int) -> bool:
    """Whether some policy of the history and some outcomes make two copies onto one slot: all are tried."""
    start = frozenset((slot, environment.start(), ()) for slot in environment.initial)
    populations = {start}
    for _ in range(steps):
        later = set()
        for population in populations:
            histories = sorted({history for _, _, history in population})
            for choice in product(environment.actions, repeat=len(histories)):
                acts = dict(zip(histories, choice, strict=True))
                agents = sorted(population)
                for outcomes in product(*(environment.law(z, i, acts[h]) for i, z, h in agents)):
                    copies = [
                        (j, environment.update(z, acts[h], o), (*h, (acts[h], o)))
                        for (_, z, h), outcome in zip(agents, outcomes, strict=True)
                        for j, o in outcome.copies.items()
                    ]
                    if len({copy[0] for copy in copies}) < len(copies):
                        return True
                    later.add(frozenset(copies))
        populations = later
    return False


@settings(deadline=None, max_examples=120)
@given(any_tables())
def test_the_search_finds_what_trying_everything_finds(environment: TableEnvironment) -> None:
    for steps in (1, 2, 3):
        if copies_collide(environment, steps):
            with pytest.raises(CopyConflict):
                evaluate(environment, "cpy", steps, HALF)
            return
        evaluate(environment, "cpy", steps, HALF)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"discount": 0}, "'discount' is 0; write it as text"),
        ({"discount": 0.5}, "'discount' is 0.5; write it as text"),
        ({"discount": "half"}, 'discount: "half" is not a fraction'),
        ({"discount": "1e-100000000"}, "has 100,000,001 digits"),
        ({"discount": None}, "'discount' is null"),
        ({"horizon": True}, "'horizon' is true; write an integer"),
        ({"horizon": "3"}, "'horizon' is \"3\""),
        ({"horizon": -1}, "'horizon' is -1"),
        ({"horizons": 3}, "unknown key 'horizons'; did you mean 'horizon'"),
        ({"file": "other.json"}, "unknown key 'file'"),
    ],
)
def test_files_are_taken_as_they_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], message: str
) -> None:
    path = tmp_path / "world.json"
    path.write_text(json.dumps(json.loads((DATA / "mono.json").read_text()) | change))
    assert main(["multislot", str(path)]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert (printed.out, len(printed.err.splitlines())) == ("", 1)


def test_a_discount_of_nothing_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads((DATA / "mono.json").read_text())
    path = tmp_path / "world.json"
    path.write_text(json.dumps(content | {"discount": "0"}))
    assert main(["multislot", str(path), "--json"]) == 0
    by_file = capsys.readouterr().out
    assert main(["multislot", str(path), "--json", "--discount", "0"]) == 0
    assert capsys.readouterr().out == by_file
    assert json.loads(by_file)["Q"] == {"0": "1/4", "1": "1/3"}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"file": "mono.json", "spec": {}}, "'file' beside 'spec'"),
        ({"file": "mono.json", "horizon": 3}, "unknown key 'horizon'"),
        ({"name": "mono", "wheight": "1"}, "unknown key 'wheight'"),
        ({"file": 3}, "'file' is 3; write a text"),
        ({"name": "mono", "length": 10**9}, "length 1,000,000,000; give a length up to"),
        ({"name": "mono", "weight": "1e-100000000"}, "digits"),
        ({"name": "mono", "weight": True}, "true is not a fraction"),
    ],
)
def test_members_of_a_class_are_taken_as_they_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], entry: dict[str, Any], message: str
) -> None:
    (tmp_path / "mono.json").write_text((DATA / "mono.json").read_text())
    path = tmp_path / "class.json"
    path.write_text(json.dumps({"environments": [entry]}))
    assert main(["multislot", "--class", str(path), "--horizon", "2"]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert (printed.out, len(printed.err.splitlines())) == ("", 1)


class Answering(MultiSlotEnvironment):
    """One agent, and a response that a test chooses."""

    name, actions, observations, initial = "answering", (0,), (0,), (1,)

    def __init__(self, *responses: Any) -> None:
        self.script = responses

    def responses(self, past: Any, actions: Any) -> Any:
        return self.script


@pytest.mark.parametrize(
    ("responses", "message"),
    [
        ([ProtocolResponse(Fraction(1), {1: 1}, {1: 0})], "expected {source: copy set}"),  # type: ignore[dict-item]
        ([ProtocolResponse(Fraction(1), [1], {1: 0})], "expected {source: copy set}"),  # type: ignore[arg-type]
        ([ProtocolResponse(Fraction(1), {1: {1}}, [0])], "expected {slot: observation}"),  # type: ignore[arg-type]
        ([ProtocolResponse(0.5, {1: {1}}, {1: 0})] * 2, "with Fractions as probabilities"),  # type: ignore[arg-type]
    ],
)
def test_responses_of_another_shape_are_one_line(responses: list[ProtocolResponse], message: str) -> None:
    with pytest.raises(ContractBroken) as caught:
        simulate_slots(Answering(*responses), lambda history: 0, 1)
    assert message in str(caught.value)
    assert "class Answering" in str(caught.value)
    assert isinstance(caught.value, CaregridError)
    assert len(str(caught.value).splitlines()) == 1


def test_pairs_of_very_many_agents_are_not_all_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """40 agents at the start and 40 copies of each: 780 pairs of either, of which so many are followed."""
    copies = {str(slot): 0 for slot in range(1, 41)}
    rules = [["S", 1, "*", [["1", copies]]], ["S", 2, "*", [["1", {"1": 0}]]], ["S", "*", "*", [["1", {}]]]]
    followed: list[conflicts.AgentPair] = []

    def watched(environment: Any, pair: conflicts.AgentPair, time: int) -> set[conflicts.AgentPair]:
        followed.append(pair)
        return set()

    monkeypatch.setattr(conflicts, "MOST_PAIRS", 25)
    monkeypatch.setattr(conflicts, "_follow_pair", watched)
    world = table_environment(
        name="crowded", actions=[0], init=list(range(1, 41)), rewards={"0": "1"}, z0="S", rules=rules
    )
    evaluate(world, "cpy", 2, HALF)
    assert 25 <= len(followed) <= 50
    assert followed[0].one.slot == 1
