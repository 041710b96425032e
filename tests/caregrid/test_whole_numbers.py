"""Every whole number that a command reads is bounded: what is no number, or too large, is one line and exit code 2."""

import contextlib
import functools
import importlib
import inspect
import io
import math
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import caregrid
from caregrid.command_line.operation import Parameter, parameters_of
from caregrid.main import main
from caregrid.operations import COMMANDS
from caregrid.programmes.caring.problem_source import SourcedProblem
from caregrid.results import Result
from engine.errors import BadValue
from engine.value_types import NOTHING

TOO_FAR = (2**63, -1, 10**30)
NO_NUMBERS = ("x", "1e400", "nan", "", "1.5", "9" * 5000)


def arguments() -> list[tuple[str, str, list[str]]]:
    """Command, option of a whole number, and the words that the command needs beside it."""
    found = []
    for command, operation in COMMANDS.loadable().items():
        needed = [
            "anything" if one.by_place else f"{one.spelling}=anything" for one in operation.parameters if one.required
        ]
        found += [
            (command.replace("_", "-"), one.spelling, needed)
            for one in operation.parameters
            if any("whole number" in kind.words for kind in one.types)
        ]
    return found


ARGUMENTS = arguments()


def test_there_are_such_arguments() -> None:
    assert {"battery --turns", "sweep --steps", "record --frames", "run --seed", "battery --workers"} <= {
        f"{command} {option}" for command, option, _ in ARGUMENTS
    }


