"""A button that is worth pushing, where the other rewards go to those who would not push one.

    button:     +1 for pushing, -1 for not pushing
    no button:  -1 if the copy would push a button here, else +1, whatever the agent does

Alexander et al. 2021, Example 4.
"""

from __future__ import annotations

from xenv.environments._tempting_buttons import BUTTON, PUSH, TemptingButtons


class TemptingButton(TemptingButtons):
    """Never pushing is best."""

    in_benchmark = True

    def reward_for(self, action: int) -> float:
        if self.observation == BUTTON:
            return 1.0 if action == PUSH else -1.0
        return -1.0 if self.copy.act(BUTTON) == PUSH else 1.0
