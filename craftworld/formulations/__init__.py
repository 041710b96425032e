"""The formulations by family, each listed in `__all__` of its file; found by the registry `FORMULATIONS`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.registry import Registry, spell_name

if TYPE_CHECKING:
    from craftworld.formulation import Formulation


def _accept(thing: Any) -> Formulation:
    from craftworld.formulation import FORMULATION  # names are listed without it

    return FORMULATION.accept(thing)


FORMULATIONS: Registry[Formulation] = Registry("craftworld.formulations", "formulation", accept=_accept)


def resolve_formulation(formulation: str | Formulation) -> tuple[str, Formulation]:
    """Return the name and declaration of a formulation, by its name or as an object, which has its function's name.

    Raises UnknownName, BadValue or ContractBroken for anything else.
    """
    if isinstance(formulation, str):
        return spell_name(formulation), FORMULATIONS[formulation]
    declaration = FORMULATIONS.accept(formulation)
    return declaration.name, declaration
