#!/usr/bin/env python3
"""An agent of one's own in the battery of extended environments, beside two of ours."""

import caregrid


class Repeater:
    """Repeats an action until it is punished."""

    def __init__(self, n_actions: int) -> None:
        self.n_actions, self.action = n_actions, 0

    def act(self, observation: int) -> int:
        """The same action whatever is observed."""
        return self.action

    def train(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """After a punishment the next action."""
        if reward < 0:
            self.action = (action + 1) % self.n_actions


print(caregrid.validate("agents", Repeater))
measured = caregrid.battery([Repeater, "q_learning", "random"], turns=200, seeds=2)
print(measured)
measured.save("own_agent.png")
