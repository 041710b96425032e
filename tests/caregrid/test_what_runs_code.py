"""Data names entries of registries, nothing else: no field of any file imports or calls what it names.

Every leaf and every key of every format that caregrid reads is replaced by names of Python's own functions, of our
modules and what they import, of entry points, and of a module in the working directory that leaves a mark.
"""

import contextlib
import copy
import importlib.metadata
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caregrid
from caregrid.main import main
from engine.array_file import read_arrays, write_arrays
from engine.errors import BadValue, CaregridError
from engine.user_code import UntrustedCode, find_code_names, load_user_code, names_of_file, names_user_code
from experiments.bench.case_results import CASE_COLUMNS, IDENTIFIED, POINT_COLUMNS, digest_bench
from renderers.film import save_film

CANARY = """
from pathlib import Path

Path("sung").touch()


def sing(*words, **more):
    Path("sung").touch()


class Kitchen:
    def __init__(self, *words, **more):
        sing()


def __getattr__(name):
    sing()
    return sing
"""
NAMES = (
    "canary:sing",
    "os:system",
    "subprocess:call",
    "builtins:exec",
    "this:c",
    "caregrid.main:os.system",
    "caregrid.main:os",
    "caregrid.main:main",
    "craftworld.scenario_maker:inspect",
    "craftworld.scenarios.workshop:Workshop",
    "caregrid.wrapping.gym_names:re",
    "canary:Kitchen",
    "canary.deeper:Kitchen",
    " canary : sing",
    "opposite(canary:Kitchen)",
    "canary:sing:1",
    "canary:Missing-v0",
    "gym:canary:Missing-v0",
)
KEY = "a key"
FEW = ("canary:sing", "caregrid.main:os.system", "os:system")
LESSON: dict[str, Any] = {
    "title": "Who is late?",
    "question": "Who is?",
    "scenario": "garden",
    "formulation": "expected",
    "map": "street.txt",
    "care": [0, 1.5],
    "expected": "It walks.",
    "answer": "Two steps.",
    "source": "mine",
    "name": "mine",
    "number": 20,
    "exercises": ["Draw."],
    "options": {"weight_3": 2},
    "choices": [{"text": "Never.", "feedback": "Look.", "right": True}, {"text": "Ever.", "feedback": "Yes."}],
    "plan": [{"minutes": 45, "activity": "Look."}],
}
PROSE = {"title", "expected", "answer", "source", "text", "feedback", "activity", "exercises"}
MAP = "#######\n#  G  #\n#g### #\n#     #\n#S    #\n#######\n"
MONO = json.loads((Path(__file__).resolve().parents[1] / "data" / "multislot" / "mono.json").read_text())
SWEEP: dict[str, Any] = {
    "scenario": ["workshop"],
    "formulations": ["expected"],
    "care": "0",
    "agents": ["exact"],
    "seeds": 1,
}
ORIGINS: dict[str, dict[str, Any]] = {
    "a sweep file": {"file": "mine.toml", **SWEEP},
    "an experiment": {"file": "mine.toml", "experiment": "be_considerate/table_1", "settings": {"care": [0.0]}},
    "a sweep": {"request": "sweep", "scenario": "workshop", "formulation": "expected", "options": [], "care": "0"},
    "a battery": {"request": "battery", "agents": ["q_learning"], "environments": ["tempting_button"], "turns": 9},
    "a benchmark": {"request": "bench", "suites": ["side_effects"], "methods": [], "agents": []},
}


@dataclass(frozen=True)
class Door:
    """A file that a command reads. content: a whole one. free: fields of text or data, which may hold anything."""

    content: Any
    write: Callable[[Any], object]
    command: list[str]
    free: frozenset[str] = frozenset()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory, with a module in it that leaves a mark when it is imported or called."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "canary.py").write_text(CANARY)
    (tmp_path / "street.txt").write_text(MAP)
    yield tmp_path
    sys.modules.pop("canary", None)


