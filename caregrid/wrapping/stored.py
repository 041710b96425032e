"""Walks that are kept in a file, so that each happens once; progress is shown while one lasts."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Hashable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from caregrid.wrapping.worlds.world import WrappedWorld
from engine.mdp.enumeration.frozen_value import frozen
from engine.mdp.enumeration.walk import Walk, WalkProgress, walk
from engine.mdp.enumeration.walk_file import load_walk, save_walk
from engine.user_code import place_of, user_code

SILENT_SECONDS = 2.0
PACKAGES = ("gymnasium", "minigrid", "mo-gymnasium", "pettingzoo")


def stored_walk(
    world: WrappedWorld,
    starts: Mapping[Hashable, float],
    most_states: int,
    progress: WalkProgress | None = None,
    table: str | Path | None = None,
) -> Walk:
    """The walk from some start states: from the file where it is there and fits, else made, and kept in the file.

    table: a `.npz` file; walks of those who come after go into others beside it. A file made for another
    world, or by other code, is made again.
    """
    path = None if table is None else _file_of(world, starts, Path(table))
    if path is not None and os.path.isfile(path):
        kept = load_walk(path, fingerprint(world, starts), world, starts)
        if kept is not None:
            return kept
    made = walk(world, starts, most_states, shown_progress(world.name) if progress is None else _guarded(progress))
    world.finish()
    if path is not None and world.identity():
        save_walk(path, made, fingerprint(world, starts))
    return made


def cache_file(name: str, options: Mapping[str, Any]) -> Path:
    """Where commands keep the table of a registered environment: in the user's cache folder."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "caregrid" / "worlds"
    options_text = json.dumps(sorted((key, repr(value)) for key, value in options.items()))
    mark = hashlib.blake2b(options_text.encode(), digest_size=6).hexdigest()
    return folder / f"{name.replace('/', '-').replace(':', '-')}-{mark}.npz"


def fingerprint(world: WrappedWorld, starts: Mapping[Hashable, float]) -> str:
    """32 hexadecimal digits: of the environment's code, its packages, its start states and how it was declared."""
    digest = hashlib.blake2b(digest_size=16)
    versions = [f"{name} {_version(name)}" for name in PACKAGES]
    first = [repr(frozen(world.state_of(key))) for key in starts]
    for text in [*versions, *world.identity(), *first, *(float(p).hex() for p in starts.values())]:
        digest.update(text.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def shown_progress(name: str) -> WalkProgress:
    """Progress on a terminal's last line, once a walk has lasted a while."""
    began = time.perf_counter()

    def show(done: int, found: int) -> None:
        if sys.stderr.isatty() and time.perf_counter() - began > SILENT_SECONDS:
            text = f"\r{name}: {done:,} of {found:,} states found so far are done"
            print(text if done < found else "\r" + " " * len(text), end="" if done < found else "\r", file=sys.stderr)

    return show


def _guarded(progress: WalkProgress) -> WalkProgress:
    """The user's function, whose exceptions name it."""

    def show(done: int, found: int) -> None:
        with user_code(place_of(progress)):
            progress(done, found)

    return show


def _file_of(world: WrappedWorld, starts: Mapping[Hashable, float], table: Path) -> Path:
    """The file itself for the world's own start states, one beside it for others."""
    if dict(starts) == dict(world.starts()):
        return table
    return table.with_name(f"{table.stem}-{fingerprint(world, starts)[:8]}{table.suffix}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
