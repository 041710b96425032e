"""The rules of the shared workshop for one state at a time, as tables that fill while it is played.

The scenario's rules are for columns of states, where one state costs as much as a thousand. What an agent's action does
depends on its own part and the key, and what both get on everything but where they stand: both are soon known for good.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from craftworld.scenarios.workshop_shared import Worker, WorkshopShared, WorkshopSharedState

KEY, SECOND = WorkshopSharedState._fields.index("key"), WorkshopSharedState._fields.index("second_cell")
OWN = slice(KEY), slice(SECOND, None)


class SharedRules:
    """The rules for states of plain integers. scenario: whose they are."""

    def __init__(self, scenario: WorkshopShared) -> None:
        self.scenario = scenario
        self._places = [list(scenario.coordinates(cell)) for cell in range(len(scenario.grid.floor))]
        self._acted: dict[tuple[Any, ...], tuple[list[int], int]] = {}
        self._got: dict[tuple[Any, ...], tuple[float, float, bool]] = {}

    def acted(self, state: WorkshopSharedState, agent: int, action: int, fails: bool) -> WorkshopSharedState:
        """The state after one agent's action; fails: whether a move comes to nothing."""
        own = OWN[agent]
        case = (agent, state[own], state.key, action, fails)
        if case not in self._acted:
            after: Any = self.scenario.acted(_columns(state), agent, np.array([action]), fails)
            fields = [int(field[0]) for field in after]
            self._acted[case] = (fields[own], fields[KEY])
        fields = list(state)
        fields[own], fields[KEY] = self._acted[case]
        return WorkshopSharedState._make(fields)

    def got(self, before: WorkshopSharedState, after: WorkshopSharedState) -> tuple[float, float, bool]:
        """What each agent gets in a time step, and whether it was the last one."""
        case = (before[1:SECOND], before[SECOND + 1 :], after[1:SECOND], after[SECOND + 1 :])
        if case not in self._got:
            states = _columns(before), _columns(after)
            first, second = (float(self.scenario.agent_reward(agent, *states)[0]) for agent in (0, 1))
            self._got[case] = (first, second, bool(self.scenario.is_terminal(states[1])[0]))
        return self._got[case]

    def seen_by(self, state: WorkshopSharedState, agent: int) -> list[int]:
        """Own row, column, hammer, wood, box, left; the key; the other's six."""
        held, key = self.scenario.held, state.key
        own_key = {held[agent]: held[0], held[1 - agent]: held[1]}.get(key, key)
        parts = Worker(*state[:KEY]), Worker(*state[SECOND:])
        mine, theirs = ([*self._places[part.cell], *part[1:]] for part in (parts[agent], parts[1 - agent]))
        return [*mine, own_key, *theirs]


def _columns(state: WorkshopSharedState) -> Any:
    """A state of plain integers as columns of length one."""
    return WorkshopSharedState._make(np.array([field]) for field in state)
