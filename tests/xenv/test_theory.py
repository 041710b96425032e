"""The formal theory: the paper's examples by hand, and theory against practice."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import xenv
from engine.errors import ContractBroken
from xenv.specs.names import agent_spec
from xenv.theory import THEORY_EXAMPLES
from xenv.theory.handicaps import with_handicap
from xenv.theory.histories import History, HistoryAgent, Percept, as_history_agent, interact, moments
from xenv.theory.reality_check import reality_check

PRACTICAL = {
    "ignoring_rewards": "ignore_rewards",
    "backward_consciousness": "reverse_history",
    "deja_vu": "deja_vu",
}


def after_a_punishment(prompt: History) -> int:
    """Acts 1 after a negative reward, else 0."""
    return int(prompt[-2] < 0)


def rewards(environment: Any, measured: HistoryAgent, turns: int) -> list[float]:
    return [reward for reward, _, _ in moments(interact(measured, environment, turns))]


@pytest.mark.parametrize("name", ["q_learning", "simple", "random", "reality_check(q_learning)"])
@pytest.mark.parametrize("example", list(PRACTICAL))
def test_theory_and_practice_agree(example: str, name: str) -> None:
    """Turn by turn, once an answer of the practical form to its first turn (0 by definition) is left out of account."""
    run = xenv.run_environment(PRACTICAL[example], agent_spec(name), 25, key=3, record=True)
    assert run.record is not None
    play: History = (0.0, 0)
    for turn, (_, action, reward, _) in enumerate(run.record.tolist()):
        play = (*play, action)
        answer = THEORY_EXAMPLES[example]()(as_history_agent(agent_spec(name), 1, 2, key=3), play)
        assert answer.observation == 0
        assert answer.reward == reward or (turn == 0 and reward == 0.0)
        play = (*play, reward, 0)


def test_false_memories_in_practice() -> None:
    memories = (0.0, 0, 0, 0.0, 0, 0)
    run = xenv.run_environment("false_memories", agent_spec("q_learning"), 40, key=1, record=True)
    assert run.record is not None
    learner = as_history_agent(agent_spec("q_learning"), 1, 2, key=1)
    played = moments(interact(learner, THEORY_EXAMPLES["false_memories"](memories), 41))
    assert [action for _, _, action in played][:-1] == run.record["action"].tolist()
    assert [reward for reward, _, _ in played][1:] == run.record["reward"].tolist()


def test_incentivize_zero_is_the_incentive_to_incentivize() -> None:
    run = xenv.run_environment("incentivize_zero", agent_spec("q_learning"), 15, key=1, record=True)
    assert run.record is not None
    worker, play = as_history_agent(agent_spec("q_learning"), 10, 10, key=1), (0.0, 0)
    for _, action, reward, _ in run.record.tolist():
        play = (*play, action)
        assert THEORY_EXAMPLES["incentive_to_incentivize"]()(worker, play) == (reward, 0)
        play = (*play, reward, 0)


@pytest.mark.parametrize("example", [*PRACTICAL, "incentive_to_incentivize"])
def test_handicaps_pay_one_or_minus_one_and_show_nothing(example: str) -> None:
    for turn, (reward, shown, _) in enumerate(moments(interact(after_a_punishment, THEORY_EXAMPLES[example](), 12))):
        assert shown == 0
        assert reward == 0 if turn == 0 else reward in (-1, 1)


def generous(measured: HistoryAgent, play: History) -> Percept:
    """Shows how long it has lasted and pays 5 for action 1."""
    return Percept(5.0 if play and play[-1] == 1 else 0.0, len(play) // 3)


def test_a_handicap_takes_the_reward_and_leaves_the_view() -> None:
    handicapped = with_handicap(generous, THEORY_EXAMPLES["ignoring_rewards"]())

    def bored(prompt: History) -> int:
        return 1

    def excited(prompt: History) -> int:
        return int(sum(prompt[0::3]) == 0)

    assert [moment[:2] for moment in moments(interact(bored, handicapped, 4))] == [(0, 0), (5, 1), (5, 2), (5, 3)]
    assert [moment[:2] for moment in moments(interact(excited, handicapped, 4))] == [(0, 0), (5, 1), (-1, 2), (-1, 3)]


def test_only_merciful_environments_take_a_handicap() -> None:
    with pytest.raises(ContractBroken, match="is negative"):
        interact(after_a_punishment, with_handicap(lambda T, p: Percept(-2.0, 0), THEORY_EXAMPLES["deja_vu"]()), 1)
    with pytest.raises(ContractBroken, match="h of"):
        interact(after_a_punishment, with_handicap(generous, generous), 2)


def test_self_insertion_shows_rewards_and_rewards_treating_them_as_real() -> None:
    def cruel(measured: HistoryAgent, play: History) -> Percept:
        return Percept(-1.0 if len(play) % 2 else 1.0, 0)

    room = THEORY_EXAMPLES["self_insertion"](cruel)

    def immersed(prompt: History) -> int:
        percept = prompt[-1] if isinstance(prompt[-1], tuple) else prompt[-2:]
        return int(percept[0] < 0)

    assert set(rewards(room, immersed, 8)[1:]) == {1.0}
    assert -1.0 in rewards(room, after_a_punishment, 8)


def test_the_self_inserted_game_answers_the_play_in_the_room() -> None:
    """e(T, p a), by the definition: the rewards in p a are the room's and the observations what it has shown."""
    asked: list[History] = []

    def game(measured: HistoryAgent, play: History) -> Percept:
        asked.append(play)
        return Percept(float(len(play)), 5)

    def odd(prompt: History) -> int:
        return int(sum(prompt[0::3])) % 2

    play = interact(odd, THEORY_EXAMPLES["self_insertion"](game), 6)
    shown = [Percept(3.0 * turn, 5) for turn in range(6)]
    assert asked == [play[: 3 * turn] for turn in range(6)]
    assert list(play[1::3]) == shown
    assert set(play[3::3]) == {1.0, -1.0}
    for turn in range(1, 6):
        *prompt, action = (entry for k in range(turn) for entry in (*shown[k], play[3 * k + 2]))
        assert play[3 * turn] == (1.0 if action == odd(tuple(prompt)) else -1.0)


