"""`caregrid.battery`, `terminal`, `diagram`, `film`: names and objects, tables, files, one line for what is wrong."""

from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from counterfactual.agents.factual_and_counterfactual import itc
from counterfactual.worlds.car_factory import CarFactory
from engine.agents.constant import Constant
from engine.errors import BadFile, BadValue, ContractBroken, UnknownName
from multislot.futures import find_future
from multislot.learning import make_single_environment
from multislot.scenarios import slot_scenario
from tests.printed_json import printed_content
from xenv.environments.changed_turns import Repeater


class Mine:
    """Always the first action."""

    def __init__(self, n_actions: int) -> None:
        self.n_actions = n_actions

    def act(self, observation: int) -> int:
        return 0

    def train(self, observation: int, action: int, reward: float, following: int) -> None:
        """Nothing to learn."""


def test_a_battery_of_names_is_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    result = caregrid.battery("simple,constant", ["repeater"], turns=40, seeds="2")
    words = "battery --agents simple,constant --environments repeater --turns 40 --seeds 2 --json"
    assert main(words.split()) == 0
    assert printed_content(capsys.readouterr().out)["rows"] == result.rows()
    assert list(result.frame().columns) == ["agent", "environment", "seed", "turns", "total_reward"]
    assert result.directory is None


@pytest.mark.slow
def test_a_battery_of_objects(tmp_path: Path) -> None:
    agents = [Mine, Constant(action=0), "constant"]
    result = caregrid.battery(agents, [Repeater], turns=30, seeds=[3])
    assert result.agents == ("Mine", "Constant", "constant")
    assert [mean.mean for mean in result.means.values()] == [1.0, 1.0, 1.0]
    labelled = {"my agent": Mine, "theirs": "q_learning"}
    out = tmp_path / "out"
    first = caregrid.battery(labelled, "repeater", turns=30, seeds=[3], out=out, workers=2)
    assert first.agents == ("my_agent", "theirs")
    again = caregrid.battery(labelled, "repeater", turns=30, seeds=[3], out=out)
    assert again.rows() == first.rows()
    assert {"battery.csv", "battery.png"} <= {path.name for path in out.iterdir()}
    with pytest.raises(BadFile, match="made by other code: what runs a unit; keep_old keeps them"):
        caregrid.battery({"my agent": Constant(), "theirs": "q_learning"}, "repeater", turns=30, seeds=[3], out=out)
    with pytest.raises(BadFile, match="objects of a Python session"):
        caregrid.load(out)


