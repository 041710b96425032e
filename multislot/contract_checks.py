"""Checks of users' own worlds, futures, likelihoods, crowds and policies, one function a kind.

Each builds the thing as users would, calls it, and names the first thing that is wrong: they raise
`engine.errors.ContractBroken` with one line: file and class or function, what it gave, what was expected. Futures,
policies, crowds and likelihoods are tried on scenarios with moves, certain and random copies, deletion and slots that
look alike. A world must keep the interaction protocol, its worked examples must be right, and slots with one
representative must be interchangeable (`multislot.worlds.interchangeable`).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from engine.contracts import call_method, refuse, require_class, require_instance
from engine.errors import BadValue, ContractBroken
from engine.registry import Registry
from engine.user_code import describe_place, user_code
from engine.value_types import WholeNumbers, show_whole_number
from multislot.crowds import CROWDS, Crowd, Lineage, evaluate_crowd
from multislot.futures import FUTURES, Future
from multislot.learning import EvidenceUpdates, Mixture, make_single_environment
from multislot.likelihoods import LIKELIHOODS, Likelihood
from multislot.naming import Family, Thing, add_example, find_named, look_up
from multislot.planning.backup import float_arithmetic
from multislot.planning.planner import evaluate
from multislot.policies import SLOT_POLICIES, PolicyContext, SlotPolicy, make_slot_policy
from multislot.scenarios import SLOT_SCENARIO, SLOT_SCENARIOS, SlotScenario, slot_scenario
from multislot.simulation import simulate_slots
from multislot.worlds.environment import (
    AgentHistory,
    CheckedEnvironment,
    CopyOutcome,
    HistoryBasedEnvironment,
    HistoryState,
    Label,
    Law,
    Slot,
    SlotTransition,
    check_declarations,
    check_rewards,
    get_checked_law,
    get_first_state,
    get_next_state,
)
from multislot.worlds.interchangeable import check_representative
from multislot.worlds.locality import enumerate_joint_situations
from multislot.worlds.protocol import MultiSlotEnvironment

SAMPLE_DEPTH = 3
HALF = Fraction(1, 2)


def make_sample_worlds() -> Iterator[HistoryBasedEnvironment]:
    """Scenarios with moves, certain and random copies, deletion and slots that look alike; all with actions 0 and 1."""
    for name in ("swap", "half_dup", "half_copy", "sleeping_beauty", "split_tree", "copy_delete_original"):
        yield slot_scenario(name).environment


class SlotSituation(NamedTuple):
    """An agent on a slot: its history, the state of the history, and the law of the slot by action."""

    slot: Slot
    history: AgentHistory
    state: HistoryState
    laws: dict[Label, Law]


def enumerate_slot_situations(
    environment: HistoryBasedEnvironment, depth: int = SAMPLE_DEPTH
) -> Iterator[SlotSituation]:
    """Yield every agent that there can be in the first `depth` time steps, one for each slot and state."""
    layer = {(slot, get_first_state(environment)): AgentHistory() for slot in environment.initial}
    seen = set(layer)
    for _ in range(depth):
        later: dict[tuple[Slot, HistoryState], AgentHistory] = {}
        for (slot, state), history in layer.items():
            laws = {action: get_checked_law(environment, state, slot, action) for action in environment.actions}
            yield SlotSituation(slot, history, state, laws)
            for action, law in laws.items():
                for copy, observation in (pair for outcome in law for pair in outcome.copies.items()):
                    key = (copy, get_next_state(environment, state, action, observation))
                    if key not in seen:
                        seen.add(key)
                        later[key] = (*history, (action, observation))
        layer = later


def make_tried_object(thing: Any, base: type, registry: Registry[Thing | Family[Thing]]) -> Thing:
    """The object itself, one of a family by the family's example, or the one of a name; ContractBroken for others."""
    if isinstance(thing, str):
        return find_named(registry, add_example(registry, thing))
    made = registry.accept(thing.make(thing.example) if isinstance(thing, Family) else thing)
    require_instance(made, base, registry.kind)
    return made  # type: ignore[return-value]


def find_tried_class(thing: Any, registry: Registry[type[Thing]], argument: str | None) -> tuple[type[Thing], str]:
    """Return the class, and the argument to make it with: the one in its name, `argument`, or its example.

    ContractBroken for what is no such class.
    """
    kind: Any = thing
    if isinstance(thing, str):
        _, kind, written = look_up(registry, thing)
        argument = argument if written is None else written
    accepted: Any = registry.accept(kind)
    return accepted, accepted.example if argument is None else argument


CHECK_SIZES = WholeNumbers(0, 100_000)


