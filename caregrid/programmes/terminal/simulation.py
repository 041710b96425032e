"""`caregrid.terminal`: what an agent that plans with an input terminal does in a world."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from caregrid.command_line.operation import check_arguments
from caregrid.results import RecordedFilm, Result, Writer, film_writers, scene_figure
from engine.effort import make_effort
from engine.errors import BadValue, UnknownName
from engine.user_code import describe_place, is_users, names_user_code, user_code
from engine.value_types import LearningEpisodes, Listed, Seed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from counterfactual.agents import PlanningAgent
    from counterfactual.simulation.simulate import Simulation
    from counterfactual.simulation.traces import Traces
    from counterfactual.worlds import TerminalWorld

UNITS_A_STEP = 300
"""What a recorded step costs, in units of work (`engine.effort`)."""
FEW_TRACES = 10
MANY_TRACES = 1000


class Learned(NamedTuple):
    """The world as an agent learned it from episodes of random actions. seed: of their random numbers."""

    world: TerminalWorld[Any]
    episodes: int
    seed: int


@dataclass(frozen=True, repr=False, eq=False)
class TerminalSimulation(Result):
    """An agent simulated in a world with an input terminal, exactly.

    world: the world, with its parameters. agent: the agent's name. planning: the agent. simulation: everything that can
    happen (`counterfactual.simulation.simulate.Simulation`). limit: how many traces the command lists at most, None for
    `FEW_TRACES`, with --json `MANY_TRACES`. learned: what the agent learned, None where it knows the world.
    """

    world: TerminalWorld[Any]
    agent: str
    planning: PlanningAgent
    simulation: Simulation
    limit: int | None = None
    learned: Learned | None = None

    @property
    def title(self) -> str:
        """World and agent, and what it learned from."""
        if self.learned is None:
            return f"{self.world.name}, {self.agent}"
        several = "" if self.learned.episodes == 1 else "s"
        return f"{self.world.name}, {self.agent}, learned from {self.learned.episodes:,} episode{several}"

    @property
    def _known(self) -> TerminalWorld[Any] | None:
        return None if self.learned is None else self.learned.world

    @property
    def score(self) -> float:
        """The value of the agent's first plan."""
        return float(self.simulation.score)

    @property
    def real_return(self) -> float:
        """The expected discounted reward in the real world."""
        return float(self.simulation.real_return)

    @property
    def traces(self) -> Traces:
        """All optimal courses of events in the real world, ties and chance included: countable and iterable."""
        return self.simulation.traces

    @property
    def planned(self) -> Traces:
        """The same of the first plan, in its planning world."""
        return self.simulation.planned

    def list_traces(self, limit: Listed) -> dict[str, list[str]]:
        """Return the first traces, real and planned, as texts; "#" follows the step in which people update."""
        return {"traces": self.traces.first(limit), "planned": self.planned.first(limit)}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per step of one course of events: action, signal, whether people update, reward, plan."""
        from counterfactual.simulation.simulate import simulate_steps

        return [
            {
                "step": step.step,
                "signal": self.world.signals[step.signal].name,
                "action": self.world.action_names[step.action],
                "updated": step.updated,
                "reward": float(step.reward),
                "plan": step.plan,
            }
            for step in simulate_steps(self.world, self.planning, self._known)
        ]

    def film(self) -> RecordedFilm:
        """Return one course of events, a scene a step: the world, the actions so far, the plan, the rewards."""
        from counterfactual.simulation.simulate import make_simulation_film

        return RecordedFilm(self.title, make_simulation_film(self.world, self.planning, self._known))

    def figure(self) -> Figure:
        """Draw the last scene of the film: actions, plan and rewards."""
        return scene_figure(self.film().scenes[-1], tile=32)

    def as_dict(self, limit: Listed = MANY_TRACES) -> dict[str, Any]:
        """Return {"score", "traces", "planned", "return"}, the first `limit` traces; "learned" where it did."""
        learned = self.learned
        from_what = {} if learned is None else {"learned": {"episodes": learned.episodes, "seed": learned.seed}}
        return {"score": self.score, **self.list_traces(limit), "return": self.real_return, **from_what}

    def text(self, limit: Listed = FEW_TRACES) -> str:
        """Return score, return, and the first `limit` traces, real and planned."""
        lines = [f"{self.title}: score {self.score:.2f}, return {self.real_return:.2f}"]
        for name, traces in self.list_traces(limit).items():
            count = getattr(self, name).count
            possible = f" {count} possible" if count > 1 else ""
            lines += [f"{name}:{possible}", *(f"  {trace}" for trace in traces)]
        legend = [f"{glyph} {name}" for glyph, name in self.world.action_names.items()]
        if self.world.draws_updates:
            legend.append("# people update the terminal")
        return "\n".join([*lines, ", ".join(legend)])

    def output(self) -> dict[str, Any]:
        """Return `as_dict` with as many traces as the command lists."""
        return self.as_dict(MANY_TRACES if self.limit is None else self.limit)

    def output_text(self) -> str:
        """Return `text` with as many traces as the command lists."""
        return self.text(FEW_TRACES if self.limit is None else self.limit)

    @property
    def warning(self) -> str:
        """Of which traces the command lists the first ones only."""
        return self._describe_left_out(FEW_TRACES)

    @property
    def json_warning(self) -> str:
        """The same with --json."""
        return self._describe_left_out(MANY_TRACES)

    def _describe_left_out(self, default: int) -> str:
        limit = default if self.limit is None else self.limit
        counts = {"traces": self.traces.count, "planned": self.planned.count}
        cut = [f"{name}: the first {limit} of {count}" for name, count in counts.items() if count > limit]
        return f"{', '.join(cut)} (raise --limit for more)" if cut else ""

    def writers(self) -> dict[str, Writer]:
        """Return what writes each ending: those of every result, and films: .gif, .mp4, and .html with a player."""
        return super().writers() | film_writers(self.film)


@check_arguments
def terminal(
    world: str | TerminalWorld[Any] | type[TerminalWorld[Any]],
    agent: str | PlanningAgent = "itc",
    *,
    learn: LearningEpisodes | None = None,
    seed: Seed = 0,
    yes: bool = False,
    quiet: bool = True,
    **parameters: Any,
) -> TerminalSimulation:
    """Simulate an agent in a world with an input terminal, exactly.

    Parameters
    ----------
    world : str, class or object
        "car-factory", "tamper-grid", "barricade", "off-switch", `module:attribute`, a class or an object.
    agent : str, PlanningAgent or function
        "itf", "itc", "citc", "fc", `module:attribute`, a `PlanningAgent` or its function.
    learn : int, optional
        Let the agent learn the world from so many episodes of random actions; by default it knows the world.
    seed : int
        Of these episodes.
    yes : bool
        Do any amount of work; without it, too much is refused with an estimate.
    quiet : bool
        No progress.
    **parameters : Any
        Of the world, by name or by the paper's letter; `terminal_parameters` lists them.

    Returns
    -------
    TerminalSimulation
        Score, return, and all traces of optimal actions, real and planned.

    Raises
    ------
    UnknownName, BadValue, ContractBroken
        For names and parameters that cannot be, and a user's own objects that break their contract.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.terminal("off-switch", "itc").title
    'off-switch, itc'
    """
    from counterfactual.agents import PLANNING_AGENTS
    from counterfactual.simulation.simulate import simulate
    from counterfactual.worlds import TerminalWorld as TerminalWorldBase
    from counterfactual.worlds import limit_effort

    planning = PLANNING_AGENTS[agent] if isinstance(agent, str) else PLANNING_AGENTS.accept(agent)
    name = agent if isinstance(agent, str) else planning.name
    with _name_in_errors(world, agent):
        if isinstance(world, TerminalWorldBase):
            if parameters:
                raise BadValue("parameters for a world that is made already", place="terminal", remedy="give its class")
            made = world
            _check_made(world)
        else:
            kind = find_world_class(world)
            _check_own(kind, world, parameters)
            made = kind.make(parameters)
        _check_own_agent(planning, agent)
        made = limit_effort(made, make_effort(yes, quiet))
        if learn is not None and not planning.learns:
            problem = f"{name} cannot be learned: no record tells what the function before an update earns after it"
            remedy = (
                f"leave it out, or choose one of {', '.join(n for n, each in PLANNING_AGENTS.items() if each.learns)}"
            )
            raise BadValue(problem, place="learn", remedy=remedy)
        learned = None if learn is None else _learn(made, learn, seed)
        simulation = simulate(made, planning, None if learned is None else learned.world)
        return TerminalSimulation(made, name, planning, simulation, learned=learned)


def _learn(world: TerminalWorld[Any], episodes: int, seed: int) -> Learned:
    """Record episodes; BadValue, with their number, where they take more work than is done without asking."""
    from counterfactual.learning import LearnedWorld, record_random_episodes

    steps = episodes * world.horizon
    world.effort.require(steps, "steps to learn from", world.name, "learn from fewer episodes", UNITS_A_STEP)
    return Learned(LearnedWorld(world, record_random_episodes(world, episodes, seed)), episodes, seed)


@dataclass(frozen=True, repr=False, eq=False)
class TerminalParameters(Result):
    """What --set understands. parameters: name -> what it is, with its default."""

    schema: ClassVar[str] = "terminal_parameters"

    parameters: Mapping[str, str]

    @property
    def title(self) -> str:
        """How many."""
        return f"{len(self.parameters)} parameters"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per parameter: its name and meaning."""
        return [{"parameter": name, "meaning": meaning} for name, meaning in self.parameters.items()]

    def as_dict(self) -> dict[str, Any]:
        """Return {"parameters"}."""
        return {"parameters": dict(self.parameters)}

    def text(self) -> str:
        """Return a line per parameter."""
        from experiments.rows import align_lines

        return "\n".join(align_lines(self.parameters.items()))


