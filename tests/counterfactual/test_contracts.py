"""Contracts that a world, an agent and a factory rule of counterfactual planning keep, beside those of the checkers."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from counterfactual.agents import PlanningAgent
from counterfactual.agents.factual_and_counterfactual import itc
from counterfactual.columns import Column
from counterfactual.contract_checks import (
    check_planning_agent,
    check_terminal_world,
)
from counterfactual.influence.dependencies import SignalWorld
from counterfactual.planning_world import PlannedOutcome, PlanningState, PlanningWorld
from counterfactual.worlds import TERMINAL_WORLDS, TerminalWorld
from engine.errors import ContractBroken


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


def test_a_world_without_future_selves_says_what_to_define() -> None:
    with pytest.raises(ContractBroken, match=r"barricade\.py, class Barricade: it has no self 1; define future_self"):
        TERMINAL_WORLDS["barricade"].make({}).future_self(1)


def test_a_world_keeps_the_actions_that_its_glyphs_name() -> None:
    class Own(TERMINAL_WORLDS["tamper_grid"]):  # type: ignore[misc]
        actions = ...

    with pytest.raises(ContractBroken, match=r"Own: actions gave Ellipsis; expected the glyphs of action_names"):
        check_terminal_world(Own)
