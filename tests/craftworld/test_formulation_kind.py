"""The kind "formulation": every registered one passes its checker; a user's own works, and each mistake is one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from caregrid.main import main
from craftworld.formulation import Formulation, RewardTiming, at_the_end
from craftworld.formulation_contract import check_formulation
from craftworld.formulations import FORMULATIONS
from craftworld.others.value_distribution import ValueDistribution
from craftworld.scenario import Newcomer
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import find_applicable_formulations, make_problem
from engine.errors import BadValue, ContractBroken
from engine.mdp.mdp import Floats
from tests.printed_json import printed_content

HEAD = """\
import numpy as np
from craftworld.formulation import at_every_step, at_the_end
from craftworld.others.other_agents import RewardDistribution
from craftworld.others.value_distribution import ValueDistribution


"""
BEST_CASE = """\
@at_the_end(weighs=ValueDistribution)
def best_case(others: ValueDistribution):
    \"\"\"The best of the possible returns.\"\"\"
    return others.value[others.probability > 0].max(axis=0)
"""
Write = Callable[[str, str], None]


@pytest.fixture
def write(users_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a module of the user's into the working directory, which is forgotten afterwards."""

    def write_module(name: str, text: str) -> None:
        (users_folder / f"{name}.py").write_text(HEAD + text)
        monkeypatch.delitem(sys.modules, name, raising=False)

    return write_module


def test_a_declaration_is_frozen_and_says_what_it_is() -> None:
    simultaneous = FORMULATIONS["simultaneous"]
    assert (simultaneous.name, simultaneous.additive) == ("simultaneous", True)
    assert simultaneous.reward_timing is RewardTiming.EVERY_STEP
    assert FORMULATIONS["expected"].weighs is ValueDistribution
    with pytest.raises(AttributeError):
        simultaneous.additive = False  # type: ignore[misc]


