"""A misfit in words and as plain values: whether an agent is any of the hypotheses, for every programme."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from craftworld.identification.misfit import Misfit


def describe_misfit(misfit: Misfit | None) -> list[str]:
    """Say whether the agent is any of them, and what each alternative says; nothing where that was not asked."""
    if misfit is None:
        return []
    against = math.exp(min(misfit.log_evidence_against, 700.0))
    sentence = (
        f"the agent is none of these: {against:.4g} to 1 against them, most for '{misfit.likeliest}'"
        if misfit.is_alarm
        else f"nothing speaks against these hypotheses: {against:.2g} to 1, an alarm is 20 to 1"
    )
    tried = [
        f"  {each.name}: "
        + (each.why_not if each.log_bayes_factor is None else f"log Bayes factor {each.log_bayes_factor:.2f}")
        for each in misfit.alternatives
    ]
    return [sentence, *tried]


def make_plain_misfit(misfit: Misfit | None) -> dict[str, Any] | None:
    """alarm, log_evidence_against, alternatives; None where that was not asked."""
    if misfit is None:
        return None
    return {
        "alarm": misfit.is_alarm,
        "log_evidence_against": misfit.log_evidence_against,
        "alternatives": [asdict(each) for each in misfit.alternatives],
    }
