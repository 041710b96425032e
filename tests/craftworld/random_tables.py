"""Small random tables from which every agent can end."""

import numpy as np

from engine.mdp.mdp import TabularMDP

STATES, ACTIONS = 6, 3


def make_table(number, chance=False, discount=1.0):
    """A random small table without positive steps; the last two states are terminal, one of them costs more."""
    random = np.random.default_rng(number)
    width = 2 if chance else 1
    following = random.integers(0, STATES, (STATES, ACTIONS, width)).astype(np.int32)
    following[:, 0, 0] = np.minimum(np.arange(STATES) + 1, STATES - 1)  # a way out
    following[:, 0] = following[:, 0, :1]
    probability = np.full((STATES, ACTIONS, width), 1.0 / width)
    reward = -random.integers(1, 5, (STATES, ACTIONS, width)).astype(np.float64)
    reward[:, 0] = reward[:, 0, :1]
    terminal = np.arange(STATES) >= STATES - 2
    following[terminal] = np.arange(STATES)[terminal][:, None, None]
    reward[terminal] = 0.0
    start = np.eye(STATES)[0]
    words = [(n,) for n in range(STATES)]
    names = tuple(f"a{n}" for n in range(ACTIONS))
    index = {word: n for n, word in enumerate(words)}
    return TabularMDP(words, index, names, following, probability, reward, terminal, start, discount)
