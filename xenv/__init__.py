"""Extended environments: they simulate a copy of the agent and react to what it would do.

| paper (Alexander et al. 2021)                 | here                                                            |
| --------------------------------------------- | --------------------------------------------------------------- |
| agent pi, agent-class Pi, instance            | `Agent`, spec (a frozen dataclass), `spec.build(...)`           |
| extended environment mu(pi, ...)              | `ExtendedEnvironment`, made with `simulate`                     |
| `A()` inside an environment                   | `simulate(**changes)`                                           |
| x'_i, the altered history of Example 3        | `ImaginedHistory.imagine(real)`                                 |
| a history with insertions, Example 5          | `RewrittenPast.imagine(past, action)`                           |
| pi_RC, Definition 10                          | `reality_check(spec)`                                           |
| semi-deterministic, Definition 9              | `check_semi_deterministic(spec)`                                |
| opposite environment, section 6               | `opposite(environment)`, `literal_opposite(environment)`        |
| measure of self-reflection, section 6         | `xenv.battery.mean_reward(rows, agent)`                         |
| functions of whole histories (the theory)     | `xenv.theory`                                                   |

What can be added, in a file of one or several entries, with the registry and the checker of each kind:

| kind           | registry                               | checker                                                |
| -------------- | -------------------------------------- | ------------------------------------------------------ |
| environment    | `xenv.environments.ENVIRONMENTS`       | `check_environment`                                    |
| agent          | `xenv.agents.BATTERY_AGENTS`           | `check_semi_deterministic`                             |
| transformation | `xenv.transformations.TRANSFORMATIONS` | `check_transformation`                                 |
| theory example | `xenv.theory.THEORY_EXAMPLES`          | `check_theory_example`                                 |
| theory agent   | `xenv.theory.THEORY_AGENTS`            | `check_theory_agent`                                   |
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from engine.agent import UnknownHyperparameter

if TYPE_CHECKING:
    from xenv.contract_checks import (
        check_environment,
        check_semi_deterministic,
        check_theory_agent,
        check_theory_example,
        check_transformation,
    )
    from xenv.environment import ExtendedEnvironment
    from xenv.environments import ENVIRONMENTS
    from xenv.environments.rewritten_past import RewrittenPast
    from xenv.imagined_history import ImaginedHistory
    from xenv.interaction_loop import InteractionResult, run_environment
    from xenv.opposites import OPPOSITES, literal_opposite, opposite
    from xenv.simulation import Simulate
    from xenv.transformations.reality_check import reality_check, reality_check_published

_PLACES = {
    "check_environment": "xenv.contract_checks",
    "check_semi_deterministic": "xenv.contract_checks",
    "check_theory_agent": "xenv.contract_checks",
    "check_theory_example": "xenv.contract_checks",
    "check_transformation": "xenv.contract_checks",
    "ExtendedEnvironment": "xenv.environment",
    "ENVIRONMENTS": "xenv.environments",
    "RewrittenPast": "xenv.environments.rewritten_past",
    "ImaginedHistory": "xenv.imagined_history",
    "InteractionResult": "xenv.interaction_loop",
    "run_environment": "xenv.interaction_loop",
    "OPPOSITES": "xenv.opposites",
    "literal_opposite": "xenv.opposites",
    "opposite": "xenv.opposites",
    "Simulate": "xenv.simulation",
    "reality_check": "xenv.transformations.reality_check",
    "reality_check_published": "xenv.transformations.reality_check",
}

__all__ = [
    "ENVIRONMENTS",
    "OPPOSITES",
    "ExtendedEnvironment",
    "ImaginedHistory",
    "InteractionResult",
    "RewrittenPast",
    "Simulate",
    "UnknownHyperparameter",
    "check_environment",
    "check_semi_deterministic",
    "check_theory_agent",
    "check_theory_example",
    "check_transformation",
    "literal_opposite",
    "opposite",
    "reality_check",
    "reality_check_published",
    "run_environment",
]


def __getattr__(name: str) -> Any:
    """Return a public name, imported now."""
    if name not in _PLACES:
        raise AttributeError(f"module 'xenv' has no attribute '{name}'")
    return getattr(importlib.import_module(_PLACES[name]), name)
