"""The formal theory: agents and extended environments as functions of whole histories.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning".

| paper                                   | here                                                            |
| --------------------------------------- | --------------------------------------------------------------- |
| ROA-play <r0, o0, a0, ..., rk, ok, ak>  | `Play`                                                          |
| ROA-prompt s r o                        | `Prompt`                                                        |
| s = p a (Lemma 1)                       | `play.decompose()`                                             |
| agent T (a Turing machine)              | `HistoryAgent`, a function of prompts: `as_agent(function)`     |
| extended environment e(T, s)            | `HistoryEnvironment`: (agent, play) -> `Percept`                |
| the result of T interacting with e      | `interact(agent, environment, turns)`                           |
| total reward                            | `Interaction.total`, `Interaction.sum_discounted(gamma)`            |
| merciful, handicap, e*h                 | `xenv.theory.handicaps`                                         |

docs/theory.md lists every definition, example, lemma and proposition with the file that holds it.

Differs from the paper:
- agents are Python functions rather than Turing machines; one that never halts never halts here either
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.agent import AgentSpec
from engine.contracts import Contract, require_parameters, takes_arguments
from engine.registry import Registry
from xenv.theory.environments import THEORY_EXAMPLE, TheoryExample

MOST_NUMBERS = 9


def _require_prompt(agent: Any) -> None:
    """Raise ContractBroken unless it takes a prompt, and perhaps numbers."""
    if not any(takes_arguments(agent, count) for count in range(1, MOST_NUMBERS + 2)):
        require_parameters(agent, 1, "agent(prompt)")


THEORY_AGENT = Contract[Callable[..., int]](
    "agent of the theory",
    remedy="define a function from a prompt to an action",
    also=(AgentSpec,),
    require=_require_prompt,
)
THEORY_EXAMPLES: Registry[TheoryExample] = Registry(
    "xenv.theory.examples",
    "example of the theory",
    accept=THEORY_EXAMPLE.accept,
    group="caregrid.theory_examples",
    renamed={"recognition": "self_recognition"},
)
THEORY_AGENTS: Registry[Callable[..., int]] = Registry(
    "xenv.theory.toy_agents", "agent of the theory", accept=THEORY_AGENT.accept, group="caregrid.theory_agents"
)
