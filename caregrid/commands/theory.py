"""Let an agent interact with an example of the formal theory, exactly: rewards are rational numbers.

EXAMPLE is a name (caregrid list theory_examples), or e*h*h', an environment with handicaps, such as 'newcomb*deja_vu'.
self_insertion(crying_baby) and opposite(newcomb) take another example in brackets; false_memories:0,0,1 takes a play.
--agent is a name (caregrid list theory_agents), such as parity or always:1, or an agent of the battery, such as
q_learning, or reality_check(...) of either. MODULE:NAME names your own: an agent is a function from a prompt, the tuple
(r_0, o_0, a_0, ..., r_n, o_n), to an action 0, 1, 2, ...

  caregrid theory deja_vu --agent parity --turns 10 --json
  caregrid theory 'newcomb*ignoring_rewards' --agent 'reality_check(q_learning)' --turns 100

A turn is a reward, an observation and an action. The total counts the reward after the last action too."""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import JsonArgument
from engine.value_types import HistoryTurns

GROUP = "Self-reflection in extended environments"


@dataclass(frozen=True, kw_only=True)
class TheoryArguments(JsonArgument):
    """An example, an agent and how long."""

    example: str = positional("a name, e*h, or MODULE:NAME", metavar="EXAMPLE", kinds=("theory_examples",))
    agent: str = option(
        "always:0", "a name, or MODULE:FUNCTION (default always:0)", metavar="AGENT", kinds=("theory_agents",)
    )
    turns: HistoryTurns = option(20, "how many (default 20)", metavar="N")
    discount: str = option("1", "of rewards, turn by turn (default 1)", metavar="P/Q")
    out: str | None = option(None, "write the turns (.csv, .json ...) or a film (.gif, .html ...)", metavar="FILE")


def run(arguments: TheoryArguments) -> int:
    from caregrid.programmes.theory.interaction import theory

    result = theory(arguments.example, arguments.agent, arguments.turns, discount=arguments.discount)
    if arguments.out is not None:
        result.save(arguments.out)
    arguments.print_result("theory", result)
    return 0
