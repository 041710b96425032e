"""Fully connected networks in compiled code: outputs, gradients, one step of an optimiser, and what lanes draw.

    h_1 = f(W_1[o] + b_1),   h_{l+1} = f(h_l W_{l+1} + b_{l+1}),   outputs linear

parameters: float32[P], W_1 (inputs x units), b_1, W_2, b_2, ... one after the other: one row of parameters a network,
over one-hot observations. widths: int64[L + 1], inputs, units of each hidden layer, outputs. layers: float32[L, rows,
widest], the outputs of each layer; deltas: of the same shape, the derivatives by them.

Optimisers take one step on one lane's parameters, with torch's formulas:

    clip      g <- g min(1, max_norm / (|g| + 1e-6))
    Adam      m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2,
              w <- w - rate / (1 - b1^t) m / (sqrt(v) / sqrt(1 - b2^t) + epsilon)          b1 = 0.9, b2 = 0.999
    RMSprop   v <- 0.99 v + 0.01 g^2,  w <- w - rate g / (sqrt(v) + epsilon)

References: D. Kingma and J. Ba, "Adam", 2015; T. Tieleman and G. Hinton, "RMSprop", 2012.
gradient, mean (m), square (v): float32[P]. step: t, counted from 1.

Each number that a lane draws is a pure function of its key and of how often it was trained.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from engine.compiling.kernel import NOT_FROM_PYTHON, compile_and_cache
from engine.randomness.compiled import randrange_2, uniform_1, uniform_2

_FAST = {"reassoc", "contract", "arcp", "nsz"}  # sums in vector registers; nan and infinities stay what they are


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that other kernels call; the order of its sums is fixed when it is compiled."""
    return numba.njit(fastmath=_FAST, error_model="numpy", **NOT_FROM_PYTHON)(function)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that plain code calls; kept on disk."""
    return compile_and_cache(function, fastmath=_FAST, error_model="numpy")


@kernel
def relu(x):  # type: ignore[no-untyped-def]
    """max(x, 0); not-a-number stays."""
    return np.float32(0.0) if x < 0.0 else x


@kernel
def relu_slope(y):  # type: ignore[no-untyped-def]
    """Return the derivative of `relu` where its value is y."""
    return np.float32(1.0) if y > 0.0 else np.float32(0.0)


@kernel
def tanh(x):  # type: ignore[no-untyped-def]
    """Return the hyperbolic tangent."""
    return np.float32(math.tanh(x))


@kernel
def tanh_slope(y):  # type: ignore[no-untyped-def]
    """Return the derivative of `tanh` where its value is y."""
    return np.float32(1.0) - y * y


def make_network(activation: Any, slope: Any) -> tuple[Any, Any]:
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


@entry
def draw_explorations(settings, n_actions, keys, added):  # type: ignore[no-untyped-def]
    """DQN's random action in each of the next `train_freq` turns, -1 where it does not explore: int64[n, train_freq].

    keys: uint64[n], of exploration. added: int64[n], transitions so far.
    """
    initial, final = settings.exploration_initial_eps, settings.exploration_final_eps
    actions = np.full((len(keys), settings.train_freq), -1)
    for lane in range(len(keys)):
        for k in range(settings.train_freq):
            turn = added[lane] + k
            progress = min(turn, settings.total_timesteps) / settings.total_timesteps
            rate = final
            if progress <= settings.exploration_fraction and settings.exploration_fraction > 0:
                rate = initial + progress * (final - initial) / settings.exploration_fraction
            if turn < settings.learning_starts or uniform_2(keys[lane], turn, 0) < rate:
                actions[lane, k] = randrange_2(n_actions, keys[lane], turn, 1)
    return actions


@entry
def draw_samples(keys, counters, sizes, n):  # type: ignore[no-untyped-def]
    """Uniform places in each lane's replay memory, with replacement: int64[lanes, n].

    keys: uint64[lanes], of the replay memory. counters: int64[lanes], gradient steps so far. sizes: int64[lanes].
    """
    places = np.empty((len(keys), n), dtype=np.int64)
    for lane in range(len(keys)):
        for i in range(n):
            places[lane, i] = np.int64(uniform_2(keys[lane], counters[lane], i) * sizes[lane])
    return places


@entry
def draw_permutations(keys, counters, n):  # type: ignore[no-untyped-def]
    """0 .. n-1 in each lane's random order: int64[lanes, n]. keys: uint64[lanes]. counters: int64[lanes], shuffles."""
    orders, numbers = np.empty((len(keys), n), dtype=np.int64), np.empty(n)
    for lane in range(len(keys)):
        for t in range(n):
            numbers[t] = uniform_2(keys[lane], counters[lane], t)
        orders[lane] = np.argsort(numbers, kind="mergesort")
    return orders


@entry
def draw_action_numbers(keys, turns, k):  # type: ignore[no-untyped-def]
    """Return the numbers in [0, 1) that each lane's actions of the next k turns come from: f64[n, k].

    keys: uint64[n], of the actions. turns: int64[n], turns so far.
    """
    numbers = np.empty((len(keys), k))
    for lane in range(len(keys)):
        for ahead in range(k):
            numbers[lane, ahead] = uniform_1(keys[lane], turns[lane] + ahead)
    return numbers


@entry
def draw_numbers_again(keys, turns, k):  # type: ignore[no-untyped-def]
    """Return the numbers in [0, 1) that another draw of each lane's next k actions would come from: f64[n, k]."""
    numbers = np.empty((len(keys), k))
    for lane in range(len(keys)):
        for ahead in range(k):
            numbers[lane, ahead] = uniform_2(keys[lane], turns[lane] + ahead, 1)
    return numbers
