"""Be deterministic: act as an identically trained copy does.

Alexander et al. 2021, section 3.4.

Differs from the paper:
- the copy is asked in place of asking the agent itself a second time; for semi-deterministic agents that is the same
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.agent import Transition
from xenv.imagined_history import ImaginedHistory


class PunishNondeterministic(ImaginedHistory):
    """The copy is trained on the real past."""

    in_benchmark = True

    def imagine(self, real: Transition) -> Iterator[Transition]:
        yield real
