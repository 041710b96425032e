"""Mercy and handicaps as properties, the table of losses, enumerations, measures."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadValue, UnknownName
from experiments.catalogue.extended_environments import handicaps
from xenv.theory import THEORY_EXAMPLES
from xenv.theory.agents import as_agent
from xenv.theory.enumerations import (
    decode_percept,
    decode_play,
    decode_rational,
    encode_percept,
    encode_play,
    encode_rational,
    pair_numbers,
    unpair_number,
)
from xenv.theory.handicaps import is_handicap, is_merciful, refute_handicap, refute_mercy
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.measures import (
    count_description_tokens,
    find_scale,
    measure,
    score,
    weigh_by_description,
    weigh_uniformly,
)
from xenv.theory.naming import read_agent, read_environment

HUGE = st.integers(0, 10**60)


@pytest.mark.parametrize("name", list(THEORY_EXAMPLES))
def test_what_is_declared_holds_and_nothing_is_left_undeclared(name: str) -> None:
    example = THEORY_EXAMPLES[name]
    assert is_handicap(example()) == example.is_handicap
    assert is_merciful(example()) == example.is_merciful


def test_refutations_name_agent_and_play() -> None:
    baby = read_environment("crying_baby").environment
    refutation = refute_mercy(baby)
    assert refutation is not None
    assert baby(refutation.agent, refutation.play) == refutation.percept
    assert refutation.percept.reward < 0
    late = refute_handicap(lambda agent, play: Percept(Fraction(1 if play else 0), int(len(play) > 30)))
    assert late is not None
    assert len(late.play) == 33


def test_the_table_of_losses_has_every_handicap_and_merciful_environment() -> None:
    assert set(handicaps.HANDICAPS) == {name for name, one in THEORY_EXAMPLES.items() if one.is_handicap}
    assert set(handicaps.MERCIFUL) == {name for name, one in THEORY_EXAMPLES.items() if one.is_merciful}
    (row,) = handicaps.run("counting", "ignoring_rewards", "once_rewarded", 10, 0)
    assert row == {"total": 0.0, "total_with_handicap": 0.0, "lost": 0.0, "penalties": 0}
    (row,) = handicaps.run("newcomb", "deja_vu", "parity", 10, 0)
    assert row["penalties"] == 5
    assert row["lost"] == 5 * 1_000_000 + 5


@given(HUGE, HUGE)
def test_pairs(first: int, second: int) -> None:
    assert unpair_number(pair_numbers(first, second)) == (first, second)
    assert pair_numbers(*unpair_number(first)) == first
    assert pair_numbers(first, second) == (first + second) * (first + second + 1) // 2 + second


def test_rationals_in_their_order() -> None:
    first = ["0", "1", "-1", "1/2", "-1/2", "2", "-2", "1/3", "-1/3", "3/2", "-3/2", "2/3", "-2/3", "3", "-3"]
    assert [str(decode_rational(place)) for place in range(15)] == first
    assert len({decode_rational(place) for place in range(3000)}) == 3000


@given(HUGE, st.fractions(max_denominator=500))
def test_rationals(place: int, number: Fraction) -> None:
    assert encode_rational(decode_rational(place)) == place
    if abs(number) < 3000:
        assert decode_rational(encode_rational(number)) == number


@given(HUGE, HUGE, st.fractions(min_value=-50, max_value=50, max_denominator=50))
def test_percepts(number: int, observation: int, reward: Fraction) -> None:
    assert encode_percept(decode_percept(number)) == number
    assert decode_percept(encode_percept(Percept(reward, observation))) == (reward, observation)


@given(
    st.integers(0, 10**12),
    st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4),
)
def test_plays(number: int, turns: list[tuple[int, int, int]]) -> None:
    assert encode_play(decode_play(number)) == number
    play = Play(entry for turn in turns for entry in turn)
    assert decode_play(encode_play(play)) == play


def test_the_enumeration_of_plays() -> None:
    plays = [decode_play(number) for number in range(500)]
    assert all(plays)
    assert len(set(plays)) == 500
    assert plays[:3] == [(0, 0, 0), (0, 0, 0, 0, 0, 0), (1, 0, 0)]
    assert plays[5] == (0, 0, 1)


@pytest.mark.parametrize("number", [Fraction(10**6), Fraction(1, 10**9), Fraction(-(10**900))])
def test_rationals_that_come_too_late(number: Fraction) -> None:
    with pytest.raises(BadValue, match="too long a number"):
        encode_rational(number)
    with pytest.raises(BadValue):
        encode_play(Play((0, 0, 0) * 300))
    with pytest.raises(BadValue, match="empty play"):
        encode_play(Play())


@pytest.mark.slow
@settings(deadline=None, max_examples=6)
@given(st.integers(0, 10**6), st.sampled_from([weigh_uniformly, weigh_by_description]))
def test_blind_agents_measure_exactly_0(key: int, weights: Any) -> None:
    """Their actions depend on the turn alone."""
    by_turn = read_agent(f"scrambled:{key},3")

    def blind(prompt: Prompt) -> int:
        return by_turn((0, 0, 0) * len(prompt.actions) + (0, 0))

    names = [name for name in THEORY_EXAMPLES if name not in ("mirror_with_body", "time_inspector", "memory_inspector")]
    assert measure(blind, names, 6, weights) == 0


def test_agents_that_see_may_measure_more() -> None:
    names = ["counting", "newcomb"]

    def greedy(prompt: Prompt) -> int:
        """Takes 0 as long as no reward was negative, then 1."""
        return int(min(prompt.rewards) < 0)

    assert measure(greedy, names, 10) > 0
    assert measure(greedy, ["newcomb"], 4) == Fraction(4 * 10**6 - (10**6 + 3 * 1000), 10 * 1_001_000)
    assert measure(lambda prompt: 1, ["counting"], 4) == 0
    assert measure(greedy, ["newcomb", "counting"], 4) == Fraction(2_997_000, 10_010_000) / 2


@pytest.mark.parametrize(
    ("name", "scale"),
    [("newcomb", 1_001_000), ("deja_vu", 1), ("employment:30,70", 30), ("with_rewards(newcomb,times:1/1000)", 1001)],
)
def test_the_scale_of_an_environment_is_its_largest_reward(name: str, scale: int) -> None:
    assert find_scale(read_environment(name).environment) == scale


def test_a_reward_beyond_the_scale_counts_as_the_scale() -> None:
    def late_million(agent: Any, play: Play) -> Percept:
        return Percept(Fraction(10**6 if len(play) > 90 else -1), 0)

    def changing(prompt: Prompt) -> int:
        return 0

    assert find_scale(late_million) == 1
    assert score(as_agent(changing), late_million, 40) == 0
    assert find_scale(lambda agent, play: Percept(Fraction(0), 0)) == 1


def test_weights() -> None:
    names = list(THEORY_EXAMPLES)
    for weights in (weigh_uniformly(names), weigh_by_description(names)):
        assert sum(weights.values()) == 1
    weights = weigh_by_description(["deja_vu", "newcomb"])
    lengths = [count_description_tokens(name) for name in weights]
    assert lengths[0] < lengths[1]
    assert weights["deja_vu"] / weights["newcomb"] == 2 ** (lengths[1] - lengths[0])
    with pytest.raises(UnknownName):
        count_description_tokens("nothing")
    with pytest.raises(BadValue, match="no examples"):
        measure(read_agent("parity"), [])


def test_the_length_of_a_description_counts_the_code_that_an_example_uses_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "family.py"
    file.write_text(
        '"""A family."""\n\nfrom elsewhere import TheoryExample\n\n__all__ = ["a", "b"]\n\n'
        "LIMIT = 3  # counted through `respond`: 3 tokens\n\n\n"
        'def respond(agent, play):\n    """Documented."""\n    return LIMIT, 0  # 8 + 4 tokens\n\n\n'
        "def unused(agent, play):\n    return 0, 0\n\n\n"
        'a = TheoryExample(lambda: respond)\n"""Its documentation."""\n\n'
        "b = TheoryExample(\n    lambda: a\n)\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(THEORY_EXAMPLES, "file", lambda name: file)
    assert count_description_tokens("a") == 8 + 12 + 3
    assert count_description_tokens("b") == 8 + 8 + 12 + 3


def test_inspectors_measure_time_and_memory() -> None:
    def lazy(prompt: Prompt) -> int:
        return 0

    def busy(prompt: Prompt) -> int:
        for _ in range(100):
            pass
        return 0

    def hoarding(prompt: Prompt) -> int:
        return len([*range(200)]) * 0 if len([None] * 200) == 0 else _held()

    def _held() -> int:
        held = list(range(500))
        return len(held) * 0

    totals = {
        (name, agent.__name__): measure_in(name, agent)
        for name in ("time_inspector", "memory_inspector")
        for agent in (lazy, busy, hoarding)
    }
    assert totals["time_inspector", "lazy"] == totals["memory_inspector", "lazy"] == 10
    assert totals["time_inspector", "busy"] == -10
    assert totals["memory_inspector", "busy"] == 10
    assert totals["memory_inspector", "hoarding"] == -10
    assert totals["time_inspector", "hoarding"] == 10
    assert measure_in("time_inspector:100", busy) > totals["time_inspector", "busy"]


def measure_in(name: str, agent: Any) -> Fraction:
    from xenv.theory.interaction import interact

    return interact(agent, read_environment(name).environment, 10).total
