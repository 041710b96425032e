"""The contract of agents: `act` answers and changes nothing, only `train` changes an agent, `fork` copies it.

An environment may simulate the agent that it measures. Such an agent must give the same answer however often it is
asked: hence acting and learning are two methods, and `fork` exists (Alexander et al. 2021, section 4).
`engine.agent.check_agent` checks the contract. `has_terminated` says whether a transition ended its episode, in
plain and compiled code alike (`engine.compiling.teaching`).

A spec is a frozen dataclass whose fields are its hyper-parameters. One around another (a transformation, a factory)
answers for it by its own methods `with_hyperparameters(**changes)` and `hyperparameter(name)`. A spec with a
hyper-parameter `stacks` can put its learners into stacks that others share.
"""

from __future__ import annotations

import dataclasses
import inspect
import operator
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from engine.contracts import Contract, Method, call_method, refuse, require_instance, require_parameters
from engine.errors import BadValue, ContractBroken
from engine.randomness.counter_based import randrange, split
from engine.shared_state import keep_shared_state
from engine.user_code import describe_place, user_code
from engine.value_types import check_fields


class Transition(NamedTuple):
    """One step (o, a, r, o') of an interaction.

    Parameters
    ----------
    observation, next_observation : int
        What the agent observed before and after it.
    action : int
        The action that the agent chose.
    reward : float
    terminated : bool
        Whether the world ended the episode; a time limit does not.
    executed : int or None
        The action that the world carried out, None where it does not say.
    info : mapping or None
        What a Gymnasium world says beside it.

    Examples
    --------
    >>> Transition(observation=0, action=1, reward=0.5, next_observation=0).terminated
    False
    """

    observation: int
    action: int
    reward: float
    next_observation: int
    terminated: bool = False
    executed: int | None = None
    info: Mapping[str, Any] | None = None


class Agent(ABC):
    """A learner that is asked for actions and trained on transitions, both at the caller's pace.

    `act` changes nothing, however often it is called; only `train` changes an agent; a fork shares no mutable state
    with its original. A class that has the three methods counts as an agent without deriving from this one.

    What an agent would do if it did not explore is asked of `act(observation, explore=False)` where `act` has that
    parameter, and otherwise read from an attribute `values`, f64[n_observations, n_actions]. Both may be absent.

    References
    ----------
    S. Alexander et al., "Extending Environments To Measure Self-Reflection In Reinforcement Learning", 2021, section 4.

    Examples
    --------
    >>> from engine.agents.constant import Constant
    >>> agent = Constant(action=2).build(n_observations=3, n_actions=4, key=0)
    >>> agent.train(Transition(observation=0, action=2, reward=1.0, next_observation=1))
    >>> agent.act(1)
    2
    """

    @abstractmethod
    def act(self, observation: int) -> int:
        """Return the action for an observation, and change nothing.

        Parameters
        ----------
        observation : int
            From 0 to n_observations - 1.

        Returns
        -------
        int
            The action, from 0 to n_actions - 1.
        """

    @abstractmethod
    def train(self, transition: Transition) -> None:
        """Learn from one transition, whether it happened to this agent or not.

        Parameters
        ----------
        transition : Transition
            A step (o, a, r, o'); where it terminated, no value is bootstrapped from o'.
        """

    @abstractmethod
    def fork(self) -> Agent:
        """Return an independent twin.

        Returns
        -------
        Agent
            An agent with the same past, which gives the same answers as long as both are trained alike.
        """

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return _has_methods(other, ("act", "train", "fork")) if cls is Agent else NotImplemented


class AgentSpec(ABC):
    """A frozen dataclass of hyper-parameters, named as in the literature, that builds fresh agents.

    Attributes
    ----------
    ignores_other_hyperparameters : bool
        Whether a hyper-parameter that the spec does not have may be set, to no effect, as with a constructor that takes
        any keyword; otherwise it is refused.

    Examples
    --------
    >>> from engine.agents.q_learning import QLearning
    >>> spec = QLearning(learning_rate=0.5)
    >>> spec.build(n_observations=2, n_actions=3, key=1).values.shape
    (2, 3)
    """

    ignores_other_hyperparameters: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the hyper-parameters by their annotations; raise BadValue, naming the one that is wrong."""
        check_fields(self, f"agent {type(self).__name__}")

    @abstractmethod
    def build(self, n_observations: int, n_actions: int, key: int) -> Agent:
        """Build a fresh agent.

        Parameters
        ----------
        n_observations : int
            Observations are numbers from 0 to n_observations - 1.
        n_actions : int
            Actions are numbers from 0 to n_actions - 1.
        key : int
            The key of all random numbers of the agent; equal keys give equal agents.

        Returns
        -------
        Agent
            An agent that has not been trained.
        """

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return _has_methods(other, ("build",)) if cls is AgentSpec else NotImplemented


def _has_methods(kind: type, names: tuple[str, ...]) -> bool:
    """Return True where a class and its ancestors define all of these, else NotImplemented: Python searches on."""
    if all(any(name in vars(ancestor) for ancestor in kind.__mro__) for name in names):
        return True
    undecided: bool = NotImplemented
    return undecided


def has_terminated(transition: Transition) -> bool:
    """Return whether the world ended the episode with this transition; a time limit ends none."""
    return transition.terminated


class UnknownHyperparameter(BadValue):
    """A copy was asked for with a hyper-parameter that the agent's spec does not have; environments may handle it."""

    def __init__(self, name: str, owner: str, known: list[str]) -> None:
        remedy = "choose from " + ", ".join(known) if known else "it has none"
        super().__init__(f"no hyper-parameter '{name}'", place=owner, remedy=remedy)


