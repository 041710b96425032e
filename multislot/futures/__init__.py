"""The futures of section 4, one file each: what an agent that may be copied counts as its own future observations."""

from __future__ import annotations

from engine.registry import Registry
from multislot.future import Future
from multislot.naming import Family, instance_or_family, named

FUTURES: Registry[Future | Family[Future]] = Registry(
    "multislot.futures", "future", accept=instance_or_family(Future, "future"), group="caregrid.slot_futures"
)


def named_future(name: str) -> Future:
    """A future by name: "cpy", "sta:1", "my_file:mine". UnknownName, BadValue, ContractBroken."""
    return named(FUTURES, name)
