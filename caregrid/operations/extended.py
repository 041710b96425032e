"""Operations of extended environments: the battery of environments and the formal theory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from caregrid.command_line.operation import Word, operation
from caregrid.command_line.words import SEEDS, UNLESS_JSON
from caregrid.runs.execution import PLANS, Execution, Place, RunOptions
from engine.errors import BadValue, argument
from engine.files import require_folder_place
from engine.plain_values import ExactDiscount, parse_rational
from engine.value_types import HistoryTurns, NamesOrObjects, Turns, read_names
from experiments.ranges import Seeds, read_seeds

if TYPE_CHECKING:
    from caregrid.programmes.extended.battery import BatteryResult
    from caregrid.programmes.theory.interaction import TheoryResult
    from caregrid.programmes.theory.measuring import MeasureResult
    from xenv.theory.agents import HistoryAgent
    from xenv.theory.environments import HistoryEnvironment, TheoryExample

__all__ = ["battery", "measure", "theory"]

GROUP = "Self-reflection in extended environments"
QUICK_TURNS = 1000


@operation(group=GROUP, instead=PLANS, pictures=True)
def battery(
    agents: Annotated[NamesOrObjects | None, Word(metavar="A,B", kinds=("agents",), several=True)] = None,
    environments: Annotated[NamesOrObjects | None, Word(metavar="X,Y", kinds=("environments",), several=True)] = None,
    *,
    turns: Turns = 100_000,
    seeds: Annotated[Seeds, SEEDS] = (1, 2, 3, 4, 5),
    opposites: bool = False,
    randomness: Annotated[str, Word(metavar="SOURCE")] = "keys",
    quick: bool = False,
    check: bool = False,
    device: Annotated[str, Word(metavar="DEVICE")] = "cpu",
    out: Annotated[Place, Word(metavar="DIR", default=UNLESS_JSON)] = None,
    record: Annotated[str | Path | None, Word(metavar="DIR")] = None,
    **options: Unpack[RunOptions],
) -> BatteryResult:
    """Measure agents in the battery of extended environments: a tidy table and a heat map.

    Names can be nested: reality_check(q_learning), opposite(crying_baby). Your own agent is MODULE:NAME, a spec or a
    function that makes objects with act and train. Without options: the tabular agents and their reality checks, as in
    the paper. Writes battery.csv and battery.png, and gives each agent's measure: the mean reward per turn, with an
    interval. Finished runs are stored beside them, and the same command continues where it stopped.

    Parameters
    ----------
    agents : names or objects
        Names, separated by commas; repeatable (default: the tabular ones). In Python also specs, classes and functions
        that make agents, or a mapping from names to these.
    environments : names or objects
        Names, separated by commas; repeatable (default: the benchmark). In Python also classes of environments, or a
        mapping from names to these.
    turns : int
        Turns of each run.
    seeds : str or ints
        How many (10: seeds 0 to 9), a list (1,2,3) or a range (0:10).
    opposites : bool
        Add the opposite of every environment.
    randomness : str
        Where random numbers come from: keys, or published, the published runs' pools.
    quick : bool
        At most 1000 turns per run.
    check : bool
        First check that the agents are semi-deterministic: that asking changes no answer.
    device : str
        Where stacked deep agents learn: cpu, or cuda, whose numbers differ by rounding.
    out : str, Path or True
        A directory for table, heat map and finished runs; by default one below results/ on the command line without
        --json, and none in Python. True: one below results/.
    record : str or Path
        A directory for what each named agent does in the first 1000 turns of each run (.jsonl), which 'caregrid
        identify' reads.

    Returns
    -------
    BatteryResult
        A row per run: agent, environment, seed, turns and total reward.

    Raises
    ------
    UnknownName, BadValue, ContractBroken
        For agents, environments or numbers that cannot be.
    RunNotFinished
        Where a run fails or the battery is stopped.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.battery("constant", "ignore_rewards", turns=100, seeds="1").rows()[0]["turns"]
    100
    """
    from caregrid.programmes.extended.battery import TABULAR, run_battery
    from engine.effort import SECONDS_A_TURN, require_confirmed
    from experiments.requests.battery import BatteryRequest
    from xenv.environments import benchmark

    if record is not None:
        require_folder_place(record)
    execution = Execution(**options)
    length = min(turns, QUICK_TURNS) if quick else turns
    require_confirmed(length, "turns a run", "turns", SECONDS_A_TURN, execution.yes)
    given: dict[str, Any] = {}
    default_agents = [*TABULAR, *(f"reality_check({name})" for name in TABULAR)]
    agent_names = read_names(agents, argument("agents"), given) or default_agents
    environment_names = read_names(environments, argument("environments"), given) or list(benchmark())
    if opposites:
        environment_names += [f"opposite({name})" for name in environment_names]
    if record is not None and given:
        raise BadValue("a record of objects", place=argument("record"), remedy="name agents and environments")
    names = (tuple(agent_names), tuple(environment_names))
    request = BatteryRequest(*names, length, read_seeds(seeds), randomness, given, device)
    request.require_device()
    if check:
        request.require_semi_deterministic()
    result = run_battery(request, out, execution)
    if record is not None:
        from caregrid.programmes.extended.identification import record_battery

        record_battery(Path(record), *names, min(length, QUICK_TURNS), request.seeds)
    request.tell_if_not_semi_deterministic()
    return result


@operation(group=GROUP)
def theory(
    example: Annotated[str | TheoryExample | HistoryEnvironment, Word(kinds=("theory_examples",))],
    agent: Annotated[str | HistoryAgent | Callable[..., int], Word(kinds=("theory_agents",))] = "always:0",
    turns: HistoryTurns = 20,
    *,
    discount: ExactDiscount = "1",
    out: str | Path | None = None,
) -> TheoryResult:
    """Let an agent interact with an example of the formal theory, exactly: rewards are rational numbers.

    A turn is a reward, an observation and an action. The total counts the reward after the last action, too.

      caregrid theory deja_vu --agent parity --turns 10 --json
      caregrid theory 'newcomb*ignoring_rewards' --agent 'reality_check(q_learning)' --turns 100

    Parameters
    ----------
    example : str, TheoryExample or function of agent and play
        A name (caregrid list theory_examples); e*h*h', an environment with handicaps, such as newcomb*deja_vu;
        mirror(crying_baby,modulo:2), society(crying_baby,newcomb) and their like, which take other environments;
        twin(repeater), the formal twin of an environment of the battery; or MODULE:NAME. All of them nest.
    agent : str or function
        A name (caregrid list theory_agents), such as parity or always:1; an agent of the battery, such as q_learning;
        reality_check(...) of either; or MODULE:NAME, a function from a prompt, the tuple (r_0, o_0, a_0, ..., r_n,
        o_n), to an action 0, 1, 2, ...
    turns : int
        How many actions, from 1 to 1000.
    discount : str or Fraction
        The discount of rewards per turn, a fraction from 0 to 1.
    out : str or Path
        A file for the turns (.csv, .json, ...) or a film (.gif, .html, ...).

    Returns
    -------
    TheoryResult
        The play, the last percept and the total, as fractions.

    Raises
    ------
    UnknownName, BadValue
        For a name, number of turns or discount that cannot be.
    ContractBroken
        For a user's function that gives no action; it names file and line.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.theory("deja_vu", "always:1", turns=3).total
    Fraction(3, 1)
    """
    from caregrid.programmes.theory.interaction import TheoryResult
    from xenv.theory.interaction import interact
    from xenv.theory.naming import resolve_agent, resolve_environment

    gamma = parse_rational(discount, "discount", "theory")
    environment = resolve_environment(example)
    measured = resolve_agent(agent, environment.n_observations, environment.n_actions)
    interaction = interact(measured, environment.environment, turns)
    interaction.sum_discounted(gamma)
    result = TheoryResult(environment.name, measured.name, interaction, gamma)
    if out is not None:
        result.save(out)
    return result


@operation(group=GROUP)
def measure(
    agents: Annotated[NamesOrObjects, Word(kinds=("theory_agents",), metavar="A,B")],
    examples: Annotated[NamesOrObjects | None, Word(metavar="X,Y", kinds=("theory_examples",), several=True)] = None,
    turns: HistoryTurns = 20,
    *,
    out: str | Path | None = None,
) -> MeasureResult:
    """Measure how self-reflective agents are: their mean reward in examples of the formal theory and their opposites.

    Rewards are divided by the largest one of each environment, so that every score lies between -1 and 1. Actions
    that depend on nothing but the turn measure 0. The interval is of the mean over examples.

      caregrid measure parity,q_learning --examples 'newcomb,deja_vu,newcomb*deja_vu'

    Parameters
    ----------
    agents : names or objects
        Names as `caregrid theory` takes them, separated by commas. In Python also functions and specs, or a mapping
        from names to these.
    examples : names or objects
        Names as `caregrid theory` takes them, separated by commas; repeatable (default: every example but those
        that only change another one's rewards). In Python also examples and functions of agent and
        play, or a mapping from names to these.
    turns : int
        How many actions in each environment, from 1 to 1000.
    out : str or Path
        A file for the scores (.csv, .json, ...).

    Returns
    -------
    MeasureResult
        A row for each agent and example: scale and score.

    Raises
    ------
    UnknownName, BadValue, ContractBroken
        For agents, examples or numbers that cannot be.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.measure("after_punishment", "newcomb", turns=4).measures
    {'after_punishment': Fraction(2997, 10010)}
    """
    from caregrid.programmes.theory.measuring import list_default_examples, measure_agents, read_things

    shown = read_things(list_default_examples() if examples is None else examples, "examples")
    result = measure_agents(read_things(agents, "agents"), shown, turns)
    if out is not None:
        result.save(out)
    return result
