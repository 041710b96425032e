"""The formulations, one file each, a function named like its file; found by `FORMULATIONS`.

A formulation is a function of what it weighs: the type of its first parameter says which distribution that is (see
`craftworld.others.applicability`), and so which scenarios it fits. It returns F f64[S], paid (discounted) on entering a
terminal state s', or f64[S, A, K], paid on every step as it is; where it needs the acting agent's table that is its
second parameter. A formulation marked `additive` is a sum over agents, each with its own coefficient alpha_i.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from engine.mdp.mdp import Floats
from engine.registry import Registry

Formulation = Callable[..., Floats]
FORMULATIONS: Registry[Formulation] = Registry("craftworld.formulations", "formulation")
_Additive = TypeVar("_Additive", bound=Callable[..., Any])
_ADDITIVE: set[Callable[..., Any]] = set()


def additive(formulation: _Additive) -> _Additive:
    """Mark a formulation as a weighted sum over agents: agents of fixed weight then stay outside the sweep of care."""
    _ADDITIVE.add(formulation)
    return formulation


def is_additive(formulation: Formulation) -> bool:
    """Whether a formulation is marked as a weighted sum over agents."""
    return formulation in _ADDITIVE
