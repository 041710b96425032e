"""One step of all sub-environments of a vector environment, compiled.

A lane draws its numbers from a key of its own, one after another: what other lanes there are changes nothing.
"""

from __future__ import annotations

import numpy as np

from engine.compiling.kernel import kernel
from engine.randomness.compiled import bits_1

_S11 = np.uint64(11)


@kernel
def begin_lane(lane, tables, lanes):  # type: ignore[no-untyped-def]
    """Begin an episode in one lane. tables: a `LaneTables`, lanes: a `Lanes`, as plain tuples."""
    starts, start_threshold = tables[0], tables[1]
    keys, drawn, start, state, steps, received, hidden, over = lanes
    place = 0
    if len(start_threshold) > 0:
        number = np.int64(bits_1(keys[lane], drawn[lane]) >> _S11)
        drawn[lane] += 1
        for other in range(len(start_threshold)):
            place += number >= start_threshold[other]
    start[lane], state[lane], steps[lane] = place, starts[place], 0
    received[lane], hidden[lane], over[lane] = 0.0, 0.0, False


@kernel
def step_lanes(actions, limit, resets, tables, lanes, rewards, terminated, truncated, taken):  # type: ignore[no-untyped-def]
    """Take an action in every lane: rewards f64[n], terminated and truncated bool[n] are filled in.

    And the transitions taken, int64[n], as places in the flat table; -1 for a lane that begins an episode.

    resets: whether a lane whose episode is over begins one instead. tables: a `LaneTables`, lanes: a `Lanes`, as plain
    tuples. Gives the first lane whose action there is not, before anything has changed; -1 if there is none.
    """
    threshold, next_state, reward, step_reward, hidden_reward, terminal = tables[2:]
    keys, drawn, start, state, steps, received, hidden, over = lanes
    states, count, successors = next_state.shape
    for lane in range(len(actions)):
        if actions[lane] < 0 or actions[lane] >= count:
            return lane
    width, following = successors - 1, next_state.reshape(-1)
    for lane in range(len(actions)):
        rewards[lane], terminated[lane], truncated[lane], taken[lane] = 0.0, False, False, -1
        if over[lane] and resets:
            begin_lane(lane, tables, lanes)
            continue
        pair = state[lane] * count + actions[lane]
        place = pair * successors
        if width > 0:
            number = np.int64(bits_1(keys[lane], drawn[lane]) >> _S11)
            drawn[lane] += 1
            for other in range(pair * width, pair * width + width):
                place += number >= threshold[other]
        taken[lane] = place
        reached = np.int64(following[place])
        rewards[lane] = reward[start[lane] * (states * count * successors) + place]
        received[lane] += step_reward[place]
        hidden[lane] += hidden_reward[place]
        state[lane] = reached
        steps[lane] += 1
        terminated[lane] = terminal[reached]
        truncated[lane] = steps[lane] >= limit
        over[lane] = terminated[lane] or truncated[lane]
    return -1