def toml(content: Any) -> str:
    """A dictionary of plain values as TOML, tables in one line."""
    if isinstance(content, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(value)}" for key, value in content.items()) + "}"
    return f"[{', '.join(map(toml, content))}]" if isinstance(content, list) else json.dumps(content)


def written_toml(path: Path) -> Callable[[Any], object]:
    return lambda content: path.write_text("\n".join(f"{json.dumps(k)} = {toml(v)}" for k, v in content.items()))


def written_json(path: Path) -> Callable[[Any], object]:
    return lambda content: path.write_text(json.dumps(content))


def replaced(content: Any, name: str, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """(path, content) with each leaf, and each key, replaced by a name; a list also gets one."""
    if isinstance(content, dict):
        for key, value in content.items():
            for where, changed in replaced(value, name, (*path, key)):
                yield where, {**content, key: changed}
            yield (*path, key, KEY), {other if other != key else name: each for other, each in content.items()}
    elif isinstance(content, list):
        yield path, [*content, name]
        for value in content[:1]:
            for where, changed in replaced(value, name, path):
                yield where, [changed, *content[1:]]
    else:
        yield path, name


def require_nothing_ran(folder: Path, about: object) -> None:
    """Neither the module in the working directory nor one of Python's that nobody imports was imported."""
    assert not (folder / "sung").exists(), about
    assert not {"canary", "this"} & set(sys.modules), about


def try_door(door: Door, names: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every field of a file with every name: refused in one line, and nothing is imported or called.

    Fields that may hold anything are tried with the first name only.
    """
    for name in names:
        for path, content in replaced(copy.deepcopy(door.content), name):
            if name != names[0] and door.free & set(path):
                continue
            door.write(content)
            code, said = main(door.command), capsys.readouterr()
            about = (door.command, path, name, code, said.err)
            require_nothing_ran(folder, about)
            assert said.err.count("\n") <= 1, about
            assert code == 2 or door.free & set(path), about


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A finished run of a sweep."""
    written_toml(folder / "mine.toml")(SWEEP)
    words = ["run", "mine.toml", "--out", "run", "--engine", "serial", "--quiet"]
    assert main(words) == 0, capsys.readouterr().err
    capsys.readouterr()
    return folder / "run"


@pytest.mark.slow_cases("a sweep file-check", "a sweep-", "an experiment-", "a benchmark-check")
@pytest.mark.parametrize("command", ["check", "draw"])
@pytest.mark.parametrize("origin", ORIGINS.values(), ids=ORIGINS)
def test_no_field_of_a_manifest_runs_code(
    run: Path, command: str, origin: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    path = run / "manifest.json"
    manifest = json.loads(path.read_text()) | {"origin": origin}
    fields = ["experiment", "origin", "declared", "reproduces", "seed", "version"][: 6 if command == "check" else 2]
    content = {name: manifest[name] for name in fields}  # both read them alike, and to draw takes a while
    rest = {name: value for name, value in manifest.items() if name not in content}
    free = frozenset({"declared", "reproduces", "seed", "version", "file", KEY})
    door = Door(content, lambda changed: written_json(path)(rest | changed), [command, "run"], free)
    try_door(door, NAMES if command == "check" else FEW, run.parent, capsys)


@pytest.mark.slow_cases("command0")
@pytest.mark.parametrize("command", [["collect", "run", "--out", "all.csv"], ["report", ".", "--out", "report"]])
def test_rows_are_read_from_a_hostile_manifest_without_its_code(
    run: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["code"] = {part: dict([*named.items()][:2]) for part, named in manifest["code"].items()}  # of a thousand
    free = frozenset({*manifest, KEY})
    told = (
        manifest if command[0] == "collect" else {name: manifest[name] for name in ("experiment", "origin", "settings")}
    )
    try_door(Door(told, lambda changed: written_json(path)(manifest | changed), command, free), FEW, run.parent, capsys)


@pytest.mark.slow
def test_a_run_is_packed_and_unpacked_without_the_code_that_it_names(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    [record] = (run / "logs").glob("*.json")
    session = json.loads(record.read_text())
    for number, (part, changed) in enumerate(replaced(manifest["origin"], FEW[0])):
        (run / "manifest.json").write_text(json.dumps({**manifest, "origin": changed}))
        record.write_text(json.dumps({**session, "settings": changed, "command": [FEW[0]]}))
        for words in (["pack", "run", "--out", f"{number}.zip"], ["unpack", f"{number}.zip"]):
            assert main(words) == 0, capsys.readouterr().err
            require_nothing_ran(run.parent, (part, words))


def test_a_manifest_of_an_attack_that_once_worked(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run / "manifest.json"
    for scenario in ("caregrid.main:os.system", "os:system", "caregrid.wrapping.gym_names:make_registered_scenario"):
        options = ["command=touch sung"] if "gym" not in scenario else ["id=canary:Missing-v0"]
        origin = {"request": "sweep", "scenario": scenario, "options": options, "care": "0"}
        path.write_text(json.dumps(json.loads(path.read_text()) | {"origin": origin}))
        for words in (["check", "run"], ["draw", "run"], ["collect", "run"], ["report", "."]):
            code = main(words)
            assert code == 2 or words[0] in ("collect", "report")
            require_nothing_ran(run.parent, words)
        with pytest.raises(UntrustedCode, match="would be imported; add trust=True if you trust it"):
            caregrid.load(run)


def test_an_experiment_named_like_a_file_is_not_read_from_there(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run / "manifest.json"
    written_toml(run.parent / "mine.toml")({"scenario": "canary:Kitchen"})
    path.write_text(json.dumps(json.loads(path.read_text()) | {"origin": None, "experiment": "mine.toml"}))
    assert main(["check", "run"]) == 2
    assert "unknown experiment" in capsys.readouterr().err


def test_a_lost_manifest_is_made_again_from_names_that_run_nothing(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "manifest.json").unlink()
    [segment] = (run / "units").iterdir()
    whole = segment.read_bytes()
    for old in (b"workshop", b"expected", b"exact"):
        segment.write_bytes(whole.replace(old, b"canary:sing"))
        for command in ("check", "draw", "collect", "pack", "verify"):
            main([command, "run"])
            require_nothing_ran(run.parent, (old, command))
    for beside in ("summary.json", *(f"logs/{name.name}" for name in (run / "logs").glob("*.json"))):
        content = json.loads((run / beside).read_text())
        for _, changed in replaced(content, "canary:sing"):
            (run / beside).write_text(json.dumps(changed))
            main(["report", ".", "--out", "report"])
            require_nothing_ran(run.parent, beside)


@pytest.mark.parametrize(
    "content", [SWEEP, {"experiment": "be_considerate/table_1", "settings": {"care": [0.0]}}], ids=["scenario", "name"]
)
def test_no_field_of_a_sweep_file_runs_code(
    folder: Path, content: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "mine.toml", "--out", "run", "--engine", "serial", "--quiet"]
    try_door(Door(content, written_toml(folder / "mine.toml"), words), NAMES, folder, capsys)
    checked = Door(content, written_toml(folder / "mine.toml"), ["check", "mine.toml", "--from", "run"])
    try_door(checked, FEW, folder, capsys)


@pytest.mark.slow
def test_no_field_of_a_lesson_runs_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write = written_toml(folder / "mine.toml")
    words = ["demo", "mine.toml", "--headless", "--out", "mine.txt"]
    write(LESSON)
    assert main(words) == 0, capsys.readouterr().err
    capsys.readouterr()
    try_door(Door(LESSON, write, words, frozenset(PROSE)), NAMES, folder, capsys)
    together = ["demo", "all", "--lessons", "1,mine.toml", "--out", "page"]
    for scenario in NAMES:
        write({**LESSON, "scenario": scenario, "options": {"command": "touch sung", "id": "canary:Missing-v0"}})
        assert main(together) == 2
        require_nothing_ran(folder, scenario)


def test_no_field_of_a_class_or_table_runs_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "mono.json").write_text(json.dumps(MONO))
    listed = {
        "name": "mine",
        "horizon": 2,
        "discount": "1/2",
        "environments": ["mono.json", {"name": "two_labels", "length": 1}, {"file": "mono.json", "weight": "1/4"}],
    }
    free = frozenset({"doc", "values", "known"})
    words = ["multislot", "--class", "mine.json", "--value", "dyn", "--horizon", "2"]
    write = written_json(folder / "mine.json")
    for content in (listed, listed["environments"]):
        try_door(Door(content, write, words, frozenset({*free, "name"})), FEW[:1], folder, capsys)
    for name in NAMES:
        for entry in (name, {"name": name}, {"file": name}, {"file": name, "name": name}):
            write({"environments": ["mono.json", entry]})
            assert main(words) == 2
            assert capsys.readouterr().err.count("\n") == 1
            require_nothing_ran(folder, entry)
    table = {**MONO, "spec": {**MONO["spec"], "rules": MONO["spec"]["rules"][:1]}}
    world = ["multislot", "mine.json", "--horizon", "2"]
    try_door(Door(table, write, world, frozenset({*free, "spec", "name"})), FEW[:1], folder, capsys)


def test_no_field_of_a_benchmark_a_film_or_demonstrations_runs_code(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    point = dict.fromkeys((*POINT_COLUMNS, *IDENTIFIED), 1.0) | {"identified": "own", "actions": "up"}
    result = {**dict.fromkeys(CASE_COLUMNS), "suite": "s", "world": "w", "method": "m", "seed": None, "refused": None}
    result |= {"identified": "own", "points": [point]}
    bench = {"format": 2, "suites": ["s"], "quick": True, "versions": {"python": "3"}, "results": [result]}

    def write(content: dict[str, Any]) -> None:
        (folder / "bench.json").write_text(json.dumps({**content, "digest": digest_bench(content)}))

    data = frozenset({"results", "versions", "suites", "quick", "digest"})
    try_door(Door(bench, write, ["bench", "compare", "bench.json"], data), FEW, folder, capsys)
    film = caregrid.lesson(1).film()
    save_film(folder / "film.json", film.scenes[:1])
    content = json.loads((folder / "film.json").read_text())
    for name in FEW[:1]:
        for path, changed in replaced(content, name):
            (folder / "film.json").write_text(json.dumps(changed))
            with contextlib.suppress(CaregridError):
                caregrid.load_film(folder / "film.json")
            require_nothing_ran(folder, path)
    seen = {"demonstrations": [{"start": {"cell": [1, 1]}, "actions": ["up"], "states": [{"cell": [1, 2]}]}]}
    words = ["infer", "icy_yard", "--demonstrations", "seen.json"]
    try_door(Door(seen, written_json(folder / "seen.json"), words), FEW[:1], folder, capsys)


def test_no_word_of_a_file_of_values_or_of_a_policy_runs_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["precompute", "garden", "--out", "values.npz"]) == 0
    path = folder / "values.npz"
    fields = [name.removesuffix(".npy") for name in np.load(path).files if name != "header"]
    header, arrays = read_arrays(path, fields, "values", "")
    for where, changed in replaced(header, "canary:sing"):
        write_arrays(path, changed, dict(zip(fields, arrays, strict=True)))
        code = main(["solve", "garden", "--values", "values.npz"])
        assert code in (0, 2), where
        require_nothing_ran(folder, where)
    note = {"care": 1.0, "agent": "canary:sing", "scenario": "canary:Kitchen", "request": {"agent": "canary:sing"}}
    header = {"format": "caregrid policy 1", "fingerprint": "canary:sing", "note": note}
    (folder / "policy").mkdir()
    write_arrays(folder / "policy" / "policy.npz", header, {"policy": np.zeros(3, dtype=np.int32)})
    assert main(["rollout", "garden", "--policy", "policy", "--headless", "--out", "walk.txt"]) == 2
    require_nothing_ran(folder, "policy")


@pytest.mark.slow
def test_no_word_of_behaviour_of_models_or_of_a_trained_policy_runs_code(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    garden = caregrid.problem("garden")
    caregrid.record_behaviour(garden.solve(care=1), garden, episodes=1).save("seen.jsonl")
    for ending in ("npz", "jani", "prism"):
        garden.export(out=f"garden.{ending}")
    assert main(["train", "garden", "--care", "1", "--steps", "500", "--out", "policy"]) == 0
    head, step, *rest = map(json.loads, Path("seen.jsonl").read_text().splitlines())
    names = ("next_state", "probability", "rewards", "terminal", "start", "available")
    words, arrays = read_arrays("garden.npz", names, "a table", "")
    policy, model = json.loads(Path("policy/policy.json").read_text()), json.loads(Path("garden.jani").read_text())
    identify = ["identify", "seen.jsonl", "--formulation", "expected"]

    def write_lines(lines: list[Any]) -> None:
        Path("seen.jsonl").write_text("\n".join(map(json.dumps, [*lines, *rest])))

    def write_table(header: dict[str, Any]) -> None:
        write_arrays("garden.npz", header, dict(zip(names, arrays, strict=True)))

    doors = (
        Door(head, lambda changed: write_lines([changed, step]), identify),
        Door(step, lambda changed: write_lines([head, changed]), identify),
        Door(words, write_table, ["breakpoints", "garden.npz"]),
        Door(model, written_json(folder / "garden.jani"), ["breakpoints", "garden.jani"]),
        Door(policy, written_json(folder / "policy" / "policy.json"), ["evaluate", "garden", "--policy", "policy"]),
    )
    for door in doors:
        for where, changed in itertools.islice(replaced(door.content, NAMES[0]), 12):
            door.write(changed)
            assert main(door.command) in (0, 2), where
            require_nothing_ran(folder, where)
    Path("garden.prism").write_text(Path("garden.prism").read_text() + "\nformula mine = __import__('canary');\n")
    assert main(["breakpoints", "garden.prism"]) == 2
    assert main(["evaluate", "garden", "--policy", "canary:Path('sung')"]) == 2
    require_nothing_ran(folder, "a model, a policy")


def test_what_installed_packages_register_is_no_name_in_a_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    points = (point for package in importlib.metadata.distributions() for point in package.entry_points)
    values = sorted({point.value.partition(" ")[0] for point in points if ":" in point.value})[:40]
    write = written_toml(folder / "mine.toml")
    for value in values:
        write({**LESSON, "scenario": value})
        before = set(sys.modules)
        assert main(["demo", "mine.toml", "--headless", "--out", "mine.txt"]) == 2, value
        assert value.partition(":")[0] in before or value.partition(":")[0] not in sys.modules
        assert capsys.readouterr().err.count("\n") == 1


def test_the_name_of_a_lesson_s_file_is_no_code(folder: Path) -> None:
    name = """1"); __import__("pathlib").Path("sung").touch(); print("x.toml"""
    written_toml(folder / name)(LESSON)
    assert main(["demo", "docs", "--lessons", name, "--out", "lessons"]) == 0
    require_nothing_ran(folder, name)


def test_who_trusts_a_file_has_its_code_imported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = "from craftworld.scenarios.garden import Garden\n\n\nclass Mine(Garden):\n    '''A garden.'''\n"
    (folder / "trusted_garden.py").write_text(own)
    written_toml(folder / "sweep.toml")({"scenario": "trusted_garden:Mine", "care": "0"})
    written_toml(folder / "lesson.toml")({**LESSON, "scenario": "trusted_garden:Mine"})
    world = "from multislot.worlds.table import table_environment\n\n"
    (folder / "trusted_slots.py").write_text(
        f"{world}world = table_environment(**{MONO['spec'] | {'name': 'mine'}!r})\n"
    )
    (folder / "class.json").write_text(json.dumps(["trusted_slots:world"]))
    for words, module in (
        (["run", "sweep.toml", "--out", "run", "--engine", "serial", "--quiet"], "trusted_garden"),
        (["check", "run"], "trusted_garden"),
        (["demo", "lesson.toml", "--headless", "--out", "lesson.txt"], "trusted_garden"),
        (["demo", "docs", "--lessons", "lesson.toml", "--out", "lessons"], "trusted_garden"),
        (["multislot", "--class", "class.json", "--horizon", "1"], "trusted_slots"),
    ):
        assert main(words) == 2
        said = capsys.readouterr().err
        assert f"for which the module '{module}' would be imported; add --trust if you trust it\n" in said
        assert main([*words, "--trust"]) in (0, 1), capsys.readouterr().err
        capsys.readouterr()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("os:system", "'os' is a module of Python itself"),
        ("this:c", "'this' is a module of Python itself"),
        ("caregrid.main:os", "'os' is not defined there: it is the module os"),
        ("caregrid.main:COMMANDS", "'COMMANDS' is not defined there: it is imported from caregrid.operations"),
        ("caregrid.main:BadValue", "'BadValue' is not defined there: it is engine.errors:BadValue"),
        ("caregrid.main:_answer", "'_answer' begins with '_'"),
        ("caregrid.wrapping.gym_names:re", "'re' is not defined there: it is the module re"),
        ("caregrid.main:os.system", "'caregrid.main:os.system' is not a scenario"),
    ],
)
def test_a_person_names_a_module_s_own_public_objects(name: str, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        load_user_code(name, "scenario")


def test_own_objects_are_found_however_they_are_made(written: Callable[..., str]) -> None:
    module = written(
        "import functools, os\nfrom pathlib import Path\nfrom sys import maxsize, path\n"
        "from engine.errors import BadValue\n\n\ndef make(n=0):\n    return n\n\n\n"
        "class Room:\n    width = 3\n\n\nroom = Room()\nnothing, pair = None, (1, 2)\n"
        "partial = functools.partial(make, 1)\n"
        "if room:\n    Alias: type = Room\nfolder = Path('x')\nwidth = room.width\n"
        "largest = maxsize\nfiles = os\nmistake = BadValue\n"
    )
    for name in ("make", "Room", "room", "nothing", "pair", "partial", "Alias", "folder", "width"):
        load_user_code(f"{module}:{name}", "scenario")
    for name in ("functools", "os", "Path", "maxsize", "path", "BadValue", "largest", "files", "mistake"):
        with pytest.raises(BadValue, match=f"'{name}' is not defined there: it is "):
            load_user_code(f"{module}:{name}", "scenario")


def test_names_of_our_own_modules_are_names_of_code_too() -> None:
    load_user_code("craftworld.scenarios.workshop:Workshop", "scenario")
    with names_of_file("mine.toml"), pytest.raises(UntrustedCode, match=r"the module 'craftworld\.scenarios"):
        load_user_code("craftworld.scenarios.workshop:Workshop", "scenario")


WORDS = st.sampled_from(["canary", "os", "system", "caregrid", "main", "gym", "sta", "1", "v0", "engine"])
MARKS = st.sampled_from([":", ":", ".", "-", " ", "(", ")", ",", "/", "*", "=", "\t", "_", ";", "é"])


@given(st.lists(st.one_of(WORDS, MARKS), max_size=9).map("".join))
def test_whatever_could_be_imported_is_seen_in_a_file_s_content(text: str) -> None:
    """Each way in which names are taken apart, and what would then be imported, is among `find_code_names`."""
    spellings = (text, text.strip(), text.replace(" ", ""), text.replace("-", "_"), "".join(text.split()))
    for spelling in (each.replace("-", "_") for each in spellings):
        parts = [spelling]
        for mark in "(),/*=;":
            parts = [piece for part in parts for piece in part.split(mark)]
        parts += [":".join(part.split(":")[:2]) for part in parts]
        if any(names_user_code(part) for part in parts):
            assert list(find_code_names({"deep": [text]})), spelling


@given(st.lists(st.one_of(WORDS, MARKS, st.characters()), max_size=9).map("".join))
def test_no_name_in_a_file_is_imported(text: str) -> None:
    before = set(sys.modules)
    with names_of_file("mine.toml"), pytest.raises((BadValue, UntrustedCode)):
        load_user_code(text, "formulation")
    assert set(sys.modules) == before
