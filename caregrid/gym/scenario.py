"""One scenario as a Gymnasium environment, stepping on the table; one that is too large for a table, by its rules.

    gymnasium.make("caregrid/workshop-v0", formulation="no_worse_off", care=2, render_mode="ansi")

Render modes are "ansi" (a string) and "rgb_array" (pixels; no display is needed).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import gymnasium

from caregrid.wrapping.gym_names import find_scenario
from craftworld.gymnasium_environments import CaringEnvironment, ReplayEnvironment
from craftworld.scenario import Scenario
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from craftworld.solution.observer import Observes
from engine.contracts import call_method
from engine.errors import BadValue

RENDER_MODES = ("ansi", "rgb_array")
TILE = 32


class Picturing:
    """Draws states as a render mode says; None draws nothing. BadValue for another mode."""

    def __init__(self, scenario: Scenario, render_mode: str | None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            remedy = "choose " + " or ".join(RENDER_MODES)
            raise BadValue(f"render mode '{render_mode}'", place=type(scenario).__name__, remedy=remedy)
        self._scenario = scenario
        self._mode = render_mode

    def draw(self, state: Any) -> Any:
        """Return a string, uint8[height, width, 3], or None with a warning."""
        if self._mode is None:
            gymnasium.logger.warn("nothing to render: make the environment with a render_mode")
            return None
        scene = call_method(self._scenario, "scene", state)
        if self._mode == "rgb_array":
            return self._raster.grid(scene)
        from renderers import text

        return text.draw(scene)

    @cached_property
    def _raster(self) -> Any:
        from renderers.drawing.raster import Raster

        return Raster(TILE)


NEED_A_TABLE = ("formulation", "care", "own", "discount")
OF_THE_ENVIRONMENT = ("observes", "render_mode")


class GymnasiumWorld(CaringEnvironment):
    """A `CaringEnvironment` with pictures. named: the scenario and the settings that it was made of.

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
        self.named = (scenario, settings)
        named, options = find_scenario(scenario)
        super().__init__(named, formulation, care, **options, **settings)
        self.render_mode = render_mode
        self._pictures = Picturing(self.table.problem.scenario, render_mode)

    def render(self) -> Any:
        """Return the present state as the render mode says."""
        return self._pictures.draw(self.mdp.states[self._state])


class GymnasiumReplay(ReplayEnvironment):
    """A `ReplayEnvironment` with pictures. render_mode: as in `GymnasiumWorld`."""

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012

    def __init__(
        self, scenario: Scenario, *, observes: Observes = "observation", render_mode: str | None = None
    ) -> None:
        super().__init__(scenario, observes=observes)
        self.render_mode = render_mode
        self._pictures = Picturing(scenario, render_mode)

    def render(self) -> Any:
        """Return the present state as the render mode says."""
        return self._pictures.draw(self.state)


def make_gymnasium_world(scenario: str | Scenario, **settings: Any) -> GymnasiumWorld | GymnasiumReplay:
    """What `gymnasium.make("caregrid/NAME-v0")` gives: a `GymnasiumWorld`, or where no table fits a `GymnasiumReplay`.

    settings: those of `GymnasiumWorld`. BadValue for a world that needs a table and has none.
    """
    made = _find_too_large(scenario, settings)
    if made is None:
        return GymnasiumWorld(scenario, **settings)
    for name in NEED_A_TABLE:
        if name in settings:
            problem, remedy = f"{name} needs a table: {made.replay_only}", f"leave {name} out"
            raise BadValue(problem, place=made.name, remedy=remedy)
    return GymnasiumReplay(made, **{name: settings[name] for name in OF_THE_ENVIRONMENT if name in settings})


def _find_too_large(scenario: str | Scenario, settings: dict[str, Any]) -> Scenario | None:
    """Return the scenario where it is too large for a table, else None."""
    if isinstance(scenario, Scenario):
        return scenario if scenario.replay_only else None
    if scenario not in SCENARIOS:
        return None
    options = {name: value for name, value in settings.items() if name not in (*NEED_A_TABLE, *OF_THE_ENVIRONMENT)}
    made = make_scenario(SCENARIOS[scenario], options.pop("map_file", None), **options)
    return made if made.replay_only else None
