"""An agent that learns from the action that the world carried out, in place of the one that it chose.

    train(o, a, r, o')  ->  train(o, e, r, o')    e: the executed action, a where the world does not say

An interruption replaces actions. Told what it chose, an agent blames that action for what the interruption did.
Reference: L. Orseau, S. Armstrong, "Safely interruptible agents", 2016.
"""

from __future__ import annotations

from typing import Any

from engine.agent import Transition
from xenv.simulation import as_spec
from xenv.transformations import TransformedAgent, TransformedSpec

__all__ = ["executed_action"]


def executed_action(spec: object) -> ExecutedAction:
    """An agent that learns from the action that the world carried out, in place of the one that it chose.

    Worlds of Gymnasium say it as `info["extra_observations"]["actual_actions"]`. Elsewhere the agent is as it was.

    Parameters
    ----------
    spec : AgentSpec or function
        The underlying agent's spec, or a factory of agents.

    Returns
    -------
    ExecutedAction
        The spec of the agent; its hyper-parameters are those of the underlying spec.

    Raises
    ------
    BadValue
        If `spec` is neither a spec nor a factory.

    Examples
    --------
    >>> from engine.agent import Transition
    >>> from engine.agents.q_learning import QLearning
    >>> agent = executed_action(QLearning(learning_rate=0.5)).build(n_observations=1, n_actions=2, key=1)
    >>> agent.train(Transition(observation=0, action=1, reward=4.0, next_observation=0, executed=0))
    >>> agent.values
    array([[2., 0.]])
    """
    return ExecutedAction(as_spec(spec))


class ExecutedAction(TransformedSpec):
    """The spec of an agent that learns from executed actions (`executed_action`)."""

    def build(self, n_observations: int, n_actions: int, key: int) -> ExecutedActionAgent:
        """Build a fresh agent."""
        return ExecutedActionAgent(self.build_underlying(n_observations, n_actions, key))


class ExecutedActionAgent(TransformedAgent):
    """underlying: the agent that acts, and is trained on executed actions."""

    @property
    def values(self) -> Any:
        """Return the underlying agent's table, f64[observations, actions]; AttributeError where it has none."""
        learned: Any = self.underlying
        return learned.values

    def act(self, observation: int) -> int:
        return self.underlying.act(observation)

    def train(self, transition: Transition) -> None:
        if transition.executed is not None:
            transition = transition._replace(action=transition.executed)
        self.underlying.train(transition)
