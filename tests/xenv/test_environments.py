"""Each environment's rule, by examples: agents whose every action is known, and the reward of each turn."""

import itertools
from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import pytest

import xenv
from engine.agent import Transition
from xenv.environments import ENVIRONMENTS, benchmark
from xenv.names import agent_spec, environment_factory
from xenv.user_agents import AdaptedAgent


class Script:
    """Does what the script says, turn by turn; copies that were trained less often are further back in it."""

    def __init__(self, actions: Sequence[int]) -> None:
        self.actions, self.trained = actions, 0

    def act(self, observation: int) -> int:
        return self.actions[self.trained]

    def train(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        self.trained += 1


def script(*actions: int) -> Any:
    return lambda: Script((*actions, 0, 0, 0))


class Diary:
    """Keeps what it was trained on; acts on the last reward and on how much there was."""

    diaries: list[list[tuple[int, int, float, int]]]

    def __init__(self) -> None:
        self.history: list[tuple[int, int, float, int]] = []
        self.diaries.append(self.history)

    def act(self, observation: int) -> int:
        return (len(self.history) // 2 + int(bool(self.history) and self.history[-1][2] < 0)) % 2

    def train(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        self.history.append((observation, action, reward, next_observation))


def diaries(name: str, turns: int) -> list[list[tuple[int, int, float, int]]]:
    """What all were trained on: the copies in the order of their making, the agent last."""
    made = type("Made", (Diary,), {"diaries": []})
    with patch("xenv.interaction_loop.tell_if_not_semi_deterministic"):  # which makes agents of its own
        xenv.run_environment(environment_factory(name), made, turns, 1, randomness="published")
    return made.diaries


def rewards(name: str, factory: Any, turns: int) -> list[float]:
    run = xenv.run_environment(environment_factory(name), factory, turns, 1, randomness="published", record=True)
    assert run.record is not None
    return run.record["reward"].tolist()


def test_the_benchmark_has_the_papers_size() -> None:
    assert len(benchmark()) == 25


@pytest.mark.parametrize(
    ("name", "imagined"),
    [
        ("ignore_rewards", lambda real, k: [(0, real[k][1], 0.0, 0)]),
        ("ignore_rewards_2", lambda real, k: [real[k]] if real[k][2] <= 0 else []),
        ("ignore_actions", lambda real, k: [(0, 0, real[k][2], 0)]),
        ("shifted_rewards", lambda real, k: [(0, real[k][1], real[k - 1][2] if k else 0.0, 0)]),
        (
            "delayed_rewards",
            lambda real, k: [(0, real[k][1], 0.0 if k % 2 else real[k][2] + (real[k - 1][2] if k else 0.0), 0)],
        ),
        ("flip_every_other", lambda real, k: [(0, real[k][1], real[k][2] * (-1) ** k, 0)]),
        ("nth_reward_times_n", lambda real, k: [(0, real[k][1], real[k][2] * k, 0)]),
        ("repeater", lambda real, k: [real[k]] * 2),
        ("punish_nondeterministic", lambda real, k: [real[k]]),
        ("third_action_forbidden", lambda real, k: [real[k]]),
        ("ignore_observations", lambda real, k: [(0, real[k][1], real[k][2], 0)]),
    ],
)
def test_the_copy_is_trained_on_the_imagined_past(name: str, imagined: Any) -> None:
    *_, copy, real = (diary for diary in diaries(name, 30) if diary)
    assert copy == [step for k in range(len(real)) for step in imagined(real, k)]


def test_false_memories_come_first() -> None:
    copy, real = (diary for diary in diaries("false_memories", 20) if diary)
    assert copy == [(0, 0, 0.0, 0)] * 2 + real


def test_ignore_rewards_3_lives_by_its_own_actions() -> None:
    assert rewards("ignore_rewards_3", script(0, 1, 1, 0), 4) == [1.0] * 4


def test_limited_memory_keeps_five_turns() -> None:
    forgetful = rewards("limited_memory", script(0, 1, 1, 0, 1, 0, 0, 0, 1), 9)
    assert forgetful == [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0]


def test_after_images_blend_each_image_with_the_one_before() -> None:
    copy, real = (diary for diary in diaries("after_images", 50) if diary)
    images = [real[0][0], *(step[3] for step in real)]
    sights = [images[0], *(now | before for before, now in itertools.pairwise(images))]
    assert [(step[0], step[3]) for step in copy] == list(itertools.pairwise(sights))


def test_censored_observations_never_reach_the_copy() -> None:
    copy, real = (diary for diary in diaries("censored_observation", 60) if diary)
    assert real[0][0] == 0
    assert {step[3] for step in real} == {0, 1, 2}
    assert [step[1:] for step in copy] == [step[1:] for step in real if step[3] != 2]
    assert [step[0] for step in copy] == [0, *(step[3] for step in copy[:-1])]


def test_tempting_button_pays_the_push_and_the_reputation() -> None:
    def pusher(observation: int) -> int:
        return 0

    def skipper(observation: int) -> int:
        return 1

    assert _by_observation("tempting_button", pusher) == {0: 1.0, 1: -1.0}
    assert _by_observation("tempting_button", skipper) == {0: -1.0, 1: 1.0}
    assert _by_observation("tempting_button_variation", pusher) == {0: 1.0, 1: -1.0}
    assert _by_observation("tempting_button_variation", skipper) == {0: 0.0, 1: 0.0}
    assert _by_observation("tempting_button_variation", lambda observation: 1 - observation) == {0: 0.0, 1: 1.0}


def test_self_recognition_pays_for_telling_the_truth_about_oneself() -> None:
    truth = {2: 1, 3: 0, 4: 0, 5: 1}

    def honest(observation: int) -> int:
        return truth.get(observation, observation)

    assert _by_observation("self_recognition", honest) == {0: 0.0, 1: 0.0, 2: 1.0, 3: 1.0, 4: 1.0, 5: 1.0}


def _by_observation(name: str, policy: Any) -> dict[int, float]:
    """The reward that a fixed policy gets at each observation."""
    fixed = type(
        "Fixed", (), {"act": lambda self, observation: policy(observation), "train": lambda self, *transition: None}
    )
    run = xenv.run_environment(environment_factory(name), fixed, 200, 1, record=True)
    assert run.record is not None
    given = {(observation, reward) for observation, _, reward, _ in run.record.tolist()}
    assert len(given) == len(dict(given))
    return dict(sorted(given))


def test_incentivize_learning_rate_wants_the_rate_that_it_names() -> None:
    spec = agent_spec("q_learning")
    fast = type(spec)(learning_rate=1.0)  # type: ignore[call-arg]
    assert xenv.run_environment("incentivize_learning_rate", fast, 300).total_reward == 300


def test_incentivize_zero_pays_the_worker_what_the_agent_does() -> None:
    worker, boss = (diary for diary in diaries("incentivize_zero", 20) if diary)
    assert [step[2] for step in worker] == [step[1] for step in boss]
    assert {(step[0], step[3]) for step in worker} == {(0, 0)}
    assert [step[3] for step in boss][:-1] == [step[1] for step in worker][1:]


def test_the_baby_cries_when_it_is_hungry_or_overfed() -> None:
    baby, parent = (diary for diary in diaries("crying_baby", 12) if diary)
    full, contented = 5, []
    for _, action, _, _ in parent:
        full = min(full + 1, 9) if action == 0 else max(full - 1, 0)
        contented.append(1.0 if 2 < full < 8 else -1.0)
    assert [step[2] for step in baby] == contented
    assert [step[2] for step in parent] == [1.0 if step[1] == 0 else -1.0 for step in baby]
    assert [step[0] for step in baby] == [0, *(step[3] for step in baby[:-1])]


def test_the_parent_of_the_agent_wants_laughter() -> None:
    parent, baby = (diary for diary in diaries("crying_baby_2", 12) if diary)
    assert [step[0] for step in baby] == [1, *(step[3] for step in baby[:-1])]  # at first it is not fed
    assert [step[2] for step in parent] == [1.0 if step[1] == 0 else -1.0 for step in baby]
    assert [step[3] for step in parent] == [step[1] for step in baby]


@pytest.mark.parametrize("role", ["predictor", "evader"])
def test_sequence_prediction_is_a_zero_sum_game(role: str) -> None:
    other, own = (diary for diary in diaries(f"adversarial_sequence_{role}", 40) if diary)
    assert [step[2] for step in own] == [-step[2] for step in other]
    agreed = [mine[1] == yours[1] for mine, yours in zip(own, other, strict=True)]
    assert [step[2] > 0 for step in own] == [same == (role == "predictor") for same in agreed]
    assert [step[3] for step in own] == [step[1] for step in other]


def test_newcomb_fills_the_box_for_those_who_leave_the_other() -> None:
    assert rewards("newcomb", script(0, 0, 1, 1), 4) == [1_000_000.0] * 2 + [1000.0] * 2
    assert rewards("newcomb_normalised", script(0, 1), 2) == pytest.approx([2 / 1.001 - 1, 2 / 1001 - 1])


def test_rewritten_pasts() -> None:
    past = [Transition(0, 1, -1.0, 0), Transition(0, 0, 1.0, 0), Transition(0, 1, 1.0, 0)]
    reverse, again = (ENVIRONMENTS[name].imagine for name in ("reverse_history", "deja_vu"))  # type: ignore[attr-defined]
    turned = [Transition(0, 1, 1.0, 0), Transition(0, 0, -1.0, 0), Transition(0, 1, 0.0, 0)]
    assert reverse(None, past, 1) == turned
    assert again(None, past, 1) == [turned[-1], *past]


@pytest.mark.parametrize("name", ["reverse_history", "deja_vu"])
def test_cached_prefixes_change_nothing(name: str) -> None:
    kind = ENVIRONMENTS[name]
    simulate = xenv.Simulate(agent_spec("q_learning"), 1, 2, key=4)
    world, actor = kind(simulate), simulate()
    past: list[Transition] = []
    for _ in range(60):
        action = actor.act(0)
        copy = simulate()
        full = [*(past if kind.after_real_past else []), *world.imagine(past, action)] if past else []  # type: ignore[attr-defined]
        for transition in full:
            copy.train(transition)
        expected = (1.0 if copy.act(0) == action else -1.0) if past else 0.0
        reward, _ = world.step(action)
        assert reward == expected
        past.append(Transition(0, action, reward, 0))
        actor.train(past[-1])


@pytest.mark.parametrize("key", range(5))
@pytest.mark.parametrize("agent", ["q_learning", "simple", "constant", "reality_check(q_learning)"])
def test_reverse_history_is_example_5_but_for_the_first_reward(agent: str, key: int) -> None:
    def example_5(percepts: list[tuple[float, int]], actions: list[int]) -> float:
        """+1 where y_n = pi(x_n y_{n-1} x_{n-1} ... y_1 x_1): a fresh agent lives through x_n, ..., x_1."""
        fresh = simulate()
        for k in reversed(range(1, len(percepts))):
            (reward, before), (_, after) = percepts[k - 1], percepts[k]
            fresh.train(Transition(after, actions[k - 1], reward, before))
        return 1.0 if fresh.act(percepts[0][1]) == actions[-1] else -1.0

    simulate = xenv.Simulate(agent_spec(agent), 1, 2, key=key)
    world, actor = ENVIRONMENTS["reverse_history"](simulate), simulate()
    percepts, actions = [(0.0, world.start())], list[int]()
    for turn in range(1, 31):
        actions.append(actor.act(percepts[-1][1]))
        reward, observation = world.step(actions[-1])
        assert (reward, example_5(percepts, actions)) in ([(0.0, 1.0)] if turn == 1 else [(1.0, 1.0), (-1.0, -1.0)])
        actor.train(Transition(percepts[-1][1], actions[-1], reward, observation))
        percepts.append((reward, observation))


def test_what_hands_questions_to_users_agents_costs_no_steps() -> None:
    class Mine:
        def act(self, observation: int) -> int:
            chosen = observation + 1
            return chosen - 1

        def train(self, *transition: object) -> None:
            pass

    from xenv.environments.kinds_of_agent import count_steps_to_act

    mine: Any = Mine()
    twice = AdaptedAgent(AdaptedAgent(mine, 2), 2, "a copy")
    assert (
        count_steps_to_act(mine, 0) == count_steps_to_act(AdaptedAgent(mine, 2), 0) == count_steps_to_act(twice, 0) == 2
    )


def test_slow_agents_are_punished_by_lines_not_seconds() -> None:
    class Slow:
        def __init__(self) -> None:
            self.turns = 0

        def act(self, observation: int) -> int:
            for _ in range(100):
                pass
            return 0

        def train(self, *transition: object) -> None:
            self.turns += 1

    given = rewards("punish_slow_agent", Slow, 60)
    assert given[0] == -1.0
    assert given[-1] == 1.0
    assert given == sorted(given) == rewards("punish_slow_agent", Slow, 60)
