"""Other aspects of oneself: what the transformations make of agents, and who recognises them."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadValue
from xenv.theory import THEORY_EXAMPLES
from xenv.theory.agents import as_agent
from xenv.theory.examples.recognising_oneself import (
    ALPHABET,
    LONGEST,
    PredictionTrial,
    cluster_points,
    converse,
    enumerate_sentence,
    knows,
    label_image,
    list_clusterings,
    predict_bits,
)
from xenv.theory.histories import Prompt
from xenv.theory.interaction import interact
from xenv.theory.naming import read_agent, read_environment
from xenv.theory.recognition import make_denier, make_recogniser

ASPECTS = ["supervised_learning", "clustering", "chat", "sequence_prediction", "knowing_agent"]
POINTS = tuple((Fraction(n), Fraction(1, n + 1)) for n in range(4))


@settings(deadline=None, max_examples=10)
@given(st.sampled_from(ASPECTS), st.integers(0, 10**6))
def test_whoever_is_built_to_recognise_itself_does(name: str, key: int) -> None:
    environment: Any = THEORY_EXAMPLES[name]()
    acts = read_agent(f"scrambled:{key},40")
    assert interact(make_recogniser(environment, acts), environment, 60).rewards == (0, *[1] * 60)
    assert interact(make_denier(environment, acts), environment, 60).total == 0


@pytest.mark.parametrize("name", ASPECTS)
def test_constant_agents_are_right_about_some_trials_only(name: str) -> None:
    always, never = (interact(read_agent(f"always:{a}"), read_environment(name).environment, 90) for a in (1, 0))
    assert 0 < always.total < 90
    assert all(observation % 2 == 0 for observation in always.play.observations)
    if name != "knowing_agent":
        assert 0 < never.total < 90


def test_only_environments_with_trials_have_recognisers() -> None:
    with pytest.raises(BadValue, match="no trials"):
        read_agent("recogniser(newcomb)")
    assert read_agent("recogniser(chat)").name == "recogniser(chat)"


def test_a_supervised_learner_sees_its_mistakes() -> None:
    def learner(prompt: Prompt) -> int:
        """Answers what was right the last time that it saw the image, as far as rewards tell."""
        for turn in reversed(range(len(prompt.actions))):
            if prompt.observations[turn] == prompt.observations[-1]:
                right = prompt.rewards[turn + 1] > 0
                return prompt.actions[turn] if right else 1 - prompt.actions[turn]
        return 0

    training = ((3, 1), (4, 0), (5, 1))
    for image, label in training:
        assert label_image(as_agent(learner), 2, training, image) == tuple(Fraction(label == k) for k in (0, 1))
    assert label_image(as_agent(lambda prompt: 7), 3, (), 0) == (0, 1, 0)


def test_clusters() -> None:
    assert cluster_points(read_agent("always:3"), POINTS) == frozenset({frozenset(POINTS)})
    by_turn = cluster_points(read_agent("parity"), POINTS)
    assert by_turn == frozenset({frozenset(POINTS[0::2]), frozenset(POINTS[1::2])})
    for count, bell in enumerate((1, 1, 2, 5, 15)):
        every = list(list_clusterings(POINTS[:count]))
        assert len(every) == len(set(every)) == bell


def test_a_chatbot_answers_letter_by_letter() -> None:
    said = (ALPHABET, "hi")

    def echo(prompt: Prompt) -> int:
        """Says the last letter that it was told, then stops."""
        if prompt.observations[-1] != 1 or prompt.observations[-2] == 1:
            return 0
        return (prompt.observations[-2] - 1) // 2

    assert converse(as_agent(echo), said) == ("'", "i")
    assert converse(read_agent("always:1"), said) == ("a" * LONGEST,) * 2
    assert converse(read_agent("always:0"), said) == ("", "")


def test_a_predictor_is_shown_the_bits() -> None:
    bits = (0, 1, 1, 0, 1)

    def repeats(prompt: Prompt) -> int:
        return (prompt.observations[-1] - 1) // 2

    assert predict_bits(as_agent(repeats), bits) == (0, 0, 1, 1, 0)
    assert predict_bits(read_agent("parity"), bits) == (0, 1, 0, 1, 0)


def test_a_knowing_agent_enumerates_step_by_step() -> None:
    yes, no = read_agent("always:1"), read_agent("always:0")
    assert [enumerate_sentence(yes, 3, step) for step in range(1, 8)] == [0, 1, 0, 2, 1, 0, None]
    assert [knows(yes, 3, 2, steps) for steps in range(6)] == [False] * 4 + [True] * 2
    assert not knows(no, 3, 0, 50)
    sometimes = as_agent(lambda prompt: int(len(prompt.rewards) == 3))  # only where asked for the third time
    assert [knows(sometimes, 3, 0, steps) for steps in (5, 6)] == [False, True]


def test_counting_matters_to_the_knowing_agent() -> None:
    """The same sentence, shown again and again: at first it is not yet known."""
    result = interact(read_agent("always:1"), THEORY_EXAMPLES["knowing_agent"](("a", "b", "c")), 18)
    asked = list(zip(result.play.observations, result.rewards[1:], strict=True))
    assert [reward for shown, reward in asked if shown == 0] == [1] * 6
    assert [reward for shown, reward in asked if shown == 2] == [0, 1, 1, 1, 1, 1]
    assert [reward for shown, reward in asked if shown == 4] == [0, 0, 0, 1, 1, 1]


def test_trials_can_be_others() -> None:
    trials = tuple(PredictionTrial((0,) * n, (1,) * n) for n in range(1, 8))
    environment = THEORY_EXAMPLES["sequence_prediction"](trials)
    assert interact(read_agent("always:1"), environment, 30).total == 30 - sum(n % 7 > 6 for n in range(30))
