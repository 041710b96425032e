"""One scenario as a Gymnasium environment, stepping on the table.

gymnasium.make("caregrid/workshop-v0", formulation="no_worse_off", care=2, render_mode="ansi")
"""

from __future__ import annotations

from typing import Any

from caregrid.environments.rendering import RENDER_MODES, Picturing
from caregrid.wrapping.gym_names import named_scenario
from craftworld.scenario import Scenario
from craftworld.solution.caring_environment import CaringEnvironment


class GymnasiumWorld(CaringEnvironment):
    """A `CaringEnvironment` with pictures.

    render_mode: "ansi" (a string) or "rgb_array" (uint8[height, width, 3], no display needed), or None.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        scenario: str | Scenario,
        formulation: str | None = None,
        care: float = 1.0,
        *,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        named, options = named_scenario(scenario)
        super().__init__(named, formulation, care, **options, **settings)
        self.render_mode, self._pictures = render_mode, Picturing(self.table.problem.scenario, render_mode)

    def render(self) -> Any:
        """The present state as the render mode says."""
        return self._pictures.draw(self.mdp.states[self._state])
