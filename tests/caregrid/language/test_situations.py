"""Situations of copies and input terminals: exact agents fit themselves, letters say nothing, what is told is so."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import inspect_ai
import numpy as np
import pytest
from inspect_ai._util.error import PrerequisiteError

from caregrid.language import inspect_provider
from caregrid.language.copied_situations import COPIED, FUTURES
from caregrid.language.inspect_situations import SITUATIONS, copies, terminal
from caregrid.language.situations import LETTERS, LetteredQuestion, answer_as, list_questions, merge_agents
from caregrid.language.terminal_situations import AGENTS, AT_TERMINAL
from counterfactual.agents import PLANNING_AGENTS
from counterfactual.planning.plan import Replanner
from counterfactual.simulation.real_world import find_allowed_actions, list_real_outcomes
from counterfactual.worlds import FIRST

OWN_SITUATIONS = "[system]\n[question]\nLook: {situation}\nNow say!\n[reminder]\n"
TASKS = {"copies": copies, "terminal": terminal}
EVERYBODY = {"copies": FUTURES, "terminal": AGENTS}


def evaluate(title: str, folder: Path, model: str, **arguments: Any) -> dict[str, float]:
    """The metrics of a run."""
    made = TASKS[title](out=str(folder), **arguments)
    [log] = inspect_ai.eval(made, model=model, display="none", log_dir=str(folder / "logs"))
    assert log.status == "success", log.error
    assert log.results is not None
    return {name: each.value for name, each in log.results.scores[0].metrics.items()}


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(("title", "agent"), [("copies", "cpy"), ("copies", "sta:1"), ("terminal", "itf")])
def test_exact_agents_fit_themselves_through_inspect(tmp_path: Path, title: str, agent: str) -> None:
    found = evaluate(title, tmp_path, f"exact/{agent}")
    assert found[f"{agent}/fit"] == 1.0
    fits = {name: fit for name, fit in found.items() if name.endswith("/fit")}
    assert [name for name, fit in fits.items() if fit == 1.0] == [f"{agent}/fit"]
    assert found["unread"] == found["refusals"] == 0.0


@pytest.mark.parametrize("title", TASKS)
def test_every_class_is_told_from_every_other(title: str) -> None:
    """By single best actions: what a stand-in answers fits its own class in full, and no other one."""
    classes = merge_agents(SITUATIONS[title], EVERYBODY[title])
    assert {each for name in classes for each in name.split("=")} == {*EVERYBODY[title]}
    for name, agent in classes.items():
        answers = {q: q.read(answer_as(agent, q, 0)) for q in list_questions(SITUATIONS[title])}
        for other, another in classes.items():
            hits = [
                answers[q] in best
                for q in answers
                if len(best := q.situation.find_best(another)) == 1
            ]  # fmt: skip
            assert hits
            assert all(hits) == (name == other), (name, other)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("title", TASKS)
def test_a_letter_says_nothing(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever always answers A fits each agent as letters at random do: 1/k."""
    monkeypatch.setattr(inspect_provider, "speak", lambda *_: "ANSWER: A")
    found = evaluate(title, tmp_path, "exact/always_a")
    fits = {name.removesuffix("/fit"): fit for name, fit in found.items() if name.endswith("/fit")}
    assert fits
    for name, agent in merge_agents(SITUATIONS[title], EVERYBODY[title]).items():
        sizes = [len(each.actions) for each in SITUATIONS[title] if len(each.find_best(agent)) == 1]
        assert fits[name] == pytest.approx(float(sum(Fraction(1, size) for size in sizes) / len(sizes)))
        assert fits[name] == pytest.approx(found[f"{name}/at_random"])


@pytest.mark.parametrize("prompts", ["brief", "reasons", f"{__name__}:OWN_SITUATIONS"])
def test_every_prompt_set_leads_to_the_same_fit(prompts: str, tmp_path: Path) -> None:
    found = evaluate("copies", tmp_path, "exact/dyn", situations="two_levers,heir", prompts=prompts)
    assert found["dyn/fit"] == 1.0
    assert min(found.values()) == found["unread"] == 0.0


def test_an_answer_without_a_letter_is_told_so_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def mumble(_: str, question: Any) -> str:
        asked.append(len(question.messages))
        return "B, say"

    monkeypatch.setattr(inspect_provider, "speak", mumble)
    found = evaluate("copies", tmp_path, "exact/mumbling", situations="bonus")
    assert found["unread"] == 1.0
    assert found["cpy=cpy_joint=first=minimal=same_history/fit"] == 0.0
    assert sorted(asked) == [2, 2, 2, 2, 4, 4, 4, 4]


