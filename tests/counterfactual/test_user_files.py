"""What a user adds in a file of their own: a correct one works, a mistake is one line that names file and mistake."""

from collections.abc import Callable

import pytest

from caregrid.main import main
from counterfactual.agents import PLANNING_AGENTS
from counterfactual.car_factory import FACTORY_RULES
from counterfactual.contract_checks import (
    check_factory_rule,
    check_incentive,
    check_influence_diagram,
    check_planning_agent,
    check_terminal_world,
)
from counterfactual.influence.diagrams import INFLUENCE_DIAGRAMS
from counterfactual.influence.incentives import INCENTIVES
from counterfactual.worlds import TERMINAL_WORLDS
from tests.printed_json import printed_content

WORLD = '''
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from counterfactual.exact_parameters import integer, rational
from counterfactual.worlds import PhysicsOutcome, Signal, SignalOutcome, TerminalWorld


class Lamp(NamedTuple):
    on: object


@dataclass(frozen=True)
class Lamps(TerminalWorld[Lamp]):
    """A lamp that people first want lit, then dark."""

    horizon: int = integer(4, "steps", least=1)
    update_step: int = integer(2, "step at whose end people want it dark")
    discount: Fraction = rational("1", "discount of one step", least="0", most="1")

    name = "lamps"
    action_names = MappingProxyType({"s": "switch", "w": "wait"})
    features = ("lit",)
    signals = (Signal("light", (Fraction(1),)), Signal("dark", (Fraction(-1),)))

    def start(self):
        return Lamp(0)

    def physics(self, step, x, action):
        on = x.on ^ self.is_any_of(action, "s")
        return [PhysicsOutcome(1, Lamp(on), (on,))]

    def terminal(self, signal, step, x, action, next_x):
        return [SignalOutcome(1, np.where(step >= self.update_step, 1, signal))]

    def updates(self, step, x, next_x):
        return step == self.update_step
'''
AGENT = '''
from counterfactual.planning_world import PlannedOutcome, PlanningState, PlanningWorld, reward_function


def myopic(learned, signal):
    """Plans with the signal of the present, and counts the rewards of the first two steps alone."""
    reward = reward_function(learned)

    def outcomes(step, now, action):
        for weight, next_x, events in learned.physics(step, now.x, action):
            yield PlannedOutcome(weight, PlanningState(next_x), reward(signal, events) * (step <= 2))

    return PlanningWorld(learned, outcomes, tracks_signal=False)
'''
RULE = '''
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from counterfactual.car_factory import FactoryRule
from counterfactual.exact_parameters import integer


@dataclass(frozen=True)
class Overtime(FactoryRule):
    """`o` makes one petrol car at night."""

    overtime: int = integer(0, "1 adds the action o", least=0, most=1)

    action_names = MappingProxyType({"o": "overtime"})
    fields = ("tired",)

    @property
    def active(self):
        return self.overtime > 0

    def effects(self, step):
        works = step.is_any_of("o")
        step.next_x["tired"] = step.x.tired | works
        step.petrol = np.where(works, step.factory.in_event_units(1), step.petrol)
'''
DIAGRAM = '''
from counterfactual.influence.graph import add_parents


def blind(diagram, t):
    """An agent that never reads the signal."""
    add_parents(diagram, f"A_{t}", f"X_{t}")
    add_parents(diagram, f"X_{t + 1}", f"X_{t}", f"A_{t}")
    add_parents(diagram, f"R_{t}", f"X_{t + 1}")
'''
INCENTIVE = '''
from counterfactual.influence.graph import nodes_of_kind


def seen(diagram):
    """Chance nodes that a decision observes."""
    return [node for node in nodes_of_kind(diagram, "chance")
            if any(diagram.nodes[after]["kind"] == "decision" for after in diagram.successors(node))]
'''


def test_a_world_and_an_agent_of_ones_own(written: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    world, agent = f"{written(WORLD)}:Lamps", f"{written(AGENT)}:myopic"
    check_terminal_world(TERMINAL_WORLDS[world])
    check_planning_agent(PLANNING_AGENTS[agent])
    assert main(["terminal", world, "--agent", "itc", "--json"]) == 0
    assert printed_content(capsys.readouterr().out) == {
        "score": 4,
        "traces": ["sw#sw"],
        "planned": ["sw#ww"],
        "return": 2,
    }
    assert main(["terminal", world, "--agent", agent, "--set", "horizon=3"]) == 0
    assert "lamps, own" in capsys.readouterr().out
    assert main(["terminal", world, "--parameters", "--json"]) == 0
    assert set(printed_content(capsys.readouterr().out)["parameters"]) == {"discount", "horizon", "update_step"}
    assert main(["terminal", "barricade", "--agent", agent, "--json"]) == 0
    assert printed_content(capsys.readouterr().out)["traces"][0].startswith("mm")


def test_a_rule_a_diagram_and_an_incentive_of_ones_own(
    written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    check_factory_rule(FACTORY_RULES[f"{written(RULE)}:Overtime"])
    check_incentive(INCENTIVES[f"{written(INCENTIVE)}:seen"])
    diagram = f"{written(DIAGRAM)}:blind"
    check_influence_diagram(INFLUENCE_DIAGRAMS[diagram])
    assert main(["terminal", "diagram", "--agent", diagram, "--horizon", "2", "--json"]) == 0
    assert printed_content(capsys.readouterr().out)["incentives"] == ["X_1", "X_2"]
