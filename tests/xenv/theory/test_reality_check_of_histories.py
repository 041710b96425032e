"""Proposition 13 in history form: exhaustively on small prompts, and by hypothesis beyond."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xenv.theory import THEORY_AGENTS, THEORY_EXAMPLES
from xenv.theory.agents import FunctionAgent, HistoryAgent
from xenv.theory.enumerations import list_small_plays, list_small_prompts
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.naming import read_agent, read_environment
from xenv.theory.reality_check import (
    acts_alike_in_ordinary,
    acts_alike_on_genuine_history,
    alternate_definition_agrees,
    is_idempotent,
    reality_check,
    reality_check_alternate,
)

UP_TO_3 = list(list_small_prompts(3, rewards=(-1, 1), observations=(0, 1)))
AGENTS = st.one_of(
    st.integers(0, 10**9).map(lambda key: f"scrambled:{key},3"), st.sampled_from([*THEORY_AGENTS, "q_learning"])
).map(lambda name: read_agent(name, 3, 3))
TURNS = st.lists(st.tuples(st.integers(-1, 1), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=12)
PROMPTS = TURNS.map(lambda turns: Prompt([entry for turn in turns for entry in turn][:-1]))


def by_definition_10(agent: Callable[[Any], int], prompt: tuple[Any, ...]) -> int:
    """Definition 10 word for word, exponential."""
    genuine = all(prompt[end] == by_definition_10(agent, prompt[:end]) for end in range(2, len(prompt), 3))
    return agent(prompt) if genuine else agent(prompt[:2])


def by_part_1(agent: Callable[[Any], int], prompt: tuple[Any, ...]) -> int:
    """The alternate definition word for word."""
    genuine = all(prompt[end] == agent(prompt[:end]) for end in range(2, len(prompt), 3))
    return agent(prompt) if genuine else agent(prompt[:2])


def test_all_small_prompts_are_there() -> None:
    assert len(UP_TO_3) == len(set(UP_TO_3)) == 4 + 4 * 8 + 4 * 64
    assert len(list(list_small_plays(2))) == 1 + 12 + 144


@pytest.mark.parametrize("name", [*THEORY_AGENTS, *(f"scrambled:{key}" for key in range(12)), "q_learning"])
def test_every_prompt_up_to_length_3(name: str) -> None:
    agent = read_agent(name, 2, 2)
    for prompt in UP_TO_3:
        expected = by_definition_10(agent, prompt)
        assert expected == by_part_1(agent, prompt)
        assert reality_check(agent)(prompt) == reality_check_alternate(agent)(prompt) == expected
        assert alternate_definition_agrees(agent, prompt)
        assert is_idempotent(agent, prompt)


def test_every_agent_on_two_percepts() -> None:
    """All 2^10 agents with two actions, on all prompts of up to two percepts out of two."""
    prompts = list(list_small_prompts(2, rewards=(0, 1), observations=(0,)))
    assert len(prompts) == 2 + 8
    for actions in itertools.product((0, 1), repeat=len(prompts)):
        table = dict(zip(prompts, actions, strict=True))
        agent = FunctionAgent(table.__getitem__)
        once = reality_check(agent)
        twice, alternate = reality_check(once), reality_check_alternate(agent)
        for prompt in prompts:
            assert once(prompt) == twice(prompt) == alternate(prompt) == by_definition_10(agent, prompt)


@settings(deadline=None, max_examples=80)
@given(AGENTS, PROMPTS)
def test_longer_prompts(agent: HistoryAgent, prompt: Prompt) -> None:
    assert reality_check(agent)(prompt) == by_part_1(agent, prompt)
    assert alternate_definition_agrees(agent, prompt)
    assert is_idempotent(agent, prompt)
    for check in (reality_check, reality_check_alternate):
        along = list(check(agent).actions(prompt))
        assert along == [by_part_1(agent, prompt.prefix(turn)) for turn in range(len(along))]


@settings(deadline=None, max_examples=60)
@given(AGENTS, PROMPTS, st.integers(0, 12))
def test_mostly_genuine_pasts(agent: HistoryAgent, prompt: Prompt, wrong: int) -> None:
    """Pasts that are the agent's own up to some turn, where random ones are hardly ever."""
    entries = list(prompt)
    for turn in range(min(wrong, len(prompt.actions))):
        entries[3 * turn + 2] = agent(tuple(entries[: 3 * turn + 2])) % 3
    past = Prompt(entries)
    assert reality_check(agent)(past) == reality_check_alternate(agent)(past) == by_part_1(agent, past)


@pytest.mark.parametrize("example", list(THEORY_EXAMPLES))
def test_genuine_history(example: str) -> None:
    named = read_environment(example)
    for name in [*THEORY_AGENTS, "scrambled:1", "scrambled:2,3"]:
        assert acts_alike_on_genuine_history(read_agent(name), named.environment, 8)


@settings(deadline=None, max_examples=40)
@given(AGENTS, st.integers(0, 10**6))
def test_ordinary_environments(agent: HistoryAgent, key: int) -> None:
    answers = read_agent(f"scrambled:{key},3")

    def ordinary(measured: Any, play: Play) -> Percept:
        """Rewards and observations are a function of the play alone."""
        asked = Prompt((*play, 0, 0))
        return Percept(Fraction(answers(asked) - 1), answers(asked) % 3)

    bounded = FunctionAgent(lambda prompt: agent(prompt) % 3)
    assert acts_alike_in_ordinary(bounded, ordinary, 12)


@pytest.mark.parametrize("example", ["deja_vu", "false_memories"])
def test_a_checked_agent_freezes_in_what_never_happened(example: str) -> None:
    """Part 4 does not hold of extended environments."""
    agent, environment = read_agent("once_rewarded"), read_environment(example).environment
    assert not acts_alike_in_ordinary(agent, environment, 30)


def test_the_reality_check_is_not_exponential() -> None:
    agent = FunctionAgent(lambda prompt: 0)
    prompt = Prompt((0, 0, 0) * 300 + (0, 0))
    assert reality_check(reality_check(agent))(prompt) == 0
    assert agent.evaluations == 301
