"""`caregrid.rollout`, `penalties`, `sample_returns`: actions replayed, penalties of their steps, returns of a policy.

A replayed episode has boards, rewards and the hidden performance. Penalties say by how much each step differs from
what would have been, by every measure. Returns are estimated from many episodes, each with its standard error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from caregrid.command_line.operation import check_arguments
from caregrid.programmes.caring.problem_source import Map, make_problem_source
from caregrid.results import MILLISECONDS, TILE, RecordedFilm, Result, Writer, film_writers, scene_figure
from engine.effort import write_duration
from engine.errors import BadValue, UnknownName, argument
from engine.plain_values import make_json_value
from engine.printable import show_value
from engine.value_types import Coefficient, Episodes, Milliseconds, Probability, Seed, TileSize, Workers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.formulation import Formulation
    from craftworld.identification.behaviour import Behaviour
    from craftworld.rollout import ReplayedEpisode
    from craftworld.scenario import Scenario
    from craftworld.side_effect_penalties import PairDeviation, StepPenalty
    from craftworld.solution.problem import Problem
    from engine.mdp.rollouts import AnyPolicy, ReturnEstimate
    from engine.scene import Film, Scene
    from experiments.caring_problem import ProblemSource

Names = str | Sequence[str]


@check_arguments
def rollout(
    scenario: str | Scenario | type[Scenario],
    actions: Names = (),
    *,
    demonstration: str | None = None,
    seed: Seed = 0,
    chance: Names = (),
    map: Map | None = None,
    set: Mapping[str, Any] | Sequence[str] = (),
) -> RolloutResult:
    """Replay actions in a scenario, from a start state on.

    Parameters
    ----------
    scenario, map, set
        As in `caregrid.problem`.
    actions : str or sequence of str
        Names, also joined by commas.
    demonstration : str, optional
        The name of one of the scenario's own, in place of actions.
    seed : int
        The seed of what `chance` leaves open.
    chance : str or sequence of str
        Names of the outcomes of chance, in order: the start state where there are several, then each step in which more
        than one thing may happen.

    Returns
    -------
    RolloutResult
        A row for each step, with its board, reward and hidden performance.

    Raises
    ------
    UnknownName
        For an action, an outcome or a demonstration that is unknown.
    BadValue
        For an action that cannot be taken, or that comes after the end, and for an outcome for which there is no draw.

    Examples
    --------
    >>> import caregrid
    >>> [row["reward"] for row in caregrid.rollout("boat_race", "up,right").rows()]
    [-1.0, 2.0]
    """
    from craftworld.rollout import rollout as replay

    source = make_problem_source(scenario, map=map, set=set)
    made = source.make_scenario()
    named = _read_names(actions, "actions")
    outcomes = _read_names(chance, "chance")
    if demonstration is not None:
        if named:
            raise BadValue("actions and a demonstration", place=made.name, remedy="give one of them")
        demonstrations = {one.name: one for one in made.demonstrations()}
        if demonstration not in demonstrations:
            raise UnknownName("demonstration", demonstration, demonstrations, place=made.name)
        named = demonstrations[demonstration].actions
        outcomes = outcomes or demonstrations[demonstration].chance
    return RolloutResult(replay(made, named, seed=seed, chance=outcomes), source)


@dataclass(frozen=True, repr=False, eq=False)
class RolloutResult(Result):
    """An episode, or its beginning; rollout: its states, actions, rewards and performances; source: of its world."""

    rollout: ReplayedEpisode
    source: ProblemSource

    @property
    def title(self) -> str:
        """The scenario, and the number of steps."""
        return f"{self.scenario.name}, {len(self.rollout.episode.steps)} steps"

    @property
    def scenario(self) -> Scenario:
        """The scenario in which the actions were replayed."""
        return self.rollout.scenario

    @property
    def own(self) -> float:
        """The return: the sum of the observed rewards."""
        return self.rollout.episode.total()

    @property
    def performance(self) -> float:
        """The hidden performance."""
        return float(sum(self.rollout.performance))

    @property
    def chance(self) -> tuple[str, ...]:
        """The outcomes of chance, by name; given back to `rollout`, they replay the same."""
        return self.rollout.chance

    @property
    def boards(self) -> tuple[tuple[str, ...], ...]:
        """What the agent observes in each state, the first among them, as rows of letters."""
        return tuple(self.scenario.board(state) for state in self.rollout.episode.states)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per step: action, reward, performance, whether it ended the episode, the board after it."""
        steps = self.rollout.episode.steps
        return [
            {
                "action": step.action,
                "reward": step.reward,
                "performance": hidden,
                "terminated": self.rollout.terminated and number == len(steps),
                "board": "\n".join(self.scenario.board(step.next_state)),
            }
            for number, (step, hidden) in enumerate(zip(steps, self.rollout.performance, strict=True), start=1)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return what `caregrid rollout --json` prints."""
        steps = [{**row, "board": row["board"].split("\n")} for row in self.rows()]
        return {
            "scenario": self.scenario.name,
            "first_board": list(self.boards[0]),
            "chance": list(self.chance),
            "seed": self.rollout.seed,
            "steps": steps,
            "return": self.own,
            "performance": self.performance,
        }

    @property
    def behaviour(self) -> Behaviour:
        """The episode as data that `caregrid.identify` takes."""
        from caregrid.programmes.caring.replayed_behaviour import make_replayed_behaviour

        return make_replayed_behaviour(self.source, self.rollout)

    @property
    def scenes(self) -> Film:
        """One scene a state."""
        from craftworld.solution.episodes import AgentEpisode, film_episodes

        return film_episodes([AgentEpisode("agent", self.scenario, self.rollout.episode, (), self.rollout.seed)])

    def film(self, tile: TileSize = TILE, milliseconds: Milliseconds = MILLISECONDS) -> RecordedFilm:
        """Return the episode, one scene a state."""
        return RecordedFilm(self.title, self.scenes, tile, milliseconds)

    def storyboard(self) -> Scene:
        """Return all states side by side in one scene."""
        from experiments.figures.labels import format_name
        from renderers.film import make_storyboard

        scenes = [replace(scene, readings=()) for scene in self.scenes]
        return make_storyboard(scenes, f"{format_name(self.title)}: {self._summary()}")

    def figure(self) -> Figure:
        """Return the storyboard."""
        return scene_figure(self.storyboard())

    def text(self) -> str:
        """Return what `caregrid rollout` prints: every state drawn, then return, performance and how it ended."""
        from renderers.text import draw

        return "\n\n".join([*(draw(scene, legend=False) for scene in self.scenes), self._summary()])

    def writers(self) -> dict[str, Writer]:
        """Return those of every result, and .gif, .mp4, .html with a player; .png is a storyboard, .jsonl behaviour."""
        sheet = RecordedFilm(self.title, (self.storyboard(),))
        own: dict[str, Writer] = {
            "png": partial(sheet.save, kind="png"),
            "jsonl": lambda path: self.behaviour.save(path),
        }
        return super().writers() | film_writers(self.film) | own

    def _summary(self) -> str:
        ended = (
            "ended by the world" if self.rollout.terminated else "step limit" if self.rollout.finished else "goes on"
        )
        drawn = f", chance {','.join(self.chance)}" if self.chance else ""
        return f"return {self.own:g}, performance {self.performance:g}, {ended}{drawn}"


def _read_names(names: Names, what: str) -> tuple[str, ...]:
    """Names from a text with commas, or from several; BadValue for anything else."""
    if isinstance(names, str):
        return tuple(word.strip() for word in names.split(",")) if names.strip() else ()
    if not isinstance(names, Sequence) or not all(isinstance(word, str) for word in names):
        raise BadValue(f"{what} are {show_value(names)}", place="rollout", remedy="give names, or a text with commas")
    return tuple(names)


@dataclass(frozen=True, repr=False, eq=False)
class EpisodePenalties(Result):
    """replayed: the episode. discount: of reachability and utilities. penalties: of each step and baseline."""

    replayed: RolloutResult
    discount: float
    penalties: tuple[StepPenalty, ...]

    @property
    def title(self) -> str:
        """The scenario, and the number of steps."""
        return f"Penalties in {self.replayed.title}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per step and baseline: the deviation by every measure."""
        return [
            {"step": penalty.step, "action": penalty.action, "baseline": penalty.baseline, **penalty.deviations}
            for penalty in self.penalties
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return what `caregrid penalties --json` prints."""
        return {"scenario": self.replayed.scenario.name, "discount": self.discount, "penalties": self.rows()}

    def text(self) -> str:
        """Return what `caregrid penalties` prints."""
        if not self.penalties:
            return "no steps"
        measures = list(self.penalties[0].deviations)
        width = max(len(penalty.action) for penalty in self.penalties)
        lines = [f"step  {'action':{max(width, 6)}}  {'baseline':17}" + "".join(f"{name:>9}" for name in measures)]
        for penalty in self.penalties:
            numbers = "".join(f"{penalty.deviations[name]:9.5f}" for name in measures)
            lines.append(f"{penalty.step:4}  {penalty.action:{max(width, 6)}}  {penalty.baseline:17}{numbers}")
        return "\n".join(lines)


@dataclass(frozen=True, repr=False, eq=False)
class PairPenalties(Result):
    """scenario: its name. discount: of reachability and utilities. pairs: of each pair, without and with rollouts."""

    scenario: str
    discount: float
    pairs: tuple[PairDeviation, ...]

    @property
    def title(self) -> str:
        """The scenario."""
        return f"Deviations of pairs of states, {self.scenario}"

    def rows(self) -> list[dict[str, Any]]:
        """Return two rows per pair: states in words, steps from state to baseline, the deviation by every measure."""
        return [
            {
                "pair": number // 2 + 1,
                "state": json.dumps(make_json_value(one.state)),
                "baseline": json.dumps(make_json_value(one.baseline)),
                "rollouts": one.rolled,
                "steps": one.steps,
                **one.deviations,
            }
            for number, one in enumerate(self.pairs)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return what `caregrid penalties --pairs --json` prints."""
        return {"scenario": self.scenario, "discount": self.discount, "penalties": self.rows()}

    def text(self) -> str:
        """Return what `caregrid penalties --pairs` prints."""
        measures = list(self.pairs[0].deviations)
        lines = ["pair  rollouts  steps" + "".join(f"{name:>9}" for name in measures)]
        for number, one in enumerate(self.pairs):
            steps = "-" if one.steps is None else str(one.steps)
            numbers = "".join(f"{one.deviations[name]:9.5f}" for name in measures)
            lines.append(f"{number // 2 + 1:4}  {'yes' if one.rolled else 'no':8}  {steps:>5}{numbers}")
        return "\n".join(lines)


POLICIES = ("random", "optimal")
SECONDS_A_STEP = 1e-8
STEPS_WITHOUT_ASKING = 10**10
FEW_EPISODES = 5  # for which their extremes say enough, and a standard error would say too much


@check_arguments
def sample_returns(
    scenario: str | Scenario | type[Scenario],
    episodes: Episodes,
    *,
    policy: str = "random",
    epsilon: Probability = 0.0,
    care: Coefficient = 1.0,
    formulation: str | Formulation | None = None,
    seed: Seed = 0,
    threads: Workers | None = None,
    map: Map | None = None,
    set: Mapping[str, Any] | Sequence[str] = (),
    yes: bool = False,
) -> SampledReturns:
    """Sample own return, others' returns and hidden performance of a policy, each with its standard error.

    Parameters
    ----------
    scenario, formulation, map, set
        As in `caregrid.problem`.
    episodes : int
        How many are sampled.
    policy : {"random", "optimal"}
        Every available action with the same probability, or the optimum at a caring coefficient, `care`.
    epsilon : float from 0 to 1
        The probability of a random action in its place.
    care : float
        The caring coefficient.
    seed : int
        The seed of all chance.
    threads : int, optional
        How many to use, by default one per core; results are the same for any number.
    yes : bool
        Sample even if it takes minutes.

    Returns
    -------
    SampledReturns
        A row for each return.

    Raises
    ------
    UnknownName
        For an unknown policy.
    BadValue
        For more steps than are sampled without `yes`.

    Examples
    --------
    >>> import caregrid
    >>> sampled = caregrid.sample_returns("garden", 3, policy="optimal")
    >>> [(row["return"], row["mean"]) for row in sampled.rows()]
    [('own', -10.0), ('others', -32.0)]
    """
    from craftworld.measures import sample_policy_returns

    if policy not in POLICIES:
        raise UnknownName("policy", policy, POLICIES, place="sample_returns")
    problem = make_problem_source(scenario, formulation, map=map, set=set).make_problem()
    steps = episodes * problem.scenario.time_limit
    if steps > STEPS_WITHOUT_ASKING and not yes:
        problem_text = f"{episodes:,} episodes are up to {steps:,} steps, {write_duration(steps * SECONDS_A_STEP)}"
        remedy = f"ask for fewer, or confirm it with {argument('yes', True)}"
        raise BadValue(problem_text, place="episodes", remedy=remedy)
    estimates = sample_policy_returns(problem, _make_policy(problem, policy, epsilon, care), episodes, seed, threads)
    return SampledReturns(problem.scenario.name, policy, estimates)


def _make_policy(problem: Problem, policy: str, epsilon: float, care: float) -> AnyPolicy:
    from engine.mdp.policies import epsilon_greedy, make_random_policy
    from engine.planning.trade_off.envelope import find_segment_policy

    mdp = problem.mdp
    if policy == "random":
        return make_random_policy(mdp)
    starts = mdp.start_states().tolist()
    states = len(mdp.terminal)
    optimal = {start: find_segment_policy(problem.find_segment(care, start), states) for start in starts}
    return {start: epsilon_greedy(mdp, policy, epsilon) for start, policy in optimal.items()}


@dataclass(frozen=True, repr=False, eq=False)
class SampledReturns(Result):
    """estimates: "own", and "others" and "performance" where there are any -> what the episodes gave."""

    scenario: str
    policy: str
    estimates: Mapping[str, ReturnEstimate]
    schema: ClassVar[str] = "rollout_samples"

    @property
    def title(self) -> str:
        """The scenario, the policy, the number of episodes."""
        return f"{self.scenario}, {self.policy} policy, {self.estimates['own'].episodes:,} episodes"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per return: its mean, standard error, least and largest value."""
        return [
            {
                "return": name,
                "mean": estimate.mean,
                "standard_error": estimate.standard_error if estimate.episodes > 1 else None,
                "least": estimate.least,
                "most": estimate.most,
            }
            for name, estimate in self.estimates.items()
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return what `caregrid rollout --episodes --json` prints."""
        own = self.estimates["own"]
        counts = {"episodes": own.episodes, "steps": own.steps, "terminated": own.terminated}
        return {"scenario": self.scenario, "policy": self.policy, **counts, "returns": self.rows()}

    def text(self) -> str:
        """Return each return with its standard error, unless episodes are few, then how long the episodes were."""
        own = self.estimates["own"]
        lines = [self.title]
        for name, estimate in self.estimates.items():
            error = f" (standard error {estimate.standard_error:.2g})" if estimate.episodes > FEW_EPISODES else ""
            lines.append(f"{name:12} {estimate.mean:.6g}{error}   from {estimate.least:g} to {estimate.most:g}")
        share = own.terminated / own.episodes
        return "\n".join([*lines, f"{own.steps / own.episodes:.4g} steps an episode, {share:.1%} ended by the world"])
