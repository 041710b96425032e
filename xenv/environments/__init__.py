"""The environments, families in a file, found by their names: `ENVIRONMENTS["crying_baby"]` is a class.

A new one is a new small file, or a new class in the file of its family: a public class derived from
`ExtendedEnvironment` (or from `ImaginedHistory`, where one method does), listed in `__all__`.
"""

from __future__ import annotations

from engine.registry import Registry, find_sole_subclass
from xenv.environment import ExtendedEnvironment
from xenv.user_environments import as_environment

ENVIRONMENTS: Registry[type[ExtendedEnvironment]] = Registry(
    "xenv.environments",
    "environment",
    pick=find_sole_subclass(ExtendedEnvironment),
    accept=as_environment,
)


def benchmark() -> tuple[str, ...]:
    """Return the names of the environments that make up the battery, sorted."""
    return tuple(name for name, environment in ENVIRONMENTS.loadable().items() if environment.in_benchmark)
