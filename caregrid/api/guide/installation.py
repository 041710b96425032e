"""`caregrid.doctor`: which packages are installed, which extras are missing, how to repair what is broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from caregrid.api.guide.install_command import install_command, pip_install, pip_uninstall
from caregrid.api.results.result import Result

EXTRAS = {
    "core": ["numpy", "numba", "scipy", "networkx", "pandas", "gymnasium", "pettingzoo", "loky", "rich"],
    "render": ["pygame-ce", "pillow"],
    "plot": ["matplotlib"],
    "deep": ["torch", "stable-baselines3"],
    "worlds": ["minigrid", "mo-gymnasium"],
    "movie": ["imageio", "imageio-ffmpeg"],
    "parquet": ["pyarrow"],
    "cluster": ["distributed", "dask-jobqueue"],
    "completion": ["argcomplete"],
    "notebooks": ["nbmake", "ipykernel", "ipywidgets"],
    "docs": ["mkdocs", "mkdocs-material", "mkdocstrings"],
}


@dataclass(frozen=True, repr=False, eq=False)
class Installation(Result):
    """What is installed. packages: extra -> package -> version, None where it is missing. problems: what is broken.

    install: extra -> the shell line that installs what is missing of it, in the versions that were tested together.
    """

    packages: Mapping[str, Mapping[str, str | None]]
    problems: Sequence[str]
    install: Mapping[str, str]

    @property
    def title(self) -> str:
        """How much is broken."""
        return f"{len(self.problems)} problems"

    def rows(self) -> list[dict[str, Any]]:
        """A row a package: extra, package, version."""
        return [
            {"extra": extra, "package": package, "version": version}
            for extra, versions in self.packages.items()
            for package, version in versions.items()
        ]

    def as_dict(self) -> dict[str, Any]:
        """{"packages", "problems", "install"}."""
        packages = {extra: dict(versions) for extra, versions in self.packages.items()}
        return {"packages": packages, "problems": list(self.problems), "install": dict(self.install)}

    def text(self) -> str:
        """The packages of each extra, then how to install what is missing, then the problems."""
        from experiments.tables import aligned_lines

        lines = [
            (extra, ", ".join(f"{name} {version or 'missing'}" for name, version in packages.items()))
            for extra, packages in self.packages.items()
        ]
        commands = [f"to install {extra}: {command}" for extra, command in self.install.items()]
        return "\n".join([*aligned_lines(lines), *commands, *(f"problem: {problem}" for problem in self.problems)])


def doctor() -> Installation:
    """Which packages are installed, which extras are missing, and how to repair what is broken; raises nothing."""
    versions = {extra: {name: _version(name) for name in names} for extra, names in EXTRAS.items()}
    incomplete = [extra for extra, found in versions.items() if extra != "core" and None in found.values()]
    return Installation(versions, _problems(versions), {extra: install_command(extra) for extra in incomplete})


def _version(distribution: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _problems(versions: dict[str, dict[str, str | None]]) -> list[str]:
    problems = [
        f"{name} is missing; repair with: {install_command()}"
        for name, version in versions["core"].items()
        if version is None
    ]
    if _version("pygame") and _version("pygame-ce"):
        problems.append(
            "pygame and pygame-ce share a folder and break each other; repair with: "
            f"{pip_uninstall('pygame', 'pygame-ce')} && {pip_install('pygame-ce')}"
            + (" (mo-gymnasium brought it: install that with --no-deps)" if _version("mo-gymnasium") else "")
        )
    return problems
