"""What deep learners share: a replay memory, and a torch optimiser over one vector instead of many parameters.

The memory is a ring of transitions from which minibatches are drawn with replacement. Reference: L. Lin,
"Self-improving reactive agents based on reinforcement learning, planning and teaching", 1992.

The optimiser gives the same bits in fewer, larger steps. For small networks a gradient step is mostly bookkeeping: a
dozen operations for each of a dozen small tensors. Adam and RMSprop work element by element, so that they may as well
see one vector that all the parameters are views of.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.agent import Transition
from engine.randomness.counter_based import split
from engine.randomness.library_generators import sample_indices


class Minibatch(NamedTuple):
    """A minibatch of n transitions: observation, action, next_observation int64[n]; reward, terminated float32[n]."""

    observation: NDArray[np.int64]
    action: NDArray[np.int64]
    next_observation: NDArray[np.int64]
    reward: NDArray[np.float32]
    terminated: NDArray[np.float32]


class Replay:
    """A replay memory: allocated once, the oldest transition gives way. A deep copy is an independent twin.

    capacity: transitions kept at most. key: of the draws; minibatch k is a function of the key, k and the memory.
    added: transitions ever added.
    """

    def __init__(self, capacity: int, key: int) -> None:
        self.capacity, self._key = capacity, split(key, "replay")
        self.added, self._drawn = 0, 0
        self._allocate()

    def _allocate(self) -> None:
        self._integers = np.zeros((3, self.capacity), dtype=np.int32)
        self._floats = np.zeros((2, self.capacity), dtype=np.float32)

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, transition: Transition) -> None:
        """Remember one transition."""
        at = self.added % self.capacity
        self._integers[:, at] = transition.observation, transition.action, transition.next_observation
        self._floats[:, at] = transition.reward, transition.terminated
        self.added += 1

    def draw(self, n: int) -> Minibatch:
        """Return the next minibatch of n transitions; at least one transition must be there."""
        chosen = sample_indices(len(self), n, self._key, self._drawn)
        self._drawn += 1
        return Minibatch(*self._integers[:, chosen].astype(np.int64), *self._floats[:, chosen])

    def __deepcopy__(self, memo: dict[int, Any]) -> Replay:
        """Only the part in use is copied: what was never written costs no memory, and must not begin to."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._allocate()
        used = len(self)
        twin._integers[:, :used] = self._integers[:, :used]
        twin._floats[:, :used] = self._floats[:, :used]
        return twin


def flatten_optimizer(optimizer: Any) -> Any:
    """Return a torch optimiser with the same settings over one vector that all its parameters are views of.

    optimizer: an elementwise one (Adam, RMSprop) of one parameter group that has taken no step yet.
    """
    (group,) = optimizer.param_groups
    kind: Any = type(optimizer)
    twin = _make_flat_class(kind)(group["params"])
    twin.param_groups[0].update({name: value for name, value in group.items() if name != "params"})
    return twin


@cache
def _make_flat_class(optimizer_class: Any) -> Any:
    import torch

    class Flat(optimizer_class):  # type: ignore[misc]  # the class is only known when torch is there
        def __init__(self, parameters: Any, **settings: Any) -> None:
            self.parameters = list(parameters)
            self.vector = torch.nn.Parameter(torch.zeros(sum(each.numel() for each in self.parameters)))
            self.tie()
            super().__init__([self.vector], **settings)

        def tie(self) -> None:
            """Make the parameters views of the vector, keeping their values; gradients become zero."""
            self.vector.data = torch.cat([each.data.flatten() for each in self.parameters])
            self.vector.grad = torch.zeros_like(self.vector)
            sizes = [each.numel() for each in self.parameters]
            parts = zip(
                self.parameters, torch.split(self.vector.data, sizes), torch.split(self.vector.grad, sizes), strict=True
            )
            for parameter, values, gradients in parts:
                parameter.data = values.view_as(parameter)
                parameter.grad = gradients.view_as(parameter)

        def zero_grad(self, set_to_none: bool = True) -> None:
            """Zero the gradients; a deep copy, whose parameters are not views any more, is tied first."""
            if self.parameters[0].data_ptr() != self.vector.data_ptr():
                self.tie()
            assert self.vector.grad is not None
            self.vector.grad.zero_()

        def __getstate__(self) -> dict[str, Any]:
            return {**super().__getstate__(), "parameters": self.parameters, "vector": self.vector}

    return Flat
