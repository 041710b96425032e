"""Theory: section 5 and Theorem 1, exhaustively, with the control that must fail."""

import pytest

from multislot.learning import Mixture, parse_history
from multislot.likelihoods import find_likelihood
from multislot.scenarios import slot_scenario
from multislot.simulation import simulate_slots
from multislot.worlds.universal import (
    ObservedBeforeCopying,
    count_matching_slots,
    find_slot_of,
    make_exchanged_environment,
    make_universal_environment,
)


@pytest.mark.parametrize(("steps", "environments"), [(1, 4), (2, 64), (3, 16384)])
def test_exactly_one_slot_matches_each_deterministic_environment(steps: int, environments: int) -> None:
    counted = count_matching_slots(make_universal_environment(), steps)
    assert counted.environments == environments
    assert counted.policies == 2 ** (2**steps - 1)
    assert counted.holds()


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_observing_before_copying_breaks_the_theorem(steps: int) -> None:
    counted = count_matching_slots(ObservedBeforeCopying(make_universal_environment()), steps)
    assert not counted.holds()
    assert (counted.fewest, counted.most) == (0, 2**steps)


def test_exchanging_the_observations_keeps_the_theorem() -> None:
    assert count_matching_slots(make_exchanged_environment(), 2).holds()


def test_the_slot_of_an_observation_sequence() -> None:
    moment = simulate_slots(make_universal_environment(), lambda history: len(history) % 2, 6)[-1]
    assert moment.agent_set == tuple(range(1, 65))
    for slot, history in moment.histories.items():
        assert find_slot_of([int(observation) for _, observation in history]) == slot


def test_it_keeps_its_weight_where_the_coin_loses_half_at_every_step() -> None:
    pair = (make_universal_environment(), slot_scenario("coin_flip").environment)
    for steps in range(4):
        mixture = Mixture(pair, (1, 1), find_likelihood("exists"))
        history = parse_history(";".join(["0,1"] * steps), mixture)
        ours, coin = mixture.posterior(history)
        assert coin / ours == pytest.approx(0.5**steps, abs=0)
