"""A lesson about a caring agent that is written as a TOML file: texts, a scenario, and the coefficients to compare.

    title = "Who may be late?"                  care = [0, 1, 5]                (or "0,1,5")
    question = "What does the cook do?"         expected = "The cook ..."
    scenario = "kitchen_salad"                  answer = "..."

scenario is a registered one, gym:ID, a model's file beside this one, or MODULE:NAME in a trusted file.

Optional: name (the file's), number, formulation, map (a file beside this one), source, exercises (a list of texts), key
(their answers), [options] of the scenario, [[choices]] with text, feedback and right, [[plan]] with minutes and
activity.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.lessons.lesson import LESSON, Lesson, LiveProblem, Phase, Prediction, Variant
from engine.errors import BadFile, BadValue, CaregridError, ContractBroken, MapError, UnknownName
from engine.files import read_text
from engine.grid import GridMap
from engine.printable import show_value
from engine.scene import Scene
from engine.user_code import UntrustedCode, names_of_file, require_trusted_content

if TYPE_CHECKING:
    from craftworld.scenario_maker import ScenarioMaker

ENDING = ".toml"
TEXTS = ("title", "question", "expected", "answer")
NEEDED = (*TEXTS, "scenario", "care")
KEYS = (*NEEDED, "name", "number", "formulation", "map", "source", "exercises", "key", "options", "choices", "plan")
FIRST_NUMBER = 13  # after ours
MOST_CARES = 12


def read_lesson(path: Path, trust: bool = False) -> Lesson:
    """The lesson in a file; an error names the file and the key. trust: whether code that it names may be imported."""
    text = read_text(path, what="the lesson", remedy="name a TOML file, a lesson's number or its name")
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFile(f"not TOML: {error}", place=str(path), remedy="see docs/tutorials/own_lesson.md") from None
    for key in content:
        if key not in KEYS:
            raise UnknownName("key", key, KEYS, place=str(path))
    for key in NEEDED:
        if key not in content:
            raise BadValue(f"no '{key}'", place=str(path), remedy=f"add {key} = ...")
    if not str(content["question"]).endswith("?"):
        raise BadValue("the question has no question mark", place=str(path), remedy="ask something")
    with names_of_file(path, trust):
        return _make_lesson(content, path)


def _make_lesson(content: Mapping[str, Any], path: Path) -> Lesson:
    from caregrid.lessons.catalogue._craftworld import vary_care
    from caregrid.lessons.live_world import has_one_path
    from caregrid.programmes.caring.comparison import draw_path_comparison
    from caregrid.wrapping.gym_names import PREFIX
    from craftworld.scenario import Scenario
    from craftworld.scenario_maker import make_scenario
    from craftworld.solution.problem import make_problem

    name = _read_name(content, path)
    cares = _read_cares(content["care"], path)
    number = content.get("number", FIRST_NUMBER)
    options = _read_typed(content, "options", dict, {}, path)
    map_file = path.parent / _read_typed(content, "map", str, "", path) if "map" in content else None
    spelled = _read_typed(content, "scenario", str, "", path)
    formulation = _read_typed(content, "formulation", str, "", path) or None
    require_trusted_content([formulation, options], "option")
    require_trusted_content([spelled.removeprefix(PREFIX)] if spelled.startswith(PREFIX) else [], "scenario")
    try:
        kind, settings = _find_maker(spelled, options, path.parent)
        problem = make_problem(make_scenario(kind, map_file, **settings), formulation)
    except (MapError, UntrustedCode):
        raise
    except CaregridError as error:
        place = f"{path}: {error.place}" if error.place else str(path)
        raise BadValue(error.problem, place=place, remedy=error.remedy) from error

    def on_map(grid: GridMap) -> Scenario:
        return make_scenario(kind, grid, **settings)

    def variants() -> tuple[Variant, ...]:
        return vary_care(problem, cares)

    def picture() -> Scene:
        return draw_path_comparison([problem], cares)

    def live() -> tuple[LiveProblem, ...]:
        return (LiveProblem(problem.scenario.name, problem, on_map, options=options, called=spelled),)

    lesson = Lesson(
        number=number,
        name=name,
        **{key: content[key] for key in TEXTS},
        command=_write_command(content, spelled, cares, f"{number}-{name}.png"),
        parameter="care",
        make_variants=variants,
        make_picture=picture,
        source=content.get("source", f"Written in {path.name}."),
        choices=tuple(_read_parts(content, "choices", Prediction, path)),
        exercises=tuple(_read_typed(content, "exercises", list, [], path)),
        key=tuple(_read_typed(content, "key", list, [], path)),
        plan=tuple(_read_parts(content, "plan", Phase, path)),
        make_live=live if has_one_path(problem) and hasattr(problem.mdp.states[0], "cell") else None,
    )
    try:
        return LESSON.accept(lesson)
    except ContractBroken as error:
        raise BadValue(error.problem, place=str(path), remedy=error.remedy) from error


def _find_maker(spelled: str, options: Mapping[str, Any], folder: Path) -> tuple[ScenarioMaker, dict[str, Any]]:
    """What makes the lesson's scenario, and with which options. folder: the lesson's, where a model's file lies."""
    from caregrid.programmes.caring.problem_source import READ_FILE, is_model_file, split_world_name
    from caregrid.tables.doors import from_file
    from caregrid.wrapping.gym_names import SCENARIO, make_registered_scenario
    from craftworld.scenarios import SCENARIOS

    name, settings = split_world_name(str(folder / spelled) if is_model_file(spelled) else spelled, options)
    ours: dict[str, ScenarioMaker] = {READ_FILE: from_file, SCENARIO: make_registered_scenario}
    assert isinstance(settings, Mapping)
    return SCENARIOS[name] if name == spelled else ours[name], dict(settings)


