"""What lanes draw, in compiled code: each number a pure function of a lane's key and of how often it was trained."""

from __future__ import annotations

import numpy as np

from engine.learning.stacks.compiled.perceptron import entry
from engine.randomness.compiled import randrange_2, uniform_1, uniform_2


@entry
def explored(settings, n_actions, keys, added):  # type: ignore[no-untyped-def]
    """DQN's random action in each of the next `train_freq` turns, -1 where it does not explore: int64[n, train_freq].

    keys: uint64[n], of exploration. added: int64[n], transitions so far.
    """
    initial, final = settings.exploration_initial_eps, settings.exploration_final_eps
    actions = np.full((len(keys), settings.train_freq), -1)
    for lane in range(len(keys)):
        for k in range(settings.train_freq):
            turn = added[lane] + k
            progress = min(turn, settings.total_timesteps) / settings.total_timesteps
            rate = final
            if progress <= settings.exploration_fraction and settings.exploration_fraction > 0:
                rate = initial + progress * (final - initial) / settings.exploration_fraction
            if turn < settings.learning_starts or uniform_2(keys[lane], turn, 0) < rate:
                actions[lane, k] = randrange_2(n_actions, keys[lane], turn, 1)
    return actions


@entry
def sampled(keys, counters, sizes, n):  # type: ignore[no-untyped-def]
    """Uniform places in each lane's replay memory, with replacement: int64[lanes, n].

    keys: uint64[lanes], of the replay memory. counters: int64[lanes], gradient steps so far. sizes: int64[lanes].
    """
    places = np.empty((len(keys), n), dtype=np.int64)
    for lane in range(len(keys)):
        for i in range(n):
            places[lane, i] = np.int64(uniform_2(keys[lane], counters[lane], i) * sizes[lane])
    return places


@entry
def shuffled(keys, counters, n):  # type: ignore[no-untyped-def]
    """0 .. n-1 in each lane's random order: int64[lanes, n]. keys: uint64[lanes]. counters: int64[lanes], shuffles."""
    orders, numbers = np.empty((len(keys), n), dtype=np.int64), np.empty(n)
    for lane in range(len(keys)):
        for t in range(n):
            numbers[t] = uniform_2(keys[lane], counters[lane], t)
        orders[lane] = np.argsort(numbers, kind="mergesort")
    return orders


@entry
def action_numbers(keys, turns, k):  # type: ignore[no-untyped-def]
    """The numbers in [0, 1) that each lane's actions of the next k turns come from: f64[n, k].

    keys: uint64[n], of the actions. turns: int64[n], turns so far.
    """
    numbers = np.empty((len(keys), k))
    for lane in range(len(keys)):
        for ahead in range(k):
            numbers[lane, ahead] = uniform_1(keys[lane], turns[lane] + ahead)
    return numbers


@entry
def redrawn_numbers(keys, turns, k):  # type: ignore[no-untyped-def]
    """The numbers in [0, 1) that another draw of each lane's next k actions would come from: f64[n, k]."""
    numbers = np.empty((len(keys), k))
    for lane in range(len(keys)):
        for ahead in range(k):
            numbers[lane, ahead] = uniform_2(keys[lane], turns[lane] + ahead, 1)
    return numbers
