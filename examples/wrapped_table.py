#!/usr/bin/env python3
"""Break points of a table from elsewhere: CliffWalking, and a bystander whom a walk along the edge frightens."""

from typing import Any

import caregrid

EDGE = 2


def fright(state: Any, action: str, next_state: Any) -> float:
    """The bystander's reward of one step: -1 where it leads along the edge of the cliff."""
    return -1.0 if next_state.row == EDGE else 0.0


cliff = caregrid.wrap("CliffWalking-v1", others=[caregrid.Other(reward=fright, name="bystander")])
problem = caregrid.problem(cliff)
print(problem)
print(problem.breakpoints().frame().to_string(index=False))
for care in (0.0, 1.0):
    solution = problem.solve(care)
    print(
        f"care {care:g}: {len(solution.path) - 1} steps, {sum(cell.row == EDGE for cell in solution.path)} at the edge"
    )
