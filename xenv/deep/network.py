"""Lean forms of Stable-Baselines3's policies: the same arithmetic with fewer walks through the module tree."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def lean(policy_class: Any) -> Any:
    """`policy_class` without the walks through the module tree; for networks without dropout and batch norms."""

    def parameters(self: Any, recurse: bool = True) -> Any:
        return iter(self.listed) if self.listed else policy_class.parameters(self, recurse)

    def set_training_mode(self: Any, mode: bool) -> None:
        """Nothing: training and evaluating are the same."""

    def settle(self: Any) -> None:
        """Remember the parameters; call it when the network is complete."""
        self.listed = tuple(self.parameters())

    methods = (parameters, set_training_mode, settle)
    return type("Lean", (policy_class,), {"listed": (), **{method.__name__: method for method in methods}})
