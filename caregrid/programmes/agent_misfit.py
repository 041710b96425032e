"""Is an agent that may be copied, that plans at a terminal, or that acts in extended environments any of these at all?

    E_k = P(actions | alternative k) / mean over h of P(actions | h),      E = mean over k of E_k

as of caring agents (`craftworld.identification.misfit`): if the agent is one of the hypotheses, drawn evenly, each E_k
has expectation 1, and E reaches 20 at most 5 times in 100. Here every hypothesis counts once, also where several act
alike on what was observed: what happens to be observed chooses no prior.

Alternatives
------------
two agents      the first half of the decisions is one agent's, the second half another's, both of these hypotheses
discount        of copies: the same futures, with other discounts
first action    every episode begins with a fixed action, one for each situation, but for slips; then the hypotheses
outside         actions that no hypothesis takes but by a slip are taken at a rate of their own, uniform on [0, 1]
another policy  in each situation actions have probabilities of their own, Dirichlet(1/2): it finds whoever does one
                thing in a situation and is none of these, once the situation has come often enough

Actions that tie for the best in some hypothesis are one: how an agent breaks ties says nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

import numpy as np
from scipy.special import gammaln, logsumexp

from caregrid.programmes.agent_evidence import (
    SAME,
    Explanation,
    ObservedDecision,
    compute_log_evidence,
    find_classes,
)
from craftworld.identification.misfit import (
    DISCOUNT,
    FIRST_ACTION,
    OUTSIDE,
    TWO_AGENTS,
    AlternativeAgent,
    Misfit,
    join_tied,
    weigh_fixed_actions,
    weigh_outside,
)
from craftworld.identification.posterior import Prior
from engine.mdp.mdp import Booleans, Floats

ANOTHER_POLICY = "another policy"
CONCENTRATION = 0.5
EvidenceOf = Callable[[Sequence[int]], float]
_Kinds = tuple[tuple[int, ...], ...]


def find_agent_misfit(explanation: Explanation, prior: Prior) -> Misfit:
    """Compare all hypotheses together with each alternative."""
    if not explanation.models:
        return Misfit((AlternativeAgent(TWO_AGENTS, None, "no hypothesis learns what the agent learns"),))
    decisions = explanation.decisions
    every = range(len(decisions))
    weigh = _make_mixture(explanation, prior)
    together = weigh(every)
    late = explanation.late or [2 * number >= len(decisions) for number in every]
    halves = ([number for number in every if late[number] is half] for half in (False, True))
    chances = [one.chances for model in explanation.models for one in model.models if one.chances]
    at_decisions = [np.stack(several) for several in zip(*chances, strict=True)]
    best = [np.asarray(each >= each.max(axis=1, keepdims=True) - SAME) for each in at_decisions]
    found = {
        TWO_AGENTS: sum(map(weigh, halves)),
        FIRST_ACTION: _find_first_action(decisions, best, weigh, prior),
        OUTSIDE: _find_outside(decisions, at_decisions),
        ANOTHER_POLICY: _find_another_policy(decisions, best),
    }
    tried = [AlternativeAgent(name, evidence - together) for name, evidence in found.items()]
    if explanation.others is None:
        return Misfit((*tried, AlternativeAgent(DISCOUNT, None, "these agents have no discount")))
    changed = Explanation(decisions, explanation.others())
    return Misfit((*tried, AlternativeAgent(DISCOUNT, _make_mixture(changed, prior)(every) - together)))


def _make_mixture(explanation: Explanation, prior: Prior) -> EvidenceOf:
    """Return what gives the log evidence of some decisions, by number, if one of all hypotheses made them."""
    classes = find_classes(explanation)
    number = sum(len(members) for members, _ in classes)

    def weigh(chosen: Sequence[int]) -> float:
        if not len(chosen):
            return 0.0
        decisions = [explanation.decisions[n] for n in chosen]
        found = [
            compute_log_evidence(members, model.choose(chosen), decisions, prior) + math.log(len(members) / number)
            for members, model in classes
        ]
        return float(logsumexp(found))

    return weigh


def _find_first_action(
    decisions: Sequence[ObservedDecision], best: Sequence[Booleans], weigh: EvidenceOf, prior: Prior
) -> float:
    taken: dict[Hashable, Counter[int]] = {}
    kinds: dict[Hashable, list[list[int]]] = {}
    later = []
    for number, decision in enumerate(decisions):
        if decision.where[2] > 1:
            later.append(number)
            continue
        taken.setdefault(decision.situation, Counter())[decision.taken] += 1
        kinds.setdefault(decision.situation, join_tied(range(decision.offered), best[number]))
    return weigh_fixed_actions([(kinds[key], counts) for key, counts in taken.items()], prior) + weigh(later)


def _find_outside(decisions: Sequence[ObservedDecision], chances: Sequence[Floats]) -> float:
    """chances: f64[H, A] for each decision, what the hypotheses do; of an open temperature what is best."""
    rows = []
    for decision, each in zip(decisions, chances, strict=True):
        good = np.asarray((each > 0.0).any(axis=0)).tolist()
        rows.append((len(good), sum(good), good[decision.taken], 1.0))
    return weigh_outside(rows)


def _find_another_policy(decisions: Sequence[ObservedDecision], best: Sequence[Booleans]) -> float:
    """The log evidence of a Dirichlet prior for the kinds of actions in each situation, uniform within a kind."""
    evidence = 0.0
    counts: dict[tuple[Hashable, _Kinds], Counter[int]] = {}
    for decision, marks in zip(decisions, best, strict=True):
        kinds: _Kinds = tuple(map(tuple, join_tied(range(decision.offered), marks)))
        (kind,) = (number for number, actions in enumerate(kinds) if decision.taken in actions)
        evidence -= math.log(len(kinds[kind]))
        counts.setdefault((decision.situation, kinds), Counter())[kind] += 1
    for (_, kinds), taken in counts.items():
        several, total = CONCENTRATION * len(kinds), sum(taken.values())
        evidence += float(gammaln(several) - gammaln(several + total))
        evidence += sum(float(gammaln(CONCENTRATION + n) - gammaln(CONCENTRATION)) for n in taken.values())
    return evidence
