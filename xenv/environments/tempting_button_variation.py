"""The tempting button again, but pushing is what counts everywhere and skipping is worth nothing.

    button:     +1 for pushing
    no button:  pushing is worth +1 if the copy would skip a button here, else -1
    skipping:    0

A variation of Alexander et al. 2021, Example 4, from its library.
"""

from __future__ import annotations

from xenv.environments._tempting_buttons import BUTTON, PUSH, TemptingButtons


class TemptingButtonVariation(TemptingButtons):
    """Skipping buttons and pushing where there are none is best."""

    in_benchmark = True

    def reward_for(self, action: int) -> float:
        if action != PUSH:
            return 0.0
        return 1.0 if self.observation == BUTTON or self.copy.act(BUTTON) != PUSH else -1.0
