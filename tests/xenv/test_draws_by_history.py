"""Learners that draw by history: equal pasts draw alike, others independently, and what they draw is as likely."""

import pytest

pytest.importorskip("torch")

from engine.agent import Transition, check_agent
from engine.errors import BadValue
from engine.learning.stacks.lanes import ActionValueSettings
from xenv.agents.a2c import StackedA2C
from xenv.agents.dqn import StackedDQN
from xenv.agents.ppo import StackedPPO, StackedPPORedrawn
from xenv.simulation import Simulate

SPECS = {
    "dqn": StackedDQN(buffer_size=60, total_timesteps=50),
    "a2c": StackedA2C(),
    "ppo": StackedPPO(n_steps=16, batch_size=8, n_epochs=2),
    "redrawn": StackedPPORedrawn(n_steps=16, batch_size=8, n_epochs=2),
}
TURNS = 600


def with_history(spec):
    """The same learner, drawing by history."""
    return type(spec)(**{**vars(spec), "draws": "history"})


@pytest.mark.parametrize("spec", [with_history(spec) for spec in SPECS.values()], ids=list(SPECS))
def test_the_contract_of_agents_holds(spec):
    check_agent(spec, trainings=40, histories=1)


def share_of_equal_actions(spec):
    """How often two agents of one key act alike whose pasts differ in one reward, before anything is learned."""
    one, other = (spec.build(1, 2, 7) for _ in range(2))
    equal = 0
    for turn in range(TURNS):
        one.train(Transition(0, 0, 0.0, 0))
        other.train(Transition(0, 0, 1.0 if turn == 0 else 0.0, 0))
        equal += one.act(0) == other.act(0)
    return equal / TURNS


def test_other_pasts_draw_independently_by_history_and_alike_by_turn():
    """PPO has learned nothing in 600 turns: its policy is even, so that independent draws agree half of the time."""
    assert share_of_equal_actions(StackedPPO()) == 1.0
    assert share_of_equal_actions(StackedPPO(draws="history")) == pytest.approx(0.5, abs=4 * 0.5 / TURNS**0.5)


def test_questions_of_one_turn_draw_independently_and_as_likely_as_the_policy_says():
    agent = StackedPPO(draws="history").build(2, 2, 3)
    first, both = 0, 0
    for _ in range(TURNS):
        agent.train(Transition(0, 0, 0.0, 0))
        answers = agent.act(0), agent.act(1)
        first += answers[0]
        both += answers[0] == answers[1]
    for count in (first, both):
        assert count / TURNS == pytest.approx(0.5, abs=4 * 0.5 / TURNS**0.5)


@pytest.mark.parametrize("fraction", [0.1, 0.5, 1.0])
def test_the_exploration_rate_is_stable_baselines_s_schedule(fraction):
    from stable_baselines3.common.utils import LinearSchedule

    settings = ActionValueSettings(9, 3, 4, 1.0, 0.9, 4, 1, 10, fraction, 0.9, 0.1, 10.0, 40)
    schedule = LinearSchedule(0.9, 0.1, fraction)
    for turn in range(3, 60):
        remaining = 1.0 - min(turn, 40) / 40
        assert settings.exploration_rate(turn) == pytest.approx(schedule(remaining))
    assert settings.exploration_rate(2) == 1.0


def test_other_words_are_refused():
    with pytest.raises(BadValue, match="draws is 'dice'; give one of turn, history"):
        StackedPPO(draws="dice").build(1, 2, 0)


def test_a_copy_of_another_shape_draws_its_own_numbers_by_history():
    """Before PPO learns, agent and copy agree in a third of the turns, as even policies over 2 and 3 actions do.

    By one number for both, each policy cutting the unit interval in order, they would agree in half of them.
    """
    from xenv.interaction_loop import run_environment

    turns = 2_000
    mean = run_environment("third_action_forbidden", StackedPPO(draws="history"), turns, 5).mean
    assert mean == pytest.approx(1 / 3 - 2 / 3, abs=4 * (8 / 9 / turns) ** 0.5)
    assert run_environment("third_action_forbidden", StackedPPO(), turns, 5).mean == pytest.approx(0.0, abs=0.1)


def test_a_copy_with_other_hyperparameters_draws_its_own_numbers_by_history():
    """Always at random, agent and copy agree in half of the turns, and in all of them if one setting is no other.

    With one number for both, whatever is explored would be rewarded, so that no action could be told from another.
    """
    spec = StackedDQN(draws="history", exploration_final_eps=1.0)
    simulate = Simulate(spec, 1, 2, 7)
    agreed = {}
    for rate in (1.0, spec.learning_rate):
        agent, copy = simulate.make_measured_agent(), simulate(learning_rate=rate)
        agreed[rate] = 0
        for _ in range(TURNS):
            agreed[rate] += agent.act(0) == copy.act(0)
            for each in (agent, copy):
                each.train(Transition(0, 0, 1.0, 0))
    assert agreed[spec.learning_rate] == TURNS
    assert agreed[1.0] / TURNS == pytest.approx(0.5, abs=4 * 0.5 / TURNS**0.5)
