"""An episode as plain data: a step for each state, with its action, cell, words and marks."""

from __future__ import annotations

from typing import Any

from caregrid.shows.scenes import state_words
from craftworld.scenario import Scenario
from craftworld.solution.episodes import AgentEpisode
from engine.contracts import called

MOST_STEPS = 400


def steps_data(part: AgentEpisode, drawn: str = "") -> list[dict[str, Any]]:
    """A step for each state: the action that led there, cell, words and marks. Long episodes are cut.

    drawn: the glyphs of the map that the page draws by itself, wherever the map shows them.
    """
    actions = ["", *(step.action for step in part.episode.steps)]
    return [
        {
            "action": action,
            "cell": list(part.scenario.position(state) or ()),
            "state": state_words(part.scenario, state),
            "marks": [list(mark) for mark in loose_marks(part.scenario, state, drawn)],
        }
        for action, state in list(zip(actions, part.episode.states, strict=True))[:MOST_STEPS]
    ]


def cells_data(part: AgentEpisode) -> list[list[int]]:
    """Row and column of every state."""
    places = map(part.scenario.position, part.episode.states[:MOST_STEPS])
    return [list(place) for place in places if place is not None]


def loose_marks(scenario: Scenario, state: Any, drawn: str) -> list[tuple[int, int, str, str, str]]:
    """Row, column, glyph, name and role of what is to be seen beside the map's features and the agent."""
    marks, place, rows = called(scenario, "scene", state).marks, scenario.position(state), scenario.grid.rows
    return [
        mark[:5]
        for mark in marks
        if mark.role != "feature"
        and not (mark[:2] == place and mark.role in ("agent", "other"))
        and not (mark.glyph in drawn and rows[mark.row][mark.column] == mark.glyph)
    ]
