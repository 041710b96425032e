"""The command that installs what is missing, in the versions that were tested together (`constraints.txt`).

A checkout has the file beside its packages; a wheel brings it as `share/caregrid/constraints.txt`.
"""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BY_HAND = {"worlds": ["mo-gymnasium"]}  # extra -> packages whose own dependencies would break ours


def install_command(extra: str = "", *, root: Path = ROOT) -> str:
    """One shell line. extra: "" for what is always needed. root: the folder of our packages, a checkout or not."""
    brackets = f"[{extra}]" if extra else ""
    ours = ["-e", f"{root}{brackets}"] if _is_checkout(root) else [f"caregrid{brackets}"]
    by_hand = BY_HAND.get(extra, ())
    steps = [pip_install(*ours, root=root), *(pip_install("--no-deps", name, root=root) for name in by_hand)]
    return " && ".join(steps)


def pip_install(*words: str, root: Path = ROOT) -> str:
    """`python -m pip install` of this Python, with the constraints where they are found."""
    constraints = constraints_file(root)
    kept = ["-c", str(constraints)] if constraints else []
    return shlex.join([sys.executable, "-m", "pip", "install", *kept, *words])


def pip_uninstall(*names: str) -> str:
    """`python -m pip uninstall` of this Python."""
    return shlex.join([sys.executable, "-m", "pip", "uninstall", "-y", *names])


def constraints_file(root: Path = ROOT) -> Path | None:
    """Where the tested versions stand; None where the installation has lost the file."""
    if _is_checkout(root):
        found = root / "constraints.txt"
        return found if found.is_file() else None
    try:
        files = distribution("caregrid").files or []
    except PackageNotFoundError:
        return None
    places = (
        Path(str(file.locate())).resolve() for file in files if file.parts[-2:] == ("caregrid", "constraints.txt")
    )
    return next((place for place in places if place.is_file()), None)


def _is_checkout(root: Path) -> bool:
    return (root / "pyproject.toml").is_file()
