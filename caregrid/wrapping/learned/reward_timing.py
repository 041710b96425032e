"""When the others' values F enter the acting agent's reward; s' is the state that a step leads to.

| timing      | reward                                       |                                                        |
| ----------- | -------------------------------------------- | ------------------------------------------------------ |
| terminated  | r + [s' terminal] gamma care F(s')           | "Be Considerate", Eqs 1 to 5                           |
| ended       | r + [s' terminal or cut] gamma care F(s')    | where learners take a time limit for an end            |
| every step  | r + care (gamma F(s') - F(s))                | the same return less care F(s0), in small parts        |

The parts of the last one sum up, discounted, to gamma^T F(s_T) - F(s_0): potential-based shaping, which changes no
preference between policies (A. Ng, D. Harada, S. Russell, "Policy invariance under reward transformations", 1999).
"""

from __future__ import annotations

from typing import Any

from engine.errors import UnknownName

TERMINATED, ENDED, EVERY_STEP = "terminated", "ended", "every step"
TIMINGS = (TERMINATED, ENDED, EVERY_STEP)


def timing_named(given: Any) -> str:
    """The timing of a name; UnknownName where there is none."""
    name = given.replace("_", " ").strip() if isinstance(given, str) else str(given)
    if name not in TIMINGS:
        raise UnknownName("timing", name, TIMINGS, place="Considerate")
    return name