def with_hyperparameters(spec: AgentSpec, **changes: Any) -> AgentSpec:
    """Return a spec with some hyper-parameters replaced; raise UnknownHyperparameter where it refuses one of that name.

    A spec that `ignores_other_hyperparameters` refuses none: those that it does not have change nothing.
    """
    if not changes:
        return spec
    own = getattr(spec, "with_hyperparameters", None)
    if own is not None:
        other: AgentSpec = own(**changes)
        return other
    known = hyperparameter_names(spec)
    for name in changes:
        if name not in known and not getattr(spec, "ignores_other_hyperparameters", False):
            raise UnknownHyperparameter(name, type(spec).__name__, known)
    own_changes = {name: value for name, value in changes.items() if name in known}
    if not own_changes:
        return spec
    replaced: AgentSpec = dataclasses.replace(spec, **own_changes)  # type: ignore[type-var]
    check_fields(replaced, f"agent {type(spec).__name__}")  # of a user's class that derives from nothing, too
    return replaced


def hyperparameter(spec: AgentSpec, name: str) -> Any:
    """Return the value of a hyper-parameter; raise UnknownHyperparameter where the spec has none of that name."""
    own = getattr(spec, "hyperparameter", None)
    if own is not None:
        return own(name)
    if name not in hyperparameter_names(spec):
        raise UnknownHyperparameter(name, type(spec).__name__, hyperparameter_names(spec))
    return getattr(spec, name)


def hyperparameter_names(spec: AgentSpec) -> list[str]:
    """Return the names of the hyper-parameters that a spec itself has."""
    return [field.name for field in dataclasses.fields(spec)] if dataclasses.is_dataclass(spec) else []


REWARDS = (-1.0, 0.0, 1.0)
AGENT = Contract[Agent]("agent", methods=(Method("act(observation)"), Method("train(transition)"), Method("fork()")))


class AnswersDiffer(ContractBroken):
    """Two instances of an agent that were trained alike answer otherwise, or one of them when it is asked again."""


def check_agent(
    spec: Any, *, n_observations: int = 3, n_actions: int = 3, trainings: int = 30, histories: int = 3
) -> None:
    """Check that a spec and the agents that it builds keep their contract.

    `build` makes equal agents for equal keys, whatever other agents were built, asked and trained; `act` returns an
    integer in 0 .. n_actions - 1, the same one however often it is asked; only `train` changes an agent; training a
    fork leaves its original as it is, and the other way round.

    Parameters
    ----------
    spec : AgentSpec or a class of such
        A class must need no arguments.
    n_observations, n_actions : int
        The shape for which agents are built.
    trainings : int
        How many random transitions each agent is trained on.
    histories : int
        How many keys and sequences of transitions are tried.

    Raises
    ------
    ContractBroken
        For the first breach, in one line.

    Examples
    --------
    >>> from engine.agents.random import Random
    >>> check_agent(Random())
    """
    made = spec
    if inspect.isclass(spec):
        with user_code(describe_place(spec)):
            made = spec()
    require_instance(made, AgentSpec, "agent spec")
    require_parameters(made.build, 3, "build(n_observations, n_actions, key)")
    with keep_shared_state(made):
        for key in range(histories):
            _check_history(made, n_observations, n_actions, trainings, key)


def check_learner(spec: AgentSpec, *, n_observations: int = 3, n_actions: int = 3, trainings: int = 30) -> None:
    """Check what a learner needs of which no copies are made: agents of one key that live alike answer alike.

    Unlike `check_agent` it lets answers depend on how often an agent was asked, as where exploration draws in `act`.

    Parameters
    ----------
    spec : AgentSpec
    n_observations, n_actions : int
        The shape for which agents are built.
    trainings : int
        How many random transitions each agent is trained on.

    Raises
    ------
    ContractBroken
        For the first breach, in one line.

    Examples
    --------
    >>> from engine.agents.sarsa import Sarsa
    >>> check_learner(Sarsa())
    """
    shape = (n_observations, n_actions)
    with keep_shared_state(spec):
        first, second = (_build_agent(spec, *shape, 0) for _ in range(2))
        for k in range(trainings):
            _require_same_answers(
                second, _ask_agent(first, *shape), _ask_agent(second, *shape), "made two agents of one key", k
            )
            for agent in (first, second):
                call_method(agent, "train", _draw_transition(shape, split(0, "learner"), k))


