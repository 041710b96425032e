"""Contract: every registered scenario, future, policy, crowd and likelihood passes the public checker of its kind."""

import pytest

from multislot.contract_checks import check_crowd, check_future, check_likelihood, check_policy, check_slot_world
from multislot.crowds import CROWDS
from multislot.futures import FUTURES
from multislot.likelihoods import LIKELIHOODS
from multislot.policies import SLOT_POLICIES
from multislot.scenarios import SLOT_SCENARIOS


@pytest.mark.parametrize("name", SLOT_SCENARIOS)
def test_scenarios(name: str) -> None:
    check_slot_world(name)


@pytest.mark.parametrize("name", FUTURES)
def test_futures(name: str) -> None:
    check_future(name)


@pytest.mark.parametrize("name", SLOT_POLICIES)
def test_policies(name: str) -> None:
    check_policy(name)


@pytest.mark.parametrize("name", CROWDS)
def test_crowds(name: str) -> None:
    check_crowd(name)


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_likelihoods(name: str) -> None:
    check_likelihood(name)
