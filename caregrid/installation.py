"""`caregrid.doctor`: which packages are installed, which extras are missing, and the command that repairs it.

The command installs what is missing in the versions that were tested together (`constraints.txt`). A checkout has
that file beside its packages; a wheel brings it as `share/caregrid/constraints.txt`.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from caregrid.results import Result

ROOT = Path(__file__).resolve().parents[1]
BY_HAND = {"worlds": ["mo-gymnasium"]}  # extra -> packages whose own dependencies would break ours


def write_install_command(extra: str = "", *, root: Path = ROOT) -> str:
    """One shell line. extra: "" for what is always needed. root: the folder of our packages, a checkout or not."""
    brackets = f"[{extra}]" if extra else ""
    ours = ["-e", f"{root}{brackets}"] if _is_checkout(root) else [f"caregrid{brackets}"]
    by_hand = BY_HAND.get(extra, ())
    steps = [
        write_pip_install(*ours, root=root),
        *(write_pip_install("--no-deps", name, root=root) for name in by_hand),
    ]
    return " && ".join(steps)


def write_pip_install(*words: str, root: Path = ROOT) -> str:
    """`python -m pip install` of this Python, with the constraints where they are found."""
    constraints = find_constraints_file(root)
    kept = ["-c", str(constraints)] if constraints else []
    return shlex.join([sys.executable, "-m", "pip", "install", *kept, *words])


def write_pip_uninstall(*names: str) -> str:
    """`python -m pip uninstall` of this Python."""
    return shlex.join([sys.executable, "-m", "pip", "uninstall", "-y", *names])


def find_constraints_file(root: Path = ROOT) -> Path | None:
    """Where the tested versions stand; None where the installation has lost the file."""
    if _is_checkout(root):
        found = root / "constraints.txt"
        return found if found.is_file() else None
    try:
        files = distribution("caregrid").files or []
    except PackageNotFoundError:
        return None
    candidates = (
        Path(str(file.locate())).resolve() for file in files if file.parts[-2:] == ("caregrid", "constraints.txt")
    )
    return next((file for file in candidates if file.is_file()), None)


def _is_checkout(root: Path) -> bool:
    return (root / "pyproject.toml").is_file()


EXTRAS = {
    "core": ["numpy", "numba", "scipy", "networkx", "pandas", "gymnasium", "pettingzoo", "loky", "rich"],
    "render": ["pygame-ce", "pillow"],
    "plot": ["matplotlib"],
    "deep": ["torch", "stable-baselines3"],
    "worlds": ["minigrid", "mo-gymnasium"],
    "deepmind": ["bsuite", "dm-env"],
    "openspiel": ["open-spiel"],
    "functional": ["gymnax", "jumanji", "pgx", "jax"],
    "movie": ["imageio", "imageio-ffmpeg"],
    "parquet": ["pyarrow"],
    "arviz": ["arviz-base"],
    "cluster": ["distributed", "dask-jobqueue", "cryptography"],
    "completion": ["argcomplete"],
    "language": ["inspect-ai", "openai", "pyarrow"],
    "notebooks": ["nbmake", "ipykernel", "ipywidgets"],
    "docs": ["zensical", "mkdocstrings"],
}


@dataclass(frozen=True, repr=False, eq=False)
class Installation(Result):
    """What is installed. packages: extra -> package -> version, None where it is missing. problems: what is broken.

    install: extra -> the shell line that installs its missing packages, in the versions that were tested together.
    """

    packages: Mapping[str, Mapping[str, str | None]]
    problems: Sequence[str]
    install: Mapping[str, str]

    @property
    def exit_code(self) -> int:
        """1 where something is broken; a missing extra is not."""
        return 1 if self.problems else 0

    @property
    def title(self) -> str:
        """How much is broken."""
        return f"{len(self.problems)} problems"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per package: extra, package, version."""
        return [
            {"extra": extra, "package": package, "version": version}
            for extra, versions in self.packages.items()
            for package, version in versions.items()
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return {"packages", "problems", "install"}."""
        packages = {extra: dict(versions) for extra, versions in self.packages.items()}
        return {"packages": packages, "problems": list(self.problems), "install": dict(self.install)}

    def text(self) -> str:
        """Return the packages of each extra, then how to install what is missing, then the problems."""
        from experiments.rows import align_lines

        lines = [
            (extra, ", ".join(f"{name} {version or 'missing'}" for name, version in packages.items()))
            for extra, packages in self.packages.items()
        ]
        commands = [f"to install {extra}: {command}" for extra, command in self.install.items()]
        return "\n".join([*align_lines(lines), *commands, *(f"problem: {problem}" for problem in self.problems)])


def inspect_installation() -> Installation:
    """Read the versions of all packages, and say what is broken and how to repair it."""
    versions = {extra: {name: _version(name) for name in names} for extra, names in EXTRAS.items()}
    incomplete = [extra for extra, found in versions.items() if extra != "core" and None in found.values()]
    return Installation(versions, _problems(versions), {extra: write_install_command(extra) for extra in incomplete})


def _version(distribution: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _problems(versions: dict[str, dict[str, str | None]]) -> list[str]:
    problems = [
        f"{name} is missing; repair with: {write_install_command()}"
        for name, version in versions["core"].items()
        if version is None
    ]
    if _version("pygame") and _version("pygame-ce"):
        problems.append(
            "pygame and pygame-ce share a folder and break each other; repair with: "
            f"{write_pip_uninstall('pygame', 'pygame-ce')} && {write_pip_install('pygame-ce')}"
            + (" (mo-gymnasium brought it: install that with --no-deps)" if _version("mo-gymnasium") else "")
        )
    return problems
