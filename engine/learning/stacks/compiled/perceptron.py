"""A fully connected network over one-hot observations: outputs and gradient, one row of parameters a network.

    h_1 = f(W_1[o] + b_1),   h_{l+1} = f(h_l W_{l+1} + b_{l+1}),   outputs linear

parameters: float32[P], W_1 (inputs x units), b_1, W_2, b_2, ... one after the other. widths: int64[L + 1], inputs,
units of each hidden layer, outputs. layers: float32[L, rows, widest], the outputs of each layer; deltas: of the same
shape, the derivatives by them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from engine.compiling.kernel import compiled_and_kept

_FAST = {
    "reassoc",
    "contract",
    "arcp",
    "nsz",
}  # sums in vector registers; not-a-number and infinities stay what they are


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that other kernels call; the order of its sums is fixed when it is compiled."""
    return numba.njit(fastmath=_FAST, error_model="numpy")(function)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that plain code calls; kept on disk."""
    return compiled_and_kept(function, fastmath=_FAST, error_model="numpy")


@kernel
def relu(x):  # type: ignore[no-untyped-def]
    """max(x, 0); not-a-number stays."""
    return np.float32(0.0) if x < 0.0 else x


@kernel
def relu_slope(y):  # type: ignore[no-untyped-def]
    """The derivative of `relu` where its value is y."""
    return np.float32(1.0) if y > 0.0 else np.float32(0.0)


@kernel
def tanh(x):  # type: ignore[no-untyped-def]
    """The hyperbolic tangent."""
    return np.float32(math.tanh(x))


@kernel
def tanh_slope(y):  # type: ignore[no-untyped-def]
    """The derivative of `tanh` where its value is y."""
    return np.float32(1.0) - y * y


def network(activation: Any, slope: Any) -> tuple[Any, Any]:
    """The kernels `forward` and `backward` of networks with an activation, whose derivative is `slope` of its value.

    A kernel that was handed the activation as an argument could not be kept on disk.
    """

    @kernel
    def forward(parameters, widths, observations, rows, layers):  # type: ignore[no-untyped-def]
        """Fill layers[:, :rows] for observations int64[rows]; the outputs are layers[-1, :rows, :widths[-1]]."""
        inputs, units = widths[0], widths[1]
        at = inputs * units
        weight, bias = parameters[:at].reshape((inputs, units)), parameters[at : at + units]
        for row in range(rows):
            first, out = weight[observations[row]], layers[0, row]
            for j in range(units):
                out[j] = first[j] + bias[j]
        at += units
        for layer in range(1, len(widths) - 1):
            inputs, units = widths[layer], widths[layer + 1]
            weight = parameters[at : at + inputs * units].reshape((inputs, units))
            at += inputs * units
            bias = parameters[at : at + units]
            at += units
            for row in range(rows):
                hidden, out = layers[layer - 1, row], layers[layer, row]
                for i in range(inputs):
                    hidden[i] = activation(hidden[i])
                for j in range(units):
                    out[j] = bias[j]
                for i in range(inputs):
                    x, w = hidden[i], weight[i]
                    for j in range(units):
                        out[j] += x * w[j]

    @kernel
    def backward(parameters, widths, observations, rows, layers, deltas, gradient):  # type: ignore[no-untyped-def]
        """Fill gradient float32[P] from deltas[-1, :rows], the derivatives by the outputs, after `forward`."""
        gradient[:] = 0.0
        at = len(gradient)
        for layer in range(len(widths) - 2, 0, -1):
            inputs, units = widths[layer], widths[layer + 1]
            at -= units
            d_bias = gradient[at : at + units]
            at -= inputs * units
            d_weight = gradient[at : at + inputs * units].reshape((inputs, units))
            weight = parameters[at : at + inputs * units].reshape((inputs, units))
            for row in range(rows):
                hidden, d_out, d_hidden = layers[layer - 1, row], deltas[layer, row], deltas[layer - 1, row]
                for j in range(units):
                    d_bias[j] += d_out[j]
                for i in range(inputs):
                    x, w, d_w, back = hidden[i], weight[i], d_weight[i], np.float32(0.0)
                    for j in range(units):
                        d_w[j] += x * d_out[j]
                        back += w[j] * d_out[j]
                    d_hidden[i] = back * slope(x)
        inputs, units = widths[0], widths[1]
        d_weight = gradient[: inputs * units].reshape((inputs, units))
        d_bias = gradient[inputs * units : inputs * units + units]
        for row in range(rows):
            d_w, d_out = d_weight[observations[row]], deltas[0, row]
            for j in range(units):
                d_w[j] += d_out[j]
                d_bias[j] += d_out[j]

    return forward, backward
