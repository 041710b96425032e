"""The same bits in fewer, larger steps: a policy without walks through its modules, an optimiser over one vector.

For small networks a gradient step is mostly bookkeeping: a dozen operations for each of a dozen small tensors. Adam
and RMSprop work element by element, so that they may as well see one vector that all the parameters are views of.
"""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def make_lean_policy(policy_class: Any) -> Any:
    """Return `policy_class` without the walks through the module tree; for networks without dropout and batch norms."""

    def parameters(self: Any, recurse: bool = True) -> Any:
        return iter(self.listed) if self.listed else policy_class.parameters(self, recurse)

    def set_training_mode(self: Any, mode: bool) -> None:
        """Nothing: training and evaluating are the same."""

    def settle(self: Any) -> None:
        """Remember the parameters; call it when the network is complete."""
        self.listed = tuple(self.parameters())

    methods = (parameters, set_training_mode, settle)
    return type("Lean", (policy_class,), {"listed": (), **{method.__name__: method for method in methods}})


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
