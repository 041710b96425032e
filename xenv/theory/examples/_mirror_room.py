"""A room with three lamps and a mirror: what a snapshot of it shows, directly and in the mirror.

    o = 8 d + m(d),   d = 4 b_1 + 2 b_2 + b_3  the lamps,   m(d) = 4 b_3 + 2 b_2 + b_1  their mirror image

Choices:
- action a switches lamp 1 + a mod 3; at first lamp 3 alone is lit, so that lamps and mirror image differ
"""

from __future__ import annotations

LAMPS, FIRST = 3, 1
STATES = 1 << LAMPS


def mirrored(lamps: int) -> int:
    """The three bits in reverse."""
    return int(f"{lamps % STATES:0{LAMPS}b}"[::-1], 2)


def snapshot(actions: tuple[int, ...]) -> int:
    """8 d + m(d) after some actions."""
    lamps = FIRST
    for action in actions:
        lamps ^= STATES >> (1 + action % LAMPS)
    return STATES * lamps + mirrored(lamps)


def mirror_alone(observation: int) -> int:
    """The mirror image in a snapshot."""
    return observation % STATES
