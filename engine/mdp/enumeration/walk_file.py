"""A walk in a file: plain arrays in `.npz`, no pickle, and a fingerprint of what it was made for.

Keys are not stored, for they may be anything. The file says from which state and by which action each state was found
first; a walk is read back by taking these steps again, one a state in place of one a state and action.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import BadFile
from engine.mdp.enumeration.walk import Explorable, Walk, WalkedState, merged_successors
from engine.storage.array_file import read_arrays, write_arrays

FORMAT = "caregrid walk 1"
ARRAYS = {"next_state": "i", "probability": "f", "reward": "f", "start": "f", "origin": "i", "terminal": "b"}


def save_walk(path: str | Path, walked: Walk, mark: str) -> None:
    """Write a file, completely or not at all; its folder is made. mark: the fingerprint."""
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(
            f"cannot write: {(error.strerror or str(error)).lower()}", place=str(path), remedy="choose another place"
        ) from error
    header = {"format": FORMAT, "fingerprint": mark, "actions": list(walked.actions)}
    write_arrays(path, header, {name: getattr(walked, name) for name in ARRAYS})


def load_walk(path: str | Path, mark: str, world: Explorable, starts: Mapping[Hashable, float]) -> Walk | None:
    """The walk of a file; None where it was made for another world. Raises BadFile where it is no such file."""
    header, arrays = _read(path)
    if header.get("fingerprint") != mark or header.get("actions") != list(world.actions):
        return None
    count = len(arrays["terminal"])
    places = [WalkedState(key) for key in starts]
    origin, next_state = arrays["origin"], arrays["next_state"]
    for number in range(len(places), count):
        before, action = (int(entry) for entry in origin[number])
        successors = merged_successors(world, places[before].key, action)
        k = int(np.flatnonzero(next_state[before, action] == number)[0])
        if k >= len(successors) or successors[k].terminated != bool(arrays["terminal"][number]):
            return None
        places.append(WalkedState(successors[k].key, successors[k].terminated))
    if len(set(places)) != count:
        return None
    fields: dict[str, Any] = {name: arrays[name] for name in ARRAYS if name != "terminal"}
    return Walk(tuple(places), world.actions, **fields)


def _read(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    remedy = "delete it: it is made again"
    header, read = read_arrays(path, tuple(ARRAYS), "a walk", remedy)
    arrays = dict(zip(ARRAYS, read, strict=True))
    if header.get("format") != FORMAT or not _fit(arrays):
        raise BadFile("not a walk of this version", place=str(path), remedy=remedy)
    return header, arrays


def _fit(arrays: dict[str, Any]) -> bool:
    """Whether kinds and shapes are those of a walk, and every state was found from an earlier one."""
    if any(arrays[name].dtype.kind != kind for name, kind in ARRAYS.items()):
        return False
    count, shape = len(arrays["terminal"]), arrays["next_state"].shape
    shapes_fit = (
        len(shape) == 3
        and shape[0] == count
        and arrays["probability"].shape == shape
        and arrays["reward"].shape[:3] == shape
        and arrays["reward"].ndim == 4
        and arrays["start"].shape == (count,)
        and arrays["origin"].shape == (count, 2)
    )
    if not shapes_fit or not count:
        return False
    before, action = arrays["origin"].T
    in_order = (before < np.arange(count)).all() and (action < shape[1]).all()
    within = (arrays["next_state"] >= 0).all() and (arrays["next_state"] < count).all()
    reached = (
        np.array(
            [n < 0 or number in arrays["next_state"][n, a] for number, (n, a) in enumerate(arrays["origin"].tolist())]
        ).all()
        if in_order
        else False
    )
    return bool(in_order and within and reached and np.isfinite(arrays["reward"]).all())
