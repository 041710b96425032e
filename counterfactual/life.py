"""An agent in the real world: at every step it plans anew and takes one of the actions that are optimal in its plan.

`score` is the value of the plan that it starts with; `real_return` what it collects in reality, under the functions
in force. They are equal for ITF with perfect knowledge; ITC plans with the function of the present, and lives on.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from counterfactual.joint import joint
from counterfactual.plan import Plan
from counterfactual.planning_world import PlanningWorldOf, rewards
from counterfactual.replanning import Replanner
from counterfactual.traces import Traces, collect
from counterfactual.world import World, column, one_state, plain, plain_all, row


class Life(NamedTuple):
    """score: value of the first plan. real_return: expected discounted reward in reality, the first of ties taken.

    traces: all that may happen, ties and chance included. planned: the same of the first plan, in its planning world.
    situations: how many situations that plan visits.
    """

    score: Fraction
    real_return: Fraction
    traces: Traces
    planned: Traces
    situations: int


class _Real(NamedTuple):
    """A real situation: plain numbers only, so that it sorts and serves as a key."""

    step: int
    x: tuple[int, ...]
    signal: int


class _Event(NamedTuple):
    probability: Fraction
    glyphs: str
    reward: Fraction
    after: _Real


def live(world: World[Any], agent: PlanningWorldOf, learned: World[Any] | None = None) -> Life:
    """Everything that can happen to an agent which knows `learned` (by default the truth) in `world`."""
    replanner = Replanner(agent, world if learned is None else learned)
    reality = _Reality(world, replanner)
    start = _Real(1, plain_all(world.start()), 0)
    plan, number = replanner.present(1, world.start(), 0)
    return Life(
        plan.value(1, number),
        reality.expected_return(start),
        collect(start, reality.ends, world.horizon),
        planned_traces(plan, 1, number),
        plan.situations,
    )


class Moment(NamedTuple):
    """One step of one life, as it starts. plan: the first optimal trace from here on, in the planning world."""

    step: int
    x: Any
    signal: int
    action: str
    updated: bool
    reward: Fraction
    plan: str


def moments(world: World[Any], agent: PlanningWorldOf, learned: World[Any] | None = None) -> list[Moment]:
    """One life step by step: the first of tied actions is taken, the likelier outcome comes."""
    replanner = Replanner(agent, world if learned is None else learned)
    reality, node = _Reality(world, replanner), _Real(1, plain_all(world.start()), 0)
    lived = []
    for step in range(1, world.horizon + 1):
        event = max(reality.possible(node)[0], key=lambda event: event.probability)
        x = type(world.start())(*node.x)
        plan, number = replanner.present(step, x, node.signal)
        planned = planned_traces(plan, step, number).first(1)[0]
        lived.append(Moment(step, x, node.signal, event.glyphs[0], "#" in event.glyphs, event.reward, planned))
        node = event.after
    return lived


def planned_traces(plan: Plan, step: int, number: int = 0) -> Traces:
    """The optimal traces of a plan, in the world that it plans in."""
    world = plan.world.learned

    def ends(node: tuple[int, int]) -> dict[str, frozenset[tuple[int, int]]]:
        now, s = node
        x = row(plan.layer(now).situations.x, s)
        found: dict[str, set[tuple[int, int]]] = {}
        for action in plan.optimal(now, s):
            for _, _, successor in plan.steps(now, s, action):
                after = row(plan.layer(now + 1).situations.x, successor)
                found.setdefault(_glyphs(world, now, x, action, after), set()).add((now + 1, successor))
        return {glyphs: frozenset(nodes) for glyphs, nodes in found.items()}

    return collect((step, number), ends, world.horizon + 1 - step)


class _Reality:
    """The real world under an agent's optimal actions; nodes are real situations."""

    def __init__(self, world: World[Any], replanner: Replanner) -> None:
        self._world, self._replanner = world, replanner
        self._state = type(world.start())
        self._reward, (_, self._unit) = rewards(world), world.worth
        self._events: dict[_Real, list[list[_Event]]] = {}

    def ends(self, node: _Real) -> dict[str, frozenset[_Real]]:
        """What may be written in a trace here, and the situations that it leads to."""
        found: dict[str, set[_Real]] = {}
        for events in self.possible(node):
            for event in events:
                found.setdefault(event.glyphs, set()).add(event.after)
        return {glyphs: frozenset(nodes) for glyphs, nodes in found.items()}

    def expected_return(self, start: _Real) -> Fraction:
        """Expected discounted reward under the functions in force, the first of tied actions being taken."""
        discount, total, odds = Fraction(1), Fraction(0), {start: Fraction(1)}
        for _ in range(self._world.horizon):
            following: dict[_Real, Fraction] = {}
            for node, chance in odds.items():
                for event in self.possible(node)[0]:
                    total += chance * event.probability * discount * event.reward
                    following[event.after] = following.get(event.after, Fraction(0)) + chance * event.probability
            odds, discount = following, discount * self._world.discount
        return total

    def possible(self, node: _Real) -> list[list[_Event]]:
        """For each optimal action, what may come of it."""
        if node not in self._events:
            x = self._state(*node.x)
            actions = self._replanner.actions(node.step, x, node.signal)
            self._events[node] = [self._act(node, x, self._world.actions.index(action)) for action in actions]
        return self._events[node]

    def _act(self, node: _Real, x: Any, number: int) -> list[_Event]:
        world, columns = self._world, one_state(x)
        signal, action = column(node.signal, 1), column(number, 1)
        found = []
        branches = world.physics_given(signal, node.step, columns, action)
        for weight, after, events, reading in joint(world, branches, signal, node.step, columns, action):
            if (odds := plain(weight)) > 0:
                there = self._state(*plain_all(after))
                paid = plain(self._reward(node.signal, events)) * self._unit
                found.append((odds, paid, _Real(node.step + 1, tuple(there), plain(reading)), there))
        total = sum(odds for odds, *_ in found)
        return [
            _Event(Fraction(odds, total), _glyphs(world, node.step, x, number, there), paid, real)
            for odds, paid, real, there in found
        ]


def _glyphs(world: World[Any], step: int, x: Any, action: int, after: Any) -> str:
    return world.actions[action] + ("#" if bool(world.updates(step, x, after)) else "")
