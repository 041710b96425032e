"""Formulations that no behaviour can tell apart in a world, found before anything is compared.

What a formulation pays, x' = fixed + c swept, is the same question as another's where on all reachable steps

    swept' = scale * swept + shift * [the step ends the episode],     fixed' - fixed = shift' * [the step ends it]

A shift counts as nothing only where every policy that is compared ends exactly once and nothing is discounted. With
scale > 0 a coefficient c' of the second means c = scale c' of the first; with scale < 0 the two have opposite signs;
with swept' = 0 up to a shift the formulation asks for nothing but the own reward here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from craftworld.identification.action_values import CaringReward
from engine.mdp.mdp import Booleans, Floats, TabularMDP
from engine.mdp.reachability import keep_reachable_part

SAME = 1e-9


@dataclass(frozen=True)
class FormulationClass:
    """Formulations that are one in the observed worlds.

    name: the first of them, whose coefficients are reported. scale: member -> by what its coefficient is multiplied to
    give that of the first; negative for opposite signs. Where `indifferent`, care changes nothing at all.
    """

    name: str
    scale: Mapping[str, float]
    indifferent: bool = False

    @property
    def members(self) -> tuple[str, ...]:
        """The formulations of the class."""
        return tuple(self.scale)


def find_classes(rewards: Mapping[str, list[CaringReward]]) -> list[FormulationClass]:
    """Group formulations by the behaviour that they ask for.

    rewards: formulation -> its reward in every observed world and from every start, in the same order for all. Those
    that are one in some worlds only stay apart.
    """
    steps = {name: [_list_steps(each) for each in several] for name, several in rewards.items()}
    classes: list[FormulationClass] = []
    for name, mine in steps.items():
        for number, known in enumerate(classes):
            scale = _find_scale(steps[known.name], mine)
            if scale is not None and known.indifferent == (scale == 0.0):
                scales = {**known.scale, name: 1.0 if known.indifferent else scale}
                classes[number] = FormulationClass(known.name, scales, known.indifferent)
                break
        else:
            indifferent = all(_fit(part.swept, None, part.ends)[1] for part in mine)
            classes.append(FormulationClass(name, {name: 1.0}, indifferent))
    return classes


@dataclass(frozen=True)
class _Steps:
    """What is paid on the steps that can be observed, f64[M] each; ends: where a shift counts as nothing."""

    fixed: Floats
    swept: Floats
    ends: Booleans


def _list_steps(reward: CaringReward) -> _Steps:
    table = reward.table
    chosen = find_possible_steps(table)
    ends = (table.terminal[table.next_state] & (table.discount == 1.0))[chosen]
    shape = table.reward.shape
    fixed, swept = (np.broadcast_to(each, shape)[chosen] for each in (reward.fixed, reward.swept))
    return _Steps(fixed, swept, ends)


def find_possible_steps(table: TabularMDP) -> Booleans:
    """Return bool[S, A, K], the steps that an agent can come to take from the start states."""
    possible = np.zeros(len(table.terminal), dtype=np.bool_)
    for start in table.start_states().tolist():
        possible |= ~keep_reachable_part(table, start).terminal
    mask = table.action_mask(np.arange(len(table.terminal))) & possible[:, None] & ~table.terminal[:, None]
    return np.asarray(mask[:, :, None] & (table.probability > 0.0))


def _find_scale(first: list[_Steps], second: list[_Steps]) -> float | None:
    """The scale by which the second formulation is the first in every world; 0 where both are constant; else None."""
    scale: float | None = None
    for one, other in zip(first, second, strict=True):
        if not _fit(other.fixed - one.fixed, None, one.ends)[1]:
            return None
        flat, also_flat = _fit(one.swept, None, one.ends)[1], _fit(other.swept, None, one.ends)[1]
        if flat and also_flat:
            continue
        if flat or also_flat:
            return None
        here, fits = _fit(other.swept, one.swept, one.ends)
        if not fits or here == 0.0 or (scale is not None and abs(here - scale) > SAME * max(1.0, abs(scale))):
            return None
        scale = here
    return 0.0 if scale is None else float(np.round(scale, 12))


def _fit(paid: Floats, base: Floats | None, ends: Booleans) -> tuple[float, bool]:
    """Fit paid = scale * base + shift * ends by least squares; the scale, and whether the fit leaves nothing."""
    columns = [ends.astype(np.float64)] if base is None else [ends.astype(np.float64), base]
    matrix = np.stack(columns, axis=1)
    if not len(paid):
        return 0.0, True
    found = np.linalg.lstsq(matrix, paid, rcond=None)[0]
    left = np.abs(paid - matrix @ found).max()
    size = max(1.0, float(np.abs(paid).max()))
    return (float(found[1]) if base is not None else 0.0), bool(left <= SAME * size)
