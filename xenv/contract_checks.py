"""Check what users add to the programme: environments, agents, transformations, examples and agents of the theory.

Each check builds the thing, calls it and raises `ContractBroken` for the first thing that is wrong, in the style of
`gymnasium.utils.env_checker`. Semi-determinism says that identically trained instances of a spec act identically,
whatever happens to other instances (Alexander et al. 2021, Definition 9); without it, what an environment sees in a
copy is not what the agent would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from engine.agent import AGENT, Agent, AgentSpec, Transition, check_agent, hyperparameter, hyperparameter_names
from engine.contracts import call_method, refuse, require_instance
from engine.errors import ContractBroken
from engine.randomness.counter_based import randrange
from engine.randomness.random_sources import make_random_source
from engine.shared_state import keep_shared_state
from engine.user_code import describe_place, user_code
from xenv.environment import ENVIRONMENT
from xenv.interaction_loop import require_turns, run_environment, why_run_plainly
from xenv.names import agent_spec, environment_factory
from xenv.opposites import SignedEnvironment, SignedFactory
from xenv.simulation import Simulate
from xenv.theory import THEORY_AGENT, THEORY_AGENTS
from xenv.theory.agents import HistoryAgent, as_agent
from xenv.theory.environments import THEORY_EXAMPLE, HistoryEnvironment, TheoryExample, respond
from xenv.theory.handicaps import is_handicap_percept
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.naming import find_example, resolve_agent
from xenv.theory.twins import TWIN, TWINS, FormalTwin
from xenv.transformations import TRANSFORMATIONS, TransformedSpec, require_transformation
from xenv.user_environments import ValidatedEnvironment

PROBE_AGENTS = ("q_learning", "simple", "reality_check(q_learning)")
_COMPILED_PROBE = "q_learning"
_ENVIRONMENT_KEY = 5
_TURNS_BETWEEN = 10  # turns between two comparisons of the agent with its twin


def check_environment(environment: Any, agents: Sequence[str] = PROBE_AGENTS, turns: int = 150) -> None:
    """Check that a thing is an extended environment: build it, run agents in it and check its rewards and observations.

    An environment passes where

    - it derives from `ExtendedEnvironment`, defines its methods and declares integers and a range of rewards;
    - `start` returns an observation and `step` a pair of reward and observation, both in the declared ranges;
    - equal keys give equal turns;
    - the agent acts as it would without the environment: simulating copies leaves it alone;
    - compiled code, where the class claims `compiled`, gives the same turns as plain code.

    Parameters
    ----------
    environment : class or SignedFactory or str
        A class, its opposite, a registered name or `module:attribute`.
    agents : sequence of str
        The names of the agents that run in it, one after the other.
    turns : int
        The number of turns of each run.

    Raises
    ------
    ContractBroken
        If the environment does not pass; names class and method, what was returned and what was expected.
    BadValue
        If `turns` is not a whole number from 1.

    Examples
    --------
    >>> import xenv
    >>> xenv.check_environment("repeater", agents=["constant"], turns=20)
    """
    require_turns(turns)
    factory = environment_factory(environment)
    declared: Any = factory.environment if isinstance(factory, SignedFactory) else factory
    ENVIRONMENT.accept(declared)
    with user_code(describe_place(declared)), keep_shared_state(declared, *map(agent_spec, agents)):
        for agent in agents:
            first, second = (_run_transitions(factory, agent, turns) for _ in range(2))
            _require_same(declared, first, second, "with the same key", "let every draw be a function of the key")
        if declared.compiled:
            _check_compiled(declared)


def _run_transitions(factory: Any, agent: str, turns: int) -> list[Transition]:
    """Run an agent and check each turn; a twin that the environment cannot reach is trained beside the agent."""
    spec = agent_spec(agent)
    shape = (factory.n_observations, factory.n_actions)
    simulate = Simulate(spec, *shape, _ENVIRONMENT_KEY)
    instance = factory(simulate)
    actor = simulate()
    twin = Simulate(spec, *shape, _ENVIRONMENT_KEY)()
    unsigned = instance.environment if isinstance(instance, SignedEnvironment) else instance
    checked = ValidatedEnvironment(instance, *shape)
    observation = _require_in_range(unsigned, "start", checked.start(), shape[0])
    transitions = list[Transition]()
    low, high = factory.reward_range
    for turn in range(turns):
        if turn % _TURNS_BETWEEN == 0:
            _require_untouched(unsigned, actor, twin, shape[0], turn)
        action = actor.act(observation)
        reward, following = checked.step(action)
        if not low <= reward <= high:
            refuse(unsigned, f"step (turn {turn + 1})", (reward, following), f"a reward from {low:g} to {high:g}")
        transitions.append(
            Transition(observation, action, reward, _require_in_range(unsigned, "step", following, shape[0]))
        )
        for learner in (actor, twin):
            learner.train(transitions[-1])
        observation = following
    return transitions


def _require_in_range(environment: Any, method: str, observation: int, n_observations: int) -> int:
    if not 0 <= observation < n_observations:
        refuse(environment, method, observation, f"an observation from 0 to {n_observations - 1}")
    return observation


def _require_untouched(environment: Any, actor: Agent, twin: Agent, n_observations: int, turn: int) -> None:
    for observation in range(n_observations):
        if actor.act(observation) != twin.act(observation):
            raise ContractBroken(
                f"it changed the agent before turn {turn + 1}",
                place=describe_place(environment),
                remedy="train copies only, and leave `simulate` as it is",
            )


def _check_compiled(declared: Any) -> None:
    if "<locals>" in declared.__qualname__ or declared.__module__ == "__main__":
        return  # compiled code is for classes that can be imported
    reason = why_run_plainly(declared, _COMPILED_PROBE, _ENVIRONMENT_KEY)
    if reason is not None:
        raise ContractBroken(f"compiled is True, but {reason}", place=describe_place(declared), remedy=_COMPILED_REMEDY)


_COMPILED_REMEDY = "keep to numbers, tuples, arrays and agents, or declare compiled = False"


def _require_same(declared: Any, first: list[Any], second: list[Any], when: str, remedy: str) -> None:
    for turn, (one, other) in enumerate(zip(first, second, strict=True)):
        if one != other:
            raise ContractBroken(
                f"turn {turn + 1} is {tuple(one)}, and {tuple(other)} {when}",
                place=describe_place(declared),
                remedy=remedy,
            )


def check_semi_deterministic(
    agent: Any, n_observations: int = 3, n_actions: int = 3, trainings: int = 30, histories: int = 5
) -> bool:
    """Check that an agent is semi-deterministic: instances that are trained alike act alike.

    Instances are trained on random histories and asked twice, forks of them are trained, and actions are compared.

    Parameters
    ----------
    agent : str or AgentSpec or function
        A name, a spec, or a factory of agents.
    n_observations, n_actions : int
        The shape for which instances are built.
    trainings : int
        The length of each history.
    histories : int
        The number of histories.

    Returns
    -------
    bool
        True, where no difference was found.

    Raises
    ------
    ContractBroken
        If two instances differ, or an action is out of range.

    Examples
    --------
    >>> import xenv
    >>> xenv.check_semi_deterministic("q_learning")
    True

    References
    ----------
    S. A. Alexander et al., "Extending environments to measure self-reflection in reinforcement learning", 2021,
    Definition 9.
    """
    check_agent(
        agent_spec(agent),
        n_observations=n_observations,
        n_actions=n_actions,
        trainings=trainings,
        histories=histories,
    )
    return True


_TRANSFORMED_AGENTS = ("random", "constant", "simple", "q_learning")
_N_OBSERVATIONS = 3
_N_ACTIONS = 2
_TRANSFORMATION_KEY = 1


def check_transformation(transformation: Any, trainings: int = 30) -> None:
    """Check that a thing transforms agents: apply it to specs, build agents, train and fork them.

    A transformation passes where

    - it makes of a spec a `TransformedSpec` around that spec, with its hyper-parameters;
    - `build` makes an agent whose actions are integers in range, the same when asked twice;
    - a fork that is trained leaves the original alone;
    - the agent runs in an environment.

    Parameters
    ----------
    transformation : function or str
        A function from specs, a registered name or `module:attribute`.
    trainings : int
        The number of transitions on which each agent is trained.

    Raises
    ------
    ContractBroken
        If the transformation does not pass; names what was returned and what was expected.
    """
    is_name = isinstance(transformation, str)
    checked = TRANSFORMATIONS[transformation] if is_name else require_transformation(transformation)
    for probe in _TRANSFORMED_AGENTS:
        spec = agent_spec(probe)
        with user_code(describe_place(checked)), keep_shared_state(checked):
            transformed: Any = checked(spec)
            require_instance(transformed, TransformedSpec, "TransformedSpec")
            _check_hyperparameters(checked, spec, transformed)
            agent = AGENT.accept(call_method(transformed, "build", _N_OBSERVATIONS, _N_ACTIONS, _TRANSFORMATION_KEY))
            for turn in range(trainings):
                _check_actions(agent)
                _train_mostly_right(agent, turn)
            run_environment("repeater", transformed, trainings)


def _check_hyperparameters(transformation: Any, spec: AgentSpec, transformed: Any) -> None:
    if transformed.spec != spec:
        refuse(transformation, "the transformation", transformed.spec, f"a spec around {spec}")
    for name in hyperparameter_names(spec):
        if hyperparameter(transformed, name) != getattr(spec, name):
            refuse(transformed, f"hyperparameter('{name}')", hyperparameter(transformed, name), "the underlying spec's")


def _check_actions(agent: Agent) -> None:
    """Check that actions are in range, the same when asked again, and the same after a fork was trained."""
    actions = [call_method(agent, "act", observation) for observation in range(_N_OBSERVATIONS)]
    for action in actions:
        if isinstance(action, bool) or not hasattr(action, "__index__") or not 0 <= action < _N_ACTIONS:
            refuse(agent, "act", action, f"an integer from 0 to {_N_ACTIONS - 1}")
    if actions != [agent.act(observation) for observation in range(_N_OBSERVATIONS)]:
        raise ContractBroken(
            "it acts otherwise when asked again", place=describe_place(agent), remedy="learn in train only"
        )
    twin = call_method(agent, "fork")
    for turn in range(3):
        _train_mostly_right(twin, 1_000 + turn)
    if actions != [agent.act(observation) for observation in range(_N_OBSERVATIONS)]:
        raise ContractBroken(
            "it acts otherwise after a fork of it was trained",
            place=describe_place(agent),
            remedy="share no mutable state",
        )


def _train_mostly_right(agent: Agent, turn: int) -> None:
    """Train on a transition that the agent would mostly, but not always, have made."""
    observation, following = (randrange(_N_OBSERVATIONS, _TRANSFORMATION_KEY, turn, slot) for slot in (0, 1))
    other = randrange(8, _TRANSFORMATION_KEY, turn, 2) == 0
    action = (int(agent.act(observation)) + other) % _N_ACTIONS
    call_method(
        agent,
        "train",
        Transition(observation, action, float(randrange(3, _TRANSFORMATION_KEY, turn, 3) - 1), following),
    )


def _after_a_punishment(prompt: Prompt) -> int:
    return int(prompt.rewards[-1] < 0)


_THEORY_PROBES = (lambda prompt: 0, lambda prompt: 1, _after_a_punishment)


def check_theory_example(example: Any, turns: int = 12) -> None:
    """Check that a thing is an example of the theory: make its environment and let agents interact with it.

    An example passes where

    - it is a `TheoryExample` whose environment can be made with its sample of parameters;
    - the environment returns a rational reward and a natural number, the same for the same agent and play;
    - a handicap's rewards are 1 or -1 (or 0 before the first action) and its observations 0;
    - a merciful environment's rewards are not negative.

    Parameters
    ----------
    example : TheoryExample or str
        An example, or a name as `caregrid theory` takes it, such as `newcomb*deja_vu`.
    turns : int
        The number of turns of each interaction.

    Raises
    ------
    ContractBroken
        If the example does not pass; names what was returned and what was expected.
    """
    is_name = isinstance(example, str)
    checked = find_example(example) if is_name else THEORY_EXAMPLE.accept(example)
    place = describe_place(checked.environment)
    with user_code(place):
        environment: Any = checked()
        if not callable(environment):
            refuse(checked.environment, "it", environment, "an environment, a function of agent and play")
        for probe in _THEORY_PROBES:
            agent = as_agent(probe)
            play = Play()
            for _ in range(turns):
                prompt = play.prompt(_check_percept(checked, environment, agent, play))
                play = prompt.play(agent(prompt))


def check_theory_agent(agent: Any, turns: int = 6) -> None:
    """Check that a thing is an agent of the theory: ask it about prompts of up to `turns` turns, each twice.

    Parameters
    ----------
    agent : function or str
        A function from a prompt to an action, or a name as `caregrid theory` takes it, such as `always:1`.
    turns : int
        The number of turns of the longest prompt.

    Raises
    ------
    ContractBroken
        If an answer is not a natural number, or is another one when the agent is asked again.
    """
    is_plain = isinstance(agent, str) and agent in THEORY_AGENTS
    checked = THEORY_AGENTS[agent] if is_plain else agent if isinstance(agent, str) else THEORY_AGENT.accept(agent)
    play = Play()
    for turn in range(turns):
        prompt = play.prompt(Percept(Fraction((-1) ** turn), turn % 3))
        actions = [resolve_agent(checked, None, 2)(prompt) for _ in range(2)]
        if actions[0] != actions[1]:
            raise ContractBroken(
                f"it gave {actions[0]} and then {actions[1]} for one prompt",
                place=describe_place(checked),
                remedy="depend on the prompt only",
            )
        play = prompt.play(turn % 2)


def check_formal_twin(twin: Any, turns: int = 6) -> None:
    """Check that a thing is a formal twin: make its environment of a source of random numbers, and play in it.

    Parameters
    ----------
    twin : function or str
        A function of a source of random numbers, or a name of the kind `formal_twins`.
    turns : int
        The number of turns of each interaction.

    Raises
    ------
    ContractBroken
        If what it makes is no environment of histories, its first reward is not 0, or one source and one agent give
        other percepts the second time.
    """
    checked = TWINS[twin] if isinstance(twin, str) else TWIN.accept(twin)
    with user_code(describe_place(checked)):
        for probe in _THEORY_PROBES:
            played = [_play_twin(checked, as_agent(probe), turns) for _ in range(2)]
            if played[0][0].reward != 0:
                refuse(checked, "the first percept", played[0][0], "the reward 0, before any action")
            if played[0] != played[1]:
                refuse(checked, "it", "other percepts the second time", "draws from the source only")


def _play_twin(twin: FormalTwin, agent: HistoryAgent, turns: int) -> list[Percept]:
    environment: Any = twin(make_random_source("keys", _ENVIRONMENT_KEY, "environments"))
    if not callable(environment):
        refuse(twin, "it", environment, "an environment, a function of agent and play")
    play, percepts = Play(), []
    for _ in range(turns):
        percepts.append(respond(environment, agent, play))
        prompt = play.prompt(percepts[-1])
        play = prompt.play(agent(prompt))
    return percepts


def _check_percept(example: TheoryExample, environment: HistoryEnvironment, agent: HistoryAgent, play: Play) -> Percept:
    percept = respond(environment, agent, play)
    if respond(environment, agent, play) != percept:
        raise ContractBroken(
            f"it gave {percept} and then something else",
            place=describe_place(environment),
            remedy="depend on agent and play only",
        )
    if example.is_handicap and not is_handicap_percept(percept, play):
        refuse(
            environment, "it", percept, "a handicap's reward 1 or -1 (or 0 before the first action) and observation 0"
        )
    if example.is_merciful and percept.reward < 0:
        refuse(environment, "it", percept, "a merciful environment's reward, 0 or more")
    return percept
