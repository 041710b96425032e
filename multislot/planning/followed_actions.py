"""Which actions a plan follows from a history on: all, the policy's, or those that may be optimal.

What is not followed is not planned, and cannot change the values of a history: an optimal plan takes none but optimal
actions later, and the value of a policy none but the policy's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from multislot.planning.history_arrays import ArrayPlace
from multislot.planning.history_graph import Edges, HistoryNode
from multislot.planning.near_optimal import NearOptimalActions
from multislot.worlds.environment import HistoryPolicy, Label


class FollowedActions(ABC):
    """The positions of the actions to follow, layer by layer."""

    @abstractmethod
    def positions(self, step: int, nodes: Sequence[HistoryNode]) -> list[Sequence[int]]:
        """By node of a layer."""

    @abstractmethod
    def advance(self, step: int, nodes: list[HistoryNode], edges: list[Edges], later: list[HistoryNode]) -> None:
        """A layer has been unfolded into the next one."""


class AllActions(FollowedActions):
    """Every action at every history."""

    def __init__(self, count: int) -> None:
        self.count = count

    def positions(self, step: int, nodes: Sequence[HistoryNode]) -> list[Sequence[int]]:
        """All of them."""
        return [range(self.count)] * len(nodes)

    def advance(self, step: int, nodes: list[HistoryNode], edges: list[Edges], later: list[HistoryNode]) -> None:
        """Nothing to remember."""


class PolicyActions(FollowedActions):
    """What a given policy does."""

    def __init__(self, policy: HistoryPolicy, actions: Sequence[Label]) -> None:
        self.policy, self.actions = policy, list(actions)

    def positions(self, step: int, nodes: Sequence[HistoryNode]) -> list[Sequence[int]]:
        """The policy's action."""
        return [(self.actions.index(self.policy(node.history)),) for node in nodes]

    def advance(self, step: int, nodes: list[HistoryNode], edges: list[Edges], later: list[HistoryNode]) -> None:
        """Nothing to remember."""


class OptimalCandidates(FollowedActions):
    """What may be optimal, by a plan in floats."""

    def __init__(self, filtered: NearOptimalActions, actions: Sequence[Label]) -> None:
        self.filtered, self.actions = filtered, actions
        self._places: dict[HistoryNode, ArrayPlace] = dict(filtered.first)

    def positions(self, step: int, nodes: Sequence[HistoryNode]) -> list[Sequence[int]]:
        """The actions that the filter keeps."""
        return [self.filtered.possible(step, self._places[node]) for node in nodes]

    def advance(self, step: int, nodes: list[HistoryNode], edges: list[Edges], later: list[HistoryNode]) -> None:
        """Find the places of the next layer; equal histories in two columns have the same optimal actions in both."""
        places: dict[HistoryNode, ArrayPlace] = {}
        for node, by_action in zip(nodes, edges, strict=True):
            for position, by_observation in by_action.items():
                for observation, successor in by_observation.items():
                    if later[successor] not in places:
                        place = self._places[node], self.actions[position]
                        places[later[successor]] = self.filtered.successor(step, *place, observation)
        self._places = places
