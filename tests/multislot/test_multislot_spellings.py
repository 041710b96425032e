"""Fault: members written by hand, in JSON or in code are one class; labels are one however they are spelled."""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from caregrid.main import main
from engine.errors import BadValue
from multislot.learning import Mixture
from multislot.likelihoods import LIKELIHOODS, find_likelihood
from multislot.planning.planner import evaluate
from multislot.scenarios import slot_scenario
from multislot.worlds.environment import CopyOutcome, HistoryBasedEnvironment, HistoryState, Label, Law, Slot
from multislot.worlds.table import table_environment
from tests.printed_json import printed_content

HALF = Fraction(1, 2)


class Steady(HistoryBasedEnvironment):
    """One agent that always observes one label; its states and labels are those of code."""

    name, initial = "steady", (1,)

    def __init__(self, observation: Label, rewards: Mapping[Label, Fraction], actions: tuple[Label, ...]) -> None:
        self.observation, self.rewards, self.actions = observation, rewards, actions

    def start(self) -> HistoryState:
        return 0

    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        assert isinstance(state, int), "asked about a history that cannot happen here"
        assert observation == self.observation
        assert type(observation) is type(self.observation)
        return state + 1

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        return (CopyOutcome(Fraction(1), {slot: self.observation}),)


def steady_pair(one: Label, other: Label, zero: Label) -> Mixture:
    """Two environments in code, of which one always observes 1 and the other 0, labels spelled as given."""
    first = Steady(one, {one: Fraction(1), zero: Fraction(0)}, (0, 1))
    second = Steady(zero, {other: Fraction(1), zero: Fraction(0)}, ("0", "1"))
    return Mixture((first, second), (HALF, HALF), find_likelihood("exists"))


@pytest.mark.parametrize("other", ["booth_corridor", "universal", "coin_flip"])
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("value", ["cpy", "sta:1", "dyn"])
def test_classes_whose_members_are_code_are_planned(other: str, likelihood: str, value: str) -> None:
    """One member after another loses all its weight on the way, also one whose states a mistake would not fit."""
    environment = slot_scenario(other).environment
    rewards = {label: reward for label, reward in environment.rewards.items() if reward == 0}
    steady = Steady(next(iter(rewards)), rewards, environment.actions)
    mixture = Mixture((environment, steady), (HALF, HALF), find_likelihood(likelihood))
    for history in [(), ((environment.actions[0], next(iter(rewards))),)]:
        answer = evaluate(mixture, value, 4, HALF, history)
        assert 0 < sum(answer.P.values()) <= 1
        assert max(answer.Q.values()) == answer.V


def test_the_command_learns_over_members_of_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "class.json"
    for members in (["booth_corridor", "booth_corridor:move"], ["universal", "coin_flip"]):
        path.write_text(json.dumps({"environments": members, "horizon": 4}))
        assert main(["multislot", "--class", str(path), "--json"]) == 0
        assert printed_content(capsys.readouterr().out)["P"] == {"1": "1"}


@pytest.mark.parametrize(("one", "other"), [(1, 1), (1, "1"), ("1", 1), ("1", "1")])
@pytest.mark.parametrize("zero", [0, "0"])
def test_a_label_is_one_however_it_is_spelled(one: Label, other: Label, zero: Label) -> None:
    mixture = steady_pair(one, other, zero)
    assert len(mixture.rewards) == 2
    for written in (1, "1"):
        assert mixture.posterior(((0, written),)) == mixture.posterior((("0", written),)) == (1, 0)
        assert evaluate(mixture, "cpy", 1, HALF, (("1", written),)).Q == {0: 1, 1: 1}


def test_json_and_hand_are_spelled_alike() -> None:
    shared: dict[str, Any] = {"actions": [0, 1], "z0": "s"}
    rewards = {"0": "0", "1": "1"}
    by_number = table_environment(name="a", rewards=rewards, rules=[["s", 1, "*", [["1", {"1": 1}]]]], **shared)
    by_word = table_environment(
        name="b", rewards=rewards, rules=[["s", 1, "*", [["1/2", {"1": "1"}], ["1/2", {"1": "0"}]]]], **shared
    )
    for pair in [(by_number, by_word), (by_word, by_number)]:
        mixture = Mixture(pair, (HALF, HALF), find_likelihood("exists"))
        posterior = mixture.posterior(mixture.spell(((0, 1),)))
        assert sorted(posterior) == [Fraction(1, 3), Fraction(2, 3)]


def test_labels_that_are_written_alike_are_refused_in_one_environment() -> None:
    twice = Steady(1, {1: Fraction(1), "1": Fraction(0)}, (0, 1))
    with pytest.raises(Exception, match="expected different labels"):
        evaluate(twice, "cpy", 1, HALF)


def test_the_posterior_of_a_label_that_nobody_lists_is_refused_by_its_step() -> None:
    with pytest.raises(BadValue, match="history, step 2: unknown observation '7'"):
        steady_pair(1, 1, 0).posterior(((0, 1), (0, 7)))


@pytest.mark.parametrize("value", ["cpy", "sta:1", "dyn"])
def test_a_history_that_no_member_can_have_is_refused_by_its_entry(value: str) -> None:
    mixture = steady_pair(1, "1", 0)
    with pytest.raises(BadValue, match="history, step 2: no environment of the class can produce '1,0' here"):
        evaluate(mixture, value, 2, HALF, ((0, 1), (1, 0), (0, 0)))
    alone = evaluate(mixture.environments[0], value, 2, HALF, ((0, 0),))
    assert (set(alone.Q.values()), alone.P) == ({0}, {}), "in a known environment P^i(h) is 0, section 4.1"


def test_surviving_members_share_the_prior() -> None:
    """Weights 1/2, 1/3, 1/6; the second is excluded by the history, the third allows it with probability 1/4."""
    shared: dict[str, Any] = {"actions": [0], "rewards": {"0": "0", "1": "1"}, "z0": "s"}
    chances = ("1", "0", "1/4")
    members = tuple(
        table_environment(
            name=chance,
            rules=[["s", 1, 0, [[chance, {"1": 1}], [str(1 - Fraction(chance)), {"1": 0}]]]],
            **shared,
        )
        for chance in chances
    )
    weights = (HALF, Fraction(1, 3), Fraction(1, 6))
    posterior = {
        name: Mixture(members, weights, find_likelihood(name)).posterior(((0, 1),))
        for name in ("prior", "possible", "exists")
    }
    assert posterior["prior"] == weights
    assert posterior["possible"] == (Fraction(3, 4), 0, Fraction(1, 4))
    assert posterior["exists"] == (Fraction(12, 13), 0, Fraction(1, 13))
