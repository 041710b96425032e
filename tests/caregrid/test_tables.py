"""Models and tables read, written and solved: values are those of independent solvers (`tests/data/tables`)."""

import json
import time
import zipfile
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
    for twice in ({"costs": "own,own"}, {"others": "others,others"}):
        with pytest.raises(BadValue, match=f"{next(iter(twice))}: a reward is named twice"):
            caregrid.read_table(path, **twice)  # type: ignore[arg-type]
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


def solve_text(text: str, path: Path, **options: Any) -> float:
    """The own return of a model's optimum at care 0."""
    path.write_text(text)
    return float(caregrid.problem(caregrid.read_table(path, **options)).solve(care=0).own)


# The PRISM manual's order, from what binds most: - * / + - < <= >= > = != ! & | <=> => ?
BINDS = {
    "no => no <=> no": "no => (no <=> no)",
    "no <=> no => no": "(no <=> no) => no",
    "no => yes => no": "(no => yes) => no",
    "no = 1 > 2": "no = (1 > 2)",
    "1 < 2 != yes": "(1 < 2) != yes",
    "!no = no": "!(no = no)",
    "no & no | yes": "(no & no) | yes",
    "yes | no <=> no": "(yes | no) <=> no",
    "yes ? no : yes ? yes : no": "yes ? no : (yes ? yes : no)",
}
MEANT = [True, False, False, True, False, False, True, False, False]


@pytest.mark.parametrize(
    ("written", "meant"), [*zip(BINDS, MEANT, strict=True), *zip(BINDS.values(), MEANT, strict=True)]
)
def test_signs_bind_as_the_manual_of_prism_says(written: str, meant: bool, tmp_path: Path) -> None:
    text = f"""mdp module m no : bool init false; yes : bool init true; over : bool init false;
    [] !over & ({written}) -> (over'=true); [] !over & !({written}) -> (over'=true); endmodule
    label "terminal" = over; rewards "own" {written} : 1; endrewards"""
    assert solve_text(text, tmp_path / "signs.prism") == float(meant)


COPIED = """mdp
formula may = open & up;
module a
  x1 : [0..2] init 2;
  [down1] may -> (x1'=x1-1);
endmodule
module b = a [x1=x2, down1=down2] endmodule
module c = b [x2=x3, down2=down3] endmodule
formula up = x1>0;
formula open = x1>=0;
label "terminal" = x1+x2+x3=0;
rewards "own" x1>0 : 10; x2>0 : 1; x3>0 : 100; endrewards
"""


def test_a_copied_module_has_its_own_formulas(tmp_path: Path) -> None:
    """Best is to lower each counter to 1 first (3 steps of 111), then to end them from what pays least to most."""
    assert solve_text(COPIED, tmp_path / "copies.prism") == 4 * 111 + 110 + 100
    text = COPIED.replace("open = x1>=0", "open = may")
    (tmp_path / "copies.prism").write_text(text)
    with pytest.raises(BadFile, match="is defined by itself"):
        caregrid.read_table(tmp_path / "copies.prism")


def test_each_command_has_a_law_of_its_own_and_what_cannot_happen_need_not_be_possible(tmp_path: Path) -> None:
    path = tmp_path / "small.prism"
    never = SMALL.replace("0.5 : (x'=x+1) + 0.5 : true", "1 : (x'=x+1) + (x<9?0:1) : (x'=x+7)")
    assert solve_text(never, path) == 1.5
    other = "module n\n  y : [0..1];\n  [go] true -> LAW : (y'=1);\nendmodule"
    assert solve_text(SMALL.replace('label "', other.replace("LAW", "1") + '\nlabel "', 1), path) == pytest.approx(
        16 / 9
    )
    both = SMALL.replace("0.5 : (x'=x+1) + 0.5 : true", "0.5 : (x'=x+1)")
    path.write_text(both.replace('label "', other.replace("LAW", "2") + '\nlabel "', 1))
    with pytest.raises(BadFile, match=r"probabilities that sum to 0\.5"):
        caregrid.read_table(path)


