"""Theory: the checker of Definition 9 passes history-based environments and finds a witness against the others."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from caregrid.main import main
from engine.errors import ContractBroken
from multislot.contract_checks import check_slot_world
from multislot.errors import BadLaw, CopyConflict
from multislot.scenarios import slot_scenario
from multislot.worlds.environment import Label, Slot
from multislot.worlds.locality import find_violation
from multislot.worlds.protocol import MultiSlotEnvironment, ProtocolResponse, Trace
from multislot.worlds.table import table_environment
from tests.printed_json import printed_content


@pytest.mark.parametrize("name", ["swap", "split_tree", "half_dup", "sleeping_beauty", "coin_flip", "universal"])
def test_tables_and_the_universal_environment_are_history_based(name: str) -> None:
    assert find_violation(slot_scenario(name).environment, 3) is None


class Neighbours(MultiSlotEnvironment):
    """Two slots that see nothing at first and then what the other one did: agents interact."""

    name, actions, observations, initial = "neighbours", (0, 1), (0, 1), (1, 2)

    def responses(self, past: Trace, actions: Mapping[Slot, Label]) -> Iterable[ProtocolResponse]:
        seen = {1: actions[2], 2: actions[1]} if len(past) > 1 else {1: 0, 2: 0}
        return [ProtocolResponse(Fraction(1), {1: {1}, 2: {2}}, seen)]


class Correlated(Neighbours):
    """Both slots see the same coin: the joint law is not a product, but every slot's own law is fixed."""

    def responses(self, past: Trace, actions: Mapping[Slot, Label]) -> Iterable[ProtocolResponse]:
        return [ProtocolResponse(Fraction(1, 2), {1: {1}, 2: {2}}, {1: coin, 2: coin}) for coin in (0, 1)]


def test_interaction_is_found_at_the_depth_where_it_starts() -> None:
    assert find_violation(Neighbours(), 1) is None
    witness = find_violation(Neighbours(), 2)
    assert witness is not None
    assert (witness.slot, witness.laws[0] != witness.laws[1]) == (1, True)
    first, second = witness.situations
    assert first.past[-1].histories[1] == second.past[-1].histories[1] == witness.history
    assert first.actions[1] == second.actions[1] == witness.action


def test_correlation_between_slots_is_no_violation() -> None:
    assert find_violation(Correlated(), 2) is None


def test_conflicts_on_the_way_are_errors() -> None:
    rules = [["a", 1, "*", [["1", {"1": 0, "2": 0}]]], ["b", "*", "*", [["1", {"3": 0}]]]]
    clash = table_environment(
        name="clash", actions=[0], rewards={"0": "0"}, z0="a", rules=rules, update=[["a", "*", "*", "b"]]
    )
    with pytest.raises(CopyConflict):
        find_violation(clash, 2)


def test_interacting_environments_have_the_same_checker() -> None:
    check_slot_world(Neighbours)
    check_slot_world(Correlated())


class Overwriting(Neighbours):
    """At the second step, with probability 1/2, both agents are copied onto slot 3."""

    def responses(self, past: Trace, actions: Mapping[Slot, Label]) -> Iterable[ProtocolResponse]:
        stay = ProtocolResponse(Fraction(1, 2), {1: {1}, 2: {2}}, {1: 0, 2: 0})
        clash = ProtocolResponse(Fraction(1, 2), {1: {3}, 2: {3}}, {3: 0})
        return [stay, stay] if len(past) == 1 else [stay, clash]


class Half(Neighbours):
    """A response of probability 1/2, and no other."""

    def responses(self, past: Trace, actions: Mapping[Slot, Label]) -> Iterable[ProtocolResponse]:
        return [ProtocolResponse(Fraction(1, 2), {1: {1}, 2: {2}}, {1: 0, 2: 0})]


class Bare(Neighbours):
    """Copies without a probability."""

    def responses(self, past: Trace, actions: Mapping[Slot, Label]) -> Any:
        return [{1: {1}, 2: {2}}]


class Raising(Neighbours):
    """It counts agents that are not there."""

    def responses(self, past: Trace, actions: Mapping[Slot, Label]) -> Iterable[ProtocolResponse]:
        return [ProtocolResponse(Fraction(1, len(past) - 1), {}, {})]


@pytest.mark.parametrize(
    ("world", "kind", "message"),
    [
        (Overwriting, CopyConflict, "t = 2: slot 3 is copied from both slot 1 and slot 2"),
        (Half, BadLaw, "sum to 1/2"),
        (Bare, ContractBroken, "responses gave {1: {1}, 2: {2}}; expected ProtocolResponses"),
        (Raising, ContractBroken, "ZeroDivisionError"),
    ],
)
def test_what_is_wrong_with_them_is_named(
    world: type[MultiSlotEnvironment], kind: type[ContractBroken], message: str
) -> None:
    with pytest.raises(kind) as caught:
        check_slot_world(world)
    assert message in str(caught.value)
    assert f"test_multislot_locality.py, class {world.__name__}" in str(caught.value)


OWN = """
from fractions import Fraction
from multislot.worlds.protocol import MultiSlotEnvironment, ProtocolResponse

class Neighbours(MultiSlotEnvironment):
    name, actions, observations, initial = "neighbours", (0, 1), (0, 1), (1, 2)
    def responses(self, past, actions):
        seen = {1: actions[2], 2: actions[1]} if len(past) > 1 else {1: 0, 2: 0}
        return [ProtocolResponse(Fraction(1), {1: {1}, 2: {2}}, seen)]
"""


def test_the_command_draws_the_witness(users_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (users_folder / "my_neighbours.py").write_text(OWN)
    name = "my_neighbours:Neighbours"
    assert main(["multislot", "locality", name, "--horizon", "1"]) == 0
    assert capsys.readouterr().out == "history-based in its first step\n"
    assert main(["multislot", "locality", name, "--out", "witness.png"]) == 1
    drawn = capsys.readouterr().out
    assert drawn.startswith("slot 1, history 0,0, action 0: two laws of copies and observations")
    assert "situation 1: t = 2, slot 1 acts 0, slot 2 acts 0" in drawn
    assert "situation 2: t = 2, slot 1 acts 0, slot 2 acts 1" in drawn
    assert (users_folder / "witness.png").stat().st_size > 1000
    assert main(["multislot", "locality", name, "--json"]) == 1
    found = printed_content(capsys.readouterr().out)
    assert (found["history_based"], found["laws"]) == (False, [{"1,0": "1"}, {"1,1": "1"}])
    assert main(["multislot", name, "--horizon", "2"]) == 2
    refused = capsys.readouterr().err
    assert "my_neighbours.py, class Neighbours: agents may interact in it, so it has no values" in refused


@pytest.mark.parametrize("name", ["swap", "threshold", "tests/data/multislot/kitchen_sink.json"])
def test_tables_and_scenarios_pass(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["multislot", "locality", name, "--horizon", "2", "--json"]) == 0
    assert printed_content(capsys.readouterr().out) == {"history_based": True, "steps": 2}
