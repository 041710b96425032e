"""Operations of extended environments: the battery of environments and the formal theory."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from caregrid.command_line.operation import Word, operation
from engine.bounds import HistoryTurns

if TYPE_CHECKING:
    from pathlib import Path

    from caregrid.programmes.theory.interaction import TheoryResult
    from xenv.theory.agents import HistoryAgent
    from xenv.theory.environments import HistoryEnvironment, TheoryExample

__all__ = ["theory"]

GROUP = "Self-reflection in extended environments"


@operation(group=GROUP)
def theory(
    example: Annotated[str | TheoryExample | HistoryEnvironment, Word(kinds=("theory_examples",))],
    agent: Annotated[str | HistoryAgent | Callable[..., int], Word(kinds=("theory_agents",))] = "always:0",
    turns: HistoryTurns = 20,
    *,
    discount: Annotated[str | int | Fraction, Word(metavar="P/Q")] = "1",
    out: str | Path | None = None,
) -> TheoryResult:
    """Let an agent interact with an example of the formal theory, exactly: rewards are rational numbers.

    A turn is a reward, an observation and an action. The total counts the reward after the last action, too.

      caregrid theory deja_vu --agent parity --turns 10 --json
      caregrid theory 'newcomb*ignoring_rewards' --agent 'reality_check(q_learning)' --turns 100

    Parameters
    ----------
    example : str, TheoryExample or function of agent and play
        A name (caregrid list theory_examples); e*h*h', an environment with handicaps, such as newcomb*deja_vu;
        self_insertion(crying_baby) and opposite(newcomb), which take another example; or MODULE:NAME.
    agent : str or function
        A name (caregrid list theory_agents), such as parity or always:1; an agent of the battery, such as q_learning;
        reality_check(...) of either; or MODULE:NAME, a function from a prompt, the tuple (r_0, o_0, a_0, ..., r_n,
        o_n), to an action 0, 1, 2, ...
    turns : int
        How many actions, from 1 to 1000.
    discount : str or Fraction
        Of rewards, turn by turn, a fraction from 0 to 1.
    out : str or Path
        A file for the turns (.csv, .json, ...) or a film (.gif, .html, ...).

    Returns
    -------
    TheoryResult
        The play, the last percept and the total, as fractions.

    Raises
    ------
    UnknownName, BadValue
        For a name, number of turns or discount that cannot be.
    ContractBroken
        For a user's function that gives no action; it names file and line.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.theory("deja_vu", "always:1", turns=3).total
    Fraction(3, 1)
    """
    from caregrid.programmes.theory.interaction import TheoryResult
    from engine.plain_values import parse_rational
    from xenv.theory.interaction import interact, require_theory_turns
    from xenv.theory.naming import resolve_agent, resolve_environment

    gamma = parse_rational(discount, "discount", "theory")
    count = require_theory_turns(turns)
    environment = resolve_environment(example)
    measured = resolve_agent(agent, environment.n_observations, environment.n_actions)
    interaction = interact(measured, environment.environment, count)
    interaction.discounted(gamma)
    result = TheoryResult(environment.name, measured.name, interaction, gamma)
    if out is not None:
        result.save(out)
    return result
