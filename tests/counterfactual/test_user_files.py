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
from tests.users_files import read_right_file

WORLD = read_right_file("terminal_worlds", "Lamps")
AGENT = read_right_file("planning_agents", "myopic")
RULE = read_right_file("factory_rules", "Overtime")
DIAGRAM = read_right_file("influence_diagrams", "blind")
INCENTIVE = read_right_file("incentives", "seen")


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


DRAWN = ("import random\n", "reward(signal, events) * (step <= 2)", "reward(signal, events) * random.randrange(100)")
TOGETHER = ("", "reward(signal, events) * (step <= 2)", "step * action.max() + action.argmin()")


@pytest.mark.parametrize("change", [DRAWN, TOGETHER])
def test_an_agent_that_answers_otherwise_when_asked_again_is_refused(
    change: tuple[str, str, str], written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    first, old, new = change
    world, agent = f"{written(WORLD)}:Lamps", f"{written(first + AGENT, old, new)}:myopic"
    assert main(["terminal", world, "--agent", agent]) == 2
    error = capsys.readouterr().err
    assert "were others when the same states were asked about again" in error
    assert error.count("\n") == 1


def test_a_rule_a_diagram_and_an_incentive_of_ones_own(
    written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    check_factory_rule(FACTORY_RULES[f"{written(RULE)}:Overtime"])
    check_incentive(INCENTIVES[f"{written(INCENTIVE)}:seen"])
    diagram = f"{written(DIAGRAM)}:blind"
    check_influence_diagram(INFLUENCE_DIAGRAMS[diagram])
    assert main(["terminal", "diagram", "--agent", diagram, "--horizon", "2", "--json"]) == 0
    assert printed_content(capsys.readouterr().out)["incentives"] == ["X_1", "X_2"]
