"""One scenario as a Gymnasium environment, stepping on the table; one that is too large for a table, by its rules.

gymnasium.make("caregrid/workshop-v0", formulation="no_worse_off", care=2, render_mode="ansi")
"""

from __future__ import annotations

from typing import Any

from caregrid.environments.rendering import RENDER_MODES, Picturing
from caregrid.wrapping.gym_names import named_scenario
from craftworld.environments.caring_environment import CaringEnvironment
from craftworld.environments.replay_environment import ReplayEnvironment
from craftworld.scenario import Scenario
from craftworld.scenario_maker import make_scenario
from craftworld.scenarios import SCENARIOS
from engine.errors import BadValue

NEED_A_TABLE = ("formulation", "care", "own", "discount")


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


class GymnasiumReplay(ReplayEnvironment):
    """A `ReplayEnvironment` with pictures. render_mode: as in `GymnasiumWorld`."""

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012

    def __init__(self, scenario: Scenario, *, render_mode: str | None = None) -> None:
        super().__init__(scenario)
        self.render_mode, self._pictures = render_mode, Picturing(scenario, render_mode)

    def render(self) -> Any:
        """The present state as the render mode says."""
        return self._pictures.draw(self.state)


def gymnasium_world(scenario: str | Scenario, **settings: Any) -> GymnasiumWorld | GymnasiumReplay:
    """What `gymnasium.make("caregrid/NAME-v0")` gives: a `GymnasiumWorld`, or where no table fits a `GymnasiumReplay`.

    settings: those of `GymnasiumWorld`. BadValue for one that needs a table where there is none.
    """
    made = _too_large(scenario, settings)
    if made is None:
        return GymnasiumWorld(scenario, **settings)
    for name in NEED_A_TABLE:
        if name in settings:
            problem, remedy = f"{name} needs a table: {made.replay_only}", f"leave {name} out"
            raise BadValue(problem, place=made.name, remedy=remedy)
    return GymnasiumReplay(made, render_mode=settings.get("render_mode"))


def _too_large(scenario: str | Scenario, settings: dict[str, Any]) -> Scenario | None:
    """The scenario where it is too large for a table, else None."""
    if isinstance(scenario, Scenario):
        return scenario if scenario.replay_only else None
    if scenario not in SCENARIOS:
        return None
    options = {name: value for name, value in settings.items() if name not in (*NEED_A_TABLE, "render_mode")}
    made = make_scenario(SCENARIOS[scenario], options.pop("map_file", None), **options)
    return made if made.replay_only else None
