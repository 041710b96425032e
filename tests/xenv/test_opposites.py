"""Opposites: twice is the environment itself, blind agents score 0, literal ones reach the copies."""

import pytest

import xenv
from engine.agent import Transition
from engine.errors import BadValue
from xenv.agents import BATTERY_AGENTS
from xenv.environments import ENVIRONMENTS, benchmark
from xenv.names import agent_spec, environment_factory
from xenv.transformations import TRANSFORMATIONS

TABULAR = ["random", "constant", "simple", "q_learning"]
CHECKED = [f"{check}({name})" for check in ("reality_check", "reality_check_published") for name in TABULAR]


def test_the_tabular_agents_are_registered() -> None:
    assert set(TABULAR) <= set(BATTERY_AGENTS)
    assert {"executed_action", "reality_check", "reality_check_published"} <= set(TRANSFORMATIONS)


@pytest.mark.parametrize("name", benchmark())
def test_benchmark_rewards_are_one_nothing_or_minus_one(name: str) -> None:
    record = xenv.run_environment(name, "q_learning", 500, 2, record=True).record
    assert record is not None
    assert set(record["reward"].tolist()) <= {-1.0, 0.0, 1.0}


@pytest.mark.parametrize("name", CHECKED)
def test_checked_agents_fork(name: str) -> None:
    measured = agent_spec(name).build(2, 2, key=1)
    measured.train(Transition(0, measured.act(0), 1.0, 1))
    twin = measured.fork()
    before = [measured.act(0), measured.act(1)]
    for _ in range(5):
        twin.train(Transition(1, 1 - twin.act(1), -1.0, 0))
    assert [measured.act(0), measured.act(1)] == before


@pytest.mark.parametrize("name", list(ENVIRONMENTS))
def test_opposite_of_opposite_is_the_environment(name: str) -> None:
    kind = ENVIRONMENTS[name]
    for sign in (xenv.opposite, xenv.literal_opposite):
        assert sign(sign(kind)) is kind
        assert sign(kind) == environment_factory(f"{sign.__name__}({name})")
        assert (sign(kind).n_observations, sign(kind).n_actions) == (kind.n_observations, kind.n_actions)
    assert xenv.opposite(xenv.literal_opposite(kind)) == xenv.literal_opposite(xenv.opposite(kind))


@pytest.mark.parametrize("name", benchmark())
def test_blind_agents_score_nothing_once_opposites_are_included(name: str) -> None:
    for blind in ("random", "constant"):
        there, back = (xenv.run_environment(make, blind, 300, 3) for make in (name, xenv.opposite(name)))
        assert there.total_reward + back.total_reward == 0


def test_literal_opposites_feed_copies_what_the_agent_gets() -> None:
    """An agent that stays after a punishment and moves after a reward sees the difference."""
    total = {
        sign: xenv.run_environment(xenv.OPPOSITES[sign]("punish_nondeterministic"), "q_learning", 400, 1).total_reward
        for sign in ("opposite", "literal_opposite")
    }
    assert total["literal_opposite"] == -400
    assert total["opposite"] > 200


def test_opposites_of_names_nest_and_what_is_no_environment_is_refused() -> None:
    repeater = ENVIRONMENTS["repeater"]
    assert xenv.opposite("opposite(repeater)") is repeater
    assert xenv.literal_opposite("opposite(literal_opposite(opposite( repeater )))") is repeater
    for nothing in (3, None, ()):
        with pytest.raises(BadValue, match="is not an environment; give a class, a factory or a name"):
            xenv.opposite(nothing)
