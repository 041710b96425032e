"""The checker of extended environments, in the style of `gymnasium.utils.env_checker`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.agent import Agent, Transition
from engine.contracts import refuse
from engine.errors import ContractBroken
from engine.user_code import place_of, user_code
from xenv.environment import require_environment
from xenv.interaction_loop import why_run_plainly
from xenv.limits import require_turns
from xenv.opposites import SignedEnvironment, SignedFactory
from xenv.specs import names
from xenv.specs.simulation import Simulate
from xenv.validation import ValidatedEnvironment

PROBES = ("q_learning", "simple", "reality_check(q_learning)")
_COMPILED_PROBE = "q_learning"
_KEY = 5
_TURNS_BETWEEN = 10  # turns between two comparisons of the agent with its twin


def check_environment(environment: Any, agents: Sequence[str] = PROBES, turns: int = 150) -> None:
    """Check that a thing is an extended environment: build it, run agents in it and see what it gives.

    environment: a class, its opposite, a registered name or `module:attribute`. agents: names of those that run in
    it. turns: how long each run is.

    Raises ContractBroken, naming class and method, what it gave and what was expected, unless
    - it derives from `ExtendedEnvironment`, defines its methods and declares integers and a range of rewards;
    - `start` gives an observation and `step` a pair of reward and observation, both in the declared ranges;
    - equal keys give equal turns;
    - the agent acts as it would without the environment: simulating copies leaves it alone;
    - compiled code, where the class claims `compiled`, gives the same turns as plain code.
    """
    require_turns(turns)
    factory = names.environment_factory(environment)
    declared: Any = factory.environment if isinstance(factory, SignedFactory) else factory
    require_environment(declared)
    with user_code(place_of(declared)):
        for agent in agents:
            first, second = (_transitions(factory, agent, turns) for _ in range(2))
            _require_same(declared, first, second, "with the same key", "let every draw be a function of the key")
        if declared.compiled:
            _check_compiled(declared)


def _transitions(factory: Any, agent: str, turns: int) -> list[Transition]:
    """The turns of an agent, each looked at; beside it learns a twin that no environment can reach."""
    spec, shape = names.agent_spec(agent), (factory.n_observations, factory.n_actions)
    simulate = Simulate(spec, *shape, _KEY)
    instance, actor, twin = factory(simulate), simulate(), Simulate(spec, *shape, _KEY)()
    unsigned = instance.environment if isinstance(instance, SignedEnvironment) else instance
    checked = ValidatedEnvironment(instance, *shape)
    observation, transitions = _in_range(unsigned, "start", checked.start(), shape[0]), list[Transition]()
    low, high = factory.reward_range
    for turn in range(turns):
        if turn % _TURNS_BETWEEN == 0:
            _require_untouched(unsigned, actor, twin, shape[0], turn)
        action = actor.act(observation)
        reward, following = checked.step(action)
        if not low <= reward <= high:
            refuse(unsigned, f"step (turn {turn + 1})", (reward, following), f"a reward from {low:g} to {high:g}")
        transitions.append(Transition(observation, action, reward, _in_range(unsigned, "step", following, shape[0])))
        for learner in (actor, twin):
            learner.train(transitions[-1])
        observation = following
    return transitions


def _in_range(environment: Any, method: str, observation: int, n_observations: int) -> int:
    if not 0 <= observation < n_observations:
        refuse(environment, method, observation, f"an observation from 0 to {n_observations - 1}")
    return observation


def _require_untouched(environment: Any, actor: Agent, twin: Agent, n_observations: int, turn: int) -> None:
    for observation in range(n_observations):
        if actor.act(observation) != twin.act(observation):
            raise ContractBroken(
                f"it changed the agent before turn {turn + 1}",
                place=place_of(environment),
                remedy="train copies only, and leave `simulate` as it is",
            )


def _check_compiled(declared: Any) -> None:
    if "<locals>" in declared.__qualname__ or declared.__module__ == "__main__":
        return  # compiled code is for classes that can be imported
    reason = why_run_plainly(declared, _COMPILED_PROBE, _KEY)
    if reason is not None:
        raise ContractBroken(f"compiled is True, but {reason}", place=place_of(declared), remedy=_REMEDY)


_REMEDY = "keep to numbers, tuples, arrays and agents, or declare compiled = False"


def _require_same(declared: Any, first: list[Any], second: list[Any], when: str, remedy: str) -> None:
    for turn, (one, other) in enumerate(zip(first, second, strict=True)):
        if one != other:
            raise ContractBroken(
                f"turn {turn + 1} is {tuple(one)}, and {tuple(other)} {when}", place=place_of(declared), remedy=remedy
            )
