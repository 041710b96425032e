"""Every registered entry of every kind keeps its contract, and its registry accepts it again."""

import pytest

from caregrid.inventory import check_entry
from caregrid.kinds import KINDS, Kind

ELSEWHERE = {
    "environments": "tests/xenv/test_contracts.py, with several agents",
    "agents": "tests/engine/test_check_agent.py",
    "value_learners": "tests/caregrid/wrapping, with and without torch",
    "engines": "tests/experiments/test_own_files.py; dask's in test_clusters.py",
    "experiments": "tests/experiments/test_catalogue.py",
    "suites": "tests/experiments/test_bench.py",
}
"""Kind -> where its entries are checked otherwise."""


@pytest.mark.slow_cases("scenarios", "lessons", "formulations", "planning_agents")
@pytest.mark.parametrize("kind", sorted(KINDS.keys() - ELSEWHERE.keys()))
def test_every_entry_keeps_the_contract_of_its_kind(kind: str) -> None:
    for name in KINDS[kind].full_registry():
        check_entry(kind, name)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_what_a_registry_gives_it_accepts_again(kind: Kind) -> None:
    registry = kind.full_registry()
    for name in [*registry][:3]:
        entry = registry[name]
        assert type(registry.accept(entry)) is type(entry)
