"""Rows of learners on a device: tensors, one row a lane, and in main memory the numbers by which each lane draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.learning.stacks.batched.perceptron import Tensor

LaneNumbers = dict[str, NDArray[Any]]
ADAM_EPSILON = 1e-8


class DeviceRows:
    """tensors: by name, one row a lane. device: a torch device's name. lengths: numbers in a row, by name."""

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
        """A tensor of an array."""
        import torch

        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)


def no_lanes(*names: str) -> LaneNumbers:
    """No lane's numbers: `*_key` are uint64[0], `rate` f64[0], the others counts, int64[0]."""
    kinds = {"rate": np.float64}
    return {name: np.zeros(0, np.uint64 if name.endswith("_key") else kinds.get(name, np.int64)) for name in names}


def more_lanes(numbers: LaneNumbers, rows: int) -> LaneNumbers:
    """The same with room for so many lanes."""
    return {name: np.concatenate([array, np.zeros(rows - len(array), array.dtype)]) for name, array in numbers.items()}