def test_acting_as_if_only_the_mirror_were_there() -> None:
    def room(measured: HistoryAgent, play: History) -> Percept:
        return Percept(0.0, {"face": len(play) % 2, "mirror": 1})

    viewed = THEORY_EXAMPLES["as_if_seeing"](room, lambda snapshot: {"mirror": snapshot["mirror"]})
    assert set(rewards(viewed, lambda prompt: prompt[-1]["mirror"], 6)[1:]) == {1.0}
    assert -1.0 in rewards(viewed, lambda prompt: prompt[-1].get("face", 0), 6)


def test_the_baby_is_the_agent_nurtured_otherwise() -> None:
    baby = THEORY_EXAMPLES["crying_baby"]()
    fed, starved = (moments(interact(lambda prompt, action=action: action, baby, 30)) for action in (0, 1))
    assert [reward for reward, _, _ in fed] == [1.0] * 30
    assert [reward for reward, _, _ in starved] == [1.0] + [-1.0] * 29
    contented = moments(interact(after_a_punishment, baby, 30))
    assert [reward for reward, _, _ in contented][:6] == [1.0, 1.0, 1.0, 1.0, 1.0, -1.0]


def test_recognising_oneself() -> None:
    plays = [(0.0, 0, 0), (0.0, 0, 1), (0.0, 0, 0, -1.0, 0, 1), (0.0, 0, 1, -1.0, 0, 0)]

    def honest(prompt: History) -> int:
        shown = prompt[-1]
        if isinstance(shown, tuple):
            return int(shown[-1] == honest(shown[:-1]))
        return int(prompt[-2] < 0)

    assert rewards(THEORY_EXAMPLES["recognition"](plays), honest, 9) == [0.0] + [1.0] * 8
    assert rewards(THEORY_EXAMPLES["recognition"](plays), lambda prompt: 1, 5) == [0.0, 0.0, 1.0, 1.0, 0.0]


def test_playing_only_what_ends_well() -> None:
    theorems = [(generous, 7.0), (THEORY_EXAMPLES["deja_vu"](), -3.0)]
    itself = THEORY_EXAMPLES["learning_itself"](lambda measured: theorems)
    wise = {id(generous): 0}
    assert rewards(itself, lambda prompt: wise.get(id(prompt[-1]), 1), 5) == [0.0, 7.0, 0.0, 7.0, 0.0]
    assert rewards(itself, lambda prompt: 0, 3) == [0.0, 7.0, -3.0]


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["q_learning", "simple", "random"]),
    st.lists(st.tuples(st.sampled_from([-1.0, 1.0]), st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=6),
)
def test_the_checked_function_is_the_checked_agent(name: str, history: list[tuple[float, int, int]]) -> None:
    prompt = tuple(entry for moment in history for entry in moment)[:-1]
    checked = as_history_agent(xenv.reality_check(agent_spec(name)), 2, 2)
    assert reality_check(as_history_agent(agent_spec(name), 2, 2))(prompt) == checked(prompt)
