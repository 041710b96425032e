"""Mutation checks: six tempting mistakes, each put in the place of the real thing, must be caught by known numbers."""

from collections.abc import Collection, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from multislot import simulation
from multislot.futures import Continuation, CopyWeights, Future, find_future
from multislot.futures.copy_centred import weigh_by_copy_share
from multislot.futures.slot_centred import weigh_own_slot
from multislot.learning import make_single_environment, parse_history
from multislot.planning.planner import Planner, evaluate
from multislot.scenarios import SLOT_SCENARIOS, slot_scenario
from multislot.simulation import Memory, format_trace
from multislot.worlds.environment import Label, Slot, SlotTransition, copy_observation, copy_probability
from multislot.worlds.table import parse_table, read_json

DATA = Path(__file__).resolve().parent.parent / "data" / "multislot"


def caught_by(values: Mapping[str, Future]) -> set[str]:
    """The reference tables and scenarios whose numbers are not reproduced with some values replaced."""
    caught = set()
    for path in sorted(DATA.glob("*.json")):
        content = read_json(path)
        for value, wanted in content.get("values", {}).items() if isinstance(content, dict) else ():
            environment = parse_table(content, path.name)
            chosen = values.get(value, value)
            answer = evaluate(environment, chosen, content["horizon"], Fraction(content["discount"]))
            if {str(action): str(q) for action, q in answer.Q.items()} != wanted["Q"]:
                caught.add(path.stem)
    for name in SLOT_SCENARIOS:
        for example in slot_scenario(name).examples:
            environment = slot_scenario(name).environment
            if example.value in values:
                history = parse_history(example.history, make_single_environment(environment))
                answer = evaluate(
                    environment, values[example.value], example.horizon, Fraction(example.discount), history
                )
                if dict(answer.Q) != {action: Fraction(q) for action, q in example.Q.items()}:
                    caught.add(name)
    return caught


def test_the_real_values_are_not_caught() -> None:
    real = {name: find_future(name) for name in ("cpy", "cpy_joint", "dyn", "sta:1")}
    assert caught_by(real) == set()


def test_passing_the_slot_through_the_copy_centred_value() -> None:
    assert "split_tree" in caught_by({"cpy": Future(weigh_by_copy_share, continuation=Continuation.ON_THE_SLOT)})


def test_dropping_the_copy_probability() -> None:
    def without(step: SlotTransition) -> CopyWeights:
        copied = copy_probability(step.law)
        total = sum(copied.values())
        return {(j, o): p / copied[j] * copied[j] / total for (j, o), p in copy_observation(step.law).items()}

    assert "half_copy" in caught_by({"cpy": Future(without)})


def test_renormalising_over_survivors() -> None:
    def surviving(step: SlotTransition) -> CopyWeights:
        weights = weigh_by_copy_share(step)
        total = sum(weights.values())
        return {copy: weight / total for copy, weight in weights.items()}

    caught = caught_by({"cpy": Future(surviving)})
    assert {"half_copy", "half_dup"} <= caught


def test_renormalising_the_estimate_over_survivors() -> None:
    """The subtler form: slots that are about to be deleted do not count in the average."""

    def alive(law: Any) -> Fraction:
        return sum((p for p, copies in law if copies), Fraction(0)) or Fraction(1, 10**9)

    assert "copy_delete_original" in caught_by({"cpy": Future(weigh_by_copy_share, multiplicity=alive)})


def test_forgetting_that_the_static_agent_stays() -> None:
    def there(step: SlotTransition) -> CopyWeights:
        return {(j, o): p for (j, o), p in copy_observation(step.law).items() if j == 1}

    caught = caught_by({"sta:1": Future(there)})
    assert "there_and_back" in caught


def test_forgetting_the_past_of_the_static_agent() -> None:
    assert "there_and_back" in caught_by({"sta:1": Future(weigh_own_slot, continuation=Continuation.ON_THE_SLOT)})


def test_planning_dyn_as_if_the_later_self_kept_its_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later actions are then chosen slot by slot, and the consistency trick no longer works."""
    real, dynamic = Planner._back_up, find_future("dyn")

    def back_up(self: Planner, node: Any, edges: Any, backups: Any, retained: Any) -> Any:
        values = real(self, node, edges, backups, retained)
        if self.future is not dynamic:
            return values
        by_slot = self._back_up_slots(0, node.beliefs[0], edges, backups[0], retained)
        return values._replace(retained=([max(row) for row in by_slot.values()],))

    monkeypatch.setattr(Planner, "_back_up", back_up)
    assert {"consistency", "split_tree"} <= caught_by({"dyn": dynamic})


def test_copying_sequentially(monkeypatch: pytest.MonkeyPatch) -> None:
    """Swapping agents overwrite one another when one copy is made after the other in the same memories."""

    def one_by_one(memories: Mapping[Slot, Memory], copies: Mapping[Slot, Collection[Slot]]) -> dict[Slot, Memory]:
        space = dict(memories)
        for source, slots in copies.items():
            for slot in slots:
                space[slot] = space[source]
        return {slot: space[slot] for slots in copies.values() for slot in slots}

    def policy(history: Any) -> Label:
        return int(history[0][1]) if history else 0

    def actions() -> list[Any]:
        trace = simulation.simulate_slots(slot_scenario("swap").environment, policy, 4)
        return [entry.get("actions") for entry in format_trace(trace)]

    real = [None, {"1": 0}, {"1": 0, "2": 1}, {"1": 1, "2": 0}, {"1": 0, "2": 1}]
    assert actions() == real
    monkeypatch.setattr(simulation, "copy_memories", one_by_one)
    assert actions() != real
