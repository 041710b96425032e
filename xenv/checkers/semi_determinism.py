"""Semi-determinism: identically trained instances of a spec act identically, whatever happens to other instances.

Alexander et al. 2021, Definition 9. Without it, what an environment sees in a copy is not what the agent would do.
"""

from __future__ import annotations

from typing import Any

from engine.agent import Agent, AgentSpec, Transition
from engine.errors import ContractBroken
from engine.randomness.counter_based import randrange, split
from xenv.specs import names
from xenv.specs.simulation import Simulate

REWARDS = (-1.0, 0.0, 1.0)


def check_semi_deterministic(
    agent: Any, n_observations: int = 3, n_actions: int = 3, trainings: int = 30, histories: int = 5
) -> bool:
    """True where a spec (or a factory, or a name) is semi-deterministic, ContractBroken where it is not.

    In each of some random histories, two copies are trained on the same transitions. One of them is left alone, the
    other is asked for every action twice, is forked, and shares the run with copies that are trained on something else.
    """
    spec = names.agent_spec(agent)
    for key in range(histories):
        _check_one_history(spec, n_observations, n_actions, trainings, key)
    return True


def _check_one_history(spec: AgentSpec, n_observations: int, n_actions: int, trainings: int, key: int) -> None:
    simulate = Simulate(spec, n_observations, n_actions, key)
    quiet, questioned, stranger = simulate(), simulate(), simulate()
    for k in range(trainings):
        actions = _actions(questioned, n_observations)
        _same(spec, actions, _actions(questioned, n_observations), "asked twice", k)
        twin = questioned.fork()
        twin.train(_transition(n_observations, n_actions, split(key, "fork"), k))
        _same(spec, actions, _actions(questioned, n_observations), "after a fork of it was trained", k)
        stranger.train(_transition(n_observations, n_actions, split(key, "stranger"), k))
        transition = _transition(n_observations, n_actions, split(key, "lived"), k)
        quiet.train(transition)
        questioned.train(transition)
    _same(spec, _actions(quiet, n_observations), _actions(questioned, n_observations), "trained identically", trainings)
    _same(spec, _actions(quiet, n_observations), _actions(quiet.fork(), n_observations), "forked", trainings)


def _actions(agent: Agent, n_observations: int) -> list[int]:
    return [agent.act(observation) for observation in range(n_observations)]


def _transition(n_observations: int, n_actions: int, key: int, k: int) -> Transition:
    observation, following = (randrange(n_observations, key, k, slot) for slot in (0, 1))
    return Transition(observation, randrange(n_actions, key, k, 2), REWARDS[randrange(3, key, k, 3)], following)


def _same(spec: Any, first: list[int], second: list[int], when: str, trainings: int) -> None:
    if first != second:
        observation = next(o for o, (one, other) in enumerate(zip(first, second, strict=True)) if one != other)
        raise ContractBroken(
            f"it answers observation {observation} with {first[observation]} and then {second[observation]}, {when}",
            place=f"{getattr(spec, 'name', type(spec).__name__)} after {trainings} trainings",
            remedy="let every draw be a function of the key and of the agent's own trainings",
        )
