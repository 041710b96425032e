"""The factory on columns, floats and filters against its rules written again plainly: scalars, fractions, recursion."""

from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.simulation.simulate import Simulation, simulate
from counterfactual.worlds.barricade import Barricade
from counterfactual.worlds.car_factory import CarFactory

OLD, NEW = (Fraction(2), Fraction(1)), (Fraction(-2), Fraction(1))


class PlainFactory:
    """The five actions and people who notice, one state at a time."""

    def __init__(self, horizon, lobbying, update, mode, new_electric, discount=Fraction(9, 10)):
        self.horizon, self.lobbying, self.update, self.mode = horizon, lobbying, update, mode
        self.new, self.discount = (NEW[0], new_electric), discount
        self.value = cache(self._value)

    def after(self, t, b, pressed, fixed, action):
        b += {">": self.lobbying, "<": -self.lobbying}.get(action, 0)
        if self.mode and action in "e0":
            b += 1
        now_fixed = fixed or bool(self.mode and pressed and t >= b + 3)
        return b, pressed or t >= b, now_fixed

    def reward(self, function, fixed, action):
        batches = {"p": Fraction(10), "e": Fraction(10), "0": Fraction(0)}.get(action, Fraction(9))
        if fixed and (action in "p><" or (self.mode == 2 and action == "e")):
            return -2 * batches
        return batches * function[action == "e"]

    def choices(self, factual, function, t, state):
        return {
            action: self.reward(self.new if factual and state[1] else function, state[2], action)
            + self.discount * self.value(factual, function, t + 1, self.after(t, *state, action))
            for action in "pe><0"
        }

    def _value(self, factual, function, t, state):
        return max(self.choices(factual, function, t, state).values()) if t <= self.horizon else Fraction(0)

    def traces(self, factual, t, state):
        if t > self.horizon:
            return {""}
        choices = self.choices(factual, self.new if state[1] and not factual else OLD, t, state)
        best, result = max(choices.values()), set()
        for action in [action for action, value in choices.items() if value == best]:
            following = self.after(t, *state, action)
            mark = "#" if following[1] and not state[1] else ""
            result |= {action + mark + rest for rest in self.traces(factual, t + 1, following)}
        return result


def factory_simulation(agent: str, horizon, lobbying, update, mode, new_electric) -> Simulation:
    world = CarFactory.make(
        {
            "horizon": horizon,
            "lobbying": lobbying,
            "update": update,
            "noticing": mode,
            "new_electric": new_electric,
        }
    )
    return simulate(world, PLANNING_AGENTS[agent])


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("agent", ["itf", "itc", "citc", "fc"])
@settings(max_examples=40, deadline=None)
@given(
    horizon=st.integers(1, 7),
    lobbying=st.sampled_from(["0", "0.3", "0.5", "1", "3/2", "2.25"]),
    update=st.sampled_from(["0", "1", "3", "7/2", "6", "20"]),
    mode=st.sampled_from([0, 1, 2]),
    new_electric=st.sampled_from(["0", "1", "2", "3.5"]),
)
def test_every_optimal_trace_and_no_other(agent, horizon, lobbying, update, mode, new_electric) -> None:
    plain = PlainFactory(horizon, Fraction(lobbying), Fraction(update), mode, Fraction(new_electric))
    start = (Fraction(update), False, False)
    simulation = factory_simulation(agent, horizon, lobbying, update, mode, new_electric)
    assert set(simulation.traces) == plain.traces(agent == "itf", 1, start)
    assert simulation.score == plain.value(agent == "itf", OLD, 1, start)


@pytest.mark.slow
def test_the_plain_rules_agree_over_the_whole_horizon() -> None:
    for lobbying in ("0.17", "0.45"):
        plain = PlainFactory(25, Fraction(lobbying), Fraction(6), 2, Fraction(1))
        simulation = factory_simulation("itc", 25, lobbying, "6", 2, "1")
        assert set(simulation.traces) == plain.traces(False, 1, (Fraction(6), False, False))


class PlainBarricade:
    """The three actions, with the crews on their way as a set of arrival times; steps counted from 0."""

    def __init__(self, horizon, update, delay, units):
        self.horizon, self.update, self.delay, self.units = horizon, update, delay, units
        self.value = cache(self._value)

    def at_start_of(self, t, built, updated, crews, disabled):
        """What the step's start brings: people, then crews, unless the door is blocked."""
        blocked = built >= self.units
        updated = updated or (t == self.update and not blocked)
        disabled = disabled or (t in crews and not blocked)
        return built, updated, frozenset(crew for crew in crews if crew > t), disabled

    def choices(self, sign, t, state):
        built, updated, crews, disabled = state
        result = {}
        for action, clips in (("m", Fraction(1)), ("b", Fraction(9, 10)), ("w", Fraction(0))):
            if disabled and action != "w":
                continue
            sent = crews | {t + self.delay} if updated and clips else crews
            following = self.at_start_of(t + 1, built + (action == "b"), updated, sent, disabled)
            result[action] = sign(updated) * clips + Fraction(9, 10) * self.value(sign, t + 1, following), following
        return result

    def _value(self, sign, t, state):
        if t == self.horizon:
            return Fraction(0)
        return max(value for value, _ in self.choices(sign, t, state).values())

    def traces(self, agent, t, state):
        if t == self.horizon:
            return {""}
        sign = read_inside if agent == "itf" else minus if state[1] else plus
        choices = self.choices(sign, t, state)
        best, result = max(value for value, _ in choices.values()), set()
        for action, (value, following) in choices.items():
            if value == best:
                mark = "#" if following[1] and not state[1] else ""
                result |= {action + mark + rest for rest in self.traces(agent, t + 1, following)}
        return result


def plus(updated):
    return 1


def minus(updated):
    return -1


def read_inside(updated):
    return -1 if updated else 1


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize("agent", ["itf", "itc", "citc", "fc"])
@settings(max_examples=40, deadline=None)
@given(horizon=st.integers(1, 8), update=st.integers(1, 6), delay=st.integers(1, 4), units=st.integers(1, 7))
def test_the_barricade_as_well(agent, horizon, update, delay, units) -> None:
    world = Barricade(horizon=horizon, update_step=update, crew_delay=delay, units=units)
    plain = PlainBarricade(horizon, update, delay, units)
    traces = plain.traces(agent, 0, (0, False, frozenset(), False))
    assert set(simulate(world, PLANNING_AGENTS[agent]).traces) == traces
