"""The checker of transformations of agents."""

from __future__ import annotations

from typing import Any

from engine.agent import Agent, AgentSpec, Transition
from engine.contracts import called, refuse, require_instance, require_methods
from engine.errors import ContractBroken
from engine.randomness.counter_based import randrange
from engine.user_code import place_of, user_code
from xenv.interaction_loop import run_environment
from xenv.specs import names
from xenv.specs.hyperparameters import hyperparameter, hyperparameter_names
from xenv.specs.transformed_spec import TransformedSpec
from xenv.transformations import TRANSFORMATIONS, require_transformation

_PROBES = ("random", "constant", "simple", "q_learning")
_N_OBSERVATIONS, _N_ACTIONS, _KEY = 3, 2, 1


def check_transformation(transformation: Any, trainings: int = 30) -> None:
    """Check that a thing transforms agents: apply it to specs, build agents, train and fork them.

    transformation: a function, a registered name or `module:attribute`. trainings: how often each agent is trained.

    Raises ContractBroken, naming what was given and what was expected, unless
    - called with a spec it gives a `TransformedSpec` around that spec, with its hyper-parameters;
    - `build` gives an agent whose actions are integers in range, the same when asked twice;
    - a fork that is trained leaves the original alone;
    - the agent runs in an environment.
    """
    is_name = isinstance(transformation, str)
    checked = TRANSFORMATIONS[transformation] if is_name else require_transformation(transformation)
    for probe in _PROBES:
        spec = names.agent_spec(probe)
        with user_code(place_of(checked)):
            transformed: Any = checked(spec)
            require_instance(transformed, TransformedSpec, "TransformedSpec")
            _check_hyperparameters(checked, spec, transformed)
            agent = called(transformed, "build", _N_OBSERVATIONS, _N_ACTIONS, _KEY)
            require_methods(agent, ("act", "train", "fork"), "agent")
            for turn in range(trainings):
                _check_actions(agent)
                _train(agent, turn)
            run_environment("repeater", transformed, trainings)


def _check_hyperparameters(transformation: Any, spec: AgentSpec, transformed: Any) -> None:
    if transformed.spec != spec:
        refuse(transformation, "the transformation", transformed.spec, f"a spec around {spec}")
    for name in hyperparameter_names(spec):
        if hyperparameter(transformed, name) != getattr(spec, name):
            refuse(transformed, f"hyperparameter('{name}')", hyperparameter(transformed, name), "the underlying spec's")


def _check_actions(agent: Agent) -> None:
    """Actions are in range, the same when asked again, and the same after a fork was trained."""
    actions = [called(agent, "act", observation) for observation in range(_N_OBSERVATIONS)]
    for action in actions:
        if isinstance(action, bool) or not hasattr(action, "__index__") or not 0 <= action < _N_ACTIONS:
            refuse(agent, "act", action, f"an integer from 0 to {_N_ACTIONS - 1}")
    if actions != [agent.act(observation) for observation in range(_N_OBSERVATIONS)]:
        raise ContractBroken("it acts otherwise when asked again", place=place_of(agent), remedy="learn in train only")
    twin = called(agent, "fork")
    for turn in range(3):
        _train(twin, 1_000 + turn)
    if actions != [agent.act(observation) for observation in range(_N_OBSERVATIONS)]:
        raise ContractBroken(
            "it acts otherwise after a fork of it was trained", place=place_of(agent), remedy="share no mutable state"
        )


def _train(agent: Agent, turn: int) -> None:
    """Train on a transition that the agent would mostly, but not always, have made."""
    observation, following = (randrange(_N_OBSERVATIONS, _KEY, turn, slot) for slot in (0, 1))
    other = randrange(8, _KEY, turn, 2) == 0
    action = (int(agent.act(observation)) + other) % _N_ACTIONS
    called(agent, "train", Transition(observation, action, float(randrange(3, _KEY, turn, 3) - 1), following))
