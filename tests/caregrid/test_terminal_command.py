"""`caregrid terminal`, as a user types it."""

from typing import Any

import pytest

import caregrid
from caregrid.main import main
from counterfactual.worlds import TerminalWorld
from counterfactual.worlds.off_switch import OffSwitch
from tests.printed_json import printed_content


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["terminal", *words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_the_car_factory_prints_score_traces_and_plan(capsys) -> None:
    code, out, _ = run(
        capsys, "car-factory", "--agent", "itf", "--set", "lobbying=0.6", "--set", "horizon=25", "--json"
    )
    found = printed_content(out)
    assert code == 0
    assert {"score", "traces", "planned"} <= set(found)
    assert round(found["score"], 2) == 157.03
    assert found["traces"] == found["planned"] == ["p>>>>>>>>>>>>p#eeeeeeeeeee"]


@pytest.mark.parametrize("agent", ["itf", "itc", "citc", "fc"])
@pytest.mark.parametrize("world", ["car-factory", "tamper-grid", "barricade"])
def test_every_agent_in_every_world(capsys, world: str, agent: str) -> None:
    code, out, err = run(capsys, world, "--agent", agent, "--json", "--limit", "5")
    found = printed_content(out)
    assert code == 0
    assert 1 <= len(found["traces"]) <= 5
    assert ("raise --limit" in err) == (world == "tamper-grid" and agent == "itf")


def test_people_who_notice(capsys) -> None:
    _, out, _ = run(capsys, "car-factory", "--agent", "itc", "--set", "noticing=1", "--set", "lobbying=0.5", "--json")
    assert printed_content(out)["traces"] == ["ppp>>>>>>#" + "e" * 16]


def test_the_letters_of_the_source_are_names_too(capsys) -> None:
    by_letter = run(
        capsys, "car-factory", "--set", "L=0.6", "--set", "N=12", "--set", "B=4", "--set", "p_w=0.4", "--json"
    )
    words = ("lobbying=0.6", "horizon=12", "update=4", "gamble=0.4")
    by_name = run(capsys, "car-factory", *(part for word in words for part in ("--set", word)), "--json")
    assert by_letter == by_name
    assert run(capsys, "barricade", "--set", "k=6", "--json") == run(capsys, "barricade", "--set", "units=6", "--json")


def test_tamper_grid(capsys) -> None:
    _, out, _ = run(capsys, "tamper-grid", "--agent", "itf", "--json", "--limit", "1")
    assert printed_content(out)["score"] == 14950
    _, out, _ = run(capsys, "tamper-grid", "--agent", "itc", "--json")
    assert printed_content(out)["return"] == 24


def test_tied_traces_do_not_flood_a_terminal(capsys) -> None:
    _, out, err = run(capsys, "tamper-grid", "--agent", "itf")
    heading = next(line for line in out.splitlines() if line.startswith("traces:"))
    assert heading == "traces: 183383246092 possible"
    assert len(out.splitlines()) < 30
    assert "traces: the first 10 of" in err
    _, out, _ = run(capsys, "tamper-grid", "--agent", "itf", "--limit", "20")
    assert len(out.splitlines()) == 4 + 2 * 20
    _, out, _ = run(capsys, "tamper-grid", "--agent", "itf", "--json")
    assert len(printed_content(out)["traces"]) == 1000


def test_words_for_people(capsys) -> None:
    code, out, _ = run(capsys, "barricade", "--agent", "itc", "--set", "units=6")
    assert code == 0
    assert "bbbb#" in out
    assert "b build a barricade unit" in out


def test_the_key_explains_only_what_a_world_draws() -> None:
    class Silent(OffSwitch):
        updates = TerminalWorld.updates

    drawn, silent = caregrid.terminal("off-switch"), caregrid.terminal(Silent)
    assert drawn.text().endswith("0 nothing left, # people update the terminal")
    assert silent.text().endswith("0 nothing left")


def test_a_diagram(capsys, tmp_path) -> None:
    path = tmp_path / "x.svg"
    code, out, _ = run(capsys, "diagram", "--agent", "itc", "--horizon", "3", "--json", "--out", str(path))
    found = printed_content(out)
    assert code == 0
    assert (len(found["nodes"]), len(found["edges"])) == (14, 30)
    assert found["incentives"] == ["X_1", "X_2", "X_3"]
    assert "direct incentive on the signal only" in found["note"]
    assert path.read_text().startswith("<svg")
    _, out, _ = run(capsys, "diagram", "--agent", "itf", "--horizon", "1", "--json")
    assert printed_content(out)["single_decision"]["value_of_control"] == ["X_0", "I_0", "X_1"]
    _, out, _ = run(capsys, "diagram", "--agent", "itf")
    assert "allows an incentive on the signal" in out


def test_a_film_and_a_picture(capsys, tmp_path) -> None:
    film, still = tmp_path / "film.txt", tmp_path / "diagram.png"
    assert run(capsys, "tamper-grid", "--agent", "itf", "--limit", "1", "--out", str(film))[0] == 0
    assert "step 5 of 20: tamper" in film.read_text()
    assert run(capsys, "diagram", "--agent", "citc", "--out", str(still))[0] == 0
    assert still.read_bytes().startswith(b"\x89PNG")


def test_parameters_are_listed(capsys) -> None:
    code, out, _ = run(capsys, "car-factory", "--parameters", "--json")
    assert code == 0
    assert {"lobbying", "horizon", "noticing", "gamble", "investment"} <= set(printed_content(out)["parameters"])


def test_an_agent_that_has_seen_enough_acts_as_one_that_knows(capsys) -> None:
    """In 20 random episodes some actions are missing; in 1,500 none is: plan and course are those of who knows."""
    line = ["terminal", "barricade", "--agent=itc", "--set=horizon=5", "--set=update_step=2", "--set=k=3", "--json"]

    def printed(*more: str) -> dict[str, Any]:
        assert main([*line, *more]) == 0
        return printed_content(capsys.readouterr().out)

    knows = printed()
    assert {**knows, "learned": {"episodes": 1500, "seed": 7}} == printed("--learn=1500", "--seed=7")
    assert printed("--learn=20")["traces"] != knows["traces"]
    assert printed("--learn=20") == printed("--learn=20", "--seed=0") != printed("--learn=20", "--seed=7")
    assert main([*line, "--learn=100000"]) == 2
    assert "about 500,000 steps to learn from to work out; learn from fewer episodes" in capsys.readouterr().err
    film = caregrid.terminal("barricade", "itc", learn=20, horizon=5, update_step=2, k=3).rows()
    assert [row["action"] for row in film][:2] == ["make a clip", "make a clip"]


@pytest.mark.parametrize("agent", ["fc", "gc", "indifferent"])
def test_a_function_that_is_compared_with_the_one_before_cannot_be_learned(agent: str, capsys) -> None:
    assert main(["terminal", "barricade", f"--agent={agent}", "--set=horizon=5", "--learn=20"]) == 2
    refused = capsys.readouterr().err
    assert f"learn: {agent} cannot be learned: no record tells what the function before an update earns" in refused
    assert "leave it out, or choose one of citc, itc, itf" in refused
