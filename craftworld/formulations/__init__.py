"""The formulations F(V, P, s'), one file each, a function named like its file; found by `FORMULATIONS`."""

from collections.abc import Callable

from craftworld.value_distribution import ValueDistribution
from engine.mdp import Floats
from engine.registry import Registry

Formulation = Callable[[ValueDistribution], Floats]
FORMULATIONS: Registry[Formulation] = Registry("craftworld.formulations", "formulation")
