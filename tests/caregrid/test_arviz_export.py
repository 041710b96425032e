"""The posterior as ArviZ takes it: draws against exact marginals and the evidence, likelihoods against a plain loop."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest

import caregrid
from caregrid.programmes.caring.arviz_export import explain_actions
from caregrid.programmes.caring.identification import Identification
from engine.errors import BadValue, MissingExtra, UnknownName

pytest.importorskip("arviz_base", reason="to_arviz needs the extra 'arviz'")
DRAWS, CHAINS = 2000, 2


@pytest.fixture(scope="module")
def identified() -> Identification:
    playroom = caregrid.problem("playroom")
    seen = caregrid.record_behaviour(playroom.solve(care=6), playroom, episodes=3)
    found = caregrid.identify(seen, formulation="expected")
    assert isinstance(found, Identification)
    return found


@pytest.fixture(scope="module")
def tree(identified: Identification) -> Any:
    return identified.to_arviz("expected", DRAWS, chains=CHAINS, seed=3)


def test_draws_have_the_exact_marginals(identified: Identification, tree: Any) -> None:
    """Kolmogorov and Smirnov: with 4,000 draws a distance above 1.95 / sqrt(4000) has a chance below 1 in 1,000."""
    posterior = next(each.posterior for each in identified.identified.hypotheses if each.name == "expected")
    assert posterior is not None
    for parameter, (name, to_coordinate) in enumerate(
        {"care": math.atan, "temperature": math.log, "slip": float}.items()
    ):
        drawn = np.sort(tree["posterior"][name].values.ravel())
        at = drawn[:: len(drawn) // 40]
        exact = [posterior.find_share_below(parameter, to_coordinate(each)) for each in at.tolist()]
        distance = np.abs(np.searchsorted(drawn, at) / len(drawn) - exact).max()
        assert distance < 1.95 / math.sqrt(len(drawn)) + 0.005, name


def test_draws_depend_on_each_other_as_in_the_posterior(identified: Identification, tree: Any) -> None:
    """Means of products against importance sampling from the prior, with 200,000 draws of its own."""
    posterior = {name: tree["posterior"][name].values.ravel() for name in ("care", "temperature", "slip")}
    random = np.random.default_rng(5)
    drawn = np.stack(
        [
            np.tan(random.uniform(-0.5, 0.5, 200_000) * math.pi),
            np.exp(random.uniform(math.log(0.05), math.log(20.0), 200_000)),
            random.beta(1.0, 9.0, 200_000),
        ],
        axis=1,
    )
    likely, _ = explain_actions(identified.identified, "expected", drawn)
    weight = np.exp(likely.sum(axis=1))
    evidence = next(each.log_evidence for each in identified.identified.hypotheses if each.name == "expected")
    assert math.log(weight.mean()) == pytest.approx(evidence, abs=0.1)
    share = weight / weight.sum()
    for one, other in ((0, 1), (0, 2), (1, 2)):
        expected, found = [], []
        for each, into in ((drawn.T, expected), (list(posterior.values()), found)):
            angle = [np.arctan(each[0]), np.log(each[1]), each[2]]
            into += [angle[one], angle[other]]
        mean = [float(share @ each) for each in expected]
        covariance = float(share @ ((expected[0] - mean[0]) * (expected[1] - mean[1])))
        scale = float(np.std(found[0]) * np.std(found[1]))
        assert float(np.cov(*found)[0, 1]) == pytest.approx(covariance, abs=0.06 * scale)


def test_likelihoods_are_those_of_the_model_at_each_draw(identified: Identification, tree: Any) -> None:
    """Against a plain loop: P(a|s) = (1 - e) softmax(Q / T) + e / |A|, with Q of the world solved at that care."""
    behaviour = identified.identified.behaviours[0]
    table, problem = behaviour.world.table, caregrid.problem("playroom").exact
    start = behaviour.episodes[0][0].state
    for chain, draw in ((0, 0), (1, 17)):
        care, temperature, slip = (
            float(tree["posterior"][name].values[chain, draw]) for name in ("care", "temperature", "slip")
        )
        augmented = problem.make_augmented_table(care, start)
        value = problem.plan_optimum(care, start).value
        for step, (state, action, _) in enumerate(behaviour.episodes[0]):
            usable = np.flatnonzero(table.action_mask(state))
            q = [
                float(
                    (
                        augmented.probability[state, a]
                        * (augmented.reward[state, a] + value[augmented.next_state[state, a]])
                    ).sum()
                )
                for a in usable
            ]
            weight = np.exp((np.array(q) - max(q)) / temperature)
            share = weight[list(usable).index(action)] / weight.sum()
            mine = math.log((1.0 - slip) * share + slip / len(usable))
            assert tree["log_likelihood"]["action"].values[chain, draw, step] == pytest.approx(mine, abs=1e-6)


def test_the_tree_says_what_it_is_of(identified: Identification, tree: Any) -> None:
    assert set(tree.children) == {"posterior", "log_likelihood", "observed_data"}
    assert dict(tree["posterior"].sizes) == {"chain": CHAINS, "draw": DRAWS}
    assert tree["posterior"].attrs["hypothesis"] == "expected"
    assert tree["posterior"].attrs["log_evidence"] == identified.rows()[0]["log_evidence"]
    steps = [step.action for episode in identified.identified.behaviours[0].episodes for step in episode]
    assert tree["observed_data"]["action"].values.tolist() == steps
    assert max(identified.posterior, key=lambda name: identified.posterior[name]) == "expected, exact"
    one, again = (identified.to_arviz(draws=10, seed=4)["posterior"] for _ in range(2))
    assert one.attrs["hypothesis"] == "expected, exact"
    assert set(one.data_vars) == {"care", "slip"}
    assert one["care"].values.tobytes() == again["care"].values.tobytes()
    assert set(identified.to_arviz("own", 10)["posterior"].data_vars) == {"temperature", "slip"}


def test_what_cannot_be_exported_is_refused_in_one_line(
    identified: Identification, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnknownName, match="random"):
        identified.to_arviz("random")
    with pytest.raises(BadValue, match="take at most"):
        identified.to_arviz(draws=10**9)
    with pytest.raises(BadValue, match="draws"):
        identified.to_arviz(draws=0)
    monkeypatch.setitem(sys.modules, "arviz_base", None)
    with pytest.raises(MissingExtra, match="arviz"):
        identified.to_arviz()