def test_a_users_own_formulation_works_in_the_commands(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write("fair_share", BEST_CASE)
    check_formulation(FORMULATIONS["fair_share:best_case"])
    assert main(["solve", "playroom", "--formulation", "fair_share:best_case", "--care", "10", "--json"]) == 0
    mine = printed_content(capsys.readouterr().out)
    assert mine["formulation"] == "fair_share:best_case"
    assert main(["breakpoints", "playroom", "--formulation", "fair_share:best_case"]) == 0


def test_a_wrong_shape_is_one_line_of_a_command(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write("misshapen", BEST_CASE.replace(".max(axis=0)", ""))
    assert main(["solve", "playroom", "--formulation", "misshapen:best_case"]) == 2
    assert capsys.readouterr().err.startswith("caregrid: misshapen.py, function best_case: gave an array of shape (5, ")


def test_an_additive_formulation_needs_weights() -> None:
    from craftworld.others.auxiliary_tasks import AuxiliaryTasks
    from engine.mdp.mdp import TabularMDP

    def idle(tasks: AuxiliaryTasks, mdp: TabularMDP) -> Floats:
        return 0.0 * mdp.reward

    with pytest.raises(ContractBroken, match="declared additive, but AuxiliaryTasks has no weights"):
        check_formulation(Formulation(AuxiliaryTasks, idle, RewardTiming.EVERY_STEP, additive=True))


def test_a_broken_installed_formulation_breaks_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("ruined", "no_such_module_at_all:ruined", "caregrid.formulations")
    monkeypatch.setattr(FORMULATIONS, "_installed", {"ruined": point})
    monkeypatch.setattr(FORMULATIONS, "_names", None)
    assert "ruined" in FORMULATIONS
    assert "ruined" not in find_applicable_formulations(SCENARIOS["garden"]())
    with pytest.raises(ContractBroken, match=r"formulation 'ruined' of an installed package: .*No module named"):
        FORMULATIONS["ruined"]


def test_what_it_weighs_is_a_class() -> None:
    with pytest.raises(ContractBroken, match="weighs = 3"):
        at_the_end(3)(len)  # type: ignore[arg-type, type-var]


OWN_KIND = '''\
from dataclasses import dataclass
from typing import NamedTuple
from craftworld.others.newcomer_worlds import NewcomerWorlds
from craftworld.others.other_agents import WeighedDistribution
from craftworld.scenarios.toll_road import TollRoad


@dataclass(frozen=True)
class GatesPassed(WeighedDistribution):
    """Whether a state stands on a toll gate."""

    requirement = "toll gates"
    gate: object

    @classmethod
    def applies(cls, scenario):
        return "toll gate" in scenario.grid.features

    @classmethod
    def make(cls, scenario, mdp):
        return cls(scenario.at("toll gate")[mdp.states.columns().cell].astype(float))


@at_every_step(weighs=GatesPassed)
def gates(others: GatesPassed, mdp):
    """Entering a toll gate counts, by the cell of each state."""
    cells = np.array([state.cell for state in mdp.states])
    assert len(cells) == len(others.gate)
    return np.where(mdp.terminal[:, None, None], 0.0, others.gate[mdp.next_state])


@at_the_end(weighs=NewcomerWorlds)
def quickest(others: NewcomerWorlds):
    """How soon newcomers can finish: what a paper needs of their tables, values and actions."""
    assert {each.newcomer.name for each in others.planned} == set(others.names)
    return np.maximum(-1e3, sum(each.begins.average(each.solution.value) for each in others.planned))
'''


def test_a_formulation_may_weigh_a_distribution_of_its_own_kind(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write("own_kind", OWN_KIND)
    assert main(["validate", "formulations", "own_kind:gates"]) == 0
    assert main(["validate", "formulations", "own_kind:quickest"]) == 0
    capsys.readouterr()
    assert main(["breakpoints", "toll_road", "--formulation", "own_kind:gates", "--json"]) == 0
    assert main(["solve", "garden", "--formulation", "own_kind:gates"]) == 2
    assert "'gates' needs toll gates, and 'garden' has none" in capsys.readouterr().err


SECRETIVE = """\
from craftworld.others.newcomer_worlds import NewcomerWorlds
from craftworld.scenarios.playroom import Playroom


@at_the_end(weighs=NewcomerWorlds)
def secretive(others: NewcomerWorlds):
    \"\"\"What the scenario declares, and no shipped one does.\"\"\"
    return np.full(len(others.mdp.terminal), others.scenario.secret)
"""


def test_a_formulation_is_tried_in_the_scenarios_of_its_own_file(write: Write) -> None:
    write("own_world", SECRETIVE + "\n\nclass BigPlayroom(Playroom):\n    secret = 3.0\n")
    check_formulation(FORMULATIONS["own_world:secretive"])
    write("no_world", SECRETIVE)
    with pytest.raises(ContractBroken, match="has no attribute 'secret'"):
        check_formulation(FORMULATIONS["no_world:secretive"])


STILL = """
import numpy as np

from craftworld.formulation import at_every_step
from craftworld.others.other_agents import WeighedDistribution


class Still(WeighedDistribution):
    requirement = "an action that does nothing"

    def __init__(self, number):
        self.number = number

    @classmethod
    def applies(cls, scenario):
        return "noop" in scenario.actions

    @classmethod
    def make(cls, scenario, mdp):
        return cls(mdp.actions.index("noop"))


@at_every_step(weighs=Still)
def stillness(others: Still, mdp):
    doing = np.arange(len(mdp.actions)) != others.number
    return np.zeros(mdp.reward.shape) - doing[:, None]
"""


def test_a_formulation_that_needs_an_action_that_does_nothing_is_tried_in_a_level_with_one(write: Write) -> None:
    write("own_still", STILL)
    check_formulation(FORMULATIONS["own_still:stillness"])
    write("own_wrong", STILL.replace("mdp.reward.shape", "3"))
    with pytest.raises(ContractBroken, match=r"own_wrong\.py, function stillness"):
        check_formulation(FORMULATIONS["own_wrong:stillness"])


def test_a_formulation_that_cannot_be_used_is_told_without_being_recommended() -> None:
    class Alone(SCENARIOS["garden"]):  # type: ignore[misc]
        default_formulation = "expected"

        def newcomers(self) -> tuple[Newcomer, ...]:
            return ()

    with pytest.raises(BadValue, match="define them, or set default_formulation in the class; use attainable") as found:
        make_problem(Alone())
    assert "expected" not in found.value.remedy


def test_a_name_with_arguments_is_no_unknown_name() -> None:
    with pytest.raises(BadValue, match="arguments in 'own:averse\\(envy=1\\)'; give what they make a name"):
        FORMULATIONS["own:averse(envy=1)"]
