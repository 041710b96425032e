"""Deterministic policies of history-based agents, one file each.

"always:ACTION" or the action by itself, "cycle:A,B,C", "random:SEED", "optimal:FUTURE" or the future by itself ("cpy",
"sta:1", "dyn" ...), "lookahead:K,FUTURE".
"""

from __future__ import annotations

from engine.errors import UnknownName
from engine.registry import Registry, sole_subclass
from multislot.futures import FUTURES
from multislot.naming import class_of, constructed
from multislot.policy import PolicyContext, SlotPolicy

SLOT_POLICIES: Registry[type[SlotPolicy]] = Registry(
    "multislot.policies",
    "policy",
    sole_subclass(SlotPolicy),
    accept=class_of(SlotPolicy, "policy"),
    group="caregrid.slot_policies",
)


def slot_policy(name: str, context: PolicyContext) -> SlotPolicy:
    """A policy by its name. UnknownName, BadValue."""
    word, colon, _ = name.partition(":")
    if word in FUTURES:
        name = f"optimal:{name}"
    elif name in map(str, context.mixture.actions):
        name = f"always:{name}"
    elif not colon and word not in SLOT_POLICIES:
        first, _, rest = name.partition("_")
        if not rest or first not in SLOT_POLICIES:
            raise UnknownName("policy", name, [*SLOT_POLICIES.names(), *FUTURES.names()])
        name = f"{first}:{rest}"
    return constructed(SLOT_POLICIES, name, context)
