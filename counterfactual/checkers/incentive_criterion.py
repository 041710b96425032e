"""The contract of incentive criteria: nodes of the diagram in its order, and the diagram left as it was."""

from __future__ import annotations

from typing import Any

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.influence.diagrams import INFLUENCE_DIAGRAMS
from counterfactual.influence.incentive_criterion import IncentiveCriterion
from counterfactual.influence.named_diagram import named_diagram
from engine.contracts import refuse
from engine.errors import BadValue, ContractBroken
from engine.user_code import place_of


def check_incentive(criterion: Any) -> None:
    """Ask a criterion about every agent's and every registered diagram; ContractBroken for the first mistake.

    criterion: an `IncentiveCriterion`, or a function diagram -> list of nodes. It may refuse, by BadValue, diagrams of
    several decisions.
    """
    accepted = IncentiveCriterion.accept(criterion)
    for name in (*PLANNING_AGENTS.loadable(), *INFLUENCE_DIAGRAMS.loadable()):
        family = named_diagram(name)
        for horizon in (1, 3):
            diagram = family(horizon)
            try:
                nodes = accepted(diagram)
            except BadValue:
                if horizon == 1:
                    raise ContractBroken(
                        f"it refuses the diagram '{name}' of one decision",
                        place=place_of(accepted),
                        remedy="return an empty list where no node meets it",
                    ) from None
                continue
            if nodes != [node for node in diagram if node in nodes]:
                refuse(accepted, accepted.name, nodes, "every node once, in the diagram's order")
            if dict(diagram.adjacency()) != dict(family(horizon).adjacency()):
                raise ContractBroken("it changes the diagram", place=place_of(accepted), remedy="change a copy")
