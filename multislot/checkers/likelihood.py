"""`check_likelihood`: is this a likelihood of histories? See `multislot.learning.likelihood.Likelihood`."""

from __future__ import annotations

from engine.contracts import refuse
from multislot.checkers._sample_worlds import HALF, sample_worlds, slot_situations
from multislot.checkers._tried import tried_object
from multislot.learning.evidence import EvidenceUpdates
from multislot.learning.likelihood import Likelihood
from multislot.learning.likelihoods import LIKELIHOODS
from multislot.learning.mixture import Mixture
from multislot.naming import Family
from multislot.planning.evaluate import evaluate
from multislot.worlds.checked import CheckedEnvironment


def check_likelihood(likelihood: Likelihood | Family[Likelihood] | str) -> None:
    """ContractBroken, with one line, unless a likelihood keeps its contract.

    likelihood: the object, a family of likelihoods (tried with its example), or a name, "my_file:mine" among them. In
    small worlds it must start with a positive measure, go on with Fractions >= 0, the same when asked twice, and give
    two equal worlds equal posterior weights.
    """
    made = tried_object(likelihood, Likelihood, LIKELIHOODS)
    for environment in map(CheckedEnvironment, sample_worlds()):
        evidence = EvidenceUpdates(environment, made).first()
        if evidence.likelihood() <= 0:
            refuse(made.start, "it", evidence.measure, "a measure of positive total")
        pair = Mixture((environment, environment), (HALF, HALF), made)
        for situation in slot_situations(environment):
            evidence = EvidenceUpdates(environment, made).first()
            for action, observation in situation.history:
                updates = (EvidenceUpdates(environment, made) for _ in range(2))
                evidence, again = (each.after(evidence, action, observation) for each in updates)
                if evidence != again:
                    refuse(made.step, "it", f"different measures after {situation.history}", "a pure function")
            one, other = pair.posterior(situation.history)
            if one != other or one not in (0, HALF):
                weights = f"posterior weights {one} and {other} for equal worlds after {situation.history}"
                refuse(made.step, "it", weights, "equal ones that sum to 1, or 0 where the history is impossible")
        evaluate(pair, "cpy", 2, HALF)
