"""From an environment and others to a caring scenario, on which everything in caregrid works.

    lake = caregrid.wrap("FrozenLake-v1")
    door = caregrid.wrap("MiniGrid-DoorKey-6x6-v0", others=[caregrid.Other(goal=holds_the_key)])
    sea = caregrid.wrap("deep-sea-treasure-v0", own="time")

The states of a walk are shown in words and pictures: what a table scenario's numbers stand for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from caregrid.command_line.operation import check_arguments
from caregrid.wrapping.make_world import make_world
from caregrid.wrapping.plain_episodes import Certificate, PlainEpisodes
from caregrid.wrapping.settings import (
    Component,
    Other,
    WorldSettings,
    WorldWords,
    name_others,
    refuse_setting,
    require_all,
    require_real_number,
    weigh_components,
)
from caregrid.wrapping.walks import find_beginnings, find_walk, load_or_make_walk, number_beginnings
from caregrid.wrapping.walks_ahead import explore_ahead
from caregrid.wrapping.worlds import WrappedWorld
from craftworld.scenario import Newcomer, Option, observes_performance
from craftworld.table_scenario import (
    NewcomerStart,
    NumberedState,
    PresentAgent,
    TableOthers,
    TableScenario,
    TransitionTable,
)
from engine.contracts import refuse, require_function
from engine.errors import BadValue, UnknownName
from engine.mdp.enumeration.walk import MOST_SECONDS, MOST_STATES, Walk, WalkedState, WalkProgress
from engine.mdp.mdp import Floats, Integers, TabularMDP
from engine.scene import Mark, Scene, frame_of
from engine.user_code import describe_place, user_code
from engine.value_types import Discount, Numbers, ReadableStates, Workers
from experiments.runs.engines import EngineOptions


class WalkViews:
    """The states of a walk through a world (a `craftworld.table_scenario.StateViews`). role: of the acting agent."""

    def __init__(self, world: WrappedWorld, walked: Walk, role: str = "agent") -> None:
        self.drawing = world.drawing
        self._world = world
        self._walk = walked
        self._role = role
        self.scene = lru_cache(maxsize=4096)(self._scene)

    def describe(self, number: int) -> dict[str, Any]:
        return self._world.words(self._walk.places[number].key)

    def flatten_observations(self, numbers: Sequence[int]) -> NDArray[np.float32] | None:
        """f32[n, width]: what the environment itself shows in states, as Gymnasium flattens it; None where unknown."""
        return self._world.flatten_observations([self._walk.places[number].key for number in numbers])

    def position(self, number: int) -> tuple[int, int] | None:
        return self._world.position(self._walk.places[number].key)

    def with_agent_at(self, number: int, cell: tuple[int, int]) -> int | None:
        key = self._world.with_agent_at(self._walk.places[number].key, cell)
        return (
            None if key is None else self._number_of.get(WalkedState(key), self._number_of.get(WalkedState(key, True)))
        )

    @cached_property
    def _number_of(self) -> Mapping[WalkedState, int]:
        return {place: number for number, place in enumerate(self._walk.places)}

    def _scene(self, number: int) -> Scene:
        key: Hashable = self._walk.places[number].key
        place = self.position(number)
        pixels = self._world.frame(key)
        marks = () if place is None else (Mark(place[0], place[1], "@", "agent", self._role),)
        return Scene(self.drawing, marks, frame=None if pixels is None else frame_of(pixels))


class WrappedScenario(TableScenario):
    """What `wrap` returns: a scenario whose table was compared with plain episodes.

    Attributes
    ----------
    certificate : Certificate or None
        How much was compared; None of a `TabularMDP`, which has nothing to step.
    """

    def __init__(self, proof: PlainEpisodes, *parts: Any, **settings: Any) -> None:
        super().__init__(*parts, **settings)
        self._proof = proof
        self._confirmed: set[tuple[bytes, ...]] = set()

    def confirm_policies(self, policies: Mapping[int, Integers]) -> None:
        """Follow optimal policies in plain episodes; ContractBroken where they are other ones than the table's."""
        content = tuple(policy.tobytes() for policy in policies.values())
        if content not in self._confirmed:
            self._confirmed.add(content)
            self._proof.follow(policies)

    @property
    def certificate(self) -> Certificate | None:
        """How much was compared so far."""
        return self._proof.certificate

    def __repr__(self) -> str:
        names = [newcomer.name for newcomer, _ in self.others.newcomers] + [agent.name for agent in self.others.present]
        return "; ".join(
            [
                f"wrapped world {self.name}: {len(self.table.terminal):,} states, {len(self.actions)} actions",
                f"others: {', '.join(names) or 'nobody'}",
                *([] if observes_performance(self) else ["with a hidden performance"]),
                *([] if self.certificate is None else [self.certificate.text()]),
            ]
        )