def check_slot_world(world: Any, depth: int = 3, most: int = 5000) -> None:
    """Check that a world of slots keeps its contract.

    The laws of its slots must be probability distributions over copies, its labels known, its methods pure, slots with
    one representative interchangeable. Whatever its agents do in the first steps, no two slots may be copied onto one,
    not even by chance. The action values of its worked examples must be exact.

    Parameters
    ----------
    world : scenario, environment or str
        A scenario, a family of scenarios (tried with its example), an environment, a class of environments that is made
        without arguments, or a name, such as "threshold:2,1,1,3,1" or "my_file:world".
    depth : int
        How many steps are tried.
    most : int
        How many responses are seen at most.

    Raises
    ------
    ContractBroken
        For the first mistake, in one line.

    Examples
    --------
    >>> check_slot_world("swap")
    """
    for name, number in (("depth", depth), ("most", most)):
        if not CHECK_SIZES.admit(number):
            problem = f"{name} is {show_whole_number(number)}"
            raise BadValue(problem, place="check_slot_world", remedy=f"give a whole number from {CHECK_SIZES}")
    if inspect.isclass(world) and issubclass(world, MultiSlotEnvironment):
        require_class(world, MultiSlotEnvironment, "multi-slot environment")
        with user_code(f"multi-slot environment in {describe_place(world)}"):
            world = world()
    if isinstance(world, MultiSlotEnvironment):
        check_declarations(world, world.observations)
        _check_protocol(world, depth, most)
        return
    scenario = _accept_world(world)
    environment = scenario.environment
    check_rewards(environment)
    check_declarations(environment, environment.rewards)
    known = CheckedEnvironment(environment)
    for situation in enumerate_slot_situations(_Repeated(environment), depth):
        check_representative(known, situation.state, situation.slot)
    _check_protocol(environment, depth, most)
    for example in scenario.examples:
        values = dict(example.evaluate(environment).Q)
        if not example.holds(environment):
            given = {action: str(value) for action, value in values.items()}
            refuse(environment, f"example '{example.statement}'", given, f"the action values {dict(example.Q)}")


def _accept_world(world: Any) -> SlotScenario:
    if isinstance(world, str):
        return slot_scenario(add_example(SLOT_SCENARIOS, world))
    accepted = SLOT_SCENARIO.accept(world.make(world.example) if isinstance(world, Family) else world)
    if isinstance(accepted, Family):
        refuse(world, "make", accepted, "a scenario")
    return accepted


def _check_protocol(environment: MultiSlotEnvironment | HistoryBasedEnvironment, depth: int, most: int) -> None:
    """The rules of the interaction protocol, in all that can happen; an error names the file as well."""
    try:
        for _ in enumerate_joint_situations(environment, depth, most):
            pass
    except ContractBroken as error:
        if describe_place(environment) in error.place:
            raise
        place = f"{describe_place(environment)}: {error.place}"
        raise error.move_to(place) from error


class _Repeated(HistoryBasedEnvironment):
    """An environment whose every method is called twice and must give the same."""

    def __init__(self, environment: HistoryBasedEnvironment) -> None:
        self.environment = environment
        self.name = environment.name
        self.actions = environment.actions
        self.rewards = environment.rewards
        self.initial = environment.initial

    def start(self) -> HistoryState:
        return self._require_same("start", *(get_first_state(self.environment) for _ in range(2)))

    def update(self, state: HistoryState, action: Label, observation: Label) -> HistoryState:
        return self._require_same(
            "update", *(get_next_state(self.environment, state, action, observation) for _ in range(2))
        )

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        first, second = (get_checked_law(self.environment, state, slot, action) for _ in range(2))
        if first != second:
            refuse(self.environment, "law", "different laws when asked twice", "a pure function")
        return first

    def _require_same(self, method: str, first: HistoryState, second: HistoryState) -> HistoryState:
        if first != second:
            refuse(self.environment, method, "different states when asked twice", "a pure function")
        return first


VALUE_ROUNDING = 1e-9


def check_future(future: Future | Family[Future] | str) -> None:
    """Check that a future keeps its contract.

    On small worlds its weights must be Fractions >= 0 of copies in the law, the same when asked twice, its slots
    counted by Fractions > 0, other numbers of slots must not matter where it says so, and values must come out, the
    same in fractions and in floats.

    Parameters
    ----------
    future : Future, family of futures or str
        A family is tried with its example. A name may be one of your own, such as "my_file:mine".

    Raises
    ------
    ContractBroken
        For the first mistake, in one line.

    Examples
    --------
    >>> check_future("cpy")
    """
    made = make_tried_object(future, Future, FUTURES)
    for environment in make_sample_worlds():
        for time, situation in enumerate(enumerate_slot_situations(environment), start=1):
            call_method(made.admissible, "__call__", situation.slot)
            for law in situation.laws.values():
                transition = SlotTransition(situation.slot, law, time, environment.rewards)
                first = dict(made.copy_weights_of(transition))
                if dict(made.copy_weights_of(transition)) != first:
                    refuse(made.copy_weights, "it", "different weights when asked twice", "a pure function")
                made.multiplicity_of(law)
                if made.ignores_slot_numbers and _renumber_weights(made, transition) != first:
                    problem = "other weights where slots have other numbers"
                    refuse(made.copy_weights, "it", problem, "the same, or a future without ignores_slot_numbers")
        _check_values(made, environment)


