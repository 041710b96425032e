"""The programs in docs/xenv.md and the examples in docstrings do what they say."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

import xenv

PAGE = (Path(__file__).parents[2] / "docs" / "xenv.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def program(definition: str) -> str:
    """The one program of the page that holds a definition."""
    [found] = [each for each in PROGRAMS if definition in each]
    return str(found)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    def write(name: str, text: str) -> ModuleType:
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        return importlib.import_module(name)

    return write


def test_the_agent(written) -> None:  # type: ignore[no-untyped-def]
    make_agent = written("documented_agent", program("def make_agent")).make_agent
    assert xenv.check_semi_deterministic(make_agent)
    assert xenv.run_environment("repeater", make_agent, turns=100).total_reward == 100


def test_the_environment(written) -> None:  # type: ignore[no-untyped-def]
    kind = written("documented_environment", program("class TwiceAsGood")).TwiceAsGood
    plain, compiled = (xenv.run_environment(kind, "q_learning", 2000, 1, compiled=choice) for choice in (False, True))
    assert plain == compiled
    xenv.check_environment(kind)
    assert -2000 <= plain.total_reward <= 2000
    assert xenv.run_environment(xenv.opposite(kind), "constant", 10).total_reward == -10


def test_the_transformation(written) -> None:  # type: ignore[no-untyped-def]
    written("documented_transformation", program("def stubborn"))
    xenv.check_transformation("documented_transformation:stubborn")
    stubborn = xenv.run_environment("ignore_rewards", "documented_transformation:stubborn(q_learning)", 50, key=1)
    assert stubborn.total_reward == 50


def test_the_names_in_gymnasium(written) -> None:  # type: ignore[no-untyped-def]
    made = written("documented_gymnasium", program("gymnasium.make_vec"))
    assert (made.info["turn"], made.several.num_envs) == (1, 4)
