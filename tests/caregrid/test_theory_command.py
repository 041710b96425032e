"""`caregrid theory` and `caregrid.theory`: one output format, the same from both; films; refusals in one line."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caregrid
from caregrid.main import main
from engine.errors import CaregridError
from tests.printed_json import printed_content
from xenv.theory import THEORY_EXAMPLES


def test_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theory", "newcomb", "--agent", "always:1", "--turns", "3", "--json"]) == 0
    assert printed_content(capsys.readouterr().out) == {
        "example": "newcomb",
        "agent": "always:1",
        "turns": [["0", 0, 1], ["1000", 0, 1], ["1000", 0, 1]],
        "total": "3000",
    }


@pytest.mark.parametrize("name", list(THEORY_EXAMPLES))
def test_command_and_function_say_the_same(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for agent in ("parity", "reality_check(scrambled:1,3)", "q_learning"):
        result = caregrid.theory(name, agent, 12)
        assert main(["theory", name, "--agent", agent, "--turns", "12", "--json"]) == 0
        printed = printed_content(capsys.readouterr().out)
        assert printed == result.as_dict()
        assert [tuple(map(str, turn)) for turn in result.play.turns] == [tuple(map(str, t)) for t in printed["turns"]]
        assert result.total == sum(result.play.rewards) + result.last.reward == Fraction(printed["total"])


def test_a_function_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my_theory_agent.py").write_text("def act(prompt):\n    return -len(prompt)\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["theory", "deja_vu", "--agent", "my_theory_agent:act", "--json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(
        "caregrid: my_theory_agent.py, line 1, function act: action -2 is not a natural number"
    )
    assert printed.err.count("\n") == 1
    assert caregrid.theory("deja_vu", lambda prompt: len(prompt) // 3 % 2, 10).total == 0
    assert caregrid.theory(lambda agent, play: (Fraction(1, 3), 0), "parity", 2).total == 1


def test_discounts_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "turns.csv"
    film = tmp_path / "turns.html"
    words = ["theory", "crying_baby", "--agent", "always:0", "--turns", "2", "--discount", "1/2"]
    assert main([*words, "--out", str(table)]) == 0
    assert "discounted total (1/2): 7/4" in capsys.readouterr().out
    assert table.read_text().splitlines() == ["turn,reward,observation,action", "1,1,0,0", "2,1,0,0"]
    assert main([*words, "--out", str(film)]) == 0
    assert film.stat().st_size > 1000


@pytest.mark.parametrize("name", list(THEORY_EXAMPLES))
def test_films(name: str) -> None:
    film = caregrid.film(f"theory/{name}", agent="scrambled:2,3", turns=9)
    assert len(film) == 9
    assert [chart.name for chart in film.scenes[-1].charts] == ["observation", "action", "reward for it"]
    total = caregrid.theory(name, "scrambled:2,3", 9).total
    if len(str(total)) < 6:
        assert ("return", str(total)) in film.scenes[-1].readings


def test_films_of_enormous_numbers() -> None:
    film = caregrid.theory("incentive_to_incentivize", lambda prompt: 10**900, 3).film()
    assert "10^900" in film.scenes[-1].caption


def test_a_film_writes_a_million_as_people_do() -> None:
    scene = caregrid.theory("newcomb", "always:0", 3).film().scenes[-1]
    assert scene.caption.endswith("reward 1,000,000")
    assert [tick.text for tick in scene.charts[-1].ticks] == ["1M", "1M", "1M"]


def test_a_measure_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    """A greedy agent of Newcomb's problem, and one of a job: rewards by hand, over the largest one, in e and opposite.

    Newcomb, 4 turns: 4 million; the opposite takes a million once, then 3 times 1000. Scale 1 001 000, 5 rewards each.
    """
    job = "employment:30,-1"

    def greedy(prompt: Any) -> int:
        return int(min(prompt.rewards) < 0)

    def plain(name: str, sign: int, turns: int = 4) -> Fraction:
        """The first percept's reward is 0; each other one is computed by the example's own sentence."""
        rewards: list[int] = [0]
        for _ in range(turns):
            action = int(min(rewards) < 0)
            if name == "newcomb":
                rewards.append(sign * ((1_000_000 if action == 0 else 0) + 1000 * action))
            else:
                rewards.append(sign * (30 if action == 1 else -30))  # all rewards -1: it would act 1
        return Fraction(sum(rewards))

    scores = {
        "newcomb": (plain("newcomb", 1) + plain("newcomb", -1)) / 10 / 1_001_000,
        job: (plain(job, 1) + plain(job, -1)) / 10 / 30,
    }
    result = caregrid.measure(greedy, ["newcomb", job], turns=4)
    assert result.measures == {"greedy": sum(scores.values()) / 2}
    assert {row["example"]: row["scale"] for row in result.rows()} == {"newcomb": "1001000", job: "30"}
    (one,) = result.statistics()
    assert (one.low, one.high) == (min(map(float, scores.values())), max(map(float, scores.values())))
    assert one.interval == "lowest and highest example"
    assert main(["measure", "after_punishment", "--examples", f"newcomb,{job}", "--turns", "4", "--json"]) == 0
    named = caregrid.measure("after_punishment", f"newcomb,{job}", turns=4)
    assert printed_content(capsys.readouterr().out) == named.as_dict()


def test_a_measure_of_every_example_is_bounded_and_has_an_interval() -> None:
    result = caregrid.measure("win_stay,parity", turns=5)
    assert all(-1 <= row["score"] <= 1 for row in result.rows())
    assert {row["example"] for row in result.rows()} == set(THEORY_EXAMPLES) - {"opposite", "with_rewards"}
    for one in result.statistics():
        assert one.low is not None
        assert one.high is not None
        assert one.low <= one.measure <= one.high
        assert one.interval == "95 % bootstrap"
    assert result.measures["parity"] == 0


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=12), st.text(max_size=12), st.one_of(st.integers(-3, 5), st.none(), st.floats()))
def test_any_arguments_give_a_result_or_one_line(example: str, agent: str, turns: int) -> None:
    problem = ""
    try:
        caregrid.theory(example, agent, turns)
    except CaregridError as error:
        problem = str(error)
    assert "\n" not in problem