@pytest.mark.parametrize("ending", ["prism", "jani"])
def test_an_open_discount_is_the_option(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"open.{ending}"
    caregrid.problem(make_small(tmp_path)).export(out=path)
    text = path.read_text()
    opened = text.replace("discount = 0.5", "discount").replace(
        '   "type": "real",\n   "value": 0.5', '   "type": "real"'
    )
    assert opened != text
    assert solve_text(opened, path, discount=0.5) == pytest.approx(16 / 9)
    with pytest.raises(BadFile, match="the constant 'discount' has no value"):
        caregrid.read_table(path)


def make_small(folder: Path) -> Any:
    """SMALL as a scenario."""
    path = folder / "small.prism"
    path.write_text(SMALL)
    return caregrid.read_table(path)


def test_an_automaton_that_is_alone_needs_no_synchronisation(tmp_path: Path) -> None:
    path = tmp_path / "alone.jani"
    caregrid.problem(make_small(tmp_path)).export(out=path)
    model = json.loads(path.read_text())
    del model["system"]["syncs"]
    assert solve_text(json.dumps(model), path) == pytest.approx(16 / 9)
    model["automata"].append({**model["automata"][0], "name": "second"})
    model["automata"][1]["locations"] = [{"name": "l"}]
    model["system"]["elements"].append({"automaton": "second"})
    path.write_text(json.dumps(model))
    with pytest.raises(BadFile, match="named actions, and nothing is synchronised; give 'syncs'"):
        caregrid.read_table(path)


def make_arrays(**changes: Any) -> dict[str, Any]:
    """A table of ours as arrays: from state 0 to 1 by one of four outcomes, two of them unused, or none."""
    header = {"format": "caregrid table", "version": 1, "name": "t", "discount": 1.0}
    header |= {"states": [{"n": 0}, {"n": 1}], "actions": ["go"], "rewards": ["own", "others"]}
    rewards = np.zeros((2, 2, 1, 4))
    rewards[0, 0, 0] = [5.0, -1.0, 77.0, 3.0]
    rewards[1, 0, 0] = [0.5, 0.5, 9.0, 0.5]
    arrays = {
        "header": np.array(json.dumps({**header, **changes.pop("words", {})})),
        "next_state": np.array([[[1, 1, 1, 1]], [[1, 0, 0, 0]]], dtype=np.int32),
        "probability": np.array([[[0.25, 0.25, 0.0, 0.5]], [[1.0, 0.0, 0.0, 0.0]]]),
        "rewards": rewards,
        "terminal": np.array([False, True]),
        "start": np.array([1.0, 0.0]),
        "available": np.ones((2, 1), dtype=np.bool_),
    }
    return {**arrays, **changes}


def test_a_next_state_that_is_named_several_times_has_the_mean_of_its_rewards(tmp_path: Path) -> None:
    np.savez(tmp_path / "twice.npz", **make_arrays())
    solution = caregrid.problem(caregrid.read_table(tmp_path / "twice.npz")).solve(care=1)
    assert solution.own == 0.25 * 5 - 0.25 + 0.5 * 3
    assert dict(solution.others) == {"others": 0.5}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"header": np.array("null")}, "its header is None"),
        ({"header": np.array('{"a":' * 50_000)}, "not a readable file of a table"),
        ({"words": {"discount": 10**400}}, "choose one between 0 and 1"),
        ({"words": {"name": 5}}, "the name is 5"),
        ({"rewards": np.full((2, 2, 1, 4), np.longdouble("1e400"))}, "a own that is not finite"),
        ({"rewards": np.full((2, 2, 1, 4), None)}, "not a readable file of a table"),
        ({"start": None}, "no array 'start'"),
    ],
)
def test_a_damaged_table_is_refused_in_one_line(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    held = {name: array for name, array in make_arrays(**change).items() if array is not None}
    np.savez(tmp_path / "damaged.npz", **held)
    with pytest.raises(CaregridError) as refused:
        caregrid.read_table(tmp_path / "damaged.npz")
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_array_that_an_archive_holds_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.npz"
    np.savez(path, **make_arrays())
    with zipfile.ZipFile(path) as archive:
        content = archive.read("rewards.npy")
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("rewards.npy", content)
    with pytest.raises(BadFile, match="2 arrays 'rewards'"):
        caregrid.read_table(path)


@pytest.mark.parametrize("discount", ["0.9", None, 1j, 10**400])
def test_a_discount_that_is_no_number_from_0_to_1_is_refused(discount: Any) -> None:
    with pytest.raises(BadValue, match="discount is"):
        from_mdptoolbox(np.ones((1, 1, 1)), np.zeros(1), discount)


def test_complex_numbers_and_words_are_no_array_of_numbers() -> None:
    for wrong in (np.ones((1, 1, 1)) + 1j, [[["1"]]]):
        with pytest.raises(BadValue, match="P is no array of numbers"):
            from_mdptoolbox(wrong, np.zeros(1))
        with pytest.raises(BadValue, match="own is no array of numbers"):
            from_mdptoolbox(np.ones((1, 1, 1)), np.asarray(wrong)[0])