def _renumber_weights(future: Future, transition: SlotTransition) -> dict[tuple[Slot, Label], Fraction]:
    """Return the weights where all slots are numbered the other way round, under the old numbers."""
    last = max((copy for outcome in transition.law for copy in outcome.copies), default=0) + transition.slot
    law = tuple(CopyOutcome(p, {last + 1 - slot: o for slot, o in copies.items()}) for p, copies in transition.law)
    weights = future.copy_weights_of(transition._replace(slot=last + 1 - transition.slot, law=law))
    return {(last + 1 - slot, o): weight for (slot, o), weight in weights.items()}


def _check_values(future: Future, environment: HistoryBasedEnvironment) -> None:
    exact = evaluate(environment, future, SAMPLE_DEPTH, HALF)
    rounded = evaluate(environment, future, SAMPLE_DEPTH, HALF, arithmetic=float_arithmetic)
    for action, value in exact.Q.items():
        if abs(float(value) - float(rounded.Q[action])) > VALUE_ROUNDING:
            values = f"{value} in fractions and {rounded.Q[action]} in floats"
            refuse(future.copy_weights, f"the value of action {action!r} in '{environment.name}'", values, "the same")


def check_likelihood(likelihood: Likelihood | Family[Likelihood] | str) -> None:
    """ContractBroken, with one line, unless a likelihood keeps its contract.

    likelihood: the object, a family of likelihoods (tried with its example), or a name, "my_file:mine" among them. In
    small worlds it must start with a positive measure, go on with Fractions >= 0, the same when asked twice, and give
    two equal worlds equal posterior weights.
    """
    made = make_tried_object(likelihood, Likelihood, LIKELIHOODS)
    explained = False
    for environment in map(CheckedEnvironment, make_sample_worlds()):
        evidence = EvidenceUpdates(environment, made).start()
        if evidence.likelihood() <= 0:
            refuse(made.start, "it", evidence.measure, "a measure of positive total")
        pair = Mixture((environment, environment), (HALF, HALF), made)
        for situation in enumerate_slot_situations(environment):
            evidence = EvidenceUpdates(environment, made).start()
            for action, observation in situation.history:
                updates = (EvidenceUpdates(environment, made) for _ in range(2))
                evidence, again = (each.update(evidence, action, observation) for each in updates)
                if evidence != again:
                    refuse(made.step, "it", f"different measures after {situation.history}", "a pure function")
            one, other = pair.posterior(situation.history)
            if one != other or one not in (0, HALF):
                weights = f"posterior weights {one} and {other} for equal worlds after {situation.history}"
                refuse(made.step, "it", weights, "equal ones that sum to 1, or 0 where the history is impossible")
            explained |= bool(situation.history) and one > 0
        evaluate(pair, "cpy", 2, HALF)
    if not explained:
        refuse(made.step, "it", "no successors of any configuration", "(configuration, factor) pairs")


def check_crowd(crowd: type[Crowd] | str, argument: str | None = None) -> None:
    """ContractBroken, with one line, unless a crowd keeps its contract.

    crowd: the class, or a name, "has_output:1" and "my_file:Mine" among them. argument: made with it, by default with
    the class's example. In small worlds it must say True or False of every agent, the same when asked twice, and have a
    value.
    """
    kind, argument = find_tried_class(crowd, CROWDS, argument)
    for environment in make_sample_worlds():
        mixture = make_single_environment(environment)
        with user_code(f"crowd in {describe_place(kind)}"):
            made = kind(mixture, argument)
        for situation in enumerate_slot_situations(environment):
            for ancestor in environment.initial:
                agent = Lineage(ancestor, situation.slot, situation.history)
                if made.includes(agent, ancestor) != made.includes(agent, ancestor):
                    refuse(made, "counts", f"different answers for {agent}", "a pure function")
        policy = make_slot_policy("always:0", PolicyContext(mixture))
        evaluate_crowd(mixture, made, policy, 2, HALF)


def check_policy(policy: type[SlotPolicy] | str, argument: str | None = None) -> None:
    """ContractBroken, with one line, unless a policy keeps its contract.

    policy: the class, or a name, "always:1" and "my_file:Mine" among them. argument: made with it, by default with the
    class's example. In small worlds it must give one of their actions at every history, the same when asked twice and
    when made twice, and be fit for a simulation.
    """
    kind, argument = find_tried_class(policy, SLOT_POLICIES, argument)
    for environment in make_sample_worlds():
        context = PolicyContext(make_single_environment(environment), SAMPLE_DEPTH)
        first, second = (_make_policy(kind, context, argument) for _ in range(2))
        for situation in enumerate_slot_situations(environment):
            action = first(situation.history)
            if not action == first(situation.history) == second(situation.history):
                refuse(first, "act", f"different actions at {situation.history}", "a pure function of the history")
        simulate_slots(environment, first, SAMPLE_DEPTH)


def _make_policy(kind: type[SlotPolicy], context: PolicyContext, argument: str) -> SlotPolicy:
    with user_code(f"policy in {describe_place(kind)}"):
        return kind(context, argument)
