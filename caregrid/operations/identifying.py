"""Operations that identify agents by their behaviour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from caregrid.command_line.operation import Word, operation
from caregrid.command_line.words import FILE
from caregrid.runs.execution import Execution, RunOptions
from engine.errors import BadValue, argument
from engine.value_types import Episodes, Numbers, Seed, Temperature, WholeNumbers, split_outside_brackets

if TYPE_CHECKING:
    from caregrid.programmes.agent_evidence import AgentIdentification
    from caregrid.programmes.caring.design import DesignedWorlds
    from caregrid.programmes.caring.identification import Identification, IdentifiedGroup

__all__ = ["design", "identify"]


@operation(group="Caring agents", pictures=True)
def identify(
    *behaviour: Annotated[Any, Word(metavar="FILE")],
    formulation: Annotated[str | Sequence[str] | None, Word(metavar="F,F", kinds=("formulations",))] = None,
    temperature: Annotated[str | Sequence[float], Word(metavar="FROM:TO")] = "0.05:20",
    slip: Annotated[str | Sequence[float], Word(metavar="A:B")] = "1:9",
    prior: Annotated[Mapping[str, float] | None, Word(hidden=True)] = None,
    misfit: bool = False,
    by_agent: bool = False,
    agents: Annotated[str | Sequence[str], Word(metavar="A,B")] = (),
    world: Annotated[Any, Word(metavar="WORLD", several=True)] = (),
    out: Annotated[str | Path | None, FILE] = None,
    steps: Annotated[str | Path | None, FILE] = None,
) -> Identification | IdentifiedGroup | AgentIdentification:
    """Identify an agent by its behaviour: how much it cares, by which formulation, and how noisily it acts.

    Exact agents are the hypotheses. Each formulation has a caring coefficient, a temperature and a rate of slips, which
    are integrated out; beside them stand exact agents, the own reward only, and actions at random. Formulations that no
    behaviour can tell apart in these worlds are one hypothesis. The evidence of several files is multiplied: they are
    one agent's.

    For an agent that may be copied the result says which future slots the agent counts as itself, at an input terminal
    which planning agent it is, in extended environments which registered agent takes these actions.

    Parameters
    ----------
    behaviour : files
        Behaviour as data: files of JSON lines, and in Python also what `caregrid.record_behaviour` gave.
    formulation : str or sequence of str
        Formulations to compare, separated by commas; by default all that weigh what the scenario's own weighs.
    temperature : str or two floats
        Between these the logarithm of the temperature is uniform.
    slip : str or two floats
        The rate of slips has a Beta distribution with these parameters, each at least 1.
    prior : mapping
        Hypothesis -> its weight; all equal by default.
    misfit : bool
        Whether to ask if the agent is any of them, too: does it change, discount, or begin in a fixed way?
    by_agent : bool
        Whether the files are of several agents: each name in them is one, and the last lines are of all together.
    agents : str or sequence of str
        Where no caring agent acts, the hypotheses: futures, as cpy or cpy@1/2 for one discount; planning agents, as
        itf; agents of the battery, as reality_check(q_learning) or sarsa(epsilon=0.3).
    world : texts, scenarios or problems
        Worlds that files were recorded in, where they cannot name them: MODULE:NAME of your own, such as one that
        `caregrid.wrap` gave; in Python also scenarios and problems; repeatable.
    out : str or Path
        A file for the table or picture (.csv, .json, .png, ...).
    steps : str or Path
        A file for where it was decided: a heat map of hypothesis and step (.png, ...), or a table (.csv, ...).

    Returns
    -------
    Identification, IdentifiedGroup or AgentIdentification
        A row for each hypothesis; `steps()` says where it was decided.

    Raises
    ------
    BadFile, BadValue, UnknownName
        For behaviour that does not fit its world, and for priors or formulations that cannot be.

    Examples
    --------
    >>> import caregrid
    >>> garden = caregrid.problem("garden")
    >>> seen = caregrid.record_behaviour(garden.solve(care=1), garden, episodes=3)
    >>> caregrid.identify(seen, formulation="expected").optimal_care
    {'expected': [(0.2, 4.333333333333333)]}
    """
    from caregrid.programmes.caring.identification import CaringQuestions, IdentifiedGroup
    from caregrid.programmes.decided_steps import DecidedSteps
    from caregrid.programmes.identification import identify_behaviour
    from craftworld.identification.posterior import Prior

    if steps is not None:
        DecidedSteps.check_place(steps)
        if by_agent:
            remedy = "ask for one agent at a time"
            raise BadValue("steps of several agents", place=argument("steps"), remedy=remedy)
    named = _split(formulation) if isinstance(formulation, str) else formulation
    several = split_outside_brackets(agents) if isinstance(agents, str) else agents
    chosen = Prior(_read_pair(temperature, "temperature"), _read_pair(slip, "slip"))
    hypotheses = [each.strip() for each in several if each.strip()]
    asked = CaringQuestions(named, prior, misfit, by_agent)
    worlds = world if isinstance(world, list | tuple) else [world]
    result = identify_behaviour(behaviour, asked, hypotheses, chosen, out, worlds)
    if steps is not None and not isinstance(result, IdentifiedGroup):
        result.explain_steps().save(steps)
    return result


@operation(group="Caring agents")
def design(
    *worlds: Annotated[str, Word(metavar="WORLD")],
    formulation: Annotated[str | Sequence[str] | None, Word(metavar="F,F", kinds=("formulations",))] = None,
    temperature: Temperature = 0.5,
    slip: Annotated[float, Numbers(0, 1, above=True, below=True)] = 0.1,
    limit: Annotated[int, WholeNumbers(1, 10_000)] = 100,
    maps: Annotated[int, WholeNumbers(0, 1000)] = 0,
    choose: Annotated[int, WholeNumbers(0, 1000)] = 0,
    episodes: Episodes = 20,
    seed: Seed = 1,
    after: Annotated[str | Path | None, FILE] = None,
    out: Annotated[str | Path | None, FILE] = None,
    **options: Unpack[RunOptions],
) -> DesignedWorlds:
    """Design what to observe: which worlds and start states tell the hypotheses of 'caregrid identify' apart.

    Expected, not simulated: how many bits an episode tells, how long the interval of care is after some episodes, and
    for each two hypotheses the world that tells them apart soonest, or that none does.

    Parameters
    ----------
    worlds : str
        Scenarios, NAME or NAME,OPTION=VALUE,..., or a suite of the benchmark; by default all that are shipped.
    formulation : str or sequence of str
        Formulations to compare, separated by commas; by default those that weigh what each scenario's own weighs.
    temperature : float
        The temperature of the agents; other hypotheses may have any.
    slip : float
        The rate of slips of all agents.
    limit : int
        Episodes are cut after this many steps.
    maps : int
        Look at this many random maps of each world, too.
    choose : int
        Choose this many worlds, one after the other, for the shortest interval of care at this temperature, a tenth
        and two fifths of it.
    episodes : int
        Episodes in each world, for the intervals of care.
    seed : int
        The seed of the random maps.
    after : str or Path
        A file of behaviour: worlds are chosen for the agent that it may still be after what it shows.
    out : str or Path
        A file for the table (.csv, .json, ...), or a directory for the table and finished worlds, where the same
        command continues.

    Returns
    -------
    DesignedWorlds
        A row per world and start state, or per chosen world; `pairs()` has the best world for two hypotheses.

    Raises
    ------
    BadValue, UnknownName
        For worlds that cannot be made, and for many or large ones that are not confirmed.

    Examples
    --------
    >>> import caregrid
    >>> found = caregrid.design("garden", "playroom", formulation="expected,no_worse_off")
    >>> {(row["truth"], row["other"]): row["world"] for row in found.pairs()}["expected", "no_worse_off"]
    'playroom'
    """
    from caregrid.programmes.caring.design import design_worlds
    from craftworld.identification.design import NoiseModel

    named = _split(formulation) if isinstance(formulation, str) else formulation
    temperatures = (0.1 * temperature, 0.4 * temperature, temperature) if choose else (temperature,)
    noise = NoiseModel(temperatures, slip, limit)
    return design_worlds(worlds, named, noise, maps, choose, episodes, seed, after, Execution(**options), out)


def _split(formulations: str) -> list[str]:
    return [name.strip() for name in formulations.split(",") if name.strip()]


def _read_pair(given: str | Sequence[float], name: str) -> tuple[float, float]:
    """Return two numbers, from a text FIRST:SECOND or a sequence."""
    try:
        first, second = given.split(":") if isinstance(given, str) else given
        return float(first), float(second)
    except (TypeError, ValueError):
        raise BadValue(f"'{given}' is no pair", place=argument(name), remedy="give two numbers, FIRST:SECOND") from None
