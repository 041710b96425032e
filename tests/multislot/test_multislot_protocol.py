"""Contract: the interaction protocol, each rule with the error that names its breach; histories, slots, deep copies."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import pytest

from engine.errors import CaregridError, ContractBroken
from multislot import errors
from multislot.scenarios import slot_scenario
from multislot.simulation import build_slot_history_graph, format_trace, simulate_slots
from multislot.worlds.environment import Label, Slot
from multislot.worlds.protocol import (
    Independent,
    MultiSlotEnvironment,
    ProtocolResponse,
    Trace,
    advance,
    make_initial_step,
)
from multislot.worlds.table import table_environment

ONE = Fraction(1)


class Scripted(MultiSlotEnvironment):
    """Two agents, and one response to the first step that a test chooses."""

    name, actions, observations, initial = "scripted", (0, 1), (0, 1), (1, 2)

    def __init__(self, *responses: ProtocolResponse, initial: Any = (1, 2)) -> None:
        self.script, self.initial = responses, initial

    def responses(self, past: Trace, actions: Mapping[Slot, Label]) -> Iterable[ProtocolResponse]:
        return self.script


BREACHES = [
    (errors.UnoccupiedSource, [ProtocolResponse(ONE, {3: {1}}, {1: 0})], "empty slot 3"),
    (
        errors.CopyConflict,
        [ProtocolResponse(ONE, {1: {1, 2}, 2: {2}}, {1: 0, 2: 0})],
        "slot 2 is copied from both slot 1",
    ),
    (errors.BadSlot, [ProtocolResponse(ONE, {1: {0}}, {0: 0})], "slot 0"),
    (
        errors.ObservationsMismatch,
        [ProtocolResponse(ONE, {1: {1}, 2: {2}}, {1: 0})],
        r"slots \[1\], agents on slots \[1, 2\]",
    ),
    (
        errors.ObservationsMismatch,
        [ProtocolResponse(ONE, {1: {1}}, {1: 0, 2: 0})],
        r"slots \[1, 2\], agents on slots \[1\]",
    ),
    (errors.ForeignObservation, [ProtocolResponse(ONE, {1: {1}}, {1: 7})], "unknown observation 7 on slot 1"),
    (errors.BadLaw, [ProtocolResponse(Fraction(1, 2), {}, {})], "sum to 1/2"),
    (errors.BadLaw, [ProtocolResponse(Fraction(3, 2), {}, {}), ProtocolResponse(Fraction(-1, 2), {}, {})], "sum to 1"),
    (errors.BadLaw, [], "sum to 0"),
]


@pytest.mark.parametrize(("kind", "responses", "message"), BREACHES)
def test_breaches_by_the_environment(
    kind: type[CaregridError], responses: list[ProtocolResponse], message: str
) -> None:
    with pytest.raises(kind, match=message) as caught:
        simulate_slots(Scripted(*responses), lambda history: 0, 1)
    assert "scripted, t = 1" in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "actions", "message"),
    [
        (errors.ActionsMismatch, {1: 0}, r"slots \[1\], agents on slots \[1, 2\]"),
        (errors.ActionsMismatch, {1: 0, 2: 0, 3: 0}, r"slots \[1, 2, 3\]"),
        (errors.ForeignAction, {1: 0, 2: 9}, "unknown action 9 on slot 2"),
    ],
)
def test_breaches_by_the_actions(kind: type[CaregridError], actions: dict[int, int], message: str) -> None:
    world = Scripted(ProtocolResponse(ONE, {}, {}))
    with pytest.raises(kind, match=message):
        advance(world, (make_initial_step(world),), actions, 0)


def test_the_first_agent_set_is_finite_and_made_of_slots() -> None:
    with pytest.raises(errors.UnboundedStart, match="t = 0"):
        make_initial_step(Scripted(initial=(slot for slot in iter(int, 1))))
    with pytest.raises(errors.BadSlot, match="'one'"):
        make_initial_step(Scripted(initial=("one",)))
    with pytest.raises(errors.ActionsMismatch, match="S_0"):
        simulate_slots(Scripted(), {}, 1)


def test_staying_is_not_implicit_and_slots_in_no_copy_set_are_empty() -> None:
    moment = simulate_slots(Scripted(ProtocolResponse(ONE, {1: {2, 3}, 2: set()}, {2: 0, 3: 1})), lambda history: 0, 1)[
        -1
    ]
    assert moment.agent_set == (2, 3)
    assert moment.copies == {1: (2, 3)}
    assert moment.slot_histories == {2: (1, 2), 3: (1, 3)}


class Scribbler:
    """A self-modifying agent: it acts by the length of its notebook, and on its third page turns into another agent."""

    def __init__(self) -> None:
        self.notes: list[Any] = []

    def run(self, observation: Label | None) -> tuple[Label, Any]:
        self.notes.append(observation)
        return len(self.notes) % 2, self if len(self.notes) < 3 else Reader(self.notes)


class Reader:
    """What the scribbler turns itself into: it reads its notes out, one at a step."""

    def __init__(self, notes: list[Any]) -> None:
        self.notes = notes

    def run(self, observation: Label | None) -> tuple[Label, Any]:
        self.notes.append(observation)
        return self.notes[1], self


def test_self_modifying_agents_are_copied_deeply() -> None:
    """Two copies write on from the same page; with one notebook between them they would count each other's pages."""
    trace = simulate_slots(slot_scenario("swap").environment, {1: Scribbler()}, 4)
    actions = [moment.actions for moment in trace[1:]]
    assert actions[:3] == [{1: 1}, {1: 0, 2: 0}, {1: 1, 2: 1}]
    assert trace[4].slot_histories == {1: (1, 2, 1, 2, 1), 2: (1, 1, 2, 1, 2)}
    assert actions[3] == {1: 0, 2: 1}, "each reads its own first observation"


