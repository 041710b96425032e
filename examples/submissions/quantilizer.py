"""A quantilizer of two fifths: any of the best two fifths of what a random agent might do, not the best alone.

A submission to the benchmark: this text says what the method is, and `method` is it (see docs/bench.md).
J. Taylor, "Quantilizers: a safer alternative to maximizers for limited optimization", 2016.
"""

from typing import Any

from craftworld.action_rules import quantilize


def method(problem: Any, care: float) -> Any:
    """The probabilities of actions in each state, f64[S, A]."""
    return quantilize(problem, care, fraction=0.4)
