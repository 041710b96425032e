"""One step of an optimiser on the parameters of many lanes; formulas in `engine.learning.stacks.compiled.optimisers`.

parameters, gradient, mean, square: float32[n, P]. step: f64[n], counted from 1. rate: f64[n].
"""

from __future__ import annotations

from engine.learning.stacks.batched.perceptron import Tensor


def clip(gradient: Tensor, max_norm: float) -> None:
    """Scale each lane's gradient down to a norm, in place."""
    gradient.mul_((max_norm / (gradient.norm(dim=1, keepdim=True) + 1e-6)).clamp(max=1.0))


def adam(
    parameters: Tensor, gradient: Tensor, mean: Tensor, square: Tensor, step: Tensor, rate: Tensor, epsilon: float
) -> None:
    """One step of Adam, in place."""
    mean.lerp_(gradient, 0.1)
    square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
    root = (1 - 0.999**step).sqrt().to(square.dtype)[:, None]
    size = (rate / (1 - 0.9**step)).to(mean.dtype)[:, None]
    parameters.sub_(size * mean / ((square.sqrt() / root).add_(epsilon)))


def rmsprop(
    parameters: Tensor, gradient: Tensor, mean: Tensor, square: Tensor, step: Tensor, rate: Tensor, epsilon: float
) -> None:
    """One step of RMSprop, in place; `mean` and `step` are not used."""
    square.mul_(0.99).addcmul_(gradient, gradient, value=0.01)
    parameters.sub_(rate.to(square.dtype)[:, None] * gradient / (square.sqrt().add_(epsilon)))
