"""New environments from old: a handicap imposes one more constraint on whoever lives in a merciful environment.

    (e*h)(T, p) = (r_e, o_e)  where h's reward is 1,   (-1, o_e)  where it is -1

S. A. Alexander, "Extending environments to incentivize self-reflection in reinforcement learning", Handicaps.

Differs from the paper:
- with nothing lived through yet, the handicaps of the paper pay 0; e's own first percept is passed on then
- mercy is checked answer by answer, since nobody can decide it of a function
"""

from __future__ import annotations

from engine.errors import ContractBroken
from xenv.theory.histories import History, HistoryAgent, HistoryEnvironment, Percept


def with_handicap(environment: HistoryEnvironment, handicap: HistoryEnvironment) -> HistoryEnvironment:
    """e*h; its answers raise ContractBroken where e is not merciful or h is no handicap."""

    def constrained(agent: HistoryAgent, play: History) -> Percept:
        reward, observation = environment(agent, play)
        if reward < 0:
            raise ContractBroken(f"reward {reward} is negative", place="e of e*h", remedy="take a merciful environment")
        verdict, nothing = handicap(agent, play)
        if nothing != 0 or verdict not in ((-1.0, 1.0) if play else (0.0,)):
            raise ContractBroken(
                f"it answers ({verdict}, {nothing})", place="h of e*h", remedy="pay 1 or -1 and show 0"
            )
        return Percept(-1.0 if verdict == -1.0 else reward, observation)

    return constrained
