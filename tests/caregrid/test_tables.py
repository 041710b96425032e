"""Models and tables read, written and solved: values are those of independent solvers (`tests/data/tables`)."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import caregrid
from caregrid.main import main
from caregrid.tables.arrays import from_mdptoolbox, from_quantecon, to_mdptoolbox, to_quantecon
from caregrid.tables.decision_table import make_scenario
from caregrid.tables.export import make_table, write_table
from engine.errors import BadFile, BadValue, CaregridError, UnknownName

MODELS = Path(__file__).resolve().parents[1] / "data" / "tables"
INDEPENDENT = json.loads((MODELS / "values.json").read_text())
SMALL = """
mdp
const double discount = 0.5;
module m
  x : [0..2] init 0;
  [go] x<2 -> 0.5 : (x'=x+1) + 0.5 : true;
  [stop] x=2 -> true;
endmodule
label "terminal" = x=2;
rewards "own" [go] true : 1; endrewards
rewards "others" x=1 : -1; endrewards
"""


def find_optimum(problem: Any, care: float) -> float:
    """The optimum of own + care * others, over all start states."""
    exact = problem.exact
    starts = [int(start) for start in exact.mdp.start_states()]
    return float(sum(exact.mdp.start[one] * exact.plan_optimum(care, one).value[one] for one in starts))


@pytest.mark.parametrize("name", INDEPENDENT["models"])
def test_a_model_has_the_value_that_independent_solvers_find(name: str) -> None:
    known = INDEPENDENT["models"][name]
    scenario = caregrid.read_table(MODELS / name, costs=known["costs"], **known["constants"])
    problem = caregrid.problem(scenario)
    assert scenario.discount == known["discount"]
    assert len(problem.exact.mdp.states) == known["states"]
    for care, optimum in known["optimum"].items():
        assert find_optimum(problem, float(care)) == pytest.approx(optimum, rel=1e-8, abs=1e-8)


@pytest.mark.slow_cases(beyond=18)
@pytest.mark.parametrize("ending", ["prism", "jani", "npz"])
@pytest.mark.parametrize("world", INDEPENDENT["worlds"])
def test_a_written_world_has_the_same_break_points_and_the_value_of_independent_solvers(
    world: str, ending: str, tmp_path: Path
) -> None:
    problem = caregrid.problem(world)
    path = tmp_path / f"{world}.{ending}"
    problem.export(out=path)
    again = caregrid.problem(caregrid.read_table(path))
    assert len(again.exact.mdp.states) == len(problem.exact.mdp.states)
    assert again.breakpoints().points == pytest.approx(problem.breakpoints().points)
    for care, optimum in INDEPENDENT["worlds"][world].items():
        assert find_optimum(again, float(care)) == pytest.approx(optimum, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("ending", ["prism", "jani", "npz"])
def test_what_is_written_twice_has_the_same_bytes(ending: str, tmp_path: Path) -> None:
    """A world with several start states, chance, and actions that cannot be taken everywhere."""
    first, second = tmp_path / f"one.{ending}", tmp_path / f"two.{ending}"
    caregrid.problem("whisky_gold").export(out=first)
    caregrid.problem("whisky_gold").export(out=second)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("ending", ["prism", "jani", "npz"])
def test_a_start_that_is_drawn_is_drawn_again(ending: str, tmp_path: Path) -> None:
    table = make_table(caregrid.problem("icy_yard", discount=0.9))
    start = np.zeros(len(table.states))
    start[[0, 7, 9]] = 0.25, 0.5, 0.25
    table = replace(table, start=start)
    path = tmp_path / f"drawn.{ending}"
    write_table(table, path)
    again = caregrid.read_table(path)
    assert sorted(again.table.start[again.table.start > 0.0]) == pytest.approx(sorted(table.start[table.start > 0.0]))
    for care in (0.0, 1.0):
        ours = find_optimum(caregrid.problem(make_scenario(table)), care)
        assert find_optimum(caregrid.problem(again), care) == pytest.approx(ours)


def test_the_states_of_our_own_table_keep_their_words(tmp_path: Path) -> None:
    caregrid.problem("garden").export(out=tmp_path / "garden.npz")
    scenario = caregrid.read_table(tmp_path / "garden.npz")
    start = next(iter(scenario.starts()))
    assert scenario.describe(start) == {"cell": [5, 1], "fence": "no", "passed": "no"}


def test_a_file_is_a_scenario_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    machine = str(MODELS / "machine.prism")
    assert main(["solve", machine, "--set", "p=0.3", "--care", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["own"] == pytest.approx(157.809092931)
    assert main(["solve", machine]) == 2
    assert "the constant 'p' has no value; set it: --set p=1" in capsys.readouterr().err
    assert main(["export", "garden", "--out", "garden.txt"]) == 2
    assert not list(tmp_path.iterdir())


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "small.prism"
    path.write_text(SMALL)
    before = caregrid.problem(str(path)).solve(care=0).own
    path.write_text(SMALL.replace("true : 1;", "true : 2;"))
    assert caregrid.problem(str(path)).solve(care=0).own == pytest.approx(2 * before)


REFUSED = {
    "pomdp\nmodule m endmodule": "line 1: a POMDP, in which the agent does not see the state",
    "ctmc\n": "line 1: a model of the kind ctmc; give an mdp or a dtmc",
    "module m\n x : [0..1];\nendmodule": "no kind of model; write the model's kind first",
    SMALL.replace("0.5 : true", "0.6 : true"): "line 6: probabilities that sum to 1.1 in state {'x': 0}",
    SMALL.replace("(x'=x+1)", "(x'=x+3)"): "line 6: x becomes 3, outside 0..2",
    SMALL.replace("x<2", "y<2"): "line 6: unknown name 'y'",
    SMALL.replace("[0..2]", "[0..2000000]")
    .replace("x<2 ->", "true ->")
    .replace("x=2;", "false;"): "more than 200,000 states",
    SMALL.replace("x : [0..2]", "x : int"): "line 5: 'x' has no bounds; write a range: [0..9]",
    SMALL + "init x=0 endinit": "line 12: 'init ... endinit'",
    SMALL + "system m endsystem": "line 12: 'system ... endsystem'",
    SMALL.replace("x=1 : -1", "x=1 : -1/x*0/(x-1)"): "'/' has no value of bounded size here",
    SMALL + 'formula f = g; formula g = f; label "l" = f=1;': "is defined by itself",
    SMALL.replace("0.5;", "1.5;", 1): "discount is 1.5; choose one between 0 and 1",
    SMALL + "module n = m [y=z] endmodule": "'x' is declared twice",
}


@pytest.mark.slow_cases("text6")
@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_read_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model.prism"
    path.write_text(text)
    before = time.process_time()
    with pytest.raises(CaregridError) as refused:
        caregrid.read_table(path)
    assert REFUSED[text] in str(refused.value)
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)
    assert time.process_time() - before < 30.0


@pytest.mark.parametrize("name", ["tiger.pomdp", "Tiger.POMDP"])
def test_a_pomdp_file_is_refused_in_one_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", name]) == 2
    assert "a POMDP, in which the agent does not see the state; give an mdp" in capsys.readouterr().err


def test_rewards_are_chosen_by_name(tmp_path: Path) -> None:
    path = tmp_path / "small.prism"
    path.write_text(SMALL)
    swapped = caregrid.problem(caregrid.read_table(path, own="others", others="own"))
    plain = caregrid.problem(caregrid.read_table(path))
    assert swapped.solve(care=0).own != plain.solve(care=0).own
    assert find_optimum(swapped, 1) == pytest.approx(find_optimum(plain, 1))
    with pytest.raises(UnknownName, match="did you mean 'others'"):
        caregrid.read_table(path, own="other")
    with pytest.raises(BadFile, match="no label 'done'"):
        caregrid.read_table(path, terminal="done")


def test_arrays_of_mdptoolbox_and_quantecon_come_back() -> None:
    table = make_table(caregrid.problem("garden", discount=0.9))
    start = int(np.flatnonzero(table.start)[0])
    chance, own = to_mdptoolbox(table)
    _, others = to_mdptoolbox(table, "others")
    wanted = [find_optimum(caregrid.problem("garden", discount=0.9), care) for care in (0, 1, 3)]
    matrices = [sparse.csr_matrix(one) for one in chance]
    wide = np.broadcast_to(own.T[:, :, None], chance.shape)
    reward, law, beta = to_quantecon(table)

    class Product:
        R, Q = reward, law

    class Pairs:
        s_indices, a_indices = np.nonzero(np.isfinite(reward))
        R, Q = reward[s_indices, a_indices], sparse.csr_matrix(law[s_indices, a_indices])

    Product.beta = Pairs.beta = beta  # type: ignore[attr-defined]
    as_pairs = {"others": others[Pairs.s_indices, Pairs.a_indices]}
    for made in (
        from_mdptoolbox(chance, {"own": own, "others": others}, 0.9, start=start),
        from_mdptoolbox(matrices, {"own": wide, "others": others}, 0.9, start=start),
        from_quantecon(Product, {"others": others}, start=start),  # type: ignore[arg-type]
        from_quantecon(Pairs, as_pairs, start=start),  # type: ignore[arg-type]
    ):
        problem = caregrid.problem(make_scenario(made))
        assert [find_optimum(problem, care) for care in (0, 1, 3)] == pytest.approx(wanted)


def test_arrays_that_are_no_process_are_refused() -> None:
    chance = np.full((2, 3, 3), 1 / 3)
    for transitions, reward in (
        (chance * 0.9, np.zeros(3)),
        (chance, np.zeros(4)),
        (chance, np.full(3, np.nan)),
        (-chance, np.zeros(3)),
        (np.zeros((2, 3, 4)), np.zeros(3)),
        ("P", np.zeros(3)),
    ):
        with pytest.raises(BadValue):
            from_mdptoolbox(transitions, reward)
