"""Fully connected networks in torch: outputs, gradients and optimiser steps of all lanes of a stack at once.

    h_1 = f(W_1[o] + b_1),   h_{l+1} = f(h_l W_{l+1} + b_{l+1}),   outputs linear

parameters: float32[n, P] in the layout of `engine.learning.stacks.initial_weights`, over one-hot observations. Where
there are no more observations than questions, each is passed once for all the questions about it; otherwise each
question by itself.

Optimisers take one step on the parameters of many lanes; the formulas stand in
`engine.learning.stacks.compiled.networks`. gradient, mean, square: float32[n, P]. step: f64[n], counted from 1.
rate: f64[n]. `DeviceRows` holds tensors, one row per lane, and main memory the numbers by which each lane draws.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Tensor = Any  # torch.Tensor; torch is imported only where it is used


class Activation(NamedTuple):
    """A function of tensors and its derivative, as a function of its value."""

    value: Any
    slope: Any


RELU = Activation(lambda x: x.clamp(min=0), lambda y: (y > 0).to(y.dtype))
TANH = Activation(lambda x: x.tanh(), lambda y: 1 - y * y)


class Passed(NamedTuple):
    """What a forward pass leaves.

    questions: int64[n, B], the observations asked about. layers: the values of the hidden layers, float32[n, R, units]
    each. outputs: float32[n, R, outputs]. rows_are_observations: whether row o is observation o; otherwise there is one
    row a question.
    """

    questions: Tensor
    layers: list[Tensor]
    outputs: Tensor
    rows_are_observations: bool

    def answers(self) -> Tensor:
        """Return the outputs for each question, float32[n, B, outputs]."""
        if not self.rows_are_observations:
            return self.outputs
        return self.outputs.gather(1, self.questions[:, :, None].expand(-1, -1, self.outputs.shape[2]))

    def by_rows(self, by_answers: Tensor) -> Tensor:
        """Derivatives by the outputs of each row, given those by the answers, float32[n, B, outputs]."""
        from torch.nn.functional import one_hot

        if not self.rows_are_observations:
            return by_answers
        return one_hot(self.questions, self.outputs.shape[1]).to(by_answers.dtype).transpose(1, 2) @ by_answers


class Perceptrons:
    """Networks of the same widths. widths: inputs, units of each hidden layer, outputs."""

    def __init__(self, widths: Any, activation: Activation) -> None:
        self.widths = [int(width) for width in widths]
        self.activation = activation

    def views(self, parameters: Tensor) -> list[tuple[Tensor, Tensor]]:
        """(W, b) of each layer, views of float32[n, P]: [n, inputs, units] and [n, 1, units]."""
        at, views = 0, []
        for inputs, units in pairwise(self.widths):
            middle, end = at + inputs * units, at + (inputs + 1) * units
            views.append((parameters[:, at:middle].unflatten(1, (inputs, units)), parameters[:, None, middle:end]))
            at = end
        return views

    def forward(self, parameters: Tensor, questions: Tensor) -> Passed:
        """Pass the observations questions int64[n, B] through the networks of parameters float32[n, P]."""
        (weight, bias), *others = self.views(parameters)
        once_each = self.widths[0] <= questions.shape[1]
        if once_each:
            hidden = weight + bias
        else:
            hidden = weight.gather(1, questions[:, :, None].expand(-1, -1, weight.shape[2])) + bias
        layers = []
        for weight, bias in others:
            layers.append(self.activation.value(hidden))
            hidden = layers[-1].bmm(weight) + bias
        return Passed(questions, layers, hidden, once_each)

    def backward(self, parameters: Tensor, passed: Passed, by_outputs: Tensor, gradient: Tensor) -> None:
        """Fill gradient float32[n, P], given the derivatives by the outputs of each row, float32[n, R, outputs]."""
        delta, gradients = by_outputs, self.views(gradient)
        backwards = zip(self.views(parameters)[:0:-1], gradients[:0:-1], passed.layers[::-1], strict=True)
        for (weight, _), (d_weight, d_bias), hidden in backwards:
            d_weight.copy_(hidden.transpose(1, 2).bmm(delta))
            d_bias.copy_(delta.sum(1, keepdim=True))
            delta = delta.bmm(weight.transpose(1, 2)) * self.activation.slope(hidden)
        d_weight, d_bias = gradients[0]
        d_bias.copy_(delta.sum(1, keepdim=True))
        if passed.rows_are_observations:
            d_weight.copy_(delta)
        else:
            d_weight.zero_().scatter_add_(1, passed.questions[:, :, None].expand_as(delta), delta)


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


LaneNumbers = dict[str, NDArray[Any]]
ADAM_EPSILON = 1e-8


class DeviceRows:
    """tensors: by name, one row per lane. device: a torch device's name. lengths: numbers in a row, by name."""

    def __init__(self, device: str, lengths: dict[str, int]) -> None:
        import torch

        self.device = torch.device(device)
        self.tensors = {name: torch.zeros((0, length), device=self.device) for name, length in lengths.items()}

    def __getitem__(self, name: str) -> Tensor:
        return self.tensors[name]

    def grow(self, rows: int, columns: dict[str, int] | None = None) -> None:
        """Make room for so many rows, and in some tensors for so many columns."""
        import torch

        for name, tensor in self.tensors.items():
            larger = torch.zeros((rows, (columns or {}).get(name, tensor.shape[1])), device=self.device)
            larger[: len(tensor), : tensor.shape[1]] = tensor
            self.tensors[name] = larger

    def copy(self, row: int, twin: int) -> None:
        """Copy a row of every tensor to another."""
        for tensor in self.tensors.values():
            tensor[twin] = tensor[row]

    def on_device(self, array: NDArray[Any]) -> Tensor:
        """Return a tensor of an array."""
        import torch

        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)


def make_lane_numbers(*names: str) -> LaneNumbers:
    """No lane's numbers: `*_key` are uint64[0], `rate` f64[0], the others counts, int64[0]."""
    kinds = {"rate": np.float64}
    return {name: np.zeros(0, np.uint64 if name.endswith("_key") else kinds.get(name, np.int64)) for name in names}


def grow_lane_numbers(numbers: LaneNumbers, rows: int) -> LaneNumbers:
    """Return the numbers with room for so many lanes."""
    return {name: np.concatenate([array, np.zeros(rows - len(array), array.dtype)]) for name, array in numbers.items()}
