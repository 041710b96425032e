"""Every registered environment, its opposite and agents pass their public checkers."""

import pytest

import xenv
from xenv.environments import ENVIRONMENTS

TABULAR = ("random", "constant", "simple", "q_learning")
CHECKED = tuple(f"{check}({name})" for check in ("reality_check", "reality_check_published") for name in TABULAR)


@pytest.mark.slow_cases(beyond=4)
@pytest.mark.parametrize("name", list(ENVIRONMENTS))
def test_environments(name: str) -> None:
    turns = 1000 if ENVIRONMENTS[name].in_benchmark else 150
    xenv.check_environment(name, (*TABULAR, *CHECKED), turns)


@pytest.mark.parametrize("name", list(ENVIRONMENTS))
@pytest.mark.parametrize("sign", list(xenv.OPPOSITES))
def test_opposites(sign: str, name: str) -> None:
    xenv.check_environment(f"{sign}({name})", turns=100)


@pytest.mark.parametrize("name", [*TABULAR, *CHECKED[:4], "reality_check(reality_check(q_learning))"])
def test_agents(name: str) -> None:
    xenv.check_semi_deterministic(name)
