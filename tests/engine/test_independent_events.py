"""Independent events: all outcomes are listed with probabilities that sum to 1, and any of them can be asked for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from engine.errors import BadValue, ContractBroken
from engine.mdp.columns import MOST_BRANCHES, Event, IndependentEvents, read_branches


class Bits(NamedTuple):
    """A number that counts which events happened."""

    sum: Any


def events(count: int, states: int = 2) -> IndependentEvents:
    def add(number: int) -> Any:
        return lambda bits: Bits(bits.sum + 2**number)

    listed = [Event(f"e{n}", np.full(states, 1 / (n + 2)), add(n)) for n in range(count)]
    return IndependentEvents(Bits(np.zeros(states, dtype=np.int64)), listed)


def test_outcomes_are_all_combinations_with_their_probabilities() -> None:
    listed = read_branches(events(3), 2, None, "step")
    assert [int(branch.state.sum[0]) for branch in listed] == list(range(8))
    assert [branch.name for branch in listed] == ["none", "e0", "e1", "e0+e1", "e2", "e0+e2", "e1+e2", "e0+e1+e2"]
    assert np.allclose(sum(branch.probability for branch in listed), 1.0)
    assert listed[5].probability[0] == pytest.approx(1 / 2 * 2 / 3 * 1 / 4)


def test_too_many_outcomes_are_refused_before_they_are_listed() -> None:
    with pytest.raises(BadValue, match=r"step has 1,048,576 outcomes"):
        read_branches(events(20), 2, None, "step")
    assert MOST_BRANCHES < 2**20


@pytest.mark.parametrize("names", [("a", "a"), ("a b", "c"), ("a", 3)])
def test_names_of_outcomes_are_different_words(names: tuple[Any, Any]) -> None:
    given = [(0.5, Bits(np.zeros(1, dtype=np.int64)), name) for name in names]
    with pytest.raises(ContractBroken, match="give different words without blanks or commas"):
        read_branches(given, 1, None, "step")