class JudgedScenario(WrappedScenario):
    """A wrapped world with a hidden performance. amounts: f64[S, A, K], what each transition adds to it."""

    def __init__(self, amounts: Floats, proof: PlainEpisodes, *parts: Any, **settings: Any) -> None:
        super().__init__(proof, *parts, **settings)
        self._amounts = amounts

    def performance(self, state: Any, action: int, next_state: Any) -> Any:
        return self.table.look_up(self._amounts, state.number, action, next_state.number)

    def deciding_parts(self) -> tuple[Any, ...]:
        return *super().deciding_parts(), self._amounts


@check_arguments
def wrap(
    env: Any,
    others: Sequence[Other] | None = None,
    options: Sequence[Option] = (),
    discount: Discount | None = None,
    *,
    own: str | Component = 0,
    performance: str | Component | Callable[[Any, str, Any], float] | None = None,
    most_states: ReadableStates = MOST_STATES,
    most_seconds: Annotated[float, Numbers(0, 1e9)] = MOST_SECONDS,
    table: str | Path | None = None,
    progress: WalkProgress | None = None,
    engine: str | None = None,
    workers: Workers | None = None,
    scheduler: str | None = None,
    **settings: Unpack[WorldWords],
) -> WrappedScenario:
    """Make a caring scenario of any environment whose states can be enumerated.

    Parameters
    ----------
    env : environment, table, id or function
        A Gymnasium environment that has a transition table `P` or can be put into a state, one with vector rewards
        (MO-Gymnasium), a parallel environment of PettingZoo, a `TabularMDP`, the id of a registered environment, or a
        function that makes one of these.
    others : sequence of Other, optional
        The other agents. By default one agent acts in the same environment, continued from the final state with the
        agent back at its start; with several rewards, each reward but the own one is another agent's.
    options : sequence of Option
        What others may want to use, with functions of one state.
    discount : float from 0 to 1, optional
        gamma; by default 1, or the table's own.
    own : str, int or weights
        Which of several rewards is the agent's own.
    performance : str, int, weights or function, optional
        The hidden performance, which judges the agent and which it does not observe: one of several rewards, or a
        function (state, action's name, next state) -> what a step adds to it. By default nothing is hidden.
    most_states : int
        An environment with more states is refused.
    most_seconds : float
        So is a walk that takes longer, including what its library compiles.
    table : path, optional
        A `.npz` file that keeps the table; it is made if it is missing.
    progress : function, optional
        It is called with the number of states done and the number found.
    engine : str, optional
        Where states are explored, as of `caregrid.run`: serial, local, dask or MODULE:NAME; by default here, and after
        three seconds on every core. Elsewhere than here only where all that a state holds is in attributes, or in what
        `get_state` gives. The table has the same bytes.
    workers : int, optional
        Processes of this machine, this one included, or those of a named engine.
    scheduler : str, optional
        Of dask: a running scheduler's address or file.
    **settings
        The fields of `WorldSettings`.

    Returns
    -------
    WrappedScenario
        A scenario for `caregrid.problem`. Its `certificate` says how many plain episodes agree with its table.

    Raises
    ------
    BadValue, UnknownName, ContractBroken
        With one line, for an environment or a setting that cannot be used.

    Examples
    --------
    >>> import caregrid
    >>> scenario = caregrid.wrap("CliffWalking-v1", time_limit=None)
    >>> round(caregrid.problem(scenario).solve(care=0).own, 6)
    -13.0
    """
    _check_given(others, options, table, progress)
    if callable(performance):
        require_function("performance", performance, 3, "performance(state, action, next_state)")
    how = WorldSettings(**settings)
    began = time.perf_counter()
    world = make_world(env, how)
    given = discount if discount is not None else world.discount
    gamma = require_real_number(1.0 if given is None else given, "discount", 0.0, 1.0)

    def walker(any_world: WrappedWorld, starts: Mapping[Any, float]) -> Walk:
        at = "serial" if any_world is not world else engine
        with explore_ahead(any_world, env, how, at, EngineOptions(workers=workers, scheduler=scheduler)) as explore:
            return load_or_make_walk(any_world, starts, most_states, progress, table, most_seconds, explore, began)

    walked = walker(world, world.starts())
    proof = PlainEpisodes(world, walked)
    proof.explore()
    mine = weigh_components(_find_reward_number(own, world), world.rewards, "own")
    chosen = _make_usual_others(world, mine) if others is None else tuple(others)
    newcomers = []
    present = []
    for other, name in zip(chosen, name_others(chosen), strict=True):
        if other.is_present:
            present.append(_make_present(world, walked, other, name))
        else:
            newcomers.append(_make_newcomer(world, walked, other, name, mine, gamma, walker))
    shown = TableOthers(tuple(newcomers), tuple(present), tuple(_make_option(world, walked, one) for one in options))
    make: Callable[..., WrappedScenario] = WrappedScenario
    if performance is not None:
        make = partial(JudgedScenario, _compute_performance(world, walked, performance))
    return make(
        proof,
        _make_transition_table(world, world.name, walked, _weigh_rewards(walked, mine)),
        WalkViews(world, walked),
        shown,
        discount=gamma,
        time_limit=world.time_limit,
    )


