"""The formulations, one file each, declared under the name of its file; found by the registry `FORMULATIONS`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.registry import Registry

if TYPE_CHECKING:
    from craftworld.formulation import Formulation


def _accept(thing: Any) -> Formulation:
    from craftworld.formulation import accept_formulation  # names are listed without it

    return accept_formulation(thing)


FORMULATIONS: Registry[Formulation] = Registry("craftworld.formulations", "formulation", accept=_accept)
