"""`caregrid.slots` and `simulate_slots`: action values of an agent that may be copied, and runs of such agents.

Q(h, a) is the value of every action at a history, for a future that counts as the agent's own. A world is a file, a
name, an object, or a class of environments; horizon and discount are the ones passed, else the file's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from caregrid.command_line.operation import check_arguments
from caregrid.results import RecordedFilm, Result, Writer, film_figure, film_writers
from engine.effort import ASK_FIRST, Effort, make_effort
from engine.errors import BadValue, argument
from engine.plain_values import ExactDiscount, make_json_value, parse_rational, write_number
from engine.printable import show_value
from engine.randomness.counter_based import inverse_cdf, split, uniform
from engine.value_types import Horizon, Seed
from experiments.figures.style import use_figure_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multislot.futures import Future
    from multislot.learning import Mixture
    from multislot.planning.planner import SlotEvaluation
    from multislot.policies import PolicyContext, SlotPolicy
    from multislot.scenarios import SlotScenario
    from multislot.worlds.environment import AgentHistory, HistoryBasedEnvironment, Label
    from multislot.worlds.protocol import Trace
    from multislot.worlds.table import AskedInFile

STEPS = 3
"""Of films and games, unless a file or a setting says otherwise."""


def read_mixture(world: Any, members: Any, likelihood: str, effort: Effort = ASK_FIRST, trust: bool = False) -> Mixture:
    """Return the class of environments: that of `members`, or of one environment; BadValue for both or neither.

    effort: how large a scenario is made without asking. trust: whether code that the file names may be imported.
    """
    from multislot.learning import Mixture, make_single_environment
    from multislot.scenarios import SLOT_SCENARIO, SlotScenario, load_environment
    from multislot.worlds.table import parse_table

    if (world is None) == (members is None):
        problem = "both an environment and a class" if members is not None else "neither an environment nor a class"
        raise BadValue(problem, remedy="leave one out" if members is not None else "name one")
    if members is not None:
        from multislot.loading import load_mixture, read_class

        if isinstance(members, str | Path):
            return load_mixture(members, likelihood, effort, trust)
        return read_class(members, "members", likelihood, effort)
    if isinstance(world, Mapping):
        return make_single_environment(parse_table(make_json_value(world), "world"), likelihood)
    if isinstance(world, str | Path):
        return make_single_environment(load_environment(str(world), effort=effort), likelihood)
    if isinstance(world, Mixture):
        return world
    scenario = SLOT_SCENARIO.accept(world)
    if not isinstance(scenario, SlotScenario):
        raise BadValue("a family of scenarios", remedy="name one of its scenarios")
    return make_single_environment(scenario.environment, likelihood)


def read_file_settings(source: Any) -> AskedInFile:
    """Return what a file or a dictionary itself asks for; BadTable where it asks for what cannot be."""
    from multislot.worlds.table import AskedInFile, read_asked, read_json

    if isinstance(source, Mapping):
        asked = {key: source[key] for key in ("horizon", "discount") if key in source}
        return read_asked(make_json_value(asked), "world")
    if not isinstance(source, str | Path) or not os.path.isfile(source):
        return AskedInFile()
    return read_asked(read_json(source), str(source))


def choose_discount(discount: Any, source: Any) -> Fraction:
    """Return the discount that is given, else the file's, else 1/2."""
    if discount is not None:
        return parse_rational(discount, "discount")
    asked = read_file_settings(source).discount
    return Fraction(1, 2) if asked is None else asked


def choose_horizon(horizon: int | None, source: Any) -> int:
    """Return the horizon that is given, else the file's; BadValue where neither says one."""
    steps = horizon if horizon is not None else read_file_settings(source).horizon
    if not isinstance(steps, int) or isinstance(steps, bool):
        remedy = f"give {argument('horizon')}"
        raise BadValue("no horizon" if steps is None else f"horizon {show_value(steps)}", remedy=remedy)
    return steps


