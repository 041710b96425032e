"""Theory and practice: the battery's environments and their formal twins, examples of the theory as practical ones."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import xenv
from engine.errors import BadValue
from engine.randomness.random_sources import make_random_source
from xenv.environments import ENVIRONMENTS
from xenv.names import agent_spec
from xenv.theory import THEORY_AGENTS, THEORY_EXAMPLES
from xenv.theory.bridges import practical_form
from xenv.theory.interaction import interact
from xenv.theory.naming import read_agent, read_environment
from xenv.theory.practical_agents import HistorySpec, as_history_agent
from xenv.theory.twins import TWINS
from xenv.theory.twins.formal_twins import WITHOUT_TWIN

TURNS = 60


def test_every_environment_that_has_a_formal_twin() -> None:
    assert set(TWINS) == set(ENVIRONMENTS) - set(WITHOUT_TWIN)


@pytest.mark.slow_cases(beyond=8)
@pytest.mark.parametrize("name", list(TWINS))
def test_practice_agrees_with_its_twin(name: str) -> None:
    kind = ENVIRONMENTS[name]

    @settings(deadline=None, max_examples=5)
    @given(
        st.one_of(
            st.integers(0, 10**9).map(lambda key: f"scrambled:{key},{kind.n_actions}"),
            st.sampled_from(["parity", "after_punishment", "win_stay", "once_rewarded", "reality_check(parity)"]),
        ),
        st.integers(0, 2**32),
    )
    def check(agent: str, key: int) -> None:
        run = xenv.run_environment(name, HistorySpec(read_agent(agent)), TURNS, key, record=True)
        twin = TWINS[name](make_random_source("keys", key, "environments"))
        formal = interact(read_agent(agent), twin, TURNS)
        assert run.record is not None
        assert run.record["observation"].tolist() == list(formal.play.observations)
        assert run.record["action"].tolist() == list(formal.play.actions)
        assert run.record["reward"].tolist() == [float(reward) for reward in formal.rewards[1:]]
        assert formal.rewards[0] == 0

    check()


ALIKE = ("ignore_rewards", "repeater", "delayed_rewards", "deja_vu", "reverse_history", "newcomb", "limited_memory")


@pytest.mark.parametrize("agent", ["q_learning", "simple", "reality_check(q_learning)"])
@pytest.mark.parametrize("name", ALIKE)
def test_practical_agents_too(name: str, agent: str) -> None:
    """Where the histories that they are trained on are those of the theory, transition by transition."""
    run = xenv.run_environment(name, agent, 40, key=3, record=True)
    spec, twin = agent_spec(agent), TWINS[name](make_random_source("keys", 3, "environments"))
    formal = interact(as_history_agent(spec, 1, 2, key=3), twin, 40)
    assert run.record is not None
    assert run.record["action"].tolist() == list(formal.play.actions)
    assert run.record["reward"].tolist() == [float(reward) for reward in formal.rewards[1:]]


@pytest.mark.parametrize("name", list(THEORY_EXAMPLES))
def test_practical_agents_play_the_examples(name: str) -> None:
    """The practical form gives what the theory gives, to a learner and to an agent of the theory."""
    form = practical_form(name, n_observations=10_000)
    named = read_environment(name)
    for agent in ("q_learning", HistorySpec(read_agent("scrambled:4,2"))):
        run = xenv.run_environment(form, agent, 20, key=1, record=True)
        history = as_history_agent(agent_spec(agent), 10_000, form.n_actions, key=1)
        formal = interact(history, named.environment, 20)
        assert run.record is not None
        assert run.record["observation"].tolist() == list(formal.play.observations)
        assert run.record["action"].tolist() == list(formal.play.actions)
        assert run.record["reward"].tolist() == [float(reward) for reward in formal.rewards[1:]]


def test_the_practical_form_is_an_environment() -> None:
    xenv.check_environment(practical_form("deja_vu"), turns=40)
    assert practical_form("binocular").n_observations == 145
    assert xenv.run_environment(xenv.opposite(practical_form("deja_vu")), "constant", 10).total_reward == -10
    with pytest.raises(BadValue, match="1000 turns"):
        xenv.run_environment(practical_form("counting", 2000), "constant", 1001)


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(list(THEORY_AGENTS)), st.lists(st.integers(0, 3), max_size=5))
def test_forks_share_nothing(name: str, observations: list[int]) -> None:
    agent: Any = HistorySpec(read_agent(name)).build(4, 4, 0)
    twin = agent.fork()
    for observation in observations:
        agent.train(xenv_transition(observation))
    assert twin.past == (0,)
    assert len(agent.past) == 1 + 3 * len(observations)
    assert agent.act(2) == read_agent(name)((*agent.past, 2))


def xenv_transition(observation: int) -> Any:
    from engine.agent import Transition

    return Transition(observation, 1, 0.5, 0)


def test_rewards_are_taken_exactly() -> None:
    agent = HistorySpec(read_agent("parity")).build(1, 2, 0)
    agent.train(xenv_transition(0))
    assert agent.past == (0, 0, 1, Fraction(1, 2))