def terminal_parameters(world: str | type[TerminalWorld[Any]]) -> Mapping[str, str]:
    """Return the parameters of a world.

    Parameters
    ----------
    world : str or class
        A name, `module:attribute` or a class.

    Returns
    -------
    Mapping from str to str
        Name -> what it means, with its default.

    Raises
    ------
    UnknownName
        With the nearest name, where there is no such world.

    Examples
    --------
    >>> import caregrid
    >>> "horizon" in caregrid.terminal_parameters("car-factory")
    True
    """
    return find_world_class(world).parameters()


def find_world_class(world: str | type[TerminalWorld[Any]]) -> type[TerminalWorld[Any]]:
    """The class of a world; UnknownName, with the nearest, where there is none of that name."""
    from counterfactual.worlds import TERMINAL_WORLDS

    if not isinstance(world, str):
        return TERMINAL_WORLDS.accept(world)
    if world not in TERMINAL_WORLDS and not names_user_code(world):
        names = [name.replace("_", "-") for name in TERMINAL_WORLDS]
        raise UnknownName("terminal world", world, [*names, "diagram"], place="terminal")
    return TERMINAL_WORLDS[world]


def _is_own(thing: Any) -> bool:
    """Whether it is a user's own: an object, or a name of one."""
    return not isinstance(thing, str) or names_user_code(thing)


def _check_own(kind: type[TerminalWorld[Any]], world: Any, parameters: Mapping[str, Any]) -> None:
    """A user's own world passes its checker before anything is printed or written."""
    if _is_own(world):
        from counterfactual.contract_checks import check_terminal_world

        check_terminal_world(kind, parameters)


def _check_made(world: TerminalWorld[Any]) -> None:
    """So does a user's own world that is made already."""
    if is_users(world):
        from counterfactual.contract_checks.worlds import check_made_world

        check_made_world(world)


def _check_own_agent(planning: PlanningAgent, agent: Any) -> None:
    """So does a user's own agent."""
    if _is_own(agent):
        from counterfactual.contract_checks import check_planning_agent

        check_planning_agent(planning)


def _name_in_errors(*things: Any) -> AbstractContextManager[None]:
    """Whatever a user's own world or agent raises is one line that names it."""
    own = [thing if isinstance(thing, str) else describe_place(thing) for thing in things if _is_own(thing)]
    return user_code(" with ".join(own)) if own else nullcontext()
