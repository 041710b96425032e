"""The formal theory: agents and extended environments as functions of whole histories.

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning".

| paper                                   | here                                                            |
| --------------------------------------- | --------------------------------------------------------------- |
| ROA-play <r0, o0, a0, ..., rk, ok, ak>  | `History` whose length is a multiple of 3                       |
| ROA-prompt s r o                        | `History` that ends in a reward and an observation              |
| agent T (a Turing machine)              | `HistoryAgent`: prompt -> action                                |
| extended environment e(T, s)            | `HistoryEnvironment`: (agent, play) -> `Percept`                |
| the result of T interacting with e      | `interact(agent, environment, turns)`                           |
| merciful, handicap, e*h                 | `xenv.theory.handicaps`                                         |

Differs from the paper:
- agents are Python functions rather than Turing machines; one that never halts never halts here either
"""

from __future__ import annotations

from engine.registry import Registry
from xenv.theory.example import TheoryExample, require_theory_example

THEORY_EXAMPLES: Registry[TheoryExample] = Registry(
    "xenv.theory.examples", "example of the theory", accept=require_theory_example, group="caregrid.theory_examples"
)
