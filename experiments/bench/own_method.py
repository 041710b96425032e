"""A method of a user's own: what sort of thing `module:attribute` is, and so which worlds can measure it.

| sort           | what it is                                                     | where it is measured    |
| -------------- | -------------------------------------------------------------- | ----------------------- |
| formulation    | a `Formulation` (`craftworld.formulation`)                     | scenarios, exactly      |
| policy         | a function (problem, care) -> int[S], an action for each state | scenarios               |
| agent          | a spec, or a class with act and train                          | scenarios, environments |
| planning agent | a `PlanningAgent` (`counterfactual.planning_agent`)            | terminal worlds         |
| future         | a `Future` (`multislot.future`)                                | slot scenarios          |
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.contracts import require_parameters
from engine.errors import BadValue, ContractBroken, with_article
from engine.user_code import load_user_code, names_user_code, place_of, user_code

if TYPE_CHECKING:
    from craftworld.solution.problem import Problem
    from engine.mdp.mdp import Policy

FORMULATION, POLICY, PLANNING_AGENT, FUTURE, AGENT = "formulation", "policy", "planning agent", "future", "agent"
REMEDY = "give a function (problem, care) -> actions, a Formulation, a Future or a PlanningAgent"


def sort_of_method(name: str) -> str:
    """The sort of a method; BadValue where nothing has the name, ContractBroken where it is none."""
    thing = _loaded(name, "method")
    from counterfactual.planning_agent import PlanningAgent
    from craftworld.formulation import Formulation
    from multislot.future import Future

    for kind, sort in ((Formulation, FORMULATION), (Future, FUTURE), (PlanningAgent, PLANNING_AGENT)):
        if isinstance(thing, kind):
            return sort
    if inspect.isclass(thing) or not callable(thing):
        raise ContractBroken(f"'{name}' is {_kind(thing)}", place=place_of(thing), remedy=REMEDY)
    require_parameters(thing, 2, "method(problem, care)")
    return POLICY


def require_agent(name: str) -> None:
    """UnknownName, BadValue or ContractBroken where a name is that of no agent that keeps the contract.

    name: a registered one, such as dqn or reality_check(sb3_ppo), or the user's own. MissingExtra where it needs one.
    """
    from engine.check_agent import check_agent
    from xenv.specs.names import agent_spec

    if names_user_code(name):
        _loaded(name, "agent")
    check_agent(agent_spec(name))


def policy_of_function(name: str, problem: Problem, care: float) -> Policy:
    """int32[S]: what a function of the user's own chooses; ContractBroken, naming it, where that cannot be followed."""
    function = _loaded(name, "method")
    with user_code(f"method {name}"):
        given = function(problem, care)
    states, actions = len(problem.mdp.terminal), len(problem.mdp.actions)
    try:
        chosen = np.asarray(given)
    except ValueError:
        chosen = np.empty(0)
    if chosen.shape != (states,) or chosen.dtype.kind not in "iu":
        shown = f"an array of {chosen.dtype}, shape {chosen.shape}"
        raise ContractBroken(
            f"it gave {shown}", place=f"method {name}", remedy=f"give {states} whole numbers, one a state"
        )
    if chosen.min() < 0 or chosen.max() >= actions:
        problem_text = f"it gave actions from {chosen.min()} to {chosen.max()}"
        raise ContractBroken(problem_text, place=f"method {name}", remedy=f"choose from 0 to {actions - 1}")
    policy = chosen.astype(np.int32)
    acting = ~problem.mdp.terminal
    if (problem.mdp.executable(policy) != policy)[acting].any():
        remedy = "look at problem.mdp.available"
        raise ContractBroken("it gave an action that is not available", place=f"method {name}", remedy=remedy)
    return policy


def _loaded(name: str, kind: str) -> Any:
    if not names_user_code(name):
        raise BadValue(
            f"'{name}' is not {with_article(kind)} of your own", place=f"--{kind}", remedy="write module:attribute"
        )
    return load_user_code(name, kind)


def _kind(thing: Any) -> str:
    return "a class" if inspect.isclass(thing) else f"of type {type(thing).__name__}"