def test_the_agents_that_are_given_stay_as_they_are() -> None:
    class Alternating:
        turn = 0

        def run(self, observation: Label | None) -> tuple[Label, Any]:
            self.turn += 1
            return self.turn % 2, self

    agent = Alternating()
    swapping = Scripted(ProtocolResponse(ONE, {1: {2}, 2: {1}}, {1: 0, 2: 0}))
    first, second = (simulate_slots(swapping, {1: agent, 2: agent}, 3) for _ in range(2))
    assert first == second
    assert [list(step.actions.values()) for step in first] == [[], [1, 1], [0, 0], [1, 1]]


@pytest.mark.parametrize("answer", [3, (1,), None])
def test_an_agent_that_returns_no_pair_is_named(answer: Any) -> None:
    class Careless:
        def run(self, observation: Label | None) -> Any:
            return answer

    with pytest.raises(ContractBroken, match=r"Careless: run gave .*; expected a pair \(action, memory\)"):
        simulate_slots(Scripted(), {1: Careless(), 2: Careless()}, 1)


def test_histories_follow_the_chain_of_copies() -> None:
    moment = simulate_slots(slot_scenario("swap").environment, lambda history: len(history) % 2, 3)[-1]
    assert moment.slot_histories == {1: (1, 1, 2, 1), 2: (1, 2, 1, 2)}
    assert moment.histories == {1: ((0, 0), (1, 1), (0, 0)), 2: ((0, 1), (1, 0), (0, 1))}


def test_a_deleted_world_goes_on_empty() -> None:
    trace = simulate_slots(slot_scenario("deletion").environment, lambda history: 1, 2)
    assert [moment.agent_set for moment in trace] == [(1,), (), ()]
    assert format_trace(trace)[1]["copy_set_list"] == {}


def test_draws_depend_on_the_key_alone_and_have_the_right_frequency() -> None:
    environment = slot_scenario("sleeping_beauty").environment
    runs = [simulate_slots(environment, lambda history: 0, 1, key) for key in range(400)]
    assert runs == [simulate_slots(environment, lambda history: 0, 1, key) for key in range(400)]
    heads = sum(run[-1].agent_set == (1,) for run in runs)
    assert 150 < heads < 250


def test_all_responses_of_a_history_based_environment_sum_to_one() -> None:
    world = Independent(slot_scenario("coin_flip").environment)
    responses = list(world.responses((make_initial_step(world),), {1: 0}))
    assert [response.probability for response in responses] == [Fraction(1, 2)] * 2


def test_conflicting_sources_in_a_table_are_found_when_they_meet() -> None:
    rules: list[Any] = [["a", 1, "*", [["1", {"1": 0, "2": 0}]]], ["b", "*", "*", [["1", {"3": 0}]]]]
    clash = table_environment(
        name="clash", actions=[0], rewards={"0": "0"}, z0="a", rules=rules, update=[["a", "*", "*", "b"]]
    )
    with pytest.raises(errors.CopyConflict, match="clash, t = 2: slot 3 is copied from both slot 1 and slot 2"):
        simulate_slots(clash, lambda history: 0, 2)


def test_the_graph_of_slot_histories() -> None:
    graph = build_slot_history_graph(simulate_slots(slot_scenario("split_tree").environment, lambda history: 0, 2))
    assert sorted(graph.edges) == [
        ((0, 1), (1, 1)),
        ((0, 1), (1, 2)),
        ((1, 1), (2, 1)),
        ((1, 2), (2, 2)),
        ((1, 2), (2, 3)),
    ]
    assert graph.nodes[2, 3]["history"] == "0,0;0,0"
