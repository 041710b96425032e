"""The viewer and the game of a caring problem, in a window or headless."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from caregrid.api.given_numbers import finite_coefficient

if TYPE_CHECKING:
    from caregrid.playing.game import StartGame
    from caregrid.shows.caring.editable_solution import ByFormulation
    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem
    from engine.grid import GridMap
    from experiments.training.learned_policy import LearnedPolicy

Out = str | Path | None


def view_problem(
    by_formulation: Callable[[], ByFormulation],
    care: float,
    seed: int,
    screen: tuple[Out, int | None, str],
    learned: Callable[[], Sequence[LearnedPolicy]],
    on_map: Callable[[GridMap], ByFormulation],
) -> None:
    """Open the viewer. screen: a film's file or None for a window, frames and keys, see `Screen`.

    on_map: the problems on a map that is drawn in the viewer.
    """
    from caregrid.shows.caring.editable_solution import EditableSolution
    from caregrid.shows.caring.explorer import ViewableSolution
    from caregrid.shows.headless import Screen, display

    shown_on = Screen(*screen).checked()
    solution = ViewableSolution(*by_formulation(), finite_coefficient(care), seed, learned())
    display(EditableSolution(solution, on_map), shown_on)


def view_regions(
    problem: Problem, axes: str | Sequence[str], care: float, seed: int, screen: tuple[Out, int | None, str]
) -> None:
    """Open the viewer on a map of two coefficients. care: of agents without an axis, and where the map begins."""
    from caregrid.api.caring.regions import axis_meanings, named_axes
    from caregrid.shows.headless import Screen, display
    from caregrid.shows.region_explorer import ViewableRegions, require_two
    from craftworld.regions.caring_regions import solve_regions
    from craftworld.regions.coefficient_axes import coefficient_axes

    shown_on = Screen(*screen).checked()
    chosen = require_two(coefficient_axes(problem, named_axes(axes), care=care))
    at = (finite_coefficient(care),) * len(chosen.names)
    display(ViewableRegions(problem, solve_regions(chosen), axis_meanings(chosen), at, seed), shown_on)


def play_problem(game: Callable[[], StartGame], screen: tuple[Out, int | None, str], text: bool) -> None:
    """Play a game in a window, in the terminal where text says so, or into a film. game: solves, and what it makes."""
    from caregrid.playing.present import present, require_place
    from caregrid.shows.headless import Screen

    require_place(Screen(*screen), text)
    present(game(), Screen(*screen), text)


def caring_game(scenario: Scenario, by_formulation: Callable[[], ByFormulation], care: float, seed: int) -> StartGame:
    """What makes the game of a caring problem; a scenario that is too large for a table is played without one."""
    from caregrid.playing.games.replay_game import ReplayGame
    from caregrid.playing.games.scenario_game import ScenarioGame

    if scenario.replay_only:
        return lambda: ReplayGame(scenario, seed)
    make_problem, (first, *_) = by_formulation()
    problem, coefficient = make_problem(first), finite_coefficient(care)
    return lambda: ScenarioGame(problem, coefficient, seed)
