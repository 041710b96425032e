"""Formal twins against twins written by hand from the papers, without the practical environments."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caregrid.main import main
from engine.errors import BadValue, UnknownName
from engine.randomness.random_sources import RandomSource, make_random_source
from xenv.environments import ENVIRONMENTS
from xenv.interaction_loop import run_environment
from xenv.theory.agents import HistoryAgent
from xenv.theory.environments import START, ZERO, HistoryEnvironment, respond, sign
from xenv.theory.histories import Percept, Play, Prompt, reverse_prompt
from xenv.theory.interaction import interact
from xenv.theory.naming import read_agent
from xenv.theory.practical_agents import HistorySpec
from xenv.theory.twins import TWINS
from xenv.theory.twins.formal_twins import WITHOUT_TWIN, make_twin

TURNS = 40


def after_images(source: RandomSource) -> HistoryEnvironment:
    """r = 1 where a = T(p'), else -1; p' has o_i | o_{i+1} in place of o_{i+1}."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        shown = source.randrange(8, len(play.actions))
        if not play:
            return Percept(ZERO, shown)
        prompt, action = play.decompose()
        images, entries = prompt.observations, list(prompt)
        entries[1::3] = images[0], *(earlier | later for earlier, later in itertools.pairwise(images))
        return Percept(sign(action == agent(Prompt(entries))), shown)

    return environment


def reverse_history(source: RandomSource) -> HistoryEnvironment:
    """r = 1 where a = T(p'), else -1, and 0 for the first action; p' is p in reverse, its first reward 0."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        if len(play.actions) < 2:
            return START
        prompt, action = play.decompose()
        return Percept(sign(action == agent(Prompt((0, *reverse_prompt(prompt)[1:])))), 0)

    return environment


def adversarial_sequence_predictor(source: RandomSource) -> HistoryEnvironment:
    """r = 1 where both act alike, else -1; the opponent sees the agent's last action, its reward is -r."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        if not play:
            return START
        *past, action = play.actions
        seen = [START, *(Percept(-reward, own) for reward, own in zip(play.rewards[1:], past, strict=True))]
        opponents = agent.answers(seen).actions[-1]
        return Percept(sign(action == opponents), opponents)

    return environment


def crying_baby(source: RandomSource) -> HistoryEnvironment:
    """r = 1 where the baby laughs (0), else -1.

    The baby is trained on its answer to an observation as if that had followed the observation before.
    """

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        past, observed, full, sound = [0], 0, 5, 0
        for action in play.actions:
            full = min(full + 1, 9) if action == 0 else max(full - 1, 0)
            sound = agent(Prompt((*past, action)))
            past += [observed, sound, 1 if 2 < full < 8 else -1]
            observed = action
        return Percept(sign(sound == 0) if play else ZERO, sound)

    return environment


def tempting_button(source: RandomSource) -> HistoryEnvironment:
    """Button (0): r = 1 where a = 0, else -1. No button (1): r = -1 where T(p'), p' ending in 0, is 0, else 1."""

    def environment(agent: HistoryAgent, play: Play) -> Percept:
        turn = len(play.actions)
        shown = int(turn > 0 and source.uniform(turn + 1) < 0.75)
        if not play:
            return Percept(ZERO, shown)
        prompt, action = play.decompose()
        pushes = action == 0 if prompt[-1] == 0 else agent(Prompt((*prompt[:-1], 0))) != 0
        return Percept(sign(pushes), shown)

    return environment


BY_HAND: dict[str, Callable[[RandomSource], HistoryEnvironment]] = {
    twin.__name__: twin
    for twin in (after_images, reverse_history, adversarial_sequence_predictor, crying_baby, tempting_button)
}


@pytest.mark.slow_cases(beyond=5)
@pytest.mark.parametrize("randomness", ["keys", "published"])
@pytest.mark.parametrize("name", BY_HAND)
def test_every_percept_is_that_of_the_twin_written_by_hand(name: str, randomness: str) -> None:
    """Along the agent's own play, and along plays whose actions are not the agent's."""

    @settings(deadline=None, max_examples=8)
    @given(
        st.one_of(
            st.integers(0, 10**9).map(lambda key: f"scrambled:{key},2"),
            st.sampled_from(["parity", "after_punishment", "win_stay", "once_rewarded", "reality_check(parity)"]),
        ),
        st.integers(0, 100),
        st.lists(st.integers(0, 1), min_size=TURNS, max_size=TURNS),
    )
    def check(name_of_agent: str, key: int, actions: list[int]) -> None:
        source, agent = make_random_source(randomness, key, "environments"), read_agent(name_of_agent)
        by_hand, twin = BY_HAND[name](source), TWINS[name](source)
        assert interact(agent, twin, TURNS) == interact(agent, by_hand, TURNS)
        play = Play()
        for action in actions:
            percept = respond(twin, agent, play)
            assert percept == respond(by_hand, agent, play)
            play = play.prompt(percept).play(action)

    check()


@pytest.mark.parametrize("name", list(TWINS))
def test_what_was_asked_before_changes_nothing(name: str) -> None:
    """Shorter plays, other plays and other agents between the questions, and the same question twice."""
    source, n_actions = make_random_source("keys", 4, "environments"), ENVIRONMENTS[name].n_actions
    agents = [read_agent(f"scrambled:{key},{n_actions}") for key in (1, 2)]
    twin, plays = TWINS[name](source), [interact(agent, TWINS[name](source), 8).play for agent in agents]
    questions = [(agent, Play(play[: 3 * turns])) for turns in (8, 3, 3, 5) for play in plays for agent in agents]
    for agent, play in questions:
        assert respond(twin, agent, play) == respond(TWINS[name](source), agent, play)


@pytest.mark.parametrize("name", WITHOUT_TWIN)
def test_an_environment_without_a_twin_says_why(name: str) -> None:
    for called in (name, f"opposite({name.replace('_', '-')})"):
        with pytest.raises(BadValue, match=f"'{name}' has no formal twin: i"):
            make_twin(called)
    with pytest.raises(UnknownName, match=name):
        TWINS[name]


@pytest.mark.parametrize("outer", ["opposite", "literal_opposite"])
@pytest.mark.parametrize("name", ["ignore_rewards_2", "shifted_rewards", "adversarial_sequence_evader"])
def test_opposites_have_twins_too(name: str, outer: str) -> None:
    agent, source = read_agent("scrambled:5,2"), make_random_source("keys", 2, "environments")
    run = run_environment(f"{outer}({name})", HistorySpec(agent), TURNS, 2, record=True)
    formal = interact(agent, make_twin(f"{outer}({name})")(source), TURNS)
    assert run.record is not None
    assert run.record["action"].tolist() == list(formal.play.actions)
    assert run.record["reward"].tolist() == [float(reward) for reward in formal.rewards[1:]]


OWN = '''
from engine.agent import Transition
from xenv.environment import ExtendedEnvironment
from xenv.theory.twins.formal_twins import make_twin

class Agree(ExtendedEnvironment):
    """Act as the copy, which is trained on the past."""

    def __init__(self, simulate):
        super().__init__(simulate)
        self.copy = simulate()

    def start(self):
        return 0

    def step(self, action):
        reward = 1.0 if action == self.copy.act(0) else -1.0
        self.copy.train(Transition(0, action, reward, 0))
        return reward, 0

agree = make_twin("my_twins:Agree")

def blind(source):
    """Rewards action 1."""
    return lambda agent, play: (int(bool(play) and play[-1] == 1), 0)
'''


def test_a_twin_of_ones_own(users_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Written by hand, or made from an environment of one's own."""
    (users_folder / "my_twins.py").write_text(OWN)
    source: Any = make_random_source("keys", 1, "environments")
    assert interact(read_agent("parity"), TWINS["my_twins:agree"](source), 9).rewards == (0, *[1] * 9)
    assert interact(read_agent("parity"), TWINS["my_twins:blind"](source), 4).rewards == (0, 0, 1, 0, 1)
    assert main(["show", "my_twins:blind", "--kind", "formal_twins"]) == 0
    assert "Rewards action 1." in capsys.readouterr().out