def make_policy(policy: Any, context: PolicyContext) -> SlotPolicy:
    """Return a policy by its name, or of a function of the history; BadValue for anything else."""
    from multislot.policies import HistoryFunction, make_slot_policy
    from multislot.policies import SlotPolicy as Policy

    if isinstance(policy, str):
        return make_slot_policy(policy, context)
    if not callable(policy):
        remedy = "give a name, or a function of the history"
        raise BadValue(f"policy is {show_value(policy)}", place="slots", remedy=remedy)
    return policy if isinstance(policy, Policy) else HistoryFunction(context, policy)


def read_history(history: str | Sequence[tuple[Any, Any]], mixture: Mixture) -> AgentHistory:
    """Return a history from a text "action,observation;action,observation", or from pairs."""
    from multislot.learning import parse_history

    if not isinstance(history, str) and not _is_pairs(history):
        raise BadValue(f"history is {show_value(history)}", place="history", remedy="give pairs (action, observation)")
    return parse_history(history, mixture) if isinstance(history, str) else tuple((a, o) for a, o in history)


def _is_pairs(history: Any) -> bool:
    return isinstance(history, Sequence) and all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in history)


@dataclass(frozen=True, repr=False, eq=False)
class SlotScenarios(Result):
    """All scenarios of slots. summaries: name -> what it is."""

    schema: ClassVar[str] = "multislot_scenarios"

    summaries: Mapping[str, str]

    @property
    def title(self) -> str:
        """How many."""
        return f"{len(self.summaries)} scenarios"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per scenario: name and summary."""
        return [{"name": name, "summary": summary} for name, summary in self.summaries.items()]

    def as_dict(self) -> dict[str, Any]:
        """Return {"scenarios"}."""
        return {"scenarios": dict(self.summaries)}

    def text(self) -> str:
        """Return a line per scenario."""
        from experiments.rows import align_lines

        return "\n".join(align_lines(self.summaries.items()))


SHORT = 10
FOUR_DIGITS_UP = Context(prec=4, rounding=ROUND_CEILING)


@dataclass(frozen=True, repr=False, eq=False)
class SlotValues(Result):
    """Q(h, a) of every action at a history.

    name: of the world. future: which one counts. evaluation: Q, V, action, ties, P, slot_Q. horizon, error: for values
    of an infinite horizon, how far they look ahead, and how far they may be from it; else None. posterior: of a class,
    each environment's name and weight at the history.
    """

    name: str
    future: str
    evaluation: SlotEvaluation
    horizon: int | None = None
    error: Fraction | None = None
    posterior: Sequence[tuple[str, Fraction]] = ()

    @property
    def title(self) -> str:
        """World and future."""
        return f"{self.name}, {self.future}"

    @property
    def Q(self) -> Mapping[Label, Any]:
        """Action -> its value, a Fraction where arithmetic is exact."""
        return self.evaluation.Q

    @property
    def action(self) -> Label:
        """The action that is taken: the first of those with the largest value."""
        return self.evaluation.action

    @property
    def P(self) -> Mapping[int, Any]:
        """Slot -> how likely the agent is on it."""
        return self.evaluation.P

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per action: its value, exact as text and as a number, whether it is taken, whether it ties."""
        return [
            {
                "action": str(action),
                "Q": float(value),
                "exact": str(value),
                "taken": action == self.action,
                "ties": action in self.evaluation.ties,
            }
            for action, value in self.Q.items()
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return Q, V, action, ties, P, slot_Q, horizon, error, posterior; fractions as "p/q", keys as text."""
        names = ("Q", "V", "action", "ties", "P", "slot_Q")
        values = {name: make_json_value(getattr(self.evaluation, name)) for name in names}
        endless = {} if self.error is None else {"horizon": self.horizon, "error": make_json_value(self.error)}
        learned = [{"name": name, "weight": make_json_value(weight)} for name, weight in self.posterior]
        return values | endless | ({"posterior": learned} if learned else {})

    @use_figure_style
    def figure(self) -> Figure:
        """Draw the values as bars, beside the estimate of the own slot."""
        from experiments.figures.style import OTHER, OWN, new_figure

        figure = new_figure(height=3.0)
        parts: tuple[tuple[str, Mapping[Any, Any], str, str], ...] = (
            ("action", self.Q, f"Q, {self.title}", OWN),
            ("slot", self.P, "P, the own slot", OTHER),
        )
        for axes, (label, numbers, title, colour) in zip(figure.subplots(1, 2), parts, strict=True):
            bars = axes.bar([str(name) for name in numbers], [float(x) for x in numbers.values()], 0.4, color=colour)
            axes.bar_label(bars, [_write_short(number) for number in numbers.values()])
            axes.set_title(title)
            axes.set_xlabel(label)
            axes.set_ylabel("value (discounted sum of rewards)" if label == "action" else "probability")
            axes.set_xmargin(0.3)
        return figure

    def text(self) -> str:
        """Return the values, the action taken, and the estimate of the own slot."""
        lines = [
            f"action {action}: {value}{'  <- taken' if action == self.action else ''}"
            for action, value in self.Q.items()
        ]
        slots = ", ".join(f"{slot}: {share}" for slot, share in self.P.items()) or "no agent can have this history"
        endless = []
        if self.error is not None:
            size = write_number(
                float(FOUR_DIGITS_UP.divide(Decimal(self.error.numerator), Decimal(self.error.denominator)))
            )
            endless = [f"infinite horizon: {self.horizon} steps ahead, each value is off by at most {size}"]
        weights = ", ".join(f"{name}: {weight}" for name, weight in self.posterior)
        learned = [f"posterior: {weights}"] if weights else []
        return "\n".join([*lines, f"slot estimate: {slots}", *learned, *endless])


def _write_short(number: Any) -> str:
    """Return a fraction to the letter where it is short, else as a number."""
    exact = str(number)
    return exact if len(exact) <= SHORT else f"{float(number):.4g}"


@check_arguments
def slots(
    world: str | Path | Mapping[str, Any] | SlotScenario | HistoryBasedEnvironment | Mixture | None = None,
    *,
    members: str | Path | Mapping[str, Any] | Sequence[Any] | None = None,
    value: str | Future = "cpy",
    horizon: Horizon | None = None,
    within: str | float | Fraction | None = None,
    discount: ExactDiscount | None = None,
    history: str | Sequence[tuple[Label, Label]] = "",
    policy: str | Callable[..., Label] | None = None,
    likelihood: str = "exists",
    arithmetic: str = "exact",
    yes: bool = False,
    quiet: bool = True,
    trust: bool = False,
) -> SlotValues:
    """Compute the values of all actions at a history.

    Parameters
    ----------
    world : str, Path, dict or object
        An environment table in a file or a dictionary, a scenario's name, `module:attribute` or an object.
    members : str, Path, dict or list
        In its place, a class of environments: a file, or what it would hold; members may be objects.
    value : str or Future
        The future that counts, or, with a policy, a crowd.
    horizon : int
        Steps looked ahead; a file may hold it.
    within : str, float or Fraction
        In its place, for an infinite horizon: how far a value may be from the exact one.
    discount : str, float or Fraction
        From 0 to 1; a file may hold it, else 1/2.
    history : str or pairs
        "action,observation;action,observation", or pairs of these.
    policy : str or function
        Followed after the action; by default the best actions are.
    likelihood : str
        How likely a history makes each environment of a class.
    arithmetic : str
        "exact" or "float".
    yes : bool
        Do any amount of work; without it, too much is refused with an estimate.
    quiet : bool
        No progress.
    trust : bool
        Import code that the file of `members` names.

    Returns
    -------
    SlotValues
        Q(h, a) for every action a, the action that is taken, and how likely each slot is the agent's own.

    Raises
    ------
    UnknownName, BadValue, ContractBroken
        For names and numbers that cannot be, and a user's own objects that break their contract.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.slots("swap", horizon=2).Q
    {0: Fraction(3, 4), 1: Fraction(3, 4)}
    """
    from multislot.futures import FUTURES
    from multislot.planning.backup import find_arithmetic
    from multislot.planning.planner import evaluate

    effort = make_effort(yes, quiet)
    mixture = read_mixture(world, members, likelihood, effort, trust)
    numbers = find_arithmetic(arithmetic)
    so_far = read_history(history, mixture)
    source = world if members is None else members
    steps = choose_horizon(horizon, source) if within is None else 0
    gamma = choose_discount(discount, source)
    if not isinstance(value, str):
        FUTURES.accept(value)
    followed = None
    if policy is not None:
        from multislot.policies import PolicyContext

        followed = make_policy(policy, PolicyContext(mixture, len(so_far) + steps, gamma, numbers, effort))
    names = ", ".join(one.name for one in mixture.environments)
    named = value if isinstance(value, str) else type(value).__name__
    crowd = value if isinstance(value, str) and _is_crowd(value) else ""
    weights: Sequence[tuple[str, Fraction]] = ()
    if len(mixture.environments) > 1:
        member_names = [one.name for one in mixture.environments]
        weights = list(zip(member_names, mixture.posterior(so_far), strict=True))
    if within is not None:
        from multislot.planning.infinite_horizon import evaluate_endlessly

        _refuse_within(horizon=horizon is not None, crowd=bool(crowd), float=numbers.columns)
        error = parse_rational(within, "within")
        endless = evaluate_endlessly(mixture, value, error, gamma, so_far, followed, effort)
        return SlotValues(names, named, endless.evaluation, endless.horizon, endless.error, weights)
    if crowd:
        from multislot.crowds import evaluate_crowd, find_crowd

        found = find_crowd(crowd, mixture)
        evaluation = evaluate_crowd(mixture, found, followed, steps, gamma, so_far, numbers, effort)
    else:
        evaluation = evaluate(mixture, value, steps, gamma, so_far, numbers, followed, effort)
    return SlotValues(names, named, evaluation, posterior=weights)


def _is_crowd(name: str) -> bool:
    """Return whether the name of a value stands for a crowd; the name of a future does not."""
    from multislot.futures import FUTURES

    if name.partition(":")[0] in FUTURES:
        return False
    from multislot.crowds import is_crowd

    return is_crowd(name)


def _refuse_within(**beside: bool) -> None:
    """BadValue where an error bound is asked for beside what has none."""
    reasons = {
        "horizon": "a horizon beside an error bound",
        "crowd": "an error bound for a crowd",
        "float": "an error bound in floats",
    }
    for name, there in beside.items():
        if there:
            raise BadValue(reasons[name], place=argument("within"), remedy="leave one of the two out")


MILLISECONDS_A_STEP = 1000


@dataclass(frozen=True, repr=False, eq=False)
class SlotSimulation(Result):
    """A run of the protocol. environment: the world. trace: one `ProtocolStep` a time step, the first at time 0."""

    schema: ClassVar[str] = "multislot_simulation"

    environment: HistoryBasedEnvironment
    trace: Trace

    @property
    def title(self) -> str:
        """World and number of steps."""
        return f"{self.environment.name}, {len(self.trace) - 1} steps"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per agent and time step: its slot, the slots that it came by, its history."""
        return [
            {"t": step["t"], "slot": int(slot), "came_by": _find_history_slots(step, slot), "history": history}
            for step in self.steps()
            for slot, history in step["histories"].items()
        ]

    def steps(self) -> list[dict[str, Any]]:
        """Return one object a time step: agents, actions, copies, observations, histories; ready for JSON."""
        from multislot.simulation import format_trace

        return format_trace(self.trace)

    def as_dict(self) -> dict[str, Any]:
        """Return {"steps"}."""
        return {"steps": self.steps()}

    def film(self) -> RecordedFilm:
        """Return a scene per time step: a panel per slot, the slot estimates, the graph of slot histories."""
        from multislot.film import make_slot_film

        return RecordedFilm(
            self.title, make_slot_film(self.environment, self.trace), tile=48, milliseconds=MILLISECONDS_A_STEP
        )

    def figure(self) -> Figure:
        """Return the time steps beside each other."""
        return film_figure(self.film().scenes)

    def text(self) -> str:
        """Return the agents of every time step with their histories."""
        lines = []
        for step in self.steps():
            lines.append(f"t = {step['t']}: agents on slots {', '.join(map(str, step['agent_set'])) or 'none'}")
            for slot, history in step["histories"].items():
                lines.append(f"  slot {slot}, came by {_find_history_slots(step, slot)}: {history}")
        return "\n".join(lines)

    def writers(self) -> dict[str, Writer]:
        """Return what writes each ending: those of every result, and films: .gif, .mp4, and .html with a player."""
        return super().writers() | film_writers(self.film)


def _find_history_slots(step: dict[str, Any], slot: str) -> str:
    """Return the slots of an agent's history."""
    return "-".join(map(str, step["slot_histories"][slot]))


@check_arguments
def simulate_slots(
    world: str | Path | Mapping[str, Any] | SlotScenario | HistoryBasedEnvironment | Mixture | None,
    policy: str | Callable[..., Label],
    steps: Horizon,
    *,
    members: str | Path | Mapping[str, Any] | Sequence[Any] | None = None,
    horizon: Horizon | None = None,
    discount: ExactDiscount | None = None,
    seed: Seed = 0,
    likelihood: str = "exists",
    arithmetic: str = "exact",
    yes: bool = False,
    quiet: bool = True,
    trust: bool = False,
) -> SlotSimulation:
    """Run agents with a policy for some steps.

    Parameters
    ----------
    world : str, Path, dict or object
        As in `slots`.
    policy : str or function
        "always:ACTION", "cycle:A,B", "random:SEED", a future (the agent that is optimal for it), `module:attribute`, or
        a function of the history.
    steps : int
        How many.
    members : str, Path, dict or list
        As in `slots`. The world is drawn by its prior weights, and agents that plan learn which one it is.
    horizon : int
        The time step after which no reward counts for policies that plan; by default the last.
    discount : str, float or Fraction
        From 0 to 1, for policies that plan; a file may hold it, else 1/2.
    seed : int
        Of the random outcomes.
    likelihood, arithmetic : str
        As in `slots`, for policies that plan.
    yes : bool
        Do any amount of work; without it, too much is refused with an estimate.
    quiet : bool
        No progress.
    trust : bool
        Import code that the file of `members` names.

    Returns
    -------
    SlotSimulation
        The trace: agents, actions, copies and observations of each time step.

    Raises
    ------
    UnknownName, BadValue, ContractBroken
        As `slots`.

    Examples
    --------
    >>> import caregrid
    >>> len(caregrid.simulate_slots("swap", "cpy", 2).trace)
    3
    """
    from multislot.planning.backup import find_arithmetic
    from multislot.policies import PolicyContext
    from multislot.simulation import simulate_slots as simulate

    effort = make_effort(yes, quiet)
    mixture = read_mixture(world, members, likelihood, effort, trust)
    if isinstance(policy, str) and not policy:
        raise BadValue("a simulation needs a policy", remedy=f"try {argument('policy', 'cpy')}")
    last_step = steps if horizon is None else horizon
    gamma = choose_discount(discount, world if members is None else members)
    context = PolicyContext(mixture, last_step, gamma, find_arithmetic(arithmetic), effort)
    drawn = uniform(split(seed, "class"), 0) * float(sum(mixture.weights))
    environment = mixture.environments[inverse_cdf(mixture.weights, drawn)]
    return SlotSimulation(environment, simulate(environment, make_policy(policy, context), steps, seed, effort))
