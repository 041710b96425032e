"""`caregrid.problem`: a scenario, a map, a formulation, and everything that can be asked of them.

Viewer and game of a problem open in a window or write a film headless.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from caregrid.command_line.operation import Word
from caregrid.input_checks import (
    SEGMENTS,
    Care,
    check_arguments,
    read_care,
    read_care_or_segments,
    require_finite_coefficient,
)
from caregrid.operations import caring as operations
from caregrid.programmes.caring.best_responses import BestResponses, Coefficients, find_best_responses
from caregrid.programmes.caring.comparison import PathComparison, compare_paths, film_problem
from caregrid.programmes.caring.others_values import (
    Demonstrations,
    InferredOthers,
    OthersValues,
    infer_others,
    precompute_others_values,
)
from caregrid.programmes.caring.problem_source import (
    Map,
    SourcedProblem,
    change_map,
    list_formulations,
    make_problem_source,
    read_values,
)
from caregrid.programmes.caring.regions import RegionMap, solve_region_map
from caregrid.programmes.caring.training import PolicyOrFolder, TrainingResult, read_policies, run_training
from caregrid.results.film import MILLISECONDS, TILE, RecordedFilm
from engine.bounds import Frames, Milliseconds, Rounds, Seed, Steps, TileSize

if TYPE_CHECKING:
    from caregrid.programmes.caring.map_editor import ByFormulation
    from caregrid.programmes.game import StartGame
    from craftworld.formulation import Formulation
    from craftworld.others.value_distribution import ValueDistribution
    from craftworld.scenario import Scenario
    from craftworld.solution.problem import Problem
    from engine.grid import GridMap
    from engine.planning.coverage_set import ShowPlans
    from experiments.learned_policy import LearnedPolicy

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
    from caregrid.programmes.caring.map_editor import EditableSolution
    from caregrid.programmes.caring.viewer import ViewableSolution
    from caregrid.programmes.screen import Screen, display

    shown_on = Screen(*screen).checked()
    solution = ViewableSolution(*by_formulation(), require_finite_coefficient(care), seed, learned())
    display(EditableSolution(solution, on_map), shown_on)


def view_regions(
    problem: Problem, axes: str | Sequence[str], care: float, seed: int, screen: tuple[Out, int | None, str]
) -> None:
    """Open the viewer on a map of two coefficients. care: of agents without an axis, and where the map begins."""
    from caregrid.programmes.caring.region_viewer import ViewableRegions, require_two
    from caregrid.programmes.caring.regions import explain_axes, list_axes
    from caregrid.programmes.screen import Screen, display
    from craftworld.regions import make_coefficient_axes, solve_regions

    shown_on = Screen(*screen).checked()
    chosen = require_two(make_coefficient_axes(problem, list_axes(axes), care=care))
    at = (require_finite_coefficient(care),) * len(chosen.names)
    display(ViewableRegions(problem, solve_regions(chosen), explain_axes(chosen), at, seed), shown_on)


def play_problem(game: Callable[[], StartGame], screen: tuple[Out, int | None, str], text: bool) -> None:
    """Play a game in a window, in the terminal where text says so, or into a film. game: solves, and what it makes."""
    from caregrid.programmes.play import present, require_place
    from caregrid.programmes.screen import Screen

    require_place(Screen(*screen), text)
    present(game(), Screen(*screen), text)


def start_game(scenario: Scenario, by_formulation: Callable[[], ByFormulation], care: float, seed: int) -> StartGame:
    """What makes the game of a caring problem; a scenario that is too large for a table is played without one."""
    from caregrid.programmes.caring.scenario_games import ReplayGame, ScenarioGame

    if scenario.replay_only:
        return lambda: ReplayGame(scenario, seed)
    make_problem, (first, *_) = by_formulation()
    problem, coefficient = make_problem(first), require_finite_coefficient(care)
    return lambda: ScenarioGame(problem, coefficient, seed)


@check_arguments
def problem(
    scenario: Annotated[
        str | Scenario | type[Scenario], Word(metavar="SCENARIO", kinds=("scenarios",), by_place=True)
    ] = "workshop",
    formulation: Annotated[str | Formulation | None, Word(metavar="F", kinds=("formulations",))] = None,
    *,
    own: Annotated[float, Word(metavar="Y")] = 1.0,
    discount: Annotated[float | None, Word(metavar="G")] = None,
    values: Annotated[str | Path | ValueDistribution | OthersValues | None, Word(metavar="FILE")] = None,
    map: Annotated[Map | None, Word(metavar="FILE")] = None,
    options: Annotated[
        Mapping[str, Any] | Sequence[str], Word(option="--set", metavar="NAME=VALUE", several=True)
    ] = (),
) -> CaringProblem:
    """Make the problem of a caring agent: a scenario, a formulation and everything that can be asked of them.

    Parameters
    ----------
    scenario : str, Scenario or class
        A scenario (caregrid list scenarios), MODULE:NAME of your own, or gym:ID.
    formulation : str or Formulation
        How others count: a name (caregrid list formulations), MODULE:NAME or an object; by default the scenario's.
    own : float
        The weight of the own reward, alpha_1.
    discount : float
        Gamma, from 0 to 1; by default the scenario's.
    values : str, Path or OthersValues
        The others' values, made by 'caregrid precompute'.
    map : str, Path or GridMap
        Your own map, drawn with the scenario's legend: a file, and in Python also a drawing or a `GridMap`.
    options : mapping or texts NAME=VALUE
        An option of the scenario (see 'caregrid show'); repeatable.

    Returns
    -------
    CaringProblem
        Its methods solve, sweep, compare and film the problem.

    Raises
    ------
    UnknownName, BadValue, BadFile, MapError, ContractBroken
        For what cannot be made.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.problem("garden").solve(care=1).total
    12.0
    """
    others = read_values(values.distribution if isinstance(values, OthersValues) else values)
    made = CaringProblem(make_problem_source(scenario, formulation, map, own, discount, others, options))
    made.check()
    return made


class CaringProblem(SourcedProblem):
    """A scenario with a formulation; its methods solve, sweep, draw and film it. Made by `caregrid.problem`."""

    solve = operations.solve
    breakpoints = operations.breakpoints
    sweep = operations.sweep

    @check_arguments
    def regions(
        self,
        axes: str | Sequence[str] = (),
        *,
        beliefs: str | Sequence[str] = (),
        between: tuple[float, float] = (0.0, math.inf),
        care: float = 1.0,
        epsilon: float = 0.0,
        out: str | Path | None = None,
        progress: ShowPlans | None = None,
    ) -> RegionMap:
        """Every optimal behaviour for several coefficients at once, and the exact region in which each is optimal.

        axes: agents' names, and "own" for the acting agent; by default every agent has one. beliefs: instead, names of
        newcomers whose probabilities are the coefficients; those of the last one are what is left to 1. between: the
        range of every coefficient, -inf and inf for no bound. care: the coefficient of agents without an axis, or of
        all where beliefs are the axes. epsilon: the tolerated loss. out: a file for picture or table. progress: called
        with the plans done and those known to be needed. Raises UnknownName, BadValue or BadFile for axes or a file
        that cannot be, before anything is solved, NoPlan where nothing is finite.
        """
        return solve_region_map(self.exact, axes, beliefs, between, care, epsilon, out, progress)

    @check_arguments
    def infer(
        self,
        demonstrations: Demonstrations = (),
        *,
        temperature: float = 1.0,
        prior: Mapping[str, float] | None = None,
        out: str | Path | None = None,
    ) -> InferredOthers:
        """Who comes afterwards (`caregrid.programmes.caring.others_values`).

        demonstrations: a file or its entries. temperature: of Boltzmann's rule. prior: chance of each newcomer.
        out: a file for the others' values, a picture or a table.
        """
        return infer_others(self.exact, demonstrations, temperature, prior, out)

    @check_arguments
    def best_responses(
        self,
        care: float = 0.0,
        *,
        coefficients: Coefficients | None = None,
        begin: str = "declared",
        order: str = "in turn",
        damping: float = 0.0,
        rounds: Rounds = 100,
        out: str | Path | None = None,
    ) -> BestResponses:
        """Every agent of a world that several share plans for itself, in rounds, until nobody changes.

        care: everybody's coefficient for everybody else. coefficients: who -> whom -> another one. begin: with the
        policies that the scenario declares, or "joint", with those of one planner for all. order: "in turn" or "at
        once". damping: how much of the old policy stays in a round, from 0 to below 1. rounds: at most so many. out: a
        file for table or picture. What is then an equilibrium: `engine.planning.games`.
        """
        return find_best_responses(self.exact, care, coefficients, begin, order, damping, rounds, out)

    @check_arguments
    def train(
        self,
        agent: str = "q_learning",
        care: float = 1.0,
        *,
        steps: Steps | None = None,
        seed: Seed = 0,
        out: str | Path | None = None,
        confirmed: bool = False,
        device: str = "cpu",
    ) -> TrainingResult:
        """Train an agent at one coefficient, with its learning curve against the exact optimum.

        agent: "q_learning" (the tabular learner of `sweep`), "dqn", "sb3_dqn", "stacked_dqn", another name of
        the registry of agents, or `module:attribute`. steps: of the world; by default as many as agent and world need.
        seed: of all random numbers. out: a folder for policy, curve and figure, which is read where it holds the same
        training already; None writes nothing. confirmed: take any number of steps. device: "cpu", or "cuda" for stacked
        learners. Raises any CaregridError.
        """
        return run_training(self.source, care, agent, steps, seed, out, confirmed, device)

    @check_arguments
    def precompute(
        self, *, method: str = "exact", seed: Seed = 0, steps: Steps | None = None, confirmed: bool = False
    ) -> OthersValues:
        """What the others can expect, on every state of the acting agent.

        method: "exact" or "q_learning". seed, steps: of learning newcomers, who by default learn until they are
        settled. confirmed: take any number of steps.
        """
        return precompute_others_values(self.scenario, self.source.discount, method, seed, steps, confirmed)

    @check_arguments
    def compare(
        self,
        care: Care = SEGMENTS,
        formulations: str | Iterable[str | Formulation] | None = None,
        tile: TileSize = 32,
        policies: Sequence[PolicyOrFolder] = (),
    ) -> PathComparison:
        """The behaviours that coefficients and formulations lead to, side by side: paths, final states, returns.

        care: coefficients, or "segments": every segment between two break points, on a number line. formulations:
        names joined by commas, or several; by default the problem's own. tile: pixels a cell. policies: learned ones
        beside the optimal ones: what `train` gives, or the folders where it kept them.
        """
        cares, given = read_care_or_segments(care), list_formulations(formulations)
        chosen = [self] if formulations is None else [self.with_formulation(one) for one in given]
        return compare_paths([one.exact for one in chosen], cares, tile, self.learned(policies))

    @check_arguments
    def film(
        self,
        care: Care = 1.0,
        overlay: str = "path",
        tile: TileSize = TILE,
        milliseconds: Milliseconds = MILLISECONDS,
        seed: Seed = 0,
        policies: Sequence[PolicyOrFolder] = (),
    ) -> RecordedFilm:
        """The episodes of the exact solution; several coefficients play side by side.

        overlay: "path", "policy", a value's name such as "own value", "visit counts" or "none". seed: where chance
        decides, which sample of it is shown. policies: as in `compare`.
        """
        return film_problem(self.exact, read_care(care), overlay, tile, milliseconds, seed, self.learned(policies))

    @check_arguments
    def view(
        self,
        care: float = 1.0,
        *,
        seed: Seed = 0,
        out: str | Path | None = None,
        frames: Frames | None = None,
        keys: str = "",
        policies: Sequence[PolicyOrFolder] = (),
        axes: str | Sequence[str] = (),
    ) -> None:
        """Open the viewer in a window, or, with `out`, write what it would show into a film.

        seed: where chance decides, which sample of it is shown. frames: at most so many. keys: to press, one a frame,
        joined by commas. policies: as in `compare`; the first is shown, with the optimal path beside its own. axes:
        two agents; a click on the map of their coefficients then chooses the behaviour that is shown.
        """
        if axes:
            view_regions(self.exact, axes, care, seed, (out, frames, keys))
            return
        screen = (out, frames, keys)
        view_problem(self.by_formulation, care, seed, screen, lambda: self.learned(policies), self._on_map)

    @check_arguments
    def play(
        self,
        care: float = 1.0,
        *,
        seed: Seed = 0,
        out: str | Path | None = None,
        frames: Frames | None = None,
        keys: str = "",
        text: bool = False,
    ) -> None:
        """Play the acting agent in a window; with `out`, `keys` play (without any, the exact optimum) into a film.

        seed: where chance decides, what it is drawn from. text: play in the terminal. A world that is too large for a
        table is played without an optimum to compare with; without keys its first demonstration plays.
        """
        play_problem(lambda: self.game(care, seed), (out, frames, keys), text)

    @check_arguments
    def game(self, care: float = 1.0, seed: Seed = 0) -> StartGame:
        """What makes the game that `play` plays (`caregrid.programmes.game.Game`), the same one each time."""
        return start_game(self.scenario, self.by_formulation, care, seed)

    def _on_map(self, grid: GridMap) -> ByFormulation:
        """The problems by formulation on another map."""
        return type(self)(change_map(self.source, grid)).by_formulation()

    def learned(self, policies: Sequence[PolicyOrFolder]) -> list[LearnedPolicy]:
        """Learned policies as they are given, or read from folders; BadFile where one is for another table."""
        return read_policies(self.exact, policies)
