"""Policies of networks that torch saved, as CleanRL and Stable-Baselines3 do: read without pickle or their code.

    saved by                 layers are called              between them     an action's value
    CleanRL dqn.py           network.0, network.2, ...      max(0, x)        its output
    CleanRL c51.py           network.0, ... and atoms       max(0, x)        the mean over its atoms
    CleanRL ppo.py           actor.0, actor.2, ...          tanh             its logit
    SB3 DQN                  q_net.q_net.0, ...             max(0, x)        its output
    SB3 A2C, PPO             mlp_extractor.policy_net.0,    tanh             its logit
                             ..., action_net
    a torch.nn.Sequential    0, 2, ...                      max(0, x)        its output

A file holds a state_dict (`torch.save(model.state_dict(), file)`), or is what `save` of Stable-Baselines3 writes, of
which only `policy.pth` is read, and from `data` the name of another function between the layers. The policy is greedy.
What the network sees is told by its width: the number of what the agent observes as a unit vector, which is what
Gymnasium's FlattenObservation and Stable-Baselines3 make of it; or, of a wrapped environment, its own observation,
flattened likewise.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadFile, BadValue, MissingExtra
from engine.files import read_bytes
from engine.printable import show_value

if TYPE_CHECKING:
    from craftworld.solution.problem import Problem
    from engine.mdp.mdp import Policy

Singles = NDArray[np.float32]
ENDINGS = (".pth", ".pt", ".cleanrl_model", ".zip")
SB3_WEIGHTS, SB3_DATA = "policy.pth", "data"
SQUASHES = {"Tanh": True, "ReLU": False}
MOST_BYTES = 1 << 28
REMEDY = "give a state_dict of CleanRL's dqn, c51 or ppo, or of a torch.nn.Sequential, or a model that SB3 saved"
FAMILIES = (
    (r"mlp_extractor\.policy_net\.(\d+)\.", True),
    (r"q_net\.q_net\.(\d+)\.", False),
    (r"actor\.(\d+)\.", True),
    (r"network\.(\d+)\.", False),
    (r"(\d+)\.", False),
)
"""How layers are called, and whether tanh is between them."""


class SavedNetwork(NamedTuple):
    """layers: weight f32[out, in] and bias f32[out]. squashes: by tanh, else max(0, x). atoms: f32[N] or None."""

    layers: tuple[tuple[Singles, Singles], ...]
    squashes: bool
    atoms: Singles | None

    @property
    def width(self) -> int:
        """How many numbers it sees."""
        return int(self.layers[0][0].shape[1])

    @property
    def actions(self) -> int:
        """How many actions it values."""
        return len(self.layers[-1][1]) // (1 if self.atoms is None else len(self.atoms))

    def value(self, seen: Singles | NDArray[np.int64]) -> Singles:
        """Return action values, f32[S, A]. seen: f32[S, width], or int64[S], each the place of the one 1 of a row."""
        weight, bias = self.layers[0]
        hidden = (weight.T[seen] if seen.ndim == 1 else seen @ weight.T) + bias
        for weight, bias in self.layers[1:]:
            hidden = (np.tanh(hidden) if self.squashes else np.maximum(hidden, 0.0)) @ weight.T + bias
        if self.atoms is None:
            return np.asarray(hidden)
        logits = hidden.reshape(len(hidden), self.actions, len(self.atoms))
        chances = np.exp(logits - logits.max(axis=2, keepdims=True))
        return np.asarray((chances / chances.sum(axis=2, keepdims=True)) @ self.atoms)


def is_saved_network(policy: Any) -> bool:
    """Return whether a policy is the name of a file that torch or Stable-Baselines3 may have written."""
    return isinstance(policy, str | Path) and Path(policy).suffix in ENDINGS and Path(policy).is_file()


def follow_network(problem: Problem, care: float, file: str | Path = "") -> Policy:
    """Return int32[S]: what a saved network chooses, the same at every coefficient.

    Raises BadFile for a file that holds no such network, BadValue for one of another world.
    """
    if not isinstance(file, str | Path) or not Path(file).is_file():
        raise BadFile("no such file", place=show_value(file), remedy="write follow_network(file='NAME.pth')")
    network = read_network(Path(file))
    mdp, place = problem.mdp, str(file)
    if network.actions != len(mdp.actions):
        wanted = f"it values {network.actions} actions, and there are {len(mdp.actions)}: {', '.join(mdp.actions)}"
        raise BadValue(wanted, place=place, remedy="give a network of this world")
    count = mdp.count_observations()
    numbers = np.arange(count) if mdp.observation is None else mdp.observation
    own = _flatten_own_observations(problem)
    if own is not None and own.shape[1] == network.width:
        seen: Singles | NDArray[np.int64] = own
    elif count == network.width:
        seen = numbers.astype(np.int64)
    else:
        sizes = f"{count} states as unit vectors" + ("" if own is None else f" or {own.shape[1]} numbers of its own")
        raise BadValue(
            f"it sees {network.width} numbers; here are {sizes}", place=place, remedy="train it in this world"
        )
    return mdp.executable(network.value(seen).argmax(axis=1).astype(np.int32))


def _flatten_own_observations(problem: Problem) -> Singles | None:
    """f32[S, width]: a wrapped environment's own observations; None of all other worlds."""
    flatten = getattr(getattr(problem.scenario, "views", None), "flatten_observations", None)
    return None if flatten is None else flatten([state.number for state in problem.mdp.states])


