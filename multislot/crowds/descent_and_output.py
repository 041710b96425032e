"""The crowds of the paper: agents with a common ancestor, and agents that once output a string of actions.

Reference: The Multi-slot Framework, list of section 4.
"""

from __future__ import annotations

from engine.errors import BadValue, UnknownName
from multislot.crowds import Crowd, Lineage
from multislot.learning import Mixture
from multislot.worlds.environment import Slot

__all__ = ["CommonAncestor", "HasOutput"]


class CommonAncestor(Crowd):
    """All agents that have a common ancestor with the agent: they descend from the same initial slot.

    With one initial agent these are all agents there are. The Multi-slot Framework, list of section 4.
    """

    def counts(self, agent: Lineage, ancestor: Slot) -> bool:
        """Return whether the two ancestors are the same slot."""
        return agent.ancestor == ancestor


class HasOutput(Crowd):
    """All agents that have at some point output a given string of actions: "has_output:1,1,0,1,1".

    The Multi-slot Framework, list of section 4 (its example is the string 11011; one-letter actions need no commas).
    Raises BadValue without a string, UnknownName for an action that the environment does not list.
    """

    example = "1,0"

    def __init__(self, mixture: Mixture, argument: str = "") -> None:
        super().__init__(mixture, argument)
        if not argument:
            raise BadValue("'has_output' needs a string of actions", remedy="write has_output:ACTIONS")
        words = argument.split(",") if "," in argument or argument in map(str, mixture.actions) else list(argument)
        actions = {str(action): action for action in mixture.actions}
        for word in words:
            if word not in actions:
                raise UnknownName("action", word, actions, place=f"has_output:{argument}")
        self.wanted = [actions[word] for word in words]

    def counts(self, agent: Lineage, ancestor: Slot) -> bool:
        """Return whether the string is among the agent's actions, in one piece."""
        done = [action for action, _ in agent.history]
        length = len(self.wanted)
        return any(done[k : k + length] == self.wanted for k in range(len(done) - length + 1))
