"""An environment of the theory as a practical one, which answers actions one by one: so that Q-learning plays it.

    start() = o_0,   step(a_i) = (r_{i+1}, o_{i+1})  with  that percept = e(T, <r_0, o_0, a_0, ..., r_i, o_i, a_i>)

T is the function of histories that the practical agent's copies compute. Alexander et al. 2021, section 4.

Differs from the paper:
- the first reward, r_0, is given to nobody, since a practical agent is trained on transitions
"""

from __future__ import annotations

from typing import ClassVar

from engine.errors import BadValue
from xenv.environment import ExtendedEnvironment
from xenv.specs.simulation import Simulate
from xenv.theory.agents.practical_agent import history_agent_of
from xenv.theory.example import TheoryExample
from xenv.theory.histories import Play, Prompt
from xenv.theory.interaction import MOST_TURNS
from xenv.theory.naming import given_environment
from xenv.theory.response import HistoryEnvironment, response


class PracticalForm(ExtendedEnvironment):
    """The base of practical forms. environment: the one of histories."""

    compiled: ClassVar[bool] = False
    environment: ClassVar[tuple[HistoryEnvironment]]

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.simulated = history_agent_of(simulate)
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
        return play.prompt(response(self.environment[0], self.simulated, play))


def practical_form(
    example: str | TheoryExample | HistoryEnvironment,
    n_observations: int | None = None,
    n_actions: int | None = None,
    reward_range: tuple[float, float] = (-1.0, 1.0),
) -> type[PracticalForm]:
    """The class of the practical form of an example, for `run_environment`, the battery and Gymnasium.

    example: as `caregrid.theory` takes it. n_observations, n_actions: by default as the example declares them, and one
    observation for each of `MOST_TURNS` turns where it shows ever new ones. reward_range: what it declares.
    """
    named = given_environment(example)
    members = {
        "__doc__": f"The practical form of {named.name}.",
        "__module__": __name__,
        "n_observations": n_observations or named.n_observations or MOST_TURNS,
        "n_actions": n_actions or named.n_actions,
        "reward_range": reward_range,
        "environment": (named.environment,),
    }
    return type("PracticalForm", (PracticalForm,), members)
