"""One step of an optimiser on one lane's parameters, with torch's formulas.

    clip      g <- g min(1, max_norm / (|g| + 1e-6))
    Adam      m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2,
              w <- w - rate / (1 - b1^t) m / (sqrt(v) / sqrt(1 - b2^t) + epsilon)          b1 = 0.9, b2 = 0.999
    RMSprop   v <- 0.99 v + 0.01 g^2,  w <- w - rate g / (sqrt(v) + epsilon)

References: D. Kingma and J. Ba, "Adam", 2015; T. Tieleman and G. Hinton, "RMSprop", 2012.
parameters, gradient, mean (m), square (v): float32[P]. step: t, counted from 1.
"""

from __future__ import annotations

import math

import numpy as np

from engine.learning.stacks.compiled.perceptron import kernel


@kernel
def clip(gradient, max_norm):  # type: ignore[no-untyped-def]
    """Scale a gradient down to a norm, in place."""
    squares = np.float32(0.0)
    for i in range(len(gradient)):
        squares += gradient[i] * gradient[i]
    scale = np.float32(max_norm) / (np.float32(math.sqrt(squares)) + np.float32(1e-6))
    if scale < 1.0 or scale != scale:
        for i in range(len(gradient)):
            gradient[i] *= scale


@kernel
def adam(parameters, gradient, mean, square, step, rate, epsilon):  # type: ignore[no-untyped-def]
    """One step of Adam, in place."""
    size = np.float32(rate / (1.0 - 0.9**step))
    root = np.float32(math.sqrt(1.0 - 0.999**step))
    tiny = np.float32(epsilon)
    for i in range(len(parameters)):
        g = gradient[i]
        m = mean[i] + np.float32(0.1) * (g - mean[i])
        v = np.float32(0.999) * square[i] + np.float32(0.001) * g * g
        mean[i], square[i] = m, v
        parameters[i] -= size * m / (np.sqrt(v) / root + tiny)


@kernel
def rmsprop(parameters, gradient, mean, square, step, rate, epsilon):  # type: ignore[no-untyped-def]
    """One step of RMSprop, in place; `mean` and `step` are not used."""
    size, tiny = np.float32(rate), np.float32(epsilon)
    for i in range(len(parameters)):
        g = gradient[i]
        v = np.float32(0.99) * square[i] + np.float32(0.01) * g * g
        square[i] = v
        parameters[i] -= size * g / (np.sqrt(v) + tiny)
