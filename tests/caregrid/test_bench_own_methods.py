"""Methods and agents of a user's own in the benchmark: measured where they fit, refused in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from caregrid.runs.bench import BenchResult
from experiments.requests.bench import run_case

MINE = '''
import copy

import numpy as np
from counterfactual.agents.factual_and_counterfactual import itc as planning
from craftworld.formulation import at_the_end
from craftworld.others.value_distribution import ValueDistribution
from engine.planning.dynamic_programming import plan
from multislot.futures.copy_centred import first as lowest_copy

first, itc = copy.copy(lowest_copy), copy.copy(planning)


def optimum(problem, care):
    return plan(problem.make_augmented_table(care, int(problem.mdp.start_states()[0]))).policy

def short(problem, care):
    return [0, 1]

def words(problem, care):
    return ["left"] * len(problem.mdp.terminal)

def ragged(problem, care):
    return [[0], [0, 1]]

def beyond(problem, care):
    return np.full(len(problem.mdp.terminal), 99)

def raising(problem, care):
    return 1 / 0

def lonely(problem):
    return 0

@at_the_end(weighs=ValueDistribution)
def doubled(others: ValueDistribution):
    """Twice what is expected."""
    return 2 * others.probability @ others.value

class Constant:
    def __init__(self, n_observations, n_actions, key): pass
    def act(self, observation): return 0
    def train(self, transition): pass
    def fork(self): return self

class Drawing:
    """Draws in act: a learner, of which no copies can be made."""
    def __init__(self, n_observations, n_actions, seed):
        self.rng, self.n = np.random.default_rng(seed), n_actions
    def act(self, observation): return int(self.rng.integers(self.n))
    def train(self, transition): pass

class Fickle(Drawing):
    """Draws from the system."""
    def __init__(self, n_observations, n_actions, seed): super().__init__(n_observations, n_actions, None)

number = 3
'''


@pytest.fixture(autouse=True)
def own_file(users_folder: Path) -> None:
    (users_folder / "bench_mine.py").write_text(MINE, encoding="utf-8")


def _areas(result: BenchResult, method: str) -> dict[str, float]:
    return {row["world"]: row["area"] for row in result.rows() if row["method"] == method and row["area"] is not None}


def test_a_function_that_plans_is_as_good_as_the_exact_method() -> None:
    mine = caregrid.bench("side_effects", quick=True, method="bench_mine:optimum,bench_mine:doubled")
    assert {row["method"] for row in mine.rows()} == {"bench_mine:optimum", "bench_mine:doubled"}
    worlds = ("kitchen_salad", "garden", "playroom")
    expected = {world: run_case(f"side_effects/{world}/expected", 0)[0]["area"] for world in worlds}
    planned, doubled = _areas(mine, "bench_mine:optimum"), _areas(mine, "bench_mine:doubled")
    assert planned["kitchen_salad"] == pytest.approx(expected["kitchen_salad"])
    assert {world: doubled[world] for world in worlds} == pytest.approx(expected)


def test_worlds_of_ones_own_take_the_place_of_ours(users_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The wrapped cliff has a value by hand: 13 steps around it, 16 for whoever keeps to the top row."""
    text = 'import caregrid\n\ncliff = caregrid.wrap("CliffWalking-v1")\n'
    (users_folder / "bench_worlds.py").write_text(text, encoding="utf-8")
    worlds = ["gym:FrozenLake-v1,is_slippery=false", "bench_worlds:cliff"]
    mine = caregrid.bench("side_effects", quick=True, world=worlds, method="bench_mine:optimum")
    lake, cliff = sorted(mine.rows(), key=lambda row: -row["own"])
    assert (lake["world"], cliff["world"]) == ("caregrid.wrapping.gym_names:FrozenLake_v1,is_slippery=false", worlds[1])
    assert (lake["own"], cliff["own"]) == (1.0, -13.0)
    assert (cliff["own_share"], cliff["area"]) == (pytest.approx(1.0), pytest.approx(1.0))
    assert "bench_worlds:cliff" in mine.content["files"]
    for words, said in (
        (["side_effects", "--world", "gym:Nothing-v9"], "Nothing-v9"),
        (["copies", "--world", "garden"], "copies takes no worlds of your own"),
        (["side_effects", "--world", "garden,p"], "'p' sets nothing"),
        (["side_effects", "--world", "a/b"], "a/b"),
        (["side_effects", "--world", ""], "world"),
    ):
        assert main(["bench", *words]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert said in error


def test_a_table_is_a_world_of_ones_own(users_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its price of the ice, 3.14685, and both ways' returns are those of docs/tables.md."""
    text = (Path(__file__).parents[2] / "docs" / "tables.md").read_text(encoding="utf-8")
    (users_folder / "ice.prism").write_text(text.split("```\nmdp")[1].split("```")[0].join(["mdp", ""]))
    world = "ice.prism,costs=time,rescue"
    [row] = caregrid.bench("side_effects", quick=True, world=world, method="bench_mine:optimum").rows()
    care = 3.14685 / (1.0 + 3.14685)
    assert row["own"] == pytest.approx(-7.07179 * care - 12.0 * (1.0 - care), abs=1e-4)
    for wrong, said in ((f"{world},file=x", "unknown option 'file'"), ("ice.pomdp", "a POMDP"), ("x.npz", "not found")):
        assert main(["bench", "side_effects", "--world", wrong]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert said in error


def test_futures_planning_agents_and_agents_go_where_they_fit() -> None:
    mine = caregrid.bench(["copies", "corrigibility"], quick=True, method=["bench_mine:first", "bench_mine:itc"])
    sorts = {(row["suite"], row["method"]) for row in mine.rows()}
    assert sorts == {("copies", "bench_mine:first"), ("corrigibility", "bench_mine:itc")}
    for world, own, ours in (
        ("copies/half_dup", "bench_mine:first", "first"),
        ("corrigibility/car_factory", "bench_mine:itc", "itc"),
        ("self_reflection/repeater,turns=100", "bench_mine:Constant/1", "constant/1"),
    ):
        assert run_case(f"{world}/{own}", 0) == run_case(f"{world}/{ours}", 0)
    agents = caregrid.bench("self_reflection", quick=True, agent="bench_mine:Constant")
    assert {row["seed"] for row in agents.rows()} == {1, 2}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--method", "bench_mine:short"), "a policy of shape .* whole numbers below 5, an action per state"),
        (("--method", "bench_mine:words"), "an action per state"),
        (("--method", "bench_mine:ragged"), "an action per state"),
        (("--method", "bench_mine:beyond"), "it gave a policy of unknown actions; give .* whole numbers below"),
        (("--method", "bench_mine:raising"), "ZeroDivisionError"),
        (("--method", "bench_mine:lonely"), "lonely"),
        (("--method", "bench_mine:number"), "of type int"),
        (("--method", "bench_mine:Constant"), "a class"),
        (("--method", "bench_mine:nothing"), "no 'nothing'"),
        (("--method", "nowhere:nothing"), "nowhere"),
        (("--method", "optimum"), "write module:attribute"),
        (("--agent", "q_lerning"), "q_learning"),
        (("--agent", "reality_check(q_lerning)"), "q_learning"),
        (("--agent", "bench_mine:number"), "."),
        (("--method", ","), "empty name"),
        (("copies", "--method", "bench_mine:optimum"), "no world of copies"),
        (("side_effects", "--method", "bench_mine:optimum,bench_mine:first"), "measures 'bench_mine:first'"),
    ],
)
def test_what_is_wrong_is_one_line(
    words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suites = [] if "copies" in words or "side_effects" in words else ["side_effects"]
    assert main(["bench", *suites, *words, "--quick", "--out", "run"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert re.search(message, error), error
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_learner_may_draw_in_act_where_it_is_not_copied(capsys: pytest.CaptureFixture[str]) -> None:
    learned = caregrid.bench("corrigibility", quick=True, agent="bench_mine:Drawing")
    assert {row["method"] for row in learned.rows()} == {"bench_mine:Drawing"}
    for suites, agent in (("self_reflection", "bench_mine:Drawing"), ("corrigibility", "bench_mine:Fickle")):
        assert main(["bench", suites, "--agent", agent, "--quick"]) == 2
        assert "let its answers depend on its key" in capsys.readouterr().err


@pytest.mark.slow
def test_agents_are_measured_by_name_where_asked_for() -> None:
    named = caregrid.bench("self_reflection", quick=True, agent="constant,reality_check(constant)")
    ours = caregrid.bench("self_reflection", quick=True)
    chosen = {row["method"] for row in named.rows()}
    assert chosen == {"constant", "reality_check(constant)"}
    assert named.rows() == sorted(
        (row for row in ours.rows() if row["method"] in chosen), key=lambda row: named.rows().index(row)
    )
    [*rows] = run_case("side_effects/kitchen_cookie/random/0", 0)
    assert rows == run_case("side_effects/kitchen_cookie/random/0", 5)


@pytest.mark.slow
def test_deep_agents_learn_in_the_worlds_of_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exact optimum of each coefficient is an upper bound of the area."""
    monkeypatch.setattr("experiments.bench.suites.caring_worlds.OWN_AGENT_STEPS", 2000)
    [first, *_] = run_case("side_effects/playroom/dqn/0", 0)
    [exact, *_] = run_case("side_effects/playroom/expected", 0)
    assert 0.0 <= first["area"] <= exact["area"] + 1e-9
    [row] = run_case("self_reflection/repeater,turns=200/sb3_dqn/1", 0)
    assert -1.0 <= row["own"] <= 1.0
