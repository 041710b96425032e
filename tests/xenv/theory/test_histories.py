"""Plays and prompts: what is one, what is none, and how they are taken apart."""

import contextlib
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadValue
from xenv.theory.histories import (
    Percept,
    Play,
    Prompt,
    prepend_play,
    read_natural,
    read_play,
    reverse_prompt,
    with_observations,
    with_rewards,
)

REWARDS = st.fractions(max_denominator=50)
TURNS = st.lists(st.tuples(REWARDS, st.integers(0, 10**20), st.integers(0, 10**20)), max_size=6)
PLAYS = TURNS.map(lambda turns: Play(entry for turn in turns for entry in turn))
PROMPTS = st.tuples(PLAYS, REWARDS, st.integers(0, 9)).map(lambda parts: parts[0].prompt(Percept(*parts[1:])))


@given(PLAYS)
def test_a_play_is_empty_or_a_prompt_and_an_action(play: Play) -> None:
    """Lemma 1."""
    if not play:
        with pytest.raises(BadValue, match="empty play"):
            play.decompose()
        return
    prompt, action = play.decompose()
    assert isinstance(prompt, Prompt)
    assert (*prompt, action) == play
    assert prompt.play(action) == play
    assert isinstance(prompt.play(action), Play)


@given(PROMPTS)
def test_entries_are_what_they_are_called(prompt: Prompt) -> None:
    assert Prompt(tuple(prompt)) == prompt
    assert all(type(reward) is Fraction for reward in prompt.rewards)
    assert len(prompt.rewards) == len(prompt.observations) == len(prompt.actions) + 1
    assert [tuple(prompt.prefix(turn)) for turn in range(len(prompt) // 3 + 1)] == [
        tuple(prompt[: 3 * turn + 2]) for turn in range(len(prompt) // 3 + 1)
    ]


@given(PROMPTS, PLAYS)
def test_rewriting(prompt: Prompt, earlier: Play) -> None:
    assert reverse_prompt(reverse_prompt(prompt)) == prompt
    assert reverse_prompt(prompt)[:2] == prompt[-2:]
    assert prepend_play(earlier, prompt) == (*earlier, *prompt)
    zeroed = with_rewards(prompt, lambda reward: 0)
    assert set(zeroed.rewards) == {0}
    assert zeroed.actions == prompt.actions
    assert zeroed.observations == prompt.observations
    assert with_observations(prompt, lambda o: o + 1).observations == tuple(o + 1 for o in prompt.observations)


def test_integers_of_any_kind_become_numbers() -> None:
    play = Play((np.int64(-2), np.int8(3), np.uint16(4)))
    assert play == (Fraction(-2), 3, 4)
    assert [type(entry) for entry in play] == [Fraction, int, int]


@pytest.mark.parametrize("reward", [0.5, 1.0, True, "1", None, float("nan"), 1j, 10**1001, Fraction(1, 10**1001)])
def test_what_is_no_reward(reward: Any) -> None:
    with pytest.raises(BadValue, match="reward"):
        Play((reward, 0, 0))
    with pytest.raises(BadValue, match="reward"):
        Play((0, 0, 0, reward, 0, 0))


@pytest.mark.parametrize(
    "number", [-1, 0.0, True, "0", None, Fraction(1), 10**1001, [0], np.float64(1), np.bool_(True)]
)
def test_what_is_no_observation_or_action(number: Any) -> None:
    with pytest.raises(BadValue, match="turn 2: observation"):
        Prompt((0, 0, 0, 1, number))
    with pytest.raises(BadValue, match="turn 1: action"):
        Play((0, 0, number))


@pytest.mark.parametrize("length", range(9))
def test_lengths(length: int) -> None:
    kinds = {0: Play, 2: Prompt}
    for remainder, kind in kinds.items():
        if length % 3 == remainder:
            assert len(kind([0] * length)) == length
        else:
            with pytest.raises(BadValue, match=f"{length} entries"):
                kind([0] * length)
    with pytest.raises(BadValue, match="not a sequence"):
        Play(3)  # type: ignore[arg-type]


def test_plays_as_people_write_them() -> None:
    assert read_play("0,0,1;-1/2,3,0") == (0, 0, 1, Fraction(-1, 2), 3, 0)
    assert read_play("") == ()


@given(st.text(alphabet="0123456789,;/-. ex²", max_size=12))
def test_other_texts_are_refused_in_one_line(text: str) -> None:
    for read in (read_play, read_natural):
        with contextlib.suppress(BadValue):
            read(text)  # type: ignore[operator]
            continue
        with pytest.raises(BadValue) as caught:
            read(text)  # type: ignore[operator]
        assert "\n" not in str(caught.value)
