"""Where results come from: the command, the versions, the commit, the machine, the user's own files."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from engine.errors import BadFile
from engine.files import read_bytes
from engine.user_code import load_user_code, names_user_code

PACKAGES = ("caregrid", "numpy", "numba", "scipy", "networkx", "loky", "torch", "stable-baselines3", "distributed")

GIT = ("git", "--no-optional-locks")
"""Git that writes nothing: a run that is killed must leave no lock in the repository."""


def collect_provenance(command: Sequence[str]) -> dict[str, Any]:
    """Return what a manifest says of the circumstances."""
    return {
        "command": list(command),
        "git": _read_commit(Path(__file__).resolve().parent.parent),
        "versions": read_package_versions(),
        "host": platform.node(),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "pid": os.getpid(),
        "started": now(),
    }


def read_package_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    return {"python": platform.python_version()} | {name: v for name in PACKAGES if (v := _read_version(name))}


def now() -> str:
    """Return the time of day, for people; nothing is computed from it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


LARGEST_DIGESTED = 2 << 30  # bytes, as in the largest files of arrays


def read_command() -> list[str]:
    """Return the command line of this process, as a user would type it."""
    return ["caregrid", *sys.argv[1:]]


def digest_file(path: str | Path) -> str:
    """Return a digest of a file's bytes; "" where it cannot be read, which the reader of the file reports."""
    try:
        return hashlib.blake2b(read_bytes(path, LARGEST_DIGESTED), digest_size=16).hexdigest()
    except BadFile:
        return ""


def digest_user_files(*names: str, kind: str = "name") -> dict[str, str]:
    """Digests of the files behind the names `module:attribute` among these, wherever they stand in a nested name.

    kind: of what, for messages and as in `load_user_code`.
    """
    digests = {}
    for name in names:
        for part in re.split(r"[()]", name):
            if names_user_code(part):
                load_user_code(part, kind)
                file = getattr(sys.modules[part.partition(":")[0]], "__file__", None)
                digests[part] = digest_file(file) if file else ""
    return digests


@functools.cache
def _read_version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


@functools.cache
def _read_commit(root: Path) -> str | None:
    """The commit of the source tree that runs, with "+changes" where it is not clean; None outside a repository.

    Asked once per process: it has loaded its code, whatever becomes of the tree.
    """
    if not (root / ".git").exists():
        return None
    try:
        commit, changes = (
            subprocess.run([*GIT, "-C", str(root), *words], capture_output=True, text=True, timeout=10, check=True)
            for words in (["rev-parse", "HEAD"], ["status", "--porcelain"])
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return commit.stdout.strip() + ("+changes" if changes.stdout.strip() else "")
