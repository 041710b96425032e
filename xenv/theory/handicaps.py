"""New environments from old: a handicap imposes one more constraint on the agent of a merciful environment.

    (e*h)(T, p) = (r_e, o_e)  where h's reward is 1,   (-1, o_e)  where it is -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Handicaps.

Differs from the paper:
- before the first turn the handicaps of the paper give 0; e's own first percept is passed on then
- mercy is checked percept by percept, since it is undecidable for a function
"""

from __future__ import annotations

from engine.errors import ContractBroken
from xenv.theory.histories import History, HistoryAgent, HistoryEnvironment, Percept


def with_handicap(environment: HistoryEnvironment, handicap: HistoryEnvironment) -> HistoryEnvironment:
    """e*h; its percepts raise ContractBroken where e is not merciful or h is no handicap."""

    def constrained(agent: HistoryAgent, play: History) -> Percept:
        reward, observation = environment(agent, play)
        if reward < 0:
            raise ContractBroken(f"reward {reward} is negative", place="e of e*h", remedy="take a merciful environment")
        constraint, blank = handicap(agent, play)
        if blank != 0 or constraint not in ((-1.0, 1.0) if play else (0.0,)):
            raise ContractBroken(
                f"it gave ({constraint}, {blank})", place="h of e*h", remedy="give reward 1 or -1 and observation 0"
            )
        return Percept(-1.0 if constraint == -1.0 else reward, observation)

    return constrained
