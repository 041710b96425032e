"""Which of the papers' agents is it: recorded behaviour, and what it says about the agent.

`record_behaviour` writes what an agent does as data; `identify_caring` compares the exact agents as hypotheses about it
(`craftworld.identification`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from caregrid.command_line.operation import check_arguments
from caregrid.programmes.caring.replayed_behaviour import make_observed_world
from caregrid.programmes.decided_steps import DecidedSteps
from caregrid.programmes.misfit_text import describe_misfit, make_plain_misfit
from caregrid.results import Result
from engine.errors import BadValue, UnknownName, argument
from engine.plain_values import finite_or_none
from engine.value_types import Episodes, Seed, Steps
from experiments.figures.style import use_figure_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from xarray import DataTree

    from caregrid.programmes.caring.problem import CaringProblem
    from caregrid.programmes.caring.solution import CaringSolution
    from caregrid.programmes.turns import RecordedTurns
    from craftworld.identification.behaviour import Behaviour
    from craftworld.identification.identify import Hypothesis, Identified
    from craftworld.identification.misfit import Misfit
    from craftworld.identification.posterior import ParameterPosterior, Prior
    from craftworld.scenario import Scenario
    from engine.mdp.mdp import Policy

LEVEL = 0.9
NEARLY_FIXED = 2.0
"""Temperatures that differ by less than this factor are one."""
TOGETHER = "all together"
PARAMETERS = ("care", "temperature", "slip")


@check_arguments
def record_behaviour(
    agent: Any,
    world: str | Scenario | CaringProblem,
    episodes: Episodes = 1,
    seed: Seed = 0,
    *,
    limit: Steps = 1000,
    name: str | None = None,
    **settings: Any,
) -> Behaviour | RecordedTurns:
    """Record what an agent does in a world, as data that `caregrid.identify` takes.

    Parameters
    ----------
    agent : array, solution or object
        A policy, int[S] or f64[S, A], what `problem.solve` gave, or an object whose `act(observation)`
        takes the number of what it observes, of the state where nothing is hidden, and returns an action's. In worlds
        of other programmes: an agent of the battery, a policy of slots such as "cpy", a planning agent such as "itc".
    world : str, scenario or problem
        NAME or NAME,OPTION=VALUE, or what `caregrid.problem`, `wrap` or `read_table` gave; or a world of another
        programme, "extended/repeater", "slots/swap", "terminal/tamper_grid".
    episodes : int
        How many.
    seed : int
        Of the policy's and the world's chance.
    limit : int
        An episode is cut after so many steps.
    name : str
        What the agent is called; by default its class.
    **settings
        Of a world of another programme: horizon, discount, or a world's own. In extended environments `limit` is the
        number of turns.

    Returns
    -------
    Behaviour or RecordedTurns
        Its `save(path)` writes a file of JSON lines.

    Raises
    ------
    BadValue
        For an agent that is none, or an action that is not available.

    Examples
    --------
    >>> import caregrid
    >>> garden = caregrid.problem("garden")
    >>> caregrid.record_behaviour(garden.solve(care=1), garden, episodes=2).steps
    20
    """
    from caregrid.programmes.caring.solution import CaringSolution
    from craftworld.identification.behaviour import record_behaviour as record

    if isinstance(world, str) and "/" in world:
        return _record_turns(agent, world, RecordedRuns(episodes, seed, limit, name), settings)
    if settings:
        raise BadValue(f"unknown setting '{min(settings)}'", place="record_behaviour", remedy="make a problem of it")
    if isinstance(agent, CaringSolution):
        name = name or f"optimal at care {agent.care:g}"
        agent = _find_policy(agent)
    return record(agent, make_observed_world(world), episodes, seed, limit=limit, name=name)


class RecordedRuns(NamedTuple):
    """How much is recorded in a world of another programme, as `record_behaviour` takes it."""

    episodes: int
    seed: int
    limit: int
    name: str | None


def _record_turns(agent: Any, world: str, runs: RecordedRuns, settings: Mapping[str, Any]) -> RecordedTurns:
    programme, _, name = world.partition("/")
    texts = {key: str(value) for key, value in settings.items()}
    if programme == "extended":
        from caregrid.programmes.extended.identification import record_extended

        called = runs.name or (agent if isinstance(agent, str) else type(agent).__name__)
        return record_extended(name, agent, runs.limit, runs.seed, called)
    if programme == "slots":
        from caregrid.programmes.slots.identification import record_slots

        return record_slots(name, agent, runs.episodes, runs.seed, texts)
    if programme == "terminal":
        from caregrid.programmes.terminal.identification import record_terminal

        return record_terminal(name, agent, runs.episodes, runs.seed, texts)
    raise UnknownName("programme", programme, ("extended", "slots", "terminal"), place="record_behaviour")


def _find_policy(solution: CaringSolution) -> Policy:
    """Return the optimal policy, int32[S]."""
    starts = solution.problem.mdp.start_states().tolist()
    if len(starts) > 1:
        remedy = "give a policy, int[S]"
        raise BadValue("a solution from several start states", place="record_behaviour", remedy=remedy)
    return solution.problem.plan_optimum(solution.care, starts[0]).policy


@dataclass(frozen=True, repr=False, eq=False)
class Identification(Result):
    """Which of the papers' agents acts like this.

    identified: hypotheses with their posteriors, classes of formulations, intervals of care, and every step. misfit:
    whether the agent is any of them; None where that was not asked. prior: of the parameters.
    """

    identified: Identified
    misfit: Misfit | None = None
    prior: Prior | None = None

    @property
    def title(self) -> str:
        """How much was observed, and where."""
        worlds = ", ".join(dict.fromkeys(each.world.name for each in self.identified.behaviours))
        episodes = sum(len(each.episodes) for each in self.identified.behaviours)
        return f"{worlds}: {_count(self.identified.observed, 'step')} in {_count(episodes, 'episode')}"

    @property
    def posterior(self) -> dict[str, float]:
        """Hypothesis -> its probability."""
        return {each.name: each.probability for each in self.identified.hypotheses}

    @property
    def optimal_care(self) -> dict[str, list[tuple[float, float]]]:
        """Class of formulations -> the closed intervals of care at which every observed action is optimal."""
        return {name: list(several) for name, several in self.identified.optimal.items()}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per hypothesis: log evidence, prior, probability, Bayes factor, medians, 90 % intervals."""
        best = max(each.log_evidence for each in self.identified.hypotheses)
        return [
            {
                "hypothesis": each.name,
                "formulations": ", ".join(each.formulations.members) if each.formulations else "",
                "log_evidence": each.log_evidence,
                "prior": each.prior,
                "probability": each.probability,
                "log_bayes_factor": each.log_evidence - best,
                **_list_intervals(each),
            }
            for each in self.identified.hypotheses
        ]

    def steps(self) -> list[dict[str, Any]]:
        """Return a row per step: file, episode, step, action, log P(a|s) of each hypothesis, parameters likeliest."""
        return [
            {
                "file": each.file,
                "episode": each.episode,
                "step": each.step,
                "action": self.identified.behaviours[each.file - 1].world.table.actions[each.action],
                **each.log_chance,
            }
            for each in self.identified.steps
        ]

    def explain_steps(self) -> DecidedSteps:
        """Return where it was decided: the steps as a table, and as a heat map of hypothesis and step."""
        names = [each.name for each in self.identified.hypotheses]
        return DecidedSteps(self.title, names, self.steps())

    @check_arguments
    def to_arviz(
        self, hypothesis: str | None = None, draws: Episodes = 1000, *, chains: Episodes = 4, seed: Seed = 0
    ) -> DataTree:
        """Give ArviZ (extra `arviz`) the posterior of one hypothesis, by default of the likeliest that has parameters.

        Draws are independent. The groups: `posterior`, of care, temperature and slip those that are open;
        `log_likelihood`, of each observed step; `observed_data`. `arviz.summary`, `arviz.loo` and the plots take it.

        Parameters
        ----------
        hypothesis : str
            Its name, as in `posterior`.
        draws : int
            How many, in each chain.
        chains : int
            How many. They differ by their random numbers alone.
        seed : int
            Of the draws.

        Raises
        ------
        MissingExtra, UnknownName, BadValue
            Without the package `arviz-base`, for a name that has no parameters, for too many draws.
        """
        from caregrid.programmes.caring.arviz_export import export_posterior
        from craftworld.identification.posterior import Prior

        tree: DataTree = export_posterior(self.identified, self.prior or Prior(), hypothesis, draws, chains, seed)
        return tree

    @property
    def warnings(self) -> list[str]:
        """Where the temperature decides which hypothesis it is, or a learner counts as one agent, a sentence each."""
        from craftworld.identification.identify import find_decisive_temperatures
        from craftworld.identification.posterior import Prior

        prior = self.prior or Prior()
        cold, hot = prior.temperature
        found = []
        if len({each.trained_steps for each in self.identified.behaviours}) > 1:
            remedy = f"{argument('by_agent', True)} takes each by itself"
            found.append(f"several points of a training count as one agent here: {remedy}")
        if hot < NEARLY_FIXED * cold:
            found.append("the temperature is nearly fixed: a wrong one gives wrong verdicts that look certain")
        verdicts = find_decisive_temperatures(self.identified.hypotheses, prior)
        if len({name for _, _, name in verdicts}) > 1:
            listed = "; ".join(f"{name} at {low:.2g} to {high:.2g}" for low, high, name in verdicts)
            found.append(f"the temperature decides: with a fixed one it would be {listed}")
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return worlds, episodes, steps, hypotheses, classes, optimal_care, warnings, misfit."""
        from craftworld.identification.identify import write_fraction

        return {
            "worlds": list(dict.fromkeys(each.world.name for each in self.identified.behaviours)),
            "episodes": sum(len(each.episodes) for each in self.identified.behaviours),
            "steps": self.identified.observed,
            "hypotheses": self.rows(),
            "classes": [
                {"name": each.name, "scale": dict(each.scale), "indifferent": each.indifferent}
                for each in self.identified.classes
            ],
            "optimal_care": {
                name: [[write_fraction(low), write_fraction(high)] for low, high in several]
                for name, several in self.identified.optimal.items()
            },
            "warnings": self.warnings,
            "misfit": make_plain_misfit(self.misfit),
        }

    @use_figure_style
    def figure(self) -> Figure:
        """Draw the posterior of care over the number line, as its distribution function over arctan c."""
        import numpy as np

        from experiments.figures.care_line import mark_care
        from experiments.figures.curves import Curve, draw_curves
        from experiments.figures.labels import format_title
        from experiments.figures.style import new_figure

        figure = new_figure()
        axes = figure.subplots()
        at = np.linspace(-math.pi / 2, math.pi / 2, 401)
        shown = [each for each in self.identified.hypotheses if each.formulations and each.posterior]
        if not shown:
            raise BadValue(
                "care changes nothing in these worlds", place=self.title, remedy="write a table, such as .csv"
            )
        curves = {}
        for each in shown:
            assert each.posterior is not None
            share = [each.posterior.find_share_below(0, float(coordinate)) for coordinate in at]
            curves[f"{format_title(each.name)} ({each.probability:.2g})"] = Curve(at.tolist(), share)
        draw_curves(axes, curves)
        mark_care(axes.xaxis)
        axes.set_xlabel("caring coefficient c")
        axes.set_ylabel("posterior probability of at most c")
        axes.set_ylim(-0.02, 1.02)
        return figure

    def text(self) -> str:
        """Return the title, a line for each hypothesis, classes, exact intervals, and coefficients without a prior."""
        from craftworld.identification.identify import write_fraction
        from experiments.rows import align_lines

        header = ("hypothesis", "log evidence", "probability", *(f"{name} (90%)" for name in PARAMETERS))
        lines = [header]
        for each in self.identified.hypotheses:
            row = _list_intervals(each)
            ranges = [_write_range(row[f"{name}_low"], row[f"{name}_high"]) for name in PARAMETERS]
            lines.append((each.name, f"{each.log_evidence:.4f}", f"{each.probability:.4g}", *ranges))
        notes = []
        for one in self.identified.classes:
            if one.indifferent:
                notes.append(f"asks for nothing but the own reward here: {', '.join(one.members)}")
            elif len(one.members) > 1:
                scaled = [f"{name} (care x {scale:g})" for name, scale in one.scale.items() if name != one.name]
                notes.append(f"one with {one.name} here: {', '.join(scaled)}")
        for name, several in self.identified.optimal.items():
            listed = ", ".join(
                f"{write_fraction(low)} to {write_fraction(high)}" if low < high else write_fraction(low)
                for low, high in several
            )
            notes.append(
                f"every action is optimal by {name} at care {listed}"
                if listed
                else f"no care makes every action optimal by {name}"
            )
        for each in self.identified.hypotheses:
            if each.posterior and each.formulations and each.posterior.finite != (-math.inf, math.inf):
                low, high = each.posterior.finite
                notes.append(
                    f"{each.name}: no finite optimum outside care {low:g} to {high:g}; its prior is there only"
                )
        notes += self.warnings
        notes += describe_misfit(self.misfit)
        return "\n".join([self.title, *align_lines(lines, right=range(1, 3)), *notes])


@dataclass(frozen=True, repr=False, eq=False)
class IdentifiedGroup(Result):
    """Which of the papers' agents several agents are, each by itself and all together.

    agents: name -> its hypotheses. together: all are of one hypothesis, with parameters of their own.
    trained_steps: name of a learner -> after how many steps of its training.
    """

    agents: Mapping[str, Sequence[Hypothesis]]
    together: Sequence[Hypothesis]
    trained_steps: Mapping[str, int] = field(default_factory=dict)
    schema: ClassVar[str] = "identify_group"

    @property
    def title(self) -> str:
        """How many agents."""
        return _count(len(self.agents), "agent")

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per agent and hypothesis, then those of all: evidence, probability, medians, intervals.

        trained_steps: after how many steps of its training a learner acted so, else None.
        """
        several = {**self.agents, TOGETHER: self.together}
        return [
            {
                "agent": agent,
                "trained_steps": self.trained_steps.get(agent),
                "hypothesis": each.name,
                "log_evidence": each.log_evidence,
                "probability": each.probability,
                **_list_intervals(each),
            }
            for agent, hypotheses in several.items()
            for each in hypotheses
        ]

    def text(self) -> str:
        """Return a line per agent: its likeliest hypothesis with its interval of care; then all together."""
        from experiments.rows import align_lines

        lines = [("agent", "likeliest", "probability", "care (90%)")]
        for agent, hypotheses in {**self.agents, TOGETHER: self.together}.items():
            best = max(hypotheses, key=lambda each: each.probability)
            row = _list_intervals(best)
            lines.append((agent, best.name, f"{best.probability:.4g}", _write_range(row["care_low"], row["care_high"])))
        return "\n".join([self.title, *align_lines(lines, right=[2])])

    @use_figure_style
    def figure(self) -> Figure:
        """Draw care over the steps of a training: median and 90 percent interval, of the likeliest formulation.

        BadValue where no learner was recorded at several points of its training.
        """
        from craftworld.identification.identify import EXACT
        from experiments.figures.care_line import draw_care_over_steps, mark_care
        from experiments.figures.labels import format_title
        from experiments.figures.style import OWN, new_figure

        open_ones = [each for each in self.together if each.formulations and not each.name.endswith(EXACT)]
        points = sorted((steps, name) for name, steps in self.trained_steps.items())
        if len(points) < 2 or not open_ones:
            problem, remedy = "it has no figure", "write a table, or record several points of one training"
            raise BadValue(problem, place=self.title, remedy=remedy)
        name = max(open_ones, key=lambda each: each.probability).name
        quantiles = []
        for level in (0.5 - LEVEL / 2.0, 0.5, 0.5 + LEVEL / 2.0):
            found = [_find_open_care(self.agents[agent], name).find_quantile(0, level) for _, agent in points]
            quantiles.append(found)
        figure = new_figure()
        axes = figure.subplots()
        draw_care_over_steps(axes, [steps for steps, _ in points], quantiles, OWN, name)
        mark_care(axes.yaxis)
        title = f"{format_title(name)}: median and 90 percent"
        axes.set(title=title, xlabel="steps of training", ylabel="care, identified")
        return figure


