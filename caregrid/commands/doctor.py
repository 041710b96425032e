"""Say which packages are installed, which extras are missing and how to repair what is broken.

Exit code 1 where something is broken, 0 otherwise (a missing extra is not broken)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from caregrid.arguments.printed import JsonArgument

EXTRAS = {
    "core": ["numpy", "numba", "scipy", "networkx", "pandas", "gymnasium", "pettingzoo", "loky", "rich"],
    "render": ["pygame-ce", "pillow"],
    "plot": ["matplotlib"],
    "deep": ["torch", "stable-baselines3"],
    "movie": ["imageio", "imageio-ffmpeg"],
    "parquet": ["pyarrow"],
    "cluster": ["distributed", "dask-jobqueue"],
}


@dataclass(frozen=True, kw_only=True)
class DoctorArguments(JsonArgument):
    """Nothing but --json."""


def run(arguments: DoctorArguments) -> int:
    versions = {extra: {name: _version(name) for name in names} for extra, names in EXTRAS.items()}
    problems = _problems(versions)
    if arguments.json:
        print(json.dumps({"packages": versions, "problems": problems}))
    else:
        from experiments.tables import aligned_lines

        lines = [
            (extra, ", ".join(f"{name} {version or 'missing'}" for name, version in packages.items()))
            for extra, packages in versions.items()
        ]
        print("\n".join(aligned_lines(lines)))
        for problem in problems:
            print(f"problem: {problem}")
    return 1 if problems else 0


def _version(distribution: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _problems(versions: dict[str, dict[str, str | None]]) -> list[str]:
    problems = [
        f"{name} is missing; repair with: pip install caregrid"
        for name, version in versions["core"].items()
        if version is None
    ]
    if _version("pygame") and _version("pygame-ce"):
        problems.append(
            "pygame and pygame-ce share a folder and break each other; repair with: "
            "pip uninstall -y pygame pygame-ce && pip install pygame-ce"
        )
    return problems
