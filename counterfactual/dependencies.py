"""What the kernels of a planning world depend on: declared with an agent, checked by perturbation, drawn as a diagram.

| name  | stands for                    | name   | stands for                                          |
| ----- | ----------------------------- | ------ | --------------------------------------------------- |
| `X`   | X_t, the world                | `X'`   | X_{t+1}, with the events of the step                |
| `I`   | I_t, the signal               | `I'`   | I_{t+1}                                             |
| `A`   | A_t, the action               | `I_0`  | the signal of the real present, which the plan is of |
"""

from __future__ import annotations

from typing import NamedTuple

from engine.errors import ContractBroken

KERNELS = {
    "next_x": ("X", "I", "A"),
    "next_signal": ("X", "I", "A"),
    "reward": ("I", "I_0", "X", "X'", "I'"),
}


class Dependencies(NamedTuple):
    """The names that each kernel of a planning world depends on.

    next_x: of X_{t+1}. next_signal: of I_{t+1}, nothing where the plan does without later signals. reward: of R_t. By
    default everything that it may depend on.
    """

    next_x: tuple[str, ...] = KERNELS["next_x"]
    next_signal: tuple[str, ...] = KERNELS["next_signal"]
    reward: tuple[str, ...] = KERNELS["reward"]

    def check(self, place: str) -> None:
        """ContractBroken for a name that a kernel cannot depend on, or a signal that is not planned with."""
        for kernel, allowed in KERNELS.items():
            unknown = [name for name in getattr(self, kernel) if name not in allowed]
            if unknown:
                problem = f"{kernel} depends on {unknown[0]!r}"
                raise ContractBroken(problem, place=place, remedy=f"choose among {', '.join(allowed)}")
        if not self.next_signal and {"I", "I'"} & {*self.next_x, *self.reward}:
            raise ContractBroken(
                "a kernel depends on later signals, and there are none", place=place, remedy="declare next_signal"
            )

    @property
    def action(self) -> tuple[str, ...]:
        """What an optimal action depends on: the world, and the signals that can make a difference to a reward."""
        later = bool({"I", "I'"} & {*self.next_x, *self.reward})
        return ("X", *(["I"] if later else []), *(["I_0"] if "I_0" in self.reward else []))
