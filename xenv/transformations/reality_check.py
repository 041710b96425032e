"""The reality check: an agent that freezes for ever once it is trained on an action that it would not have taken.

    pi_RC(x1 y1 ... xn) = pi(x1 y1 ... xn)  if y_i = pi_RC(x1 y1 ... xi) for all i < n,  else pi(x1)

Alexander et al. 2021, Definition 10, in the practical form of section 5: it remembers whether it has frozen. The
published form, as the paper's tables were made, freezes on another action.
"""

from __future__ import annotations

from engine.agent import Agent, Transition
from engine.compiling.objects import Compilable
from xenv.simulation import as_spec
from xenv.transformations import TransformedAgent, TransformedSpec

__all__ = ["reality_check", "reality_check_published"]


def reality_check(spec: object) -> RealityCheck:
    """The reality check: an agent that freezes for ever once it is trained on an action that it would not have taken.

        pi_RC(x1 y1 ... xn) = pi(x1 y1 ... xn)  if y_i = pi_RC(x1 y1 ... xi) for all i < n,  else pi(x1)

    Alexander et al. 2021, Definition 10, in the practical form of section 5: it remembers whether it has frozen.

    Parameters
    ----------
    spec : AgentSpec or function
        The underlying agent's spec, or a factory of agents.

    Returns
    -------
    RealityCheck
        The spec of the reality-checked agent; its hyper-parameters are those of the underlying spec.

    Raises
    ------
    BadValue
        If `spec` is neither a spec nor a factory.

    Examples
    --------
    >>> import xenv
    >>> from engine.agents.q_learning import QLearning
    >>> xenv.run_environment("repeater", xenv.reality_check(QLearning()), turns=10).turns
    10
    """
    return RealityCheck(as_spec(spec))


class RealityCheck(TransformedSpec):
    """The spec of a reality-checked agent (`reality_check`)."""

    def build(self, n_observations: int, n_actions: int, key: int) -> RealityCheckedAgent:
        """Build a fresh reality-checked agent."""
        return RealityCheckedAgent(self.build_underlying(n_observations, n_actions, key))


class RealityCheckedAgent(TransformedAgent, Compilable):
    """underlying: the agent that acts until frozen. first_action: what it did, untrained, on the first observation."""

    def __init__(self, underlying: Agent) -> None:
        super().__init__(underlying)
        self.trained = False
        self.frozen = False
        self.first_action = 0

    def act(self, observation: int) -> int:
        return self.first_action if self.frozen else self.underlying.act(observation)

    def train(self, transition: Transition) -> None:
        if self.frozen:
            return
        own = self.underlying.act(transition.observation)
        if not self.trained:
            self.trained = True
            self.first_action = own
        if own == transition.action:
            self.underlying.train(transition)
        else:
            self.frozen = True


def reality_check_published(spec: object) -> RealityCheckPublished:
    """The reality check as published: a first action of 0 counts as none, and every later one may become the first.

    The frozen action is the first non-zero action that it ever gave, in its own interaction or as a copy, or 0.
    Alexander et al. 2021, section 5, as its tables were made.

    Differs from the paper:
    - Definition 10 freezes on the action at the first observation of the history, whatever it is: see `reality_check`
    - being asked changes a later action, so that the agent is not semi-deterministic (Definition 9) where it is asked

    Arguments, result and errors are those of `reality_check`.
    """
    return RealityCheckPublished(as_spec(spec))


class RealityCheckPublished(TransformedSpec):
    """The spec of an agent with the published reality check (`reality_check_published`)."""

    def build(self, n_observations: int, n_actions: int, key: int) -> PublishedRealityCheckedAgent:
        """Build a fresh reality-checked agent."""
        return PublishedRealityCheckedAgent(self.build_underlying(n_observations, n_actions, key))


class PublishedRealityCheckedAgent(TransformedAgent, Compilable):
    """underlying: the agent that acts until frozen. first_action: the first non-zero action so far, or 0."""

    def __init__(self, underlying: Agent) -> None:
        super().__init__(underlying)
        self.frozen = False
        self.first_action = 0

    def act(self, observation: int) -> int:
        if self.frozen:
            return self.first_action
        action = self.underlying.act(observation)
        if self.first_action == 0:
            self.first_action = action
        return action

    def train(self, transition: Transition) -> None:
        if self.frozen:
            return
        if self.act(transition.observation) == transition.action:
            self.underlying.train(transition)
        else:
            self.frozen = True
