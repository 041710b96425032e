"""Every registered world, agent, factory rule, diagram and incentive passes its public checker."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from counterfactual.agents import PLANNING_AGENTS, PlanningAgent
from counterfactual.agents.factual_and_counterfactual import itc
from counterfactual.car_factory import FACTORY_RULES
from counterfactual.columns import Column
from counterfactual.contract_checks import (
    check_factory_rule,
    check_incentive,
    check_influence_diagram,
    check_planning_agent,
    check_terminal_world,
)
from counterfactual.influence.dependencies import SignalWorld
from counterfactual.influence.diagrams import INFLUENCE_DIAGRAMS
from counterfactual.influence.incentives import INCENTIVES
from counterfactual.planning_world import PlannedOutcome, PlanningState, PlanningWorld
from counterfactual.worlds import TERMINAL_WORLDS, TerminalWorld
from engine.errors import ContractBroken


@pytest.mark.parametrize("name", list(TERMINAL_WORLDS))
def test_terminal_worlds(name: str) -> None:
    check_terminal_world(TERMINAL_WORLDS[name])


@pytest.mark.parametrize("name", list(PLANNING_AGENTS))
def test_planning_agents(name: str) -> None:
    check_planning_agent(PLANNING_AGENTS[name])


@pytest.mark.parametrize(("share", "accepted"), [(0, True), (1, False)])
def test_only_what_can_happen_must_be_a_signal(share: int, accepted: bool) -> None:
    @PlanningAgent
    def careless(learned: TerminalWorld[Any], signal: int) -> PlanningWorld:
        def outcomes(step: int, now: PlanningState, action: Column) -> Iterator[PlannedOutcome]:
            for outcome in itc(learned, signal).outcomes(step, now, action):
                yield outcome
            nowhere = outcome.next_state._replace(signal=now.signal * 0 + 99)
            yield outcome._replace(weight=outcome.weight * share, next_state=nowhere)

        return PlanningWorld(learned, outcomes)

    with nullcontext() if accepted else pytest.raises(ContractBroken, match="signals from 0 to"):
        check_planning_agent(careless, SignalWorld())


@pytest.mark.parametrize("name", list(FACTORY_RULES))
def test_factory_rules(name: str) -> None:
    check_factory_rule(FACTORY_RULES[name])


@pytest.mark.parametrize("name", list(INFLUENCE_DIAGRAMS))
def test_influence_diagrams(name: str) -> None:
    check_influence_diagram(INFLUENCE_DIAGRAMS[name])


@pytest.mark.parametrize("name", list(INCENTIVES))
def test_incentives(name: str) -> None:
    check_incentive(INCENTIVES[name])


def test_a_world_without_future_selves_says_what_to_define() -> None:
    with pytest.raises(ContractBroken, match=r"barricade\.py, class Barricade: it has no self 1; define future_self"):
        TERMINAL_WORLDS["barricade"].make({}).future_self(1)


def test_a_world_keeps_the_actions_that_its_glyphs_name() -> None:
    class Own(TERMINAL_WORLDS["tamper_grid"]):  # type: ignore[misc]
        actions = ...

    with pytest.raises(ContractBroken, match=r"Own: actions gave Ellipsis; expected the glyphs of action_names"):
        check_terminal_world(Own)
