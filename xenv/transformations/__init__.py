"""Transformations of agents, found by their names: each is a function from a spec to a `TransformedSpec`.

`TRANSFORMATIONS["reality_check"](spec)` is the spec of the reality-checked agent. A new one is a public function in
a file of this folder, listed in `__all__`; names of agents then nest in its name, such as
`reality_check(q_learning)`. A function from an agent-class to an agent-class, as in the paper, is one too: see
`xenv/transformed_specs.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.agent import AgentSpec
from engine.contracts import require_callable, require_parameters
from engine.registry import Registry
from xenv.transformed_specs import TransformedSpec, as_transformation

Transformation = Callable[[AgentSpec], TransformedSpec]


def require_transformation(thing: Any) -> Transformation:
    """Return the thing, if it can be called with one spec or agent-class; raise ContractBroken otherwise."""
    require_callable(thing, "transformation", "define a function from a spec to a spec")
    require_parameters(thing, 1, "transformation(spec)")
    return as_transformation(thing)


TRANSFORMATIONS: Registry[Transformation] = Registry(
    "xenv.transformations", "transformation", accept=require_transformation
)
