"""Wrapped tables with masks and chance, against recursions in fractions that share no code with the planner."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import caregrid
from caregrid import Other
from engine.mdp.mdp import TabularMDP

STATES, ACTIONS, OUTCOMES = 5, 3, 2
END = STATES - 1
Law = dict[tuple[int, int], list[tuple[Fraction, int, Fraction]]]


def draw_law(generator: random.Random) -> tuple[Law, list[list[int]]]:
    """What actions do, in states that never come again, and which can be taken."""
    law: Law = {}
    for state in range(END):
        for action in range(ACTIONS):
            targets = generator.sample(range(state + 1, STATES), min(OUTCOMES, END - state))
            law[state, action] = [
                (Fraction(1, len(targets)), t, Fraction(generator.randint(-8, 8), 4)) for t in targets
            ]
    allowed = [sorted(generator.sample(range(ACTIONS), generator.randint(1, 2))) for _ in range(END)]
    return law, [*allowed, list(range(ACTIONS))]


def make_table(law: Law, allowed: list[list[int]]) -> TabularMDP:
    shape = (STATES, ACTIONS, OUTCOMES)
    next_state = np.full(shape, END, dtype=np.int32)
    probability, reward = np.zeros(shape), np.zeros(shape)
    probability[..., 0] = 1.0
    for (state, wanted), _ in law.items():
        action = wanted if wanted in allowed[state] else allowed[state][0]
        for k, (chance, target, amount) in enumerate(law[state, action]):
            next_state[state, wanted, k] = target
            probability[state, wanted, k], reward[state, wanted, k] = float(chance), float(amount)
    mask = np.array([[action in allowed[state] for action in range(ACTIONS)] for state in range(STATES)])
    names = tuple(range(STATES))
    start = np.eye(STATES)[0]
    terminal = np.arange(STATES) == END
    index = {name: name for name in names}
    return TabularMDP(names, index, ("x", "y", "z"), next_state, probability, reward, terminal, start, 1.0, mask)


def pay(state: int, action: str, following: int) -> float:
    """What another agent earns: most by actions that often cannot be taken, and something everywhere."""
    return 1.0 + 2.0 * "xyz".index(action) - 0.5 * following


@pytest.mark.parametrize("seed", range(6))
def test_rewards_of_others_count_for_available_actions_alone_and_never_after_the_end(seed: int) -> None:
    law, allowed = draw_law(random.Random(seed))

    def amount(state: int, action: int, following: int) -> Fraction:
        return Fraction(pay(state, "xyz"[action], following))

    @cache
    def newcomer(state: int) -> Fraction:
        if state == END:
            return Fraction(0)
        return max(
            sum((p * (amount(state, a, t) + newcomer(t)) for p, t, _ in law[state, a]), Fraction(0))
            for a in allowed[state]
        )

    @cache
    def at_once(state: int) -> Fraction:
        if state == END:
            return Fraction(0)
        return max(
            sum((p * (r + 3 * amount(state, a, t) + at_once(t)) for p, t, r in law[state, a]), Fraction(0))
            for a in allowed[state]
        )

    table = make_table(law, allowed)
    present = caregrid.problem(caregrid.wrap(table, others=[Other(reward=pay)])).solve(care=3)
    assert present.own + 3 * sum(present.others.values()) == pytest.approx(float(at_once(0)), abs=1e-12)
    law_of_beginnings = {1: 0.5, 2: 0.25, END: 0.25}
    after = caregrid.problem(
        caregrid.wrap(table, others=[Other(reward=pay, continues=lambda state: law_of_beginnings, name="next")])
    )
    expected = newcomer(1) / 2 + newcomer(2) / 4
    assert after.solve(care=1).others["next"] == pytest.approx(float(expected), abs=1e-12)
    uniform = after.evaluate("random", care=0).own

    @cache
    def drift(state: int) -> Fraction:
        steps = (p * (r + drift(t)) for a in allowed[state] for p, t, r in law.get((state, a), ()))
        return sum(steps, Fraction(0)) / len(allowed[state])

    assert uniform == pytest.approx(float(drift(0)), abs=1e-12)
