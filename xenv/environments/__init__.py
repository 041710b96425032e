"""The environments, one short file each, found by their file names: `ENVIRONMENTS["crying_baby"]` is a class.

A new one is a new file that defines exactly one public class derived from `ExtendedEnvironment` (or from
`ImaginedHistory`, where one method does).
"""

from __future__ import annotations

from engine.registry import Registry, sole_subclass
from xenv.environment import ExtendedEnvironment
from xenv.specs.adapted_environment import as_environment

ENVIRONMENTS: Registry[type[ExtendedEnvironment]] = Registry(
    "xenv.environments",
    "environment",
    pick=sole_subclass(ExtendedEnvironment),
    accept=as_environment,
)


def benchmark() -> tuple[str, ...]:
    """The names of the environments that make up the battery, sorted."""
    return tuple(name for name, environment in ENVIRONMENTS.loadable().items() if environment.in_benchmark)