def _check_history(spec: AgentSpec, n_observations: int, n_actions: int, trainings: int, key: int) -> None:
    """Compare three agents of one key: one is left alone, one is asked and forked often, one is trained otherwise."""
    shape = (n_observations, n_actions)
    quiet, asked, other = (_build_agent(spec, *shape, key) for _ in range(3))
    twin = _fork_agent(asked)
    untrained = _ask_agent(asked, *shape)
    for k in range(trainings):
        answers = _ask_agent(asked, *shape)
        _require_same_answers(asked, answers, answers[::-1], "asked twice", k)
        _require_same_answers(asked, answers, _ask_agent(asked, *shape), "asked again", k)
        fork = _fork_agent(asked)
        _require_same_answers(asked, answers, _ask_agent(fork, *shape), "asked its fork", k)
        call_method(fork, "train", _draw_transition(shape, split(key, "fork"), k))
        _require_same_answers(asked, answers, _ask_agent(asked, *shape), "trained a fork of it", k)
        call_method(other, "train", _draw_transition(shape, split(key, "other"), k))
        _require_same_answers(asked, answers, _ask_agent(asked, *shape), "trained another agent", k)
        for agent in (quiet, asked):
            call_method(agent, "train", _draw_transition(shape, split(key, "own"), k))
    _require_same_answers(
        asked, untrained, _ask_agent(twin, *shape), "trained the agent that its fork came from", trainings
    )
    _require_same_answers(
        asked, _ask_agent(quiet, *shape), _ask_agent(asked, *shape), "trained two agents of one key alike", trainings
    )
    answers = _ask_agent(asked, *shape)
    for agent, how in ((_fork_agent(asked), "trained a fork of it"), (other, "trained another agent")):
        for k in range(trainings):  # against what the agent does
            observation = k % n_observations
            call_method(agent, "train", Transition(observation, answers[observation], min(REWARDS), observation))
        _require_same_answers(asked, answers, _ask_agent(asked, *shape), how, trainings)


def _build_agent(spec: AgentSpec, n_observations: int, n_actions: int, key: int) -> Agent:
    agent = call_method(spec, "build", n_observations, n_actions, key)
    if not any(hasattr(agent, method) for method in ("act", "train", "fork")):
        refuse(spec, "build", agent, "an agent with 'act', 'train' and 'fork'")
    return AGENT.accept(agent)


def _fork_agent(agent: Agent) -> Agent:
    fork = call_method(agent, "fork")
    if not isinstance(fork, Agent):
        refuse(agent, "fork", fork, "an agent with 'act', 'train' and 'fork'")
    return fork


def _ask_agent(agent: Agent, n_observations: int, n_actions: int) -> list[int]:
    """Return the action for each observation, forwards, then backwards: the last one is asked twice in a row."""
    forwards = range(n_observations)
    return [ask_for_action(agent, observation, n_actions) for observation in (*forwards, *reversed(forwards))]


def ask_for_action(agent: Agent, observation: int, n_actions: int) -> int:
    """Return the action for an observation; raise ContractBroken unless it is an integer in 0 .. n_actions - 1."""
    action = call_method(agent, "act", observation)
    try:
        number = -1 if isinstance(action, bool) else operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < n_actions:
        refuse(agent, "act", action, f"an integer in 0 .. {n_actions - 1}")
    return number


def _draw_transition(shape: tuple[int, int], key: int, k: int) -> Transition:
    """Draw the k-th random transition of a key; one in eight ends an episode."""
    observation, following = (randrange(shape[0], key, k, slot) for slot in (0, 1))
    reward = REWARDS[randrange(len(REWARDS), key, k, 3)]
    ended = randrange(8, key, k, 4) == 0
    return Transition(observation, randrange(shape[1], key, k, 2), reward, following, ended)


def _require_same_answers(agent: Agent, before: list[int], after: list[int], when: str, trainings: int) -> None:
    for place, (first, second) in enumerate(zip(before, after, strict=True)):
        if first != second:
            observation = min(place, len(before) - 1 - place)
            elsewhere = "; 'train' and 'sweep' make no copies and take it" if when.startswith("asked") else ""
            raise AnswersDiffer(
                f"act gave {first} and then {second} for observation {observation}, having {when}, "
                f"after {trainings} trainings",
                place=describe_place(agent),
                remedy=f"let its answers depend on its key and its own trainings only{elsewhere}",
            )
