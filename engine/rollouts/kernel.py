"""The compiled loop of many episodes: several are under way at once, so that each hides the other's waiting.

An episode is a function of its number and the keys: which ones are under way together changes nothing.
"""

from __future__ import annotations

import numpy as np

from engine.compiling.kernel import kernel
from engine.randomness.compiled import bits_1

_G = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11, _1 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11), np.uint64(1)


@kernel
def sample_block(table, discount, which, start, final, steps, total):  # type: ignore[no-untyped-def]
    """Episodes number first .. first + n - 1, `lanes` of them at a time.

    table: an `OutcomeTable` as a plain tuple. which: limit, the keys of starts and steps (uint64), first, lanes. start,
    final, steps: int32[n] and total: f64[n] are filled in; final is ~number where the world ended the episode.
    """
    threshold, next_state, reward, start_states, start_threshold = table
    limit, start_key, step_key, first, lanes = which
    count, outcomes = len(start), next_state.shape[1]
    width, stride = outcomes - 1, np.uint64(outcomes)
    following, gained, limits = next_state.reshape(-1), reward.reshape(-1), threshold.reshape(-1)
    state, taken, episode = np.empty(lanes, np.int64), np.empty(lanes, np.int64), np.empty(lanes, np.int64)
    counter = np.empty(lanes, np.uint64)
    gathered, weight = np.empty(lanes), np.empty(lanes)
    begun, under_way = 0, 0
    while True:
        while under_way < lanes and begun < count:
            place = 0
            if len(start_threshold) > 0:
                number = np.int64(bits_1(start_key, first + begun) >> _S11)
                place = int(np.searchsorted(start_threshold, number, side="right"))
            at = np.int64(start_states[place])
            start[begun] = at if at >= 0 else ~at
            if at < 0:
                final[begun], steps[begun], total[begun] = at, 0, 0.0
            else:
                state[under_way], taken[under_way], episode[under_way] = at, 0, begun
                counter[under_way] = bits_1(step_key, first + begun)
                gathered[under_way], weight[under_way] = 0.0, 1.0
                under_way += 1
            begun += 1
        if under_way == 0:
            return
        ended = -1
        while ended < 0:
            for lane in range(under_way):
                here = np.uint64(state[lane])
                outcome = here * stride
                if width > 0:
                    z = counter[lane] + _G
                    counter[lane] = z
                    z = (z ^ (z >> _S30)) * _M1
                    z = (z ^ (z >> _S27)) * _M2
                    number = np.int64((z ^ (z >> _S31)) >> _S11)
                    row = here * (stride - _1)
                    for other in range(row, row + stride - _1):
                        outcome += np.uint64(number >= limits[other])
                reached = np.int64(following[outcome])
                gathered[lane] += weight[lane] * gained[outcome]
                weight[lane] *= discount
                state[lane] = reached
                taken[lane] += 1
                if reached < 0 or taken[lane] == limit:
                    ended = lane
        kept = 0
        for lane in range(under_way):
            if state[lane] < 0 or taken[lane] == limit:
                done = episode[lane]
                final[done], steps[done], total[done] = state[lane], taken[lane], gathered[lane]
            else:
                state[kept], taken[kept], episode[kept] = state[lane], taken[lane], episode[lane]
                counter[kept], gathered[kept], weight[kept] = counter[lane], gathered[lane], weight[lane]
                kept += 1
        under_way = kept
