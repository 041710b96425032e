"""Pictures of a scenario's states in Gymnasium's render modes: "ansi" (a string), "rgb_array" (pixels, no display)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import gymnasium

from craftworld.scenario import Scenario
from engine.contracts import called
from engine.errors import BadValue

RENDER_MODES = ("ansi", "rgb_array")
TILE = 32


class Picturing:
    """Draws states as a render mode says; None draws nothing. BadValue for another mode."""

    def __init__(self, scenario: Scenario, render_mode: str | None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            remedy = "choose " + " or ".join(RENDER_MODES)
            raise BadValue(f"render mode '{render_mode}'", place=type(scenario).__name__, remedy=remedy)
        self._scenario, self._mode = scenario, render_mode

    def draw(self, state: Any) -> Any:
        """A string, uint8[height, width, 3], or None with a warning."""
        if self._mode is None:
            gymnasium.logger.warn("nothing to render: make the environment with a render_mode")
            return None
        scene = called(self._scenario, "scene", state)
        if self._mode == "rgb_array":
            return self._raster.grid(scene)
        from renderers import text

        return text.draw(scene)

    @cached_property
    def _raster(self) -> Any:
        from renderers.drawing.raster import Raster

        return Raster(TILE)
