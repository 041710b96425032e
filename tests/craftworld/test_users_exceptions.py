"""What a user's scenario raises is one line that names scenario, method, file and line, and exit code 2."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from caregrid.main import main

PAGE = (Path(__file__).parents[2] / "docs" / "tutorials" / "add_your_own.md").read_text(encoding="utf-8")
CORRIDOR = PAGE.partition("```python\n# my_corridor.py\n")[2].partition("```")[0]
METHODS = ("starts", "step", "reward", "is_terminal", "newcomers", "handover", "scene")
RAISED = {
    "1 / 0": "ZeroDivisionError: division by zero",
    "raise SystemExit(3)": "SystemExit: 3",
    "raise GeneratorExit": "GeneratorExit",
    "raise type('Stop', (BaseException,), {})('no')": "Stop: no",
}


RAISING = [
    (command, method, raised)
    for command in ("record", "view", "validate", "breakpoints")
    for method in METHODS
    for raised in RAISED
    if (command == "validate" or raised == "1 / 0")
    and (command, method) != ("breakpoints", "scene")  # it draws nothing
]


@pytest.mark.parametrize(("command", "method", "raised"), RAISING)
def test_an_exception_names_scenario_method_file_and_line(
    command: str, method: str, raised: str, written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    [head] = re.findall(rf"    def {method}\(.*\n", CORRIDOR)
    name = written(CORRIDOR, head, f"{head}        {raised}\n")
    line = Path(f"{name}.py").read_text().splitlines().index(head.rstrip()) + 2
    words = {
        "record": ["record", f"{name}:Corridor", "--out", "film.txt"],
        "view": ["view", f"{name}:Corridor", "--headless", "--out", "film.txt"],
        "validate": ["validate", "scenarios", f"{name}:Corridor"],
        "breakpoints": ["breakpoints", f"{name}:Corridor"],
    }
    assert main(words[command]) == 2
    printed, error = capsys.readouterr()
    assert error.count("\n") == 1
    assert f"{name}.py, class Corridor, {method}: {name}.py, line {line}: {RAISED[raised]}; mend it there" in error
    assert not printed
    assert not Path("film.txt").exists()


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("head", ["def inaction(self, state):", "def performance(self, state, action, next_state):"])
def test_validate_notices_what_few_commands_call(
    head: str, raised: str, written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = written(CORRIDOR, "    def reward(", f"    {head}\n        {raised}\n\n    def reward(")
    line = Path(f"{name}.py").read_text().splitlines().index(f"    {head}") + 2
    assert main(["validate", "scenarios", f"{name}:Corridor"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    method = head[len("def ") : head.index("(")]
    assert f"{name}.py, class Corridor, {method}: {name}.py, line {line}: {RAISED[raised]}; mend it there" in error


@pytest.mark.parametrize(
    ("gives", "says"),
    [
        ("3", "inaction gave int"),
        ("state._replace(lit=state.lit + 2)", "inaction gave 2 to 3 in field 'lit'; its size is 2: give 0 to 1"),
        ("[(0.5, state)]", "inaction gave probabilities that sum to 0.5"),
    ],
)
def test_validate_notices_inaction_that_gives_a_wrong_thing(
    gives: str, says: str, written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = written(
        CORRIDOR, "    def reward(", f"    def inaction(self, state):\n        return {gives}\n\n    def reward("
    )
    assert main(["validate", "scenarios", f"{name}:Corridor"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize(
    ("place", "before"),
    [("scenario in {}", "class CorridorState"), ("{}.py, class Corridor", "        self.alone = alone\n")],
)
def test_so_is_one_while_the_file_is_imported_or_the_scenario_made(
    place: str, before: str, raised: str, written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    indent = before[: len(before) - len(before.lstrip())]
    name = written(CORRIDOR, before, f"{indent}{raised}\n{before}")
    assert main(["solve", f"{name}:Corridor"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"{place.format(name)}" in error
    assert re.search(rf"{name}\.py, line \d+: {re.escape(RAISED[raised])}; mend it there", error)


def test_a_property_that_raises_is_one_line_too(
    written: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = CORRIDOR.replace("    def scene(", "    def drawn(") + "\n    scene = property(lambda self: 1 / 0)\n"
    assert main(["record", f"{written(drawn)}:Corridor", "--out", "film.txt"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