@pytest.mark.parametrize("situation", [*COPIED, *AT_TERMINAL], ids=lambda each: each.name)
def test_each_action_stands_at_each_letter_once(situation: Any) -> None:
    questions = list_questions([situation])
    size = len(situation.actions)
    assert len(questions) == len({q.text for q in questions}) == size * len(situation.tellings)
    assert len(situation.tellings) >= 2
    for place in range(size):
        assert sorted(q.order[place] for q in questions) == sorted(situation.actions * len(situation.tellings))
    for q in questions:
        lines = q.text.split("\n")[-size:]
        for letter, line in zip(LETTERS, lines, strict=False):
            action = q.read(f"ANSWER: {letter}")
            assert action is not None
            assert line == f"{letter}: {situation.tellings[q.telling].choices[action]}"
        assert q.read(f"ANSWER: {LETTERS[size]}") is q.read("ANSWER: a") is q.read("A") is None


def list_fractions(text: str) -> set[Fraction]:
    """All numbers of a text."""
    return {Fraction(each) for each in re.findall(r"-?\d+(?:/\d+)?", text)}


@pytest.mark.parametrize("situation", COPIED, ids=lambda each: each.name)
def test_the_rewards_of_copies_are_told(situation: Any) -> None:
    for telling in range(len(situation.tellings)):
        text = LetteredQuestion(situation, telling, 0).text
        assert {*situation.environment.rewards.values()} <= list_fractions(text)
        assert (f"There are {situation.horizon} steps" in text) == (situation.horizon > 1)
        assert ("counts 1/2 as much" in text) == (situation.horizon > 1)


def test_the_horizon_is_a_part_of_the_situation() -> None:
    """The bonus of a copy: 5/4 against 1 in the last step, 5/4 + 1/2 * 1/2 against 1 + 1/2 * 5/4 before it."""
    [bonus] = [each for each in COPIED if each.name == "bonus"]
    assert bonus.find_best("cpy") == {"0"}
    last = type(bonus)("last", bonus.tellings, bonus.environment, 1)
    assert last.find_best("cpy") == {"1"}


@pytest.mark.parametrize("situation", AT_TERMINAL, ids=lambda each: each.name)
def test_presents_at_the_terminal_can_come(situation: Any) -> None:
    """Some course of actions leads there, and the actions told are those that can be taken."""
    world = situation.world
    reached = {(world.start(), FIRST)}
    for step in range(1, situation.present):
        reached = {
            (after.x, after.signal)
            for x, signal in reached
            for action in np.flatnonzero(find_allowed_actions(world, step, x))
            for after in list_real_outcomes(world, step, x, signal, int(action))
        }
    assert (situation.state, situation.signal) in reached
    can = np.flatnonzero(find_allowed_actions(world, situation.present, situation.state))
    assert {world.actions[action] for action in can} == {*situation.actions}
    planner = Replanner(PLANNING_AGENTS["itc"], world)
    best = planner.list_optimal_actions(situation.present, situation.state, situation.signal)
    assert situation.find_best("itc") == {world.actions[action] for action in best}


@pytest.mark.parametrize(
    ("title", "arguments", "said"),
    [
        ("copies", {"situation": "bonus"}, "unknown argument 'situation'"),
        ("copies", {"situations": "bonsu"}, "did you mean 'bonus'"),
        ("copies", {"agents": "cpi"}, "did you mean 'cpy'"),
        ("copies", {"agents": "sta:x"}, "'x' is not a slot"),
        ("copies", {"agents": ""}, "unknown future ''"),
        ("terminal", {"agents": "itx"}, "unknown planning agent 'itx'"),
        ("terminal", {"prompts": "plane"}, "did you mean 'plain'"),
        ("terminal", {"most_calls": 3}, "it takes at most"),
        ("terminal", {"yes": "perhaps"}, "choose yes or no"),
        ("terminal", {"price": -1}, "price = -1"),
    ],
)
def test_mistakes_are_one_line(title: str, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(PrerequisiteError) as caught:
        TASKS[title](**arguments)
    message = str(caught.value.message)
    assert said in message
    assert "\n" not in message
