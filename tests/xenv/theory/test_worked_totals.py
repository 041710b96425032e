"""The totals that can be worked out by hand: all rewards, that of the first percept included, after ten actions."""

from fractions import Fraction
from typing import Any

import pytest

from engine.errors import BadValue
from xenv.theory.agents import FunctionAgent
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.interaction import MOST_TURNS, interact
from xenv.theory.naming import read_agent, read_environment

WORKED = [
    ("ignoring_rewards", "once_rewarded", -8),  # 0, then 1, then -1 for ever
    ("ignoring_rewards", "always:3", 10),
    ("deja_vu", "parity", 0),  # p a p has an odd number of actions: 1 is right, 0 is wrong
    ("deja_vu", "always:1", 10),
    ("incentive_to_incentivize", "always:1", -10),
    ("incentive_to_incentivize", "always:0", 10),
    ("backward_consciousness", "parity", 10),
    ("false_memories", "parity", -10),
    ("false_memories:0,0,1;0,0,0", "parity", 10),
    ("crying_baby", "always:0", 11),
    ("crying_baby", "always:1", -9),
    ("newcomb", "always:1", 10_000),
    ("newcomb", "always:7", 10_000),
    ("newcomb", "always:0", 10_000_000),
    ("newcomb", "parity", 5_000_000 + 5_000),  # the prediction is right: a million where 0, a thousand where 1
    ("opposite(newcomb)", "always:1", -10_000),
    ("counting", "always:1", 10),
    ("newcomb*deja_vu", "parity", 5 * 1000 - 5),
]


@pytest.mark.parametrize(("example", "agent", "total"), WORKED)
def test_totals(example: str, agent: str, total: int) -> None:
    assert interact(read_agent(agent), read_environment(example).environment, 10).total == total


def test_the_result_of_an_interaction() -> None:
    """Definition 3: percepts answer the play so far, actions the prompt so far."""
    asked: list[tuple[Any, ...]] = []

    def environment(agent: Any, play: Play) -> Percept:
        asked.append(play)
        return Percept(Fraction(len(play), 2), 10 + len(play))

    result = interact(lambda prompt: len(prompt), environment, 3)
    assert result.play == (0, 10, 2, Fraction(3, 2), 13, 5, 3, 16, 8)
    assert result.last == (Fraction(9, 2), 19)
    assert asked == [result.play[: 3 * turn] for turn in range(4)]
    assert result.rewards == (0, Fraction(3, 2), 3, Fraction(9, 2))
    assert result.total == 9
    assert result.sum_discounted(Fraction(1, 2)) == Fraction(3, 4) + Fraction(3, 4) + Fraction(9, 16)
    assert result.sum_discounted(0) == 0


@pytest.mark.parametrize("discount", [-1, 2, Fraction(3, 2), 0.5, True, "1"])
def test_discounts_are_rational_from_0_to_1(discount: Any) -> None:
    with pytest.raises(BadValue, match="discount"):
        interact(lambda prompt: 0, read_environment("deja_vu").environment, 2).sum_discounted(discount)


@pytest.mark.parametrize("turns", [0, -1, MOST_TURNS + 1, 10**30, 1.5, True, None])
def test_turns_are_bounded_before_anything_is_done(turns: Any) -> None:
    agent = FunctionAgent(lambda prompt: 0)
    with pytest.raises(BadValue, match="turns"):
        interact(agent, read_environment("deja_vu").environment, turns)
    assert agent.evaluations == 0


@pytest.mark.parametrize("example", ["deja_vu", "incentive_to_incentivize", "crying_baby", "ignoring_rewards"])
def test_each_prompt_is_evaluated_once(example: str) -> None:
    asked: list[Prompt] = []

    def agent(prompt: Prompt) -> int:
        asked.append(prompt)
        return len(prompt) % 2

    measured = FunctionAgent(agent)
    for turns in (20, 30):
        interact(measured, read_environment(example).environment, turns)
    assert len(asked) == len(set(asked)) == measured.evaluations