def _find_open_care(hypotheses: Sequence[Hypothesis], name: str) -> ParameterPosterior:
    posterior = next(each.posterior for each in hypotheses if each.name == name)
    assert posterior is not None
    return posterior


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _write_range(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.4g} to {high:.4g}"


def _list_intervals(hypothesis: Hypothesis) -> dict[str, float | None]:
    """Median and central 90 percent interval of each parameter, None where the hypothesis has none."""
    row: dict[str, float | None] = {}
    for number, name in enumerate(PARAMETERS):
        posterior = hypothesis.posterior
        if posterior is None or not posterior.free[number]:
            row |= {name: None, f"{name}_low": None, f"{name}_high": None}
            continue
        low, high = posterior.find_interval(number, LEVEL)
        row |= {
            name: finite_or_none(posterior.find_quantile(number, 0.5)),
            f"{name}_low": finite_or_none(low),
            f"{name}_high": finite_or_none(high),
        }
    return row


@dataclass(frozen=True)
class CaringQuestions:
    """What is asked of caring agents: formulations to compare, their prior weights, and whether it is any of them."""

    formulations: Sequence[str] | None = None
    weights: Mapping[str, float] | None = None
    misfit: bool = False
    by_agent: bool = False


def identify_caring(
    behaviours: Sequence[Behaviour], asked: CaringQuestions, prior: Prior
) -> Identification | IdentifiedGroup:
    """Compare the exact agents of "Be Considerate"."""
    from craftworld.identification.identify import identify, identify_each
    from craftworld.identification.misfit import find_misfit

    if asked.by_agent:
        if asked.misfit:
            remedy = "ask for one agent at a time"
            raise BadValue("a misfit of several agents", place="identify", remedy=remedy)
        trained = {each.acting: each.trained_steps for each in behaviours if each.trained_steps is not None}
        return IdentifiedGroup(*identify_each(behaviours, asked.formulations, prior, asked.weights), trained)
    identified = identify(behaviours, asked.formulations, prior, asked.weights)
    misfit = find_misfit(identified.question, prior, asked.weights) if asked.misfit else None
    return Identification(identified, misfit, prior)
