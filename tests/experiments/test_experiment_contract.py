"""The contract of an experiment and of the catalogue, on a tiny experiment and on every one in the catalogue."""

import math

import pytest

from engine.errors import BadValue, CaregridError, UnknownName
from engine.randomness.counter_based import uniform
from experiments.catalogue import CATALOGUE, Catalogue
from experiments.experiment import Claim, Experiment, NotEnoughRows, Published, ResultRow, Rows, UnitSetting
from experiments.rows import group_rows, mean, never_falls, never_rises, numbers, only, select, values
from experiments.runs.unit import make_unit_key, write_canonical_json

CARES = (0.0, 0.5, 1.0)
GRID = {"care": CARES, "seed": (0, 1)}


def run_tiny(care: float, seed: int, key: int) -> Rows:
    return [{"own": -10.0 - care, "other": care * seed, "draw": uniform(key, 0)}]


TINY = Experiment(
    reproduces="A tiny paper, Table 1",
    settings=GRID,
    quick={"seed": (0,)},
    run=run_tiny,
    claims=(Claim("own never rises with care", lambda rows: never_rises([mean(rows, "own", care=c) for c in CARES])),),
    published=(Published("own at care 0", -10.0, lambda rows: mean(rows, "own", care=0.0)),),
)


def test_quick_settings_keep_what_quick_leaves_out() -> None:
    assert TINY.quick_settings == {"care": CARES, "seed": (0,)}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"care": ()}, "no values"),
        ({"care": "abc"}, "no values"),
        ({"care": (0.0, math.nan)}, "not finite"),
        ({"care": (math.inf,)}, "not finite"),
        ({"care": ((0, 1),)}, "not a plain value"),
        ({"care": (0.0, "one")}, "mixes"),
        ({"care": (1, 2, 1)}, "repeats"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, tuple[object, ...]], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        Experiment(reproduces="X", settings=settings, run=run_tiny)  # type: ignore[arg-type]


def test_quick_names_a_setting() -> None:
    with pytest.raises(UnknownName, match="did you mean 'care'"):
        Experiment(reproduces="X", settings=GRID, quick={"cares": (0.0,)}, run=run_tiny)


def test_the_key_depends_on_the_setting_and_not_on_its_order() -> None:
    one: UnitSetting = {"care": 0.5, "seed": 1}
    same: UnitSetting = {"seed": 1, "care": 0.5}
    assert write_canonical_json(one) == write_canonical_json(same) == '{"care":0.5,"seed":1}'
    assert write_canonical_json({"care": -0.0}) == write_canonical_json({"care": 0.0})
    assert make_unit_key("x", 0, one) == make_unit_key("x", 0, same)
    keys = {make_unit_key(name, seed, {"seed": s}) for name in "xy" for seed in range(3) for s in range(3)}
    assert len(keys) == 18


def test_questions_to_rows() -> None:
    rows: list[ResultRow] = [{"care": c, "own": -c, "seed": s} for c in (0.0, 1.0) for s in (0, 1)]
    assert len(select(rows, care=0.0)) == 2
    assert only(rows, care=1.0, seed=1)["own"] == -1.0
    assert numbers(rows, "own", seed=0) == [0.0, -1.0]
    assert mean(rows, "own") == -0.5
    assert values(rows, "care") == [0.0, 1.0]
    assert group_rows([*rows[::2], {"own": 1.0}, *rows[1::2]], "care") == {c: select(rows, care=c) for c in (0.0, 1.0)}
    assert never_rises([3, 3, 1])
    assert not never_rises([1, 2])
    assert never_rises([1, 1.05], 0.1)
    assert never_falls([1, 1, 3])
    assert not never_falls([2, 1])
    with pytest.raises(NotEnoughRows, match="care 7"):
        select(rows, care=7.0)
    with pytest.raises(ValueError, match="2 rows"):
        only(rows, care=1.0)


def test_unknown_experiment_suggests_the_nearest() -> None:
    with pytest.raises(CaregridError, match="unknown experiment 'be_considerate/nothing'"):
        CATALOGUE["be_considerate/nothing"]
    with pytest.raises(UnknownName):
        CATALOGUE["nothing"]
    assert "nothing" not in CATALOGUE
    assert 3 not in CATALOGUE


def test_a_new_file_is_found(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from pathlib import Path

    shelf = Path(str(tmp_path)) / "my_catalogue" / "my_paper"
    shelf.mkdir(parents=True)
    (shelf.parent / "__init__.py").write_text("")
    (shelf / "__init__.py").write_text("")
    (shelf / "table_1.py").write_text(
        "from experiments.experiment import Experiment\n"
        "def run(n, key): return [{'square': n * n}]\n"
        "experiment = Experiment(reproduces='mine', settings={'n': (1, 2)}, run=run)\n"
    )
    (shelf / "broken.py").write_text("experiment = 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    catalogue = Catalogue("my_catalogue")
    assert catalogue.names() == ("my_paper/broken", "my_paper/table_1")
    assert catalogue["my-paper/table-1"].name == "my_paper/table_1"
    assert catalogue["my_paper/table_1"].run(n=3, key=0) == [{"square": 9}]
    with pytest.raises(CaregridError, match="3 is not an experiment"):
        catalogue["my_paper/broken"]


@pytest.mark.parametrize("name", CATALOGUE.names())
def test_every_experiment_is_declared_whole(name: str) -> None:
    experiment = CATALOGUE[name]
    assert experiment.name == name
    assert experiment.reproduces
    assert experiment.claims, "an experiment states what the paper says"
    assert experiment.figure or experiment.table, "an experiment shows a figure or a table"
    catalogues = ("experiments.catalogue.", "caregrid.experiments.")
    assert experiment.run.__module__.startswith(catalogues), "run must be a module's function"
    assert len({claim.says for claim in experiment.claims}) == len(experiment.claims)
    assert len({number.what for number in experiment.published}) == len(experiment.published)
