"""Check from outside that an agent keeps its contract, in the style of `gymnasium.utils.env_checker`."""

from __future__ import annotations

import inspect
import operator
from typing import Any

from engine.agent import Agent, AgentSpec, Transition
from engine.contracts import Contract, Method, call_method, refuse, require_instance, require_parameters
from engine.errors import ContractBroken
from engine.randomness.counter_based import randrange, split
from engine.user_code import describe_place, user_code

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
    for key in range(histories):
        _check_history(made, n_observations, n_actions, trainings, key)


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
    reward, ended = REWARDS[randrange(len(REWARDS), key, k, 3)], randrange(8, key, k, 4) == 0
    return Transition(observation, randrange(shape[1], key, k, 2), reward, following, ended)


def _require_same_answers(agent: Agent, before: list[int], after: list[int], when: str, trainings: int) -> None:
    for place, (first, second) in enumerate(zip(before, after, strict=True)):
        if first != second:
            observation = min(place, len(before) - 1 - place)
            raise AnswersDiffer(
                f"act gave {first} and then {second} for observation {observation}, having {when}, "
                f"after {trainings} trainings",
                place=describe_place(agent),
                remedy="let its answers depend on its key and its own trainings only",
            )