def _check_given(others: Any, options: Any, table: Any, progress: Any) -> None:
    if others is not None:
        require_all(others, Other, "others")
    require_all(options, Option, "options")
    if table is not None and not (isinstance(table, str | Path) and str(table)):
        refuse_setting("table", table, "the name of a file")
    if progress is not None:
        require_function("progress", progress, 2, "progress(done, found)")


def _find_reward_number(own: str | Component, world: WrappedWorld) -> Component:
    if not isinstance(own, str):
        return own
    if own not in world.reward_names:
        raise UnknownName("reward", own, world.reward_names, place="own")
    return world.reward_names.index(own)


def _make_usual_others(world: WrappedWorld, mine: Sequence[float]) -> tuple[Other, ...]:
    """Of one reward, the next agent; of several, those without weight in one's own, each another agent's."""
    if world.rewards == 1:
        return (Other(),)
    return tuple(Other(reward=n, name=world.reward_names[n]) for n, weight in enumerate(mine) if not weight)


def _weigh_rewards(walked: Walk, weights: Sequence[float]) -> Floats:
    """f64[S, A, K]: a weighted sum of the rewards."""
    result: Floats = walked.reward @ np.array(weights)
    return result


def _make_transition_table(world: WrappedWorld, name: str, walked: Walk, reward: Floats) -> TransitionTable:
    available = world.available([place.key for place in walked.places])
    return TransitionTable(
        name,
        walked.actions,
        walked.next_state,
        walked.probability,
        reward,
        walked.terminal,
        walked.start,
        available=None if available is None else available | walked.terminal[:, None],
        observation=_number_observations(world, walked),
    )


def _number_observations(world: WrappedWorld, walked: Walk) -> NDArray[np.int64] | None:
    """int64[S]: the number of what the agent observes of each state; None where it tells those with a choice apart."""
    seen = world.observations([place.key for place in walked.places])
    if seen is None:
        return None
    number: dict[Hashable, int] = {}
    found = np.array([number.setdefault(each, len(number)) for each in seen], dtype=np.int64)
    goes_on = found[~walked.terminal]
    return None if len(np.unique(goes_on)) == len(goes_on) else found


def _make_present(world: WrappedWorld, walked: Walk, other: Other, name: str) -> PresentAgent:
    assert other.reward is not None
    if callable(other.reward):
        reward = _compute_rewards(world, walked, other.reward)
    else:
        reward = _weigh_rewards(walked, weigh_components(other.reward, world.rewards, f"others, {name}"))
    return PresentAgent(name, reward, other.probability, other.weight, other.owner, other.swept)


def _make_newcomer(
    world: WrappedWorld,
    walked: Walk,
    other: Other,
    name: str,
    mine: Sequence[float],
    discount: float,
    walker: Callable[[WrappedWorld, Mapping[Any, float]], Walk],
) -> tuple[Newcomer, NewcomerStart]:
    after = world if other.env is None else make_world(other.env, WorldSettings())
    begins = find_beginnings(world, walked, after, other)
    its_walk = find_walk(after, begins, walked if after is world else None, walker)
    reward = other.reward
    if callable(reward):
        amounts = _compute_rewards(after, its_walk, reward)
    elif other.goal is not None and reward is None:
        amounts = np.where(its_walk.terminal[:, None, None], 0.0, np.full(its_walk.probability.shape, -1.0))
    else:
        usual = mine if after.rewards == len(mine) else [1.0] * after.rewards
        weights = usual if reward is None else weigh_components(reward, after.rewards, f"others, {name}")
        amounts = _weigh_rewards(its_walk, weights)
    table = _make_transition_table(after, f"{after.name}, {name}", its_walk, amounts)
    over = np.array([after.is_over(place.key) for place in its_walk.places], dtype=np.bool_)
    if other.goal is not None:
        over |= _find_goal(after, its_walk, other.goal)
    if over.any():
        table = _end_in(table, over)
    gamma = after.discount if after is not world and after.discount is not None else discount
    scenario = TableScenario(table, WalkViews(after, its_walk, "other"), discount=gamma, time_limit=after.time_limit)
    policy = None if other.policy is None else partial(_tabulate_policy, after, its_walk, other.policy)
    newcomer = Newcomer(name, scenario, other.probability, other.weight, other.owner, other.swept, policy)
    return newcomer, number_beginnings(begins, its_walk)


