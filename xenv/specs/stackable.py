"""Specs whose learners can be lanes of stacks that others share: those with a hyper-parameter `stacks`."""

from __future__ import annotations

from engine.agent import AgentSpec
from engine.learning.stacks.stacks import Stacks
from xenv.specs.hyperparameters import UnknownHyperparameter, hyperparameter, with_hyperparameters


def is_stackable(spec: AgentSpec) -> bool:
    """Whether the learners of a spec, or of one that it transforms, can lie in stacks."""
    try:
        hyperparameter(spec, "stacks")
    except UnknownHyperparameter:
        return False
    return True


def in_stacks(spec: AgentSpec, stacks: Stacks) -> AgentSpec:
    """The spec with its learners in these stacks; UnknownHyperparameter where it is not stackable."""
    return with_hyperparameters(spec, stacks=stacks)