@pytest.mark.parametrize(("command", "option", "needed"), ARGUMENTS, ids=lambda value: str(value)[:20])
def test_what_is_no_number_of_64_bits_is_refused(
    command: str,
    option: str,
    needed: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for word in (*NO_NUMBERS, "-1", str(2**63), str(10**30), str(-(10**30))):
        assert main([command, *needed, f"{option}={word}"]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert re.search(f"{option}.*(whole number|is not from)", error), error
        assert len(error) < 300
    assert not list(tmp_path.iterdir())


def test_a_seed_of_five_thousand_digits_is_a_short_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["battery", f"--seeds={'9' * 5000}"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert len(error) < 300
    assert not list(tmp_path.iterdir())


def functions() -> list[tuple[str, Callable[..., Any]]]:
    """Every function and method that Python users call: what `caregrid` exports, and the methods of its results."""
    exported = {name: getattr(caregrid, name) for name in caregrid.__all__}
    found = {name: thing for name, thing in exported.items() if thing.__module__.startswith("caregrid.")}
    for module in pkgutil.walk_packages(caregrid.__path__, "caregrid."):
        if not module.name.startswith(("caregrid.programmes", "caregrid.results", "caregrid.runs", "caregrid.lessons")):
            continue
        for owner in vars(importlib.import_module(module.name)).values():
            if (
                inspect.isclass(owner)
                and owner.__module__ == module.name
                and issubclass(owner, Result | SourcedProblem)
            ):
                methods = inspect.getmembers(owner, inspect.isfunction)
                found |= {f"{owner.__name__}.{name}": method for name, method in methods if not name.startswith("_")}
    return sorted(((name, thing) for name, thing in found.items() if inspect.isfunction(thing)), key=str)


def is_whole(parameter: Parameter) -> bool:
    """Whether a parameter is a whole number."""
    kinds = [kind for kind in parameter.types if kind is not NOTHING]
    return bool(kinds) and all("whole number" in kind.words for kind in kinds)


def whole_parameters() -> list[tuple[str, Callable[..., Any], str]]:
    """Function and parameter, for all parameters of whole numbers."""
    return [
        (name, function, parameter.name)
        for name, function in functions()
        for parameter in parameters_of(function)
        if is_whole(parameter)
    ]


PARAMETERS = whole_parameters()


def test_there_are_such_parameters() -> None:
    assert {"battery turns", "battery workers", "CaringProblem.train seed", "RecordedFilm.view frames"} <= {
        f"{name} {parameter}" for name, _, parameter in PARAMETERS
    }


@pytest.mark.parametrize(
    ("name", "function", "parameter"), PARAMETERS, ids=lambda value: getattr(value, "__name__", value)
)
def test_python_functions_bound_their_whole_numbers_too(
    name: str, function: Callable[..., Any], parameter: str
) -> None:
    required = {
        one.name: 1 if is_whole(one) else "anything"
        for one in parameters_of(function)
        if one.required and not one.keyword_only and one.name != parameter
    }
    for number in TOO_FAR:
        with pytest.raises(BadValue, match=f"{parameter} .*(from|expected)") as refused:
            function(**required, **{parameter: number})
        assert "\n" not in str(refused.value)


SEVERAL_KINDS = {
    "turns": ("of the battery", "of the theory, whose work grows with their square"),
    "steps": ("of learning", "of what is simulated"),
    "discount": ("0 is one", "with 0, measures of what can be reached measure nothing"),
    "horizon": ("a diagram has a step", "others may have none"),
    "limit": ("of traces that are listed", "of steps that are counted", "of steps whose evidence is summed one by one"),
    "epsilon": ("a loss", "the chance of a random action"),
    "maps": ("of the benchmark, which has some", "of a design, which may have none"),
}
WRONG: dict[str, Any] = {"x": "x", "nan": math.nan, "1e999": math.inf}


def is_bounded(parameter: Parameter) -> bool:
    """Whether a parameter is a number of some kind and nothing else."""
    kinds = [kind for kind in parameter.types if kind is not NOTHING]
    return bool(kinds) and not parameter.variadic and all("number" in kind.words for kind in kinds)


def doors() -> dict[str, list[tuple[str, Callable[[str], str]]]]:
    """Parameter -> every command and function that takes it, and what is said there of a wrong value, as a text."""
    found: dict[str, list[tuple[str, Callable[[str], str]]]] = {}
    for command, operation in COMMANDS.loadable().items():
        for one in filter(is_bounded, operation.parameters):
            needed = [f"{each.spelling}=x" for each in operation.parameters if each.required and not each.by_place]
            needed += ["x" for each in operation.parameters if each.required and each.by_place]
            words = [command.replace("_", "-"), *needed, f"{one.spelling}="]
            found.setdefault(one.name, []).append((words[0], functools.partial(said_to_a_command, words)))
    for name, function in functions():
        for one in filter(is_bounded, parameters_of(function) if hasattr(function, "__wrapped__") else ()):
            said = functools.partial(said_to_python, function, one.name)
            found.setdefault(one.name, []).append((name, said))
    return found


def said_to_a_command(words: list[str], wrong: str) -> str:
    """The sentence about an option's value, without place and dashes; "" where the value is accepted."""
    error = io.StringIO()
    with contextlib.redirect_stderr(error), contextlib.redirect_stdout(io.StringIO()):
        assert main([*words[:-1], f"{words[-1]}{wrong}"]) == 2
    said = error.getvalue().partition(": --")[2].partition(" (see")[0]
    return said.replace("-", "_", said.partition(" is ")[0].count("-")) if " is " in said else ""


def said_to_python(function: Callable[..., Any], name: str, wrong: str) -> str:
    """The sentence about an argument, without the function's name."""
    needed = {one.name: 1 if is_bounded(one) else "x" for one in parameters_of(function) if one.required}
    with pytest.raises(Exception) as refused:  # noqa: PT011 - an accepted value fails later, with needed ones
        function(**{**needed, name: WRONG[wrong]})
    said = str(refused.value).partition(": ")[2].removesuffix(" or None")
    return said if isinstance(refused.value, BadValue) and said.startswith(f"{name} is ") else ""


DOORS = doors()


@pytest.mark.parametrize("name", sorted(DOORS))
def test_one_wrong_number_has_one_sentence_at_every_door(name: str) -> None:
    for wrong in WRONG:
        said = {sentence for _, say in DOORS[name] if (sentence := say(wrong))}
        assert len(said) <= len(SEVERAL_KINDS.get(name, (name,))), said
    assert all(say("x") for _, say in DOORS[name])


def test_pixels_are_those_that_can_be_drawn() -> None:
    from engine.value_types import TileSize, WholeNumbers
    from renderers.drawing import raster

    assert TileSize.__metadata__ == (WholeNumbers(raster.SMALLEST, raster.LARGEST),)


@pytest.mark.parametrize(
    "call",
    [
        lambda: caregrid.battery("simple", "repeater", turns=10**8),
        lambda: caregrid.problem().sweep(1.0, method="q_learning", steps=10**8),
        lambda: caregrid.problem().sweep(1.0, method="q_learning", others_steps=10**9),
        lambda: caregrid.problem().train(steps=10**8),
        lambda: caregrid.problem().precompute(method="q_learning", steps=10**8),
        lambda: caregrid.run("extended_environments/table_2", set={"turns": 10**8}),
    ],
)
def test_python_functions_refuse_long_runs_with_what_they_cost(call: Callable[[], Any]) -> None:
    with pytest.raises(BadValue, match=r"1[,0]+ .* take \d+ (second|minute)s? or more; .*yes=True"):
        call()
