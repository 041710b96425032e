"""Likelihoods of a history, one file each: what learning agents weigh environments by."""

from __future__ import annotations

from engine.registry import Registry
from multislot.learning.likelihood import Likelihood
from multislot.naming import Family, instance_or_family, named

LIKELIHOODS: Registry[Likelihood | Family[Likelihood]] = Registry(
    "multislot.learning.likelihoods",
    "likelihood",
    accept=instance_or_family(Likelihood, "likelihood"),
    group="caregrid.slot_likelihoods",
)


def named_likelihood(name: str) -> Likelihood:
    """A likelihood by name: "exists", "my_file:mine". UnknownName, BadValue, ContractBroken."""
    return named(LIKELIHOODS, name)
