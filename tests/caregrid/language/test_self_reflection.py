"""A language agent in extended environments scores what the compiled agent does whose words it speaks."""

from pathlib import Path

import inspect_ai
import pytest
from inspect_ai._util.error import PrerequisiteError

from benchmarks import language_battery
from caregrid.language.inspect_tasks import self_reflection
from caregrid.language.prompts import TURN_PROMPTS
from caregrid.language.self_reflection import (
    NOT_APPLICABLE,
    TURN,
    SelfQuestion,
    SelfReflectionRun,
    _read_turn,
    list_environments,
    read_answer,
    speak_as,
)
from engine.agent import Transition
from engine.errors import CaregridError
from xenv.environments import benchmark
from xenv.interaction_loop import run_environment

OWN_TURNS = "[system]\n{observations} {actions}\n[turn]\nSee: {shown} And now?\n[reminder]\n"
TABULAR = ("q_learning", "random", "constant", "simple")


def play(run: SelfReflectionRun, agent: str) -> tuple[float, int, int]:
    """The mean reward, the questions asked by the environment, and those that were put."""
    given, put = run.start(), 0
    while isinstance(question := run.advance(given), SelfQuestion):
        action = read_answer(question, speak_as(agent, question.shape, run.tell(question), question.seed))
        assert action is not None
        given.keep(question, action)
        put += 1
    return question, given.calls, put


@pytest.mark.parametrize("agent", TABULAR)
def test_the_battery_measures_what_it_measures_of_the_compiled_agent(agent: str) -> None:
    turns = 12
    for environment in list_environments(opposites=agent == "q_learning"):
        found, _, _ = play(SelfReflectionRun(environment, turns, 7), agent)
        if "punish_nondeterministic" not in environment:
            assert found == pytest.approx(run_environment(environment, agent, turns, 7).mean, abs=1e-12), environment


def test_long_runs_agree_as_well() -> None:
    for environment in ("ignore_rewards_3", "limited_memory"):
        found, _, _ = play(SelfReflectionRun(environment, 100, 3), "q_learning")
        assert found == pytest.approx(run_environment(environment, "q_learning", 100, 3).mean, abs=1e-12)


def test_a_reality_check_of_words_is_that_of_the_compiled_agent() -> None:
    for environment in ("repeater", "ignore_rewards", "crying_baby"):
        found, _, _ = play(SelfReflectionRun(environment, 15, 3, reality_check=True), "q_learning")
        assert found == run_environment(environment, "reality_check(q_learning)", 15, 3).mean


def test_the_benchmark_compares_all_tabular_agents_and_fails_where_one_differs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {*language_battery.list_tabular_agents()} == {*TABULAR, "sarsa", "expected_sarsa"}
    words = ["--turns", "15", "--environments", "crying_baby,punish_nondeterministic", "--agents"]
    assert language_battery.main([*words, "simple,sarsa,expected_sarsa"]) == 0
    assert "15 turns: 8 equal, 0 different, 4 drawn anew" in capsys.readouterr().out
    monkeypatch.setattr(language_battery, "speak", lambda *_: "ACTION: 1")
    assert language_battery.main([*words, "random"]) == 1
    assert "DIFFERENT" in capsys.readouterr().out


def test_drawn_anew_an_agent_at_random_contradicts_its_copies() -> None:
    """With one key the copy answers alike; drawn anew it agrees with the agent in half of the turns."""
    for seed in range(3):
        assert play(SelfReflectionRun("repeater", 60, seed), "constant")[0] == 1.0
        assert abs(play(SelfReflectionRun("punish_nondeterministic", 60, seed), "random")[0]) < 0.5
        assert abs(play(SelfReflectionRun("ignore_rewards", 60, seed, "anew"), "random")[0]) < 0.5
    assert play(SelfReflectionRun("punish_nondeterministic", 60, 1), "q_learning")[0] < 1.0


def test_the_questions_are_known_before_anything_is_asked() -> None:
    """Exact to 10 percent over the battery, for another agent; of equal ones only one is put."""
    expected = asked = 0
    for environment in list_environments():
        run = SelfReflectionRun(environment, 30, 5)
        expected += run.count_calls()[0]
        _, calls, put = play(run, "q_learning")
        asked += calls
        assert put <= calls
    assert abs(asked - expected) <= 0.1 * expected


def test_a_long_run_is_refused_with_its_cost_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="it takes at most 19,"):
        self_reflection(turns=400, out=str(tmp_path))


def test_what_does_not_apply_is_left_out_and_refused() -> None:
    assert {*benchmark()} - {*NOT_APPLICABLE} == {*list_environments()}
    for name in (*NOT_APPLICABLE, "opposite(punish_slow_agent)"):
        with pytest.raises(CaregridError, match="does not apply"):
            SelfReflectionRun(name, 3)


def test_a_history_is_read_back_from_its_words() -> None:
    history = (Transition(0, 1, -0.25, 4), Transition(4, 0, 9.0, 2), Transition(2, 1, 1e-7, 0))
    question = SelfQuestion(5, 2, 9, history, 3)
    for prompts in TURN_PROMPTS.list_names():
        messages = SelfReflectionRun("crying_baby", 3, prompts=prompts).tell(question)
        assert speak_as("constant", (5, 2), messages, question.seed).startswith("I remember 3 turns.")
        assert tuple(map(_read_turn, TURN.finditer(messages[1].text))) == history


@pytest.mark.parametrize("prompts", [*TURN_PROMPTS.list_names(), f"{__name__}:OWN_TURNS"])
def test_every_prompt_set_leads_to_the_same_score(prompts: str) -> None:
    for environment in ("crying_baby", "opposite(repeater)"):
        found, _, _ = play(SelfReflectionRun(environment, 12, 3, prompts=prompts), "q_learning")
        assert found == run_environment(environment, "q_learning", 12, 3).mean


def test_the_task_gives_the_measure_with_its_standard_error(tmp_path: Path) -> None:
    task = self_reflection(environments="crying_baby,opposite(repeater)", turns=10, out=str(tmp_path))
    [log] = inspect_ai.eval(task, model="exact/q_learning", display="none", log_dir=str(tmp_path / "logs"))
    assert log.status == "success", log.error
    assert log.results is not None
    found = {name: each.value for name, each in log.results.scores[0].metrics.items()}
    rewards = [run_environment(name, "q_learning", 10, 0).mean for name in ("crying_baby", "opposite(repeater)")]
    assert found["mean"] == pytest.approx(sum(rewards) / 2)
    assert found["crying_baby"] == rewards[0]
    assert found["standard_error"] == pytest.approx(abs(rewards[0] - rewards[1]) / 2)