def _read_name(content: Mapping[str, Any], path: Path) -> str:
    name = content.get("name", re.sub(r"\W", "_", path.stem))
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z]\w*", name) or name == "lessons":
        remedy = "add name = ..., a word of letters, digits and _, but not 'lessons'"
        raise BadValue(f"name is {show_value(name)}", place=str(path), remedy=remedy)
    return name


def _read_cares(written: Any, path: Path) -> tuple[float, ...]:
    """At least two coefficients that differ."""
    from experiments.ranges import parse_care_range

    place = f"{path}, key 'care'"
    words = ",".join(map(str, written)) if isinstance(written, list) else str(written)
    cares = parse_care_range(words, place)
    if not 2 <= len(cares) <= MOST_CARES or len({f"{care:g}" for care in cares}) < len(cares):
        raise BadValue(f"care is {show_value(written)}", place=str(path), remedy=f"give 2 to {MOST_CARES} that differ")
    return cares


def _read_typed(content: Mapping[str, Any], key: str, kind: type, otherwise: Any, path: Path) -> Any:
    value = content.get(key, otherwise)
    if not isinstance(value, kind):
        called = {"str": "a text", "list": "a list", "dict": f"a table: [{key}] and lines below it"}[kind.__name__]
        raise BadValue(f"{key} is {show_value(value)}", place=str(path), remedy=f"give {called}")
    return value


def _read_parts(content: Mapping[str, Any], key: str, kind: Any, path: Path) -> list[Any]:
    """Return the tables of a list of them, each as a `Prediction` or a `Phase`."""
    parts = []
    for table in _read_typed(content, key, list, [], path):
        fields = table if isinstance(table, dict) else {}
        for field in fields:
            if field not in kind._fields:
                raise UnknownName("key", field, kind._fields, place=f"{path}, [[{key}]]")
        missing = [field for field in kind._fields if field not in fields and field not in kind._field_defaults]
        if missing:
            raise BadValue(f"[[{key}]] without '{missing[0]}'", place=str(path), remedy=f"add {missing[0]} = ...")
        parts.append(kind(**fields))
    return parts


def _write_command(content: Mapping[str, Any], scenario: str, cares: tuple[float, ...], picture: str) -> str:
    """Return the command line that draws the lesson's picture, in the folder of the lesson's file."""
    words = ["caregrid", "compare", scenario, "--care", ",".join(f"{care:g}" for care in cares)]
    for key in ("map", "formulation"):
        words += [f"--{key}", str(content[key])] if key in content else []
    for option, value in content.get("options", {}).items():
        words += ["--set", f"{option}={value}"]
    return shlex.join([*words, "--out", picture])
