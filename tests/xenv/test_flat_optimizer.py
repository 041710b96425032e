"""Twin: a flattened optimiser moves the weights to the same bits as the one it replaces, deep copies included."""

import copy

import pytest
import torch

from engine.randomness.library_generators import seed_torch
from xenv.deep.lean import flatten_optimizer


def network_and_optimizer(optimizer_class, settings):
    with seed_torch(3):
        network = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.Tanh(), torch.nn.Linear(7, 2))
    return torch.nn.ModuleDict({"network": network}), optimizer_class(network.parameters(), **settings)


def step(network, optimizer, turn):
    optimizer.zero_grad()
    inputs = torch.arange(15.0).reshape(3, 5) * (turn + 1) / 20
    (network["network"](inputs) ** 2).mean().backward()
    optimizer.step()


@pytest.mark.parametrize(
    ("optimizer_class", "settings"),
    [(torch.optim.Adam, {"lr": 1e-2, "eps": 1e-5}), (torch.optim.RMSprop, {"lr": 1e-2, "alpha": 0.9})],
    ids=["adam", "rmsprop"],
)
def test_same_bits(optimizer_class, settings):
    plain, usual = network_and_optimizer(optimizer_class, settings)
    ours, optimizer = network_and_optimizer(optimizer_class, settings)
    pair = (ours, flatten_optimizer(optimizer))
    for turn in range(20):
        step(plain, usual, turn)
        if turn == 10:
            original, pair = pair, copy.deepcopy(pair)
            kept = copy.deepcopy(original[0].state_dict())
        step(*pair, turn)
    for name, tensor in plain.state_dict().items():
        assert torch.equal(tensor, pair[0].state_dict()[name]), name
        assert torch.equal(kept[name], original[0].state_dict()[name]), name
        assert not torch.equal(kept[name], tensor), name
