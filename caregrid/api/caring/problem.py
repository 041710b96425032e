"""`caregrid.problem`: a scenario, a map, a formulation, and everything that can be asked of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from caregrid.api.caring.breakpoints import BreakPoints, break_points_between
from caregrid.api.caring.films import PathComparison, caring_film, compared_paths
from caregrid.api.caring.given import Map, SourcedProblem, formulation_list, given_values, problem_source, redrawn
from caregrid.api.caring.others_values import OthersValues, precomputed
from caregrid.api.caring.regions import RegionMap, solved_map
from caregrid.api.caring.solution import CaringSolution
from caregrid.api.caring.sweep import CareSweep, run_sweep
from caregrid.api.caring.training import GivenPolicy, TrainingResult, given_policies, run_training
from caregrid.api.caring.windows import caring_game, play_problem, view_problem, view_regions
from caregrid.api.checked import checked
from caregrid.api.execution import Execution, Place, RunOptions
from caregrid.api.given_numbers import SEGMENTS, Care, Seeds, care_numbers, care_text, chosen_cares, seed_numbers
from caregrid.api.inference import Demonstrations, InferredOthers, inferred
from caregrid.api.results.film import MILLISECONDS, TILE, RecordedFilm
from caregrid.api.shared.best_responses import BestResponses, Coefficients, responses_of
from engine.limits.whole_numbers import Frames, Milliseconds, Rounds, Seed, Steps, TileSize

if TYPE_CHECKING:
    from caregrid.playing.game import StartGame
    from caregrid.shows.caring.editable_solution import ByFormulation
    from craftworld.formulation import Formulation
    from craftworld.others.value_distribution import ValueDistribution
    from craftworld.scenario import Scenario
    from engine.grid import GridMap
    from engine.planning.regions.coverage_set import ShowPlans
    from experiments.training.learned_policy import LearnedPolicy


@checked
def problem(
    scenario: str | Scenario | type[Scenario] = "workshop",
    formulation: str | Formulation | None = None,
    *,
    map: Map | None = None,
    own: float = 1.0,
    discount: float | None = None,
    values: str | Path | ValueDistribution | OthersValues | None = None,
    options: Mapping[str, Any] | Sequence[str] = (),
) -> CaringProblem:
    """A problem of a caring agent.

    scenario: a registered name, `module:attribute`, a class or an object. formulation: how others count: a name,
    `module:attribute` or an object; the scenario's own by default. map: a file, a drawing or a `GridMap` in the
    scenario's legend. own: weight of the own reward (alpha_1). discount: gamma, the scenario's own by default. values:
    the others' values, as `precompute` gives them or a file of them. options: of the scenario, by name (or texts
    NAME=VALUE). Raises UnknownName, BadValue, BadFile, MapError or ContractBroken for what cannot be made.
    """
    others = given_values(values.distribution if isinstance(values, OthersValues) else values)
    made = CaringProblem(problem_source(scenario, formulation, map, own, discount, others, options))
    made.check()
    return made


class CaringProblem(SourcedProblem):
    """A scenario with a formulation; its methods solve, sweep, draw and film it. Made by `caregrid.problem`."""

    @checked
    def breakpoints(self, between: tuple[float, float] = (0.0, math.inf), *, epsilon: float = 0.0) -> BreakPoints:
        """Every coefficient at which the optimal policy changes, exactly; `certificate` of the result proves it.

        between: the least and the largest coefficient, -inf and inf for no bound. epsilon: keep only the fewest
        segments whose augmented return own + care * auxiliary is nowhere more than this, absolutely, below the optimum.
        """
        return break_points_between(self.exact, between, epsilon)

    @checked
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
        return solved_map(self.exact, axes, beliefs, between, care, epsilon, out, progress)

    @checked
    def infer(
        self,
        demonstrations: Demonstrations = (),
        *,
        temperature: float = 1.0,
        prior: Mapping[str, float] | None = None,
        out: str | Path | None = None,
    ) -> InferredOthers:
        """Who comes afterwards (`caregrid.api.inference`).

        demonstrations: a file or its entries. temperature: of Boltzmann's rule. prior: chance of each newcomer.
        out: a file for the others' values, a picture or a table.
        """
        return inferred(self.exact, demonstrations, temperature, prior, out)

    @checked
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
        file for table or picture. What is then an equilibrium: `engine.planning.games.best_responses`.
        """
        return responses_of(self.exact, care, coefficients, begin, order, damping, rounds, out)

    @checked
    def solve(self, care: float = 1.0, *, seed: Seed = 0) -> CaringSolution:
        """The exact optimum at one coefficient; BadValue where it is not finite.

        seed: of chance, in the episodes, path and film of a world that has any; values are exact.
        """
        from craftworld.solution.solution import solve

        return CaringSolution(self.exact, care, *solve(self.exact, care), seed)

    @checked
    def sweep(
        self,
        care: Care = "0:7:0.01",
        *,
        method: str = "exact",
        seeds: Seeds = 1,
        seed: Seed = 0,
        steps: Steps | None = None,
        others_steps: Steps | None = None,
        out: Place = None,
        **options: Unpack[RunOptions],
    ) -> CareSweep:
        """One row a coefficient.

        care: "start:stop:step" (stop left out), "a,b,c", or numbers. method: "exact", "q_learning" (learned from each
        seed), or "both". seeds: how many, "1,2,3", or numbers. seed: what all random keys derive from. steps,
        others_steps: of the acting agent and of newcomers; by default they learn until they are settled. out: a
        directory for table, break points, figure and finished units, which goes on where it stopped; True for one below
        results/; None writes nothing. options: see `RunOptions`. RunNotFinished where a unit fails or the run stops.
        """
        from experiments.requests.sweep import CareSweepRequest

        learned = (seed_numbers(seeds), seed, steps, others_steps)
        request = CareSweepRequest.of(self.source, care_text(care), method, *learned)
        return run_sweep(request, out, Execution(**options))

    @checked
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

    @checked
    def precompute(
        self, *, method: str = "exact", seed: Seed = 0, steps: Steps | None = None, confirmed: bool = False
    ) -> OthersValues:
        """What the others can expect, on every state of the acting agent.

        method: "exact" or "q_learning". seed, steps: of learning newcomers, who by default learn until they are
        settled. confirmed: take any number of steps.
        """
        return precomputed(self.scenario, self.source.discount, method, seed, steps, confirmed)

    @checked
    def compare(
        self,
        care: Care = SEGMENTS,
        formulations: str | Iterable[str | Formulation] | None = None,
        tile: TileSize = 32,
        policies: Sequence[GivenPolicy] = (),
    ) -> PathComparison:
        """The behaviours that coefficients and formulations lead to, side by side: paths, final states, returns.

        care: coefficients, or "segments": every segment between two break points, on a number line. formulations:
        names joined by commas, or several; by default the problem's own. tile: pixels a cell. policies: learned ones
        beside the optimal ones: what `train` gives, or the folders where it kept them.
        """
        cares, given = chosen_cares(care), formulation_list(formulations)
        chosen = [self] if formulations is None else [self.with_formulation(one) for one in given]
        return compared_paths([one.exact for one in chosen], cares, tile, self.learned(policies))

    @checked
    def film(
        self,
        care: Care = 1.0,
        overlay: str = "path",
        tile: TileSize = TILE,
        milliseconds: Milliseconds = MILLISECONDS,
        seed: Seed = 0,
        policies: Sequence[GivenPolicy] = (),
    ) -> RecordedFilm:
        """The episodes of the exact solution; several coefficients play side by side.

        overlay: "path", "policy", a value's name such as "own value", "visit counts" or "none". seed: where chance
        decides, which sample of it is shown. policies: as in `compare`.
        """
        return caring_film(self.exact, care_numbers(care), overlay, tile, milliseconds, seed, self.learned(policies))

    @checked
    def view(
        self,
        care: float = 1.0,
        *,
        seed: Seed = 0,
        out: str | Path | None = None,
        frames: Frames | None = None,
        keys: str = "",
        policies: Sequence[GivenPolicy] = (),
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

    @checked
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

    @checked
    def game(self, care: float = 1.0, seed: Seed = 0) -> StartGame:
        """What makes the game that `play` plays (`caregrid.playing.game.Game`), the same one each time."""
        return caring_game(self.scenario, self.by_formulation, care, seed)

    def _on_map(self, grid: GridMap) -> ByFormulation:
        """The problems by formulation on another map."""
        return type(self)(redrawn(self.source, grid)).by_formulation()

    def learned(self, policies: Sequence[GivenPolicy]) -> list[LearnedPolicy]:
        """Learned policies as they are given, or read from folders; BadFile where one is for another table."""
        return given_policies(self.exact, policies)
