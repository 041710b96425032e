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

from engine.contracts import require_callable, require_parameters
from engine.errors import ContractBroken
from engine.registry import Registry
from xenv.theory.environments import TheoryExample, require_theory_example


def require_theory_agent(thing: Any) -> Callable[..., int]:
    """Return a function of a prompt, and perhaps numbers, as it is; raise ContractBroken for anything else.

    The spec of a practical agent, which has a `build` method, is accepted too.
    """
    if callable(getattr(thing, "build", None)):
        spec: Callable[..., int] = thing
        return spec
    require_callable(thing, "agent of the theory", "define a function from a prompt to an action")
    if not any(_can_be_called_with(thing, count) for count in range(1, MOST_NUMBERS + 2)):
        require_parameters(thing, 1, "agent(prompt)")
    agent: Callable[..., int] = thing
    return agent


def _can_be_called_with(thing: Callable[..., Any], count: int) -> bool:
    try:
        require_parameters(thing, count, "")
    except ContractBroken:
        return False
    return True


MOST_NUMBERS = 9
THEORY_EXAMPLES: Registry[TheoryExample] = Registry(
    "xenv.theory.examples",
    "example of the theory",
    accept=require_theory_example,
    group="caregrid.theory_examples",
    renamed={"recognition": "self_recognition"},
)
THEORY_AGENTS: Registry[Callable[..., int]] = Registry(
    "xenv.theory.toy_agents", "agent of the theory", accept=require_theory_agent, group="caregrid.theory_agents"
)