@pytest.mark.parametrize(
    ("agents", "more", "error", "message"),
    [
        ("q_lerning", {}, UnknownName, "did you mean 'q_learning'"),
        (["simple", ""], {}, BadValue, "an empty name"),
        (3, {}, BadValue, "neither a spec nor a factory"),
        ([object()], {}, BadValue, "neither a spec nor a factory"),
        ("simple", {"turns": 0}, BadValue, "turns is 0; give a whole number from 1"),
        ("simple", {"seeds": "x"}, BadValue, "not a whole number"),
        ("simple", {"environments": [Mine]}, ContractBroken, "n_observations"),
    ],
)
def test_bad_batteries_are_one_line(
    agents: object, more: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        caregrid.battery(agents, **{"environments": "repeater", **more})  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_a_terminal_world_of_names_and_objects(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    result = caregrid.terminal("car-factory", "itc", horizon=10, lobbying=0.5)
    words = "terminal car-factory --agent itc --set lobbying=0.5 --set horizon=10"
    assert main(words.split()) == 0
    assert capsys.readouterr().out == f"{result.text()}\n"
    assert main([*words.split(), "--json"]) == 0
    assert printed_content(capsys.readouterr().out) == result.as_dict()
    for world, agent in ((CarFactory, itc), (CarFactory.make({"horizon": 10, "lobbying": "1/2"}), "itc")):
        parameters = {"horizon": 10, "lobbying": 0.5} if isinstance(world, type) else {}
        assert caregrid.terminal(world, agent, **parameters).as_dict() == result.as_dict()
    assert result.frame()["reward"].size == 10
    assert len(result.film()) == 10
    result.save(tmp_path / "film.html")
    assert (tmp_path / "film.html").read_text().startswith("<!DOCTYPE html>")
    assert "lobbying" in caregrid.terminal_parameters("car-factory")


@pytest.mark.parametrize(
    ("arguments", "parameters", "error", "message"),
    [
        (("car-factori",), {}, UnknownName, "did you mean 'car-factory'"),
        (("car-factory", "itd"), {}, UnknownName, "planning agent"),
        (("car-factory",), {"lobying": 1}, UnknownName, "did you mean 'lobbying'"),
        (("car-factory",), {"lobbying": "much"}, BadValue, "not a fraction"),
        ((CarFactory(),), {"lobbying": 1}, BadValue, "made already"),
        ((Mine,), {}, ContractBroken, "terminal world"),
        (("car-factory", 3), {}, ContractBroken, "planning agent"),
    ],
)
def test_bad_terminal_worlds_are_one_line(
    arguments: tuple[object, ...], parameters: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        caregrid.terminal(*arguments, **parameters)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_slots_of_names_and_objects(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    result = caregrid.slots("swap", value="cpy", horizon=4)
    assert main(["multislot", "swap", "--value", "cpy", "--horizon", "4"]) == 0
    assert capsys.readouterr().out == f"{result.text()}\n"
    assert main(["multislot", "swap", "--value", "cpy", "--horizon", "4", "--json"]) == 0
    assert printed_content(capsys.readouterr().out) == result.as_dict()
    scenario = slot_scenario("swap")
    for world in (scenario, scenario.environment, make_single_environment(scenario.environment)):
        for future in ("cpy", find_future("cpy")):
            assert caregrid.slots(world, value=future, horizon=4).as_dict() == result.as_dict()
    assert result.frame()["taken"].sum() == 1
    assert caregrid.slots("swap", horizon=4, discount=0).Q != result.Q
    assert caregrid.slots("swap", horizon=4, discount="0.5").Q == result.Q
    assert (result._repr_png_() or b"").startswith(b"\x89PNG")
    words = "multislot swap --simulate 3 --policy cpy --seed 2"
    simulation = caregrid.simulate_slots("swap", "cpy", 3, seed=2)
    assert main(words.split()) == 0
    assert capsys.readouterr().out == f"{simulation.text()}\n"
    assert main([*words.split(), "--json"]) == 0
    assert printed_content(capsys.readouterr().out)["steps"] == simulation.steps()
    assert len(simulation.film()) == 4
    first = scenario.environment.actions[0]
    assert caregrid.simulate_slots(scenario, lambda history: first, 2).frame()["t"].max() == 2


@pytest.mark.parametrize(
    ("world", "more", "message"),
    [
        ("swop", {}, "did you mean 'swap'"),
        (None, {}, "neither an environment nor a class"),
        ("swap", {"members": "x.json"}, "both an environment and a class"),
        ("swap", {"horizon": None}, "no horizon"),
        ("swap", {"horizon": -1}, "horizon is -1; give a whole number from 0"),
        ("swap", {"discount": 2}, "discount is 2; give a number from 0 to 1"),
        ("swap", {"discount": "much"}, "discount is 'much'; give a number from 0 to 1"),
        ("swap", {"value": "cpi"}, "unknown future"),
        ("swap", {"history": "a"}, "is not a step"),
        ("swap", {"history": [("a", "b")]}, "unknown action"),
        ("swap", {"policy": "guess"}, "unknown policy"),
        ("swap", {"arithmetic": "rough"}, "unknown arithmetic"),
        (3, {}, "is not a slot scenario"),
    ],
)
def test_bad_slots_are_one_line(world: object, more: dict[str, object], message: str) -> None:
    with pytest.raises(caregrid.CaregridError, match=message) as caught:
        caregrid.slots(world, **{"horizon": 2, **more})  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_a_diagram(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    diagram = caregrid.diagram("itc", 3)
    assert main(["terminal", "diagram", "--agent", "itc"]) == 0
    assert capsys.readouterr().out == f"{diagram.text()}\n"
    assert diagram.incentives == ["X_1", "X_2", "X_3"]
    assert len(diagram.frame()) == 30
    assert diagram.save(tmp_path / "x.svg").read_text().startswith("<svg")
    with pytest.raises(UnknownName):
        caregrid.diagram("itx")


def test_films_of_every_programme(tmp_path: Path) -> None:
    film = caregrid.film("slots/teleport_move", policy="cpy")
    assert film.frame()["scene"].tolist() == list(range(len(film)))
    assert caregrid.load_film(film.save(tmp_path / "film.json")).scenes == film.scenes
    film.view(out=tmp_path / "seen.txt", frames=2)
    assert (tmp_path / "seen.txt").is_file()
    with pytest.raises(BadValue, match="unknown setting"):
        caregrid.film("slots/teleport_move", polcy="cpy")
    with pytest.raises(BadFile, match="film file not found"):
        caregrid.load_film(tmp_path / "none.json")
