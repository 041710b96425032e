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
from engine.errors import ContractBroken
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


WORLD_MISTAKES = [
    ("def terminal(", "def terminals(", "no 'terminal'"),
    ('    features = ("lit",)\n', "", "no 'features'"),
    ("@dataclass(frozen=True)\n", "", "write @dataclass(frozen=True) above it"),
    ("update_step: int = integer(2, ", "key: int = integer(2, ", "AttributeError: 'Lamps' object has no attribute"),
    ("def physics(self, step, x, action):", "def physics(self, step, x):", "physics(self, step, x, action)"),
    ("(Fraction(-1),)", "(-1.0,)", "expected a Fraction for each of the 1 features"),
    ('{"s": "switch"', '{"sw": "switch"', "glyphs of one character"),
    ("return Lamp(0)", "return 0", "expected a NamedTuple of integers"),
    ("return Lamp(0)", "return Lamp(0.5)", "'on' as an integer"),
    ("(on,))]", "(on, on))]", "events as a tuple, one for each of lit"),
    ("PhysicsOutcome(1, ", "PhysicsOutcome(0, ", "an outcome of positive weight for every state"),
    ("return [PhysicsOutcome(1, Lamp(on), (on,))]", "return Lamp(on)", "a list of PhysicsOutcome"),
    ("[PhysicsOutcome(1, Lamp(on)", "[PhysicsOutcome(1, Lamp(on[:1])", "'on' as an integer or as int64["),
    ("Lamp(on), (on,)", "Lamp(on), (on.sum(),)", "differently among other states"),
    ("1, signal))", "2, signal))", "signals from 0 to 1"),
    ("return step == self", "return 1 + self", "updates gave"),
    ("on = x.on ^", "on = x.off ^", "has no attribute 'off'"),
    ("on = x.on ^", 'raise ValueError("no lamp")\n        on = x.on ^', "line 34: ValueError: no lamp"),
    ("import numpy as np", "import numpi as np", "ModuleNotFoundError"),
]


@pytest.mark.parametrize(("old", "new", "complaint"), WORLD_MISTAKES)
def test_a_mistake_in_a_world_is_one_line(
    written: Callable[..., str], capsys: pytest.CaptureFixture[str], old: str, new: str, complaint: str
) -> None:
    module = written(WORLD, old, new)
    with pytest.raises(ContractBroken):
        check_terminal_world(TERMINAL_WORLDS[f"{module}:Lamps"])
    assert main(["terminal", f"{module}:Lamps"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert module in printed.err
    assert complaint in printed.err
    assert len(printed.err.strip().splitlines()) == 1


AGENT_MISTAKES = [
    ("def myopic(learned, signal):", "def myopic(learned):", "it is called as myopic(learned, signal)"),
    ("return PlanningWorld(learned, outcomes, tracks_signal=False)", "return outcomes", "expected a PlanningWorld"),
    (", tracks_signal=False", "", "a signal in every next_state"),
    ("yield PlannedOutcome(weight, ", "yield (weight, ", "expected PlannedOutcomes"),
    ("PlanningState(next_x)", "next_x", "expected a PlanningState as next_state"),
    ("reward(signal, events) *", "0.5 *", "the reward, in units of reward_table, as an integer"),
    ("learned.physics(", "learned.fisics(", "has no attribute 'fisics'"),
    ("reward = reward_function(learned)", 'raise RuntimeError("lost")', "line 7: RuntimeError: lost"),
    ("PlannedOutcome(weight, ", "PlannedOutcome(0 * weight, ", "an outcome of positive weight for every state"),
]


@pytest.mark.parametrize(("old", "new", "complaint"), AGENT_MISTAKES)
def test_a_mistake_in_an_agent_is_one_line(
    written: Callable[..., str], capsys: pytest.CaptureFixture[str], old: str, new: str, complaint: str
) -> None:
    module = written(AGENT, old, new)
    with pytest.raises(ContractBroken):
        check_planning_agent(PLANNING_AGENTS[f"{module}:myopic"])
    assert main(["terminal", "barricade", "--agent", f"{module}:myopic"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert module in printed.err
    assert complaint in printed.err
    assert len(printed.err.strip().splitlines()) == 1


OTHER_MISTAKES = [
    (RULE, "Overtime", "def active(", "def actif(", "no 'active'"),
    (RULE, "Overtime", "return self.overtime > 0", "return True", "active by default"),
    (RULE, "Overtime", "return self.overtime > 0", "return False", "no parameter makes it active"),
    (RULE, "Overtime", '{"o": ', '{"p": ', "names that the factory does not use itself"),
    (RULE, "Overtime", 'step.next_x["tired"] = step.x.tired | works', "pass", "tired"),
    (RULE, "Overtime", "def effects(self, step):", "def effects(self):", "it is called as effects(self, step)"),
    (RULE, "Overtime", "works = step", "works = stap", "NameError"),
    (DIAGRAM, "blind", "def blind(diagram, t):", "def blind(diagram):", "it is called as blind(diagram, t)"),
    (DIAGRAM, "blind", 'f"R_{t}", f"X_{t + 1}"', 'f"X_{t}", f"X_{t + 1}"', "a circle among its arrows"),
    (DIAGRAM, "blind", 'f"R_{t}", ', 'f"A_{t}1", ', "expected one decision a time step"),
    (DIAGRAM, "blind", '{t}", f"X_{t}")', '{t}", "somewhere")', "node 'somewhere'; name it by a word"),
    (INCENTIVE, "seen", "def seen(diagram):", "def seen():", "it is called as seen(diagram)"),
    (INCENTIVE, "seen", "return [", "return 1 or [", "expected a list of nodes"),
    (INCENTIVE, "seen", "return [", "return list(diagram)[::-1] or [", "in the diagram's order"),
    (INCENTIVE, "seen", "return [", "diagram.clear_edges()\n    return [", "it changes the diagram"),
    (INCENTIVE, "seen", "return [", "return missing or [", "NameError"),
]
CHECKERS = {
    RULE: (FACTORY_RULES, check_factory_rule),
    DIAGRAM: (INFLUENCE_DIAGRAMS, check_influence_diagram),
    INCENTIVE: (INCENTIVES, check_incentive),
}


@pytest.mark.parametrize(("text", "name", "old", "new", "complaint"), OTHER_MISTAKES)
def test_a_mistake_in_a_rule_diagram_or_incentive_is_one_line(
    written: Callable[..., str], text: str, name: str, old: str, new: str, complaint: str
) -> None:
    registry, check = CHECKERS[text]
    module = written(text, old, new)
    with pytest.raises(ContractBroken) as raised:
        check(registry[f"{module}:{name}"])
    message = str(raised.value)
    assert module in message
    assert complaint in message
    assert len(message.splitlines()) == 1
