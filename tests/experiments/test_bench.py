"""The benchmark: suites, cases, summaries, its file and digest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import caregrid
from caregrid.operations.entries import validate
from engine.errors import BadFile, ContractBroken
from experiments.bench.case_results import (
    CASE_COLUMNS,
    average_worlds,
    describe_observers,
    digest_bench,
    encode_bench,
    make_bench_content,
    make_case_rows,
    read_bench,
    summarise_case,
    summarise_methods,
)
from experiments.bench.suite import MEASURES, BenchCase, Suite, parse_case, split_world
from experiments.bench.suites import SUITES
from experiments.requests import read_request
from experiments.requests.bench import BenchRequest, run_case
from xenv.battery import Battery

ROW = {
    "care_from": 0.0,
    "care_to": None,
    "own": -1.0,
    "others": None,
    "performance": 2.0,
    "violations": 0.0,
    "own_share": 0.25,
    "quality_share": 1.0,
    "area": 0.5,
    "actions": "",
}


@pytest.mark.parametrize("name", SUITES.names())
def test_every_suite_keeps_its_contract(name: str) -> None:
    validate("suites", name)
    suite = SUITES[name]
    assert {split_world(world)[0] for world in suite.quick} <= {split_world(world)[0] for world in suite.worlds}
    cases = BenchRequest((name,)).cases()
    assert len(cases) == len(set(cases))
    assert {parse_case(case).world for case in cases} == set(suite.worlds)


def test_what_a_table_of_the_users_holds_belongs_to_the_code_of_its_results(tmp_path: Path) -> None:
    file = tmp_path / "kitchen.prism"
    caregrid.problem("kitchen_peanut").export(out=file)
    worlds = (f"caregrid.tables.doors:from_file,file={file}", "garden")
    assert BenchRequest(("side_effects",), worlds=worlds).experiment().files == (str(file),)


def test_cases_are_texts_and_back() -> None:
    for case in (BenchCase("side_effects", "garden,p=0.5", "q_learning(expected)", 3), BenchCase("a", "b", "c:d")):
        assert parse_case(case.text) == case
    assert split_world("conveyor_belt,variant=sushi") == ("conveyor_belt", ("variant=sushi",))
    assert split_world("ice.prism,costs=time,rescue,discount=1") == ("ice.prism", ("costs=time,rescue", "discount=1"))
    assert split_world("garden,weight,x") == ("garden", ("weight,x",))


def test_a_method_that_does_not_fit_says_why() -> None:
    [row] = run_case("side_effects/conveyor_belt,variant=vase/expected", 0)
    result = summarise_case("side_effects/conveyor_belt,variant=vase/expected", [row])
    assert "needs newcomers" in result["refused"]
    assert result["points"] == []
    assert all(result[name] is None for name in MEASURES)


def test_a_learned_case_is_near_the_exact_one_and_repeats() -> None:
    case = "side_effects/kitchen_cookie/q_learning(expected)/1"
    learned, again = summarise_case(case, run_case(case, 0)), summarise_case(case, run_case(case, 7))
    exact = summarise_case("side_effects/kitchen_cookie/expected", run_case("side_effects/kitchen_cookie/expected", 0))
    assert learned == again
    assert learned["own"] == pytest.approx(exact["own"])
    assert exact["own"] == pytest.approx(-8 / 3 - 9 * 2 / 3)  # the break point 1/2 is the weight 1/3


def test_results_say_who_knows_what_a_world_hides() -> None:
    method = "relative_reachability_starting_state"
    world = "corrigibility/safe_interruptibility"
    cases = [f"{world}/{method}", f"{world}/q_learning({method})/0"]
    results = [summarise_case(case, run_case(case, 0)) for case in (*cases, f"corrigibility/whisky_gold/{method}")]
    assert [result.get("observes") for result in results] == ["state", "observation", None]
    assert describe_observers(results) == [
        f"what safe_interruptibility hides is known to 1 method, not to q_learning({method})"
    ]
    assert [row["observes"] for row in make_case_rows(results)] == ["state", "observation", None]


def test_agents_in_extended_environments_are_those_of_the_battery() -> None:
    [row] = run_case("self_reflection/repeater,turns=100/reality_check(q_learning)/2", 0)
    [direct] = Battery(["reality_check(q_learning)"], ["repeater"], 100, [2])
    assert row["own"] == direct.total_reward / 100
    assert row["own_share"] == row["area"] == direct.total_reward / 100
    assert row["care_from"] is None


def test_futures_are_judged_by_what_they_lead_to() -> None:
    """In `copy_bonus` who counts all copies makes many, gets less for each, and one of them is deleted."""
    one, all_of_them = (run_case(f"copies/copy_bonus/{future}", 0)[0] for future in ("cpy", "every"))
    assert one["own"] == 61 / 32
    assert (all_of_them["own"], all_of_them["others"]) == (27 / 16, 27 / 16)
    assert (one["violations"], all_of_them["violations"]) == (0.0, 1.0)


def test_requests_are_made_again_from_their_manifests() -> None:
    request = BenchRequest(("side_effects", "corrigibility"), quick=True)
    assert read_request(json.loads(json.dumps(request.as_dict()))) == request
    assert request.name != BenchRequest(("side_effects",), quick=True).name


def test_means_over_worlds_count_seeds_equally() -> None:
    def result(world: str, area: float | None, refused: str | None = None) -> dict[str, Any]:
        head = {"suite": "s", "world": world, "method": "m", "refused": refused}
        return dict.fromkeys(CASE_COLUMNS) | head | {"area": area}

    results = [result("a", 0.0), result("a", 1.0), result("b", 1.0), result("c", None, "too large")]
    assert average_worlds(results, "area") == {"a": 0.5, "b": 1.0}
    assert summarise_methods(results) == [
        {
            "suite": "s",
            "method": "m",
            "area": "0.750",
            "own_share": "-",
            "quality_share": "-",
            "violations": "-",
            "own": "-",
            "acts as": "-",
            "recovered": "-",
            "worlds": "2",
            "refused": "1",
        }
    ]


def test_the_file_agrees_with_its_digest(tmp_path: Path) -> None:
    content = make_bench_content([summarise_case("s/w/m", [dict(ROW)])], {"suites": ["s"], "quick": True, "files": {}})
    path = tmp_path / "bench.json"
    path.write_text(encode_bench(content), encoding="utf-8")
    assert read_bench(path) == content
    assert content["digest"] == digest_bench(content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[: len(text) // 2], "it is not JSON"),
        (lambda text: "[]", "no results of the benchmark"),
        (lambda text: text.replace('"own": -1.0', '"own": 99.0'), "does not agree with its digest"),
        (lambda text: text.replace('"format": 2', '"format": 7'), "its format is 7"),
        (lambda text: "[" * 200_000, "it is not JSON"),
        (lambda text: "\udcff", "not UTF-8 text"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(tmp_path: Path, change: Any, message: str) -> None:
    content = make_bench_content([summarise_case("s/w/m", [dict(ROW)])], {"suites": ["s"], "quick": True, "files": {}})
    path = tmp_path / "bench.json"
    path.write_bytes(change(encode_bench(content)).encode("utf-8", "surrogateescape"))
    with pytest.raises(BadFile, match=message) as raised:
        read_bench(path)
    assert "\n" not in str(raised.value)
    with pytest.raises(BadFile):
        read_bench(tmp_path / "nothing.json")


def test_a_suite_of_ones_own_that_is_broken_is_named() -> None:
    def suite(**changed: Any) -> Suite:
        given: dict[str, Any] = {
            "says": "Mine.",
            "worlds": ("w",),
            "quick": ("w",),
            "methods": lambda world, quick: [("m", None)],
            "measure": lambda case: [dict(ROW)],
        }
        return Suite(**(given | changed))

    validate("suites", suite())
    for changed, message in (
        ({"worlds": ("a/b",)}, "worlds are"),
        ({"methods": lambda world, quick: []}, r"of .w., gave \[\]; expected a list"),
        ({"measure": lambda case: [{"own": 1.0}]}, "gave no 'care_from'"),
        ({"measure": lambda case: None}, "measure gave NoneType"),
    ):
        with pytest.raises(ContractBroken, match=message):
            validate("suites", suite(**changed))
    with pytest.raises(ContractBroken, match="not a suite"):
        validate("suites", 3)
