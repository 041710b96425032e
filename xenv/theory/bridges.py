"""A bridge from theory to practice: environments of histories as practical ones.

    start() = o_0,   step(a_i) = (r_{i+1}, o_{i+1})  with  that percept = e(T, <r_0, o_0, a_0, ..., r_i, o_i, a_i>)

So Q-learning plays the theory's examples; T is then the function of histories that the practical agent's copies
compute. Agents cross in both directions in `xenv.theory.practical_agents`. Alexander et al. 2021, section 4.

Differs from the paper:
- the first reward, r_0, is given to nobody, since a practical agent is trained on transitions
- rewards are floats there: 1/3 is rounded, and what copies are told of it
"""

from __future__ import annotations

import sys
from typing import ClassVar

from engine.errors import BadValue
from xenv.environment import ExtendedEnvironment
from xenv.simulation import Simulate
from xenv.theory.environments import HistoryEnvironment, TheoryExample, respond
from xenv.theory.histories import Play, Prompt
from xenv.theory.interaction import MOST_TURNS
from xenv.theory.naming import resolve_environment
from xenv.theory.practical_agents import make_history_agent


class PracticalForm(ExtendedEnvironment):
    """The base of practical forms. environment: the one of histories."""

    compiled: ClassVar[bool] = False
    environment: ClassVar[tuple[HistoryEnvironment]]

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.simulated = make_history_agent(simulate)
        self.prompt: Prompt = self._respond(Play())

    def start(self) -> int:
        return self.prompt.observations[-1]

    def step(self, action: int) -> tuple[float, int]:
        if len(self.prompt.rewards) > MOST_TURNS:
            problem = f"more than {MOST_TURNS} turns in the practical form of an example of the theory"
            raise BadValue(problem, remedy=f"run at most {MOST_TURNS}: the work grows with their square")
        self.prompt = self._respond(self.prompt.play(action))
        return float(self.prompt.rewards[-1]), self.prompt.observations[-1]

    def _respond(self, play: Play) -> Prompt:
        return play.prompt(respond(self.environment[0], self.simulated, play))


def practical_form(
    example: str | TheoryExample | HistoryEnvironment,
    n_observations: int | None = None,
    n_actions: int | None = None,
    reward_range: tuple[float, float] = (-sys.float_info.max, sys.float_info.max),
) -> type[PracticalForm]:
    """Make the practical form of an example, for `run_environment`, the battery and Gymnasium.

    Parameters
    ----------
    example : str or TheoryExample or function
        A name, an example or an environment, as `caregrid.theory` takes it.
    n_observations, n_actions : int, optional
        The shape; by default as the example declares it, with one observation for each of `MOST_TURNS` turns where it
        shows ever new ones.
    reward_range : tuple of two floats
        The least and the greatest reward that the class declares; by default any, as examples pay what they like.

    Returns
    -------
    class
        A class of extended environments.

    Examples
    --------
    >>> import xenv
    >>> xenv.run_environment(practical_form("ignoring_rewards"), "constant", turns=5).total_reward
    5
    """
    named = resolve_environment(example)
    members = {
        "__doc__": f"The practical form of {named.name}.",
        "__module__": __name__,
        "n_observations": n_observations or named.n_observations or MOST_TURNS,
        "n_actions": n_actions or named.n_actions,
        "reward_range": reward_range,
        "environment": (named.environment,),
    }
    return type("PracticalForm", (PracticalForm,), members)
