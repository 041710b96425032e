"""All agents that have at some point output a given string of actions: "has_output:1,1,0,1,1".

The Multi-slot Framework, list of section 4 (its example is the string 11011; one-letter actions need no commas).
"""

from __future__ import annotations

from engine.errors import BadValue, UnknownName
from multislot.crowd import Crowd, Lineage
from multislot.learning.mixture import Mixture
from multislot.worlds.environment import Slot


def has_output(argument: str, mixture: Mixture) -> Crowd:
    """An agent counts where its past actions contain the string. BadValue without one, UnknownName for an action."""
    if not argument:
        raise BadValue("'has_output' needs a string of actions", remedy="write has_output:ACTIONS")
    words = argument.split(",") if "," in argument or argument in map(str, mixture.actions) else list(argument)
    actions = {str(action): action for action in mixture.actions}
    for word in words:
        if word not in actions:
            raise UnknownName("action", word, actions, place=f"has_output:{argument}")
    wanted = [actions[word] for word in words]

    def counts(agent: Lineage, ancestor: Slot) -> bool:
        done = [action for action, _ in agent.history]
        return any(done[k : k + len(wanted)] == wanted for k in range(len(done) - len(wanted) + 1))

    return counts
