"""Stateless randomness: the same bits plain and compiled, evenly spread, and domains apart."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from engine.randomness import compiled
from engine.randomness.counter_based import INTEGERS, bits, randrange, split, uniform

ROOT = Path(__file__).resolve().parents[2]
KEYS = st.integers(0, 2**64 - 1)
COUNTERS = st.integers(0, 2**40)
MANY = 20_000
UNLIKELY = 1e-4


def test_the_reference_stream() -> None:
    """The finaliser and increment of SplitMix64: the published first outputs for seed 1234567."""
    key, golden, mask = 1234567, 0x9E3779B97F4A7C15, 2**64 - 1
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert [bits(key, n) for n in range(5)] == published
    assert bits((key + golden) & mask, 0) == published[1]


@given(KEYS, COUNTERS, COUNTERS, st.integers(1, 2**30))
@settings(max_examples=200, deadline=None)
def test_plain_and_compiled_give_the_same_bits(key: int, a: int, b: int, n: int) -> None:
    seed = np.uint64(key)
    assert int(compiled.bits_1(seed, a)) == bits(key, a)
    assert compiled.uniform_1(seed, a) == uniform(key, a)
    assert compiled.uniform_2(seed, a, b) == uniform(key, a, b)
    assert compiled.randrange_1(n, seed, a) == randrange(n, key, a)
    assert compiled.randrange_2(n, seed, a, b) == randrange(n, key, a, b)


@given(KEYS, COUNTERS, st.integers(1, 2**53))
@settings(max_examples=200, deadline=None)
def test_draws_stay_in_range(key: int, a: int, n: int) -> None:
    assert 0.0 <= uniform(key, a) < 1.0
    assert 0 <= randrange(n, key, a) < n


@given(st.integers(1, 2**53))
@settings(max_examples=300, deadline=None)
def test_even_the_largest_uniform_stays_below_n(n: int) -> None:
    assert int(n * (1.0 - 2.0**-53)) < n


@pytest.mark.parametrize("draw", [lambda n: uniform(7, n), lambda n: uniform(n, 7), lambda n: uniform(7, 3, n)])
def test_uniforms_are_uniform_over_counters_and_over_keys(draw) -> None:  # type: ignore[no-untyped-def]
    numbers = np.array([draw(n) for n in range(MANY)])
    assert stats.kstest(numbers, "uniform").pvalue > UNLIKELY
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 4 / MANY**0.5


def test_randrange_is_even() -> None:
    counts = np.bincount([randrange(7, 11, n) for n in range(MANY)], minlength=7)
    assert stats.chisquare(counts).pvalue > UNLIKELY


@pytest.mark.parametrize(("one", "other"), [("world", "agent"), (0, 1), (0, "0"), ("", "a")])
def test_split_keys_share_nothing(one: str | int, other: str | int) -> None:
    first = np.array([uniform(split(5, one), n) for n in range(MANY)])
    second = np.array([uniform(split(5, other), n) for n in range(MANY)])
    parent = np.array([uniform(5, n) for n in range(MANY)])
    for a, b in ((first, second), (first, parent), (second, parent)):
        assert abs(np.corrcoef(a, b)[0, 1]) < 4 / MANY**0.5
        assert not set(a) & set(b)


@given(KEYS, COUNTERS, COUNTERS, st.text(max_size=8))
@settings(max_examples=300, deadline=None)
def test_split_keys_are_no_numbers_of_their_parent(key: int, n: int, c: int, word: str) -> None:
    """The domains of counters, of integer labels and of words are apart: none of them yields a key of another."""
    parts = {split(key, n), split(key, word), split(split(key, n), c), split(split(key, word), n)}
    numbers = {bits(key), bits(key, n), bits(key, c), bits(key, n, c), bits(key, c, n)}
    assert len(parts) == 4
    assert not parts & numbers
    for part in parts:
        assert uniform(part, c) != uniform(key, n, c)
        assert bits(part, c) not in {bits(key, c), bits(key, n, c), bits(key, c, n)}


def test_integer_labels_live_where_the_word_says() -> None:
    digest = hashlib.blake2b(b"integers", digest_size=8).digest()
    assert int.from_bytes(digest, "little") == INTEGERS


def test_split_depends_on_key_and_label() -> None:
    keys = {split(key, label) for key in range(50) for label in ("a", "b", 0, 1, 2)}
    assert len(keys) == 250
    assert all(0 <= key < 2**64 for key in keys)


def test_words_split_alike_in_every_process() -> None:
    script = "from engine.randomness.counter_based import split; print(split(3, 'world'), split(3, 4))"
    answers = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert answers == {f"{split(3, 'world')} {split(3, 4)}\n"}
