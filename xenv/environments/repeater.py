"""Act as if everything had happened twice.

Alexander et al. 2021, section 6 (the library).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory


class Repeater(ImaginedHistory):
    """The copy is trained twice on every transition."""

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield real
        yield real
