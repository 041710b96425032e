"""Theory: exact values of the environment tables under tests/data/multislot, through the library and the command."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from caregrid.main import main
from multislot.planning.backup import exact_arithmetic, float_arithmetic
from multislot.planning.planner import evaluate
from multislot.worlds.table import parse_table, read_json
from tests.printed_json import printed_content

DATA = Path(__file__).resolve().parent.parent / "data" / "multislot"
TABLES = sorted(path for path in DATA.glob("*.json") if not path.name.startswith("trace"))
VALUED = [
    pytest.param(path, value, id=f"{path.stem}-{value}")
    for path in TABLES
    for value in json.loads(path.read_text()).get("values", {})
]


@pytest.mark.parametrize(("path", "value"), VALUED)
def test_reference_values_are_reproduced_exactly(path: Path, value: str) -> None:
    content = read_json(path)
    answer = evaluate(parse_table(content, path.name), value, content["horizon"], Fraction(content["discount"]))
    wanted = content["values"][value]
    assert {str(action): str(number) for action, number in answer.Q.items()} == wanted["Q"]
    assert (str(answer.V), answer.action, list(answer.ties)) == (wanted["V"], wanted["action"], wanted["ties"])


@pytest.mark.parametrize(("path", "value"), VALUED)
def test_the_command_prints_them(path: Path, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["multislot", str(path), "--value", value, "--json"]) == 0
    printed = printed_content(capsys.readouterr().out)
    assert list(printed) == ["Q", "V", "action", "ties", "P", "slot_Q"]
    wanted = read_json(path)["values"][value]
    assert {key: printed[key] for key in wanted} == wanted
    assert printed["P"] == {"1": "1"}


@pytest.mark.parametrize(("value", "wanted"), [("cpy", "8129823/12800000"), ("dyn", "2290189/3200000")])
def test_the_dense_benchmark_has_its_known_values(value: str, wanted: str) -> None:
    environment = parse_table(read_json(DATA / "bench_belief.json"), "bench_belief")
    assert Fraction(wanted) == evaluate(environment, value, 6, Fraction(1, 2)).V


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("value", ["cpy", "cpy_joint", "sta:1", "dyn", "every", "same_history", "minimal"])
def test_float_agrees_with_exact(path: Path, value: str) -> None:
    environment = parse_table(read_json(path), path.name)
    precise = evaluate(environment, value, 5, Fraction(2, 3), arithmetic=exact_arithmetic)
    quick = evaluate(environment, value, 5, Fraction(2, 3), arithmetic=float_arithmetic)
    assert quick.ties == precise.ties
    for action, number in precise.Q.items():
        assert quick.Q[action] == pytest.approx(float(number), abs=1e-9)


def test_the_trace_of_swap(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["multislot", str(DATA / "swap.json"), "--simulate", "3", "--policy", "always:0", "--json"]
    assert main(command) == 0
    assert printed_content(capsys.readouterr().out)["steps"] == read_json(DATA / "trace_swap_always_0.json")
