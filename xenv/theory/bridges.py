"""Bridges from theory to practice: agents and environments of histories as practical ones.

    act(o) = T(0, o_0, a_0, r_1, o_1, a_1, ..., r_n, o)  after train(o_i, a_i, r_{i+1}, .) for i = 0 .. n-1
    start() = o_0,   step(a_i) = (r_{i+1}, o_{i+1})  with  that percept = e(T, <r_0, o_0, a_0, ..., r_i, o_i, a_i>)

So the environments of the battery can be run with any function of histories, and Q-learning plays the theory's
examples; T is then the function of histories that the practical agent's copies compute. The way back, a practical
agent as a function of histories, is `xenv.theory.practical_agents.as_history_agent`. Alexander et al. 2021, section
4.

Differs from the paper:
- the first reward, r_0, is given to nobody, since a practical agent is trained on transitions

Choices:
- the history of a practical form of an agent begins with reward 0, which no transition tells; its last observation
  is the one that is asked about
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from engine.agent import Agent, AgentSpec, Transition
from engine.errors import BadValue
from xenv.environment import ExtendedEnvironment
from xenv.simulation import Simulate
from xenv.theory.agents import HistoryAgent, as_agent
from xenv.theory.environments import HistoryEnvironment, TheoryExample, respond
from xenv.theory.histories import Play, Prompt, as_exact_reward
from xenv.theory.interaction import MOST_TURNS
from xenv.theory.naming import resolve_environment
from xenv.theory.practical_agents import make_history_agent


@dataclass(frozen=True)
class HistorySpec(AgentSpec):
    """The spec of the practical form of an agent. agent: a `HistoryAgent`, or a function of prompts."""

    agent: Any

    def build(self, n_observations: int, n_actions: int, key: int) -> TrainedOnHistory:
        """Return an instance without a past."""
        return TrainedOnHistory(as_agent(self.agent))


class TrainedOnHistory(Agent):
    """agent: T. past: what it was trained on, r_0, o_0, a_0, r_1, ..., up to the last reward."""

    def __init__(self, agent: HistoryAgent, past: tuple[Any, ...] = (0,)) -> None:
        self.agent, self.past = agent, past

    def act(self, observation: int) -> int:
        return self.agent(Prompt((*self.past, observation)))

    def train(self, transition: Transition) -> None:
        reward = as_exact_reward(transition.reward)
        self.past = (*self.past, int(transition.observation), int(transition.action), reward)

    def fork(self) -> TrainedOnHistory:
        return TrainedOnHistory(self.agent, self.past)


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
    reward_range: tuple[float, float] = (-1.0, 1.0),
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
        The least and the greatest reward that the class declares.

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