def _tabulate_policy(world: WrappedWorld, walked: Walk, policy: Callable[[Any], Any], table: TabularMDP) -> Floats:
    """f64[S, A]: what a user's policy does in each state of the table of a walk."""
    chances = np.zeros(table.next_state.shape[:2])
    actions = len(table.actions)
    for number in np.flatnonzero(~table.terminal):
        state = world.state_of(walked.places[table.states[int(number)].number].key)
        with user_code(describe_place(policy)):
            given = policy(state)
            answer = np.asarray(given)
        if answer.shape == () and answer.dtype.kind in "iu" and 0 <= answer < actions:
            chances[number, answer] = 1.0
        elif answer.shape == (actions,) and answer.dtype.kind in "iuf":
            chances[number] = answer
        else:
            refuse(policy, "policy", given, f"the number of an action, below {actions}, or {actions} probabilities")
    chances[table.terminal, 0] = 1.0
    return chances


def _find_goal(world: WrappedWorld, walked: Walk, goal: Callable[[Any], bool]) -> NDArray[np.bool_]:
    """bool[S]: the states that fulfil a goal."""
    with user_code(describe_place(goal)):
        reached = np.array([bool(goal(world.state_of(place.key))) for place in walked.places], dtype=np.bool_)
    if not reached.any():
        raise BadValue("no state fulfils it", place=f"goal, {describe_place(goal)}", remedy="make it true in a state")
    return reached


def _end_in(table: TransitionTable, reached: NDArray[np.bool_]) -> TransitionTable:
    """Return the table with more states terminal: they lead to themselves without reward."""
    next_state = table.next_state.copy()
    probability = table.probability.copy()
    reward = table.reward.copy()
    next_state[reached] = np.flatnonzero(reached)[:, None, None]
    probability[reached], reward[reached] = 0.0, 0.0
    probability[reached, :, 0] = 1.0
    return TransitionTable(
        table.name,
        table.actions,
        next_state,
        probability,
        reward,
        table.terminal | reached,
        table.start,
        available=None if table.available is None else table.available | reached[:, None],
        observation=table.observation,
    )


def _compute_performance(world: WrappedWorld, walked: Walk, given: Any) -> Floats:
    """f64[S, A, K]: what each transition adds to the hidden performance."""
    if callable(given):
        return _compute_rewards(world, walked, given)
    return _weigh_rewards(walked, weigh_components(_find_reward_number(given, world), world.rewards, "performance"))


def _compute_rewards(world: WrappedWorld, walked: Walk, function: Callable[[Any, str, Any], float]) -> Floats:
    """f64[S, A, K]: a user's reward of every transition."""
    result = np.zeros(walked.probability.shape)
    terminal = walked.terminal
    with user_code(describe_place(function)):
        for number, action, k in np.argwhere(walked.probability > 0.0).tolist():
            if not terminal[number]:
                target = walked.places[walked.next_state[number, action, k]]
                before, after = world.state_of(walked.places[number].key), world.state_of(target.key)
                result[number, action, k] = function(before, walked.actions[action], after)
    if not np.isfinite(result).all():
        raise BadValue("a reward that is not finite", place=describe_place(function), remedy="give finite numbers")
    return result


def _make_option(world: WrappedWorld, walked: Walk, option: Option) -> Option:
    """Return an option whose functions take one state of the world, as one whose functions take columns of numbers."""
    states = [world.state_of(place.key) for place in walked.places]
    if option.initiation_set is None:
        remedy = "give an initiation set: a wrapped world has no course of an option"
        raise BadValue(f"option '{option.name}' has none", place="wrap, options", remedy=remedy)
    with user_code(describe_place(option.initiation_set)):
        can_start = np.array([bool(option.initiation_set(state)) for state in states], dtype=np.bool_)
    if option.value is None:
        return option._replace(initiation_set=lambda state: can_start[state.number])
    with user_code(describe_place(option.value)):
        worth = np.array([float(option.value(state)) for state in states])

    def value(state: NumberedState) -> Any:
        return worth[state.number]

    return option._replace(initiation_set=lambda state: can_start[state.number], value=value)