def read_network(path: Path) -> SavedNetwork:
    """Read a file. BadFile where it is damaged, too large or of another kind; MissingExtra without torch."""
    try:
        import torch
    except ModuleNotFoundError:
        raise MissingExtra("torch is needed", place=str(path), remedy="pip install 'caregrid[deep]'") from None
    if path.stat().st_size > MOST_BYTES:
        raise BadFile(f"it is larger than {MOST_BYTES:,} bytes", place=str(path), remedy=REMEDY)
    try:
        content, between = _open_weights(path)
        loaded = torch.load(content, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged archive raises whatever its damage makes of it
        reason = str(error).partition("\n")[0].rstrip(". ") or type(error).__name__
        raise BadFile(f"no weights can be read from it: {reason[:120]}", place=str(path), remedy=REMEDY) from None
    if isinstance(loaded, Mapping) and isinstance(loaded.get("model_weights"), Mapping):
        loaded = loaded["model_weights"]
    if not isinstance(loaded, Mapping):
        raise BadFile(f"it holds a {type(loaded).__name__}, not a state_dict", place=str(path), remedy=REMEDY)
    tensors = {
        name: value.detach().to(torch.float32).numpy()
        for name, value in loaded.items()
        if isinstance(name, str) and isinstance(value, torch.Tensor)
    }
    network = _assemble(tensors, str(path))
    if not between:
        return network
    if between not in SQUASHES:
        problem = f"it has {show_value(between)} between its layers, not {' or '.join(SQUASHES)}"
        raise BadFile(problem, place=str(path), remedy="write its policy as a function, MODULE:FUNCTION")
    return network._replace(squashes=SQUASHES[between])


def _open_weights(path: Path) -> tuple[io.BytesIO, str]:
    """Return the weights, and what Stable-Baselines3 says is between the layers; "" for what is so by default."""
    content, between = read_bytes(path, MOST_BYTES), ""
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if SB3_WEIGHTS in archive.namelist():
                content = _read_part(archive, SB3_WEIGHTS)
                given = json.loads(_read_part(archive, SB3_DATA)) if SB3_DATA in archive.namelist() else {}
                settings = given.get("policy_kwargs") or {}
                between = str(settings.get("activation_fn", "")).rpartition(".")[2].rstrip("'>")
    return io.BytesIO(content), between


def _read_part(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > MOST_BYTES:
        raise ValueError(f"{name} is larger than {MOST_BYTES:,} bytes")
    return archive.read(name)


def _assemble(tensors: Mapping[str, Singles], place: str) -> SavedNetwork:
    prefixes, squashes = _find_layers(tensors)
    if not prefixes:
        names = ", ".join(list(tensors)[:3]) or "nothing"
        raise BadFile(f"it holds no layers that are known, but {names}", place=place, remedy=REMEDY)
    prefixes += ["action_net."] * ("action_net.weight" in tensors)
    layers: list[tuple[Singles, Singles]] = []
    for prefix in prefixes:
        weight, bias = (tensors.get(f"{prefix}{part}", np.zeros(0, np.float32)) for part in ("weight", "bias"))
        fits = weight.ndim == 2 and bias.shape == weight.shape[:1] and 0 not in weight.shape
        if not fits or (layers and weight.shape[1] != len(layers[-1][1])):
            problem = f"'{prefix}weight' is of shape {weight.shape}, no linear layer after the one before it"
            raise BadFile(problem, place=place, remedy=REMEDY)
        if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
            raise BadFile(f"'{prefix}weight' or its bias is not finite", place=place, remedy=REMEDY)
        layers.append((weight, bias))
    atoms = tensors.get("atoms")
    if atoms is not None and (atoms.ndim != 1 or not len(atoms) or len(layers[-1][1]) % len(atoms)):
        raise BadFile(f"'atoms' is of shape {atoms.shape}", place=place, remedy=REMEDY)
    return SavedNetwork(tuple(layers), squashes, atoms)


def _find_layers(tensors: Mapping[str, Singles]) -> tuple[list[str], bool]:
    """Return the prefixes of the first family that is there, in order, and whether tanh is between its layers."""
    for pattern, squashes in FAMILIES:
        found = sorted({int(each[1]) for name in tensors if (each := re.match(pattern, name))})
        if found:
            return [pattern.replace("\\", "").replace("(d+)", str(number)) for number in found], squashes
    return [], False
