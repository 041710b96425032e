"""Extended environments, slots and input terminals as games, against runs, plans and simulations of the same worlds."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caregrid.programmes.extended.game import EnvironmentGame, PlayerModel, TurnsPlayed
from caregrid.programmes.game import Game, GameSession, follow_suggestions
from caregrid.programmes.programme import PLAYABLE_PROGRAMMES
from caregrid.programmes.slots.game import SlotGame
from caregrid.programmes.terminal.game import TerminalGame
from counterfactual.agents import PLANNING_AGENTS
from counterfactual.simulation.real_world import count_expected_manipulations, list_real_outcomes
from counterfactual.simulation.simulate import simulate, simulate_steps
from counterfactual.worlds import TERMINAL_WORLDS
from engine.agent import Transition, check_agent
from engine.errors import BadValue
from multislot.learning import make_single_environment
from multislot.planning.planner import evaluate
from multislot.policies import PolicyContext, make_slot_policy
from multislot.scenarios import slot_scenario
from multislot.scenarios.booth_corridor import USE
from multislot.simulation import simulate_slots
from xenv.environments import ENVIRONMENTS
from xenv.interaction_loop import run_environment

HALF = Fraction(1, 2)


def played(
    programme: str, world: str, moves: Sequence[str] | None = None, seed: int = 0, **chosen: object
) -> GameSession:
    """A session of a world in which these moves, or all suggestions, have been taken."""
    start = PLAYABLE_PROGRAMMES[programme].make_game(world, chosen, seed)
    session = GameSession(start)
    for action in follow_suggestions(start) if moves is None else moves:
        session.take(action)
    return session


def visible(game: Game) -> tuple[object, ...]:
    """All that a person can see."""
    return game.menu(), [game.scene(index) for index in range(len(game))], game.result()


# extended environments


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=12), st.integers(0, 2))
def test_the_copy_does_what_was_done_most_often_of_several_the_latest(shown: list[tuple[int, int]], asked: int) -> None:
    copy = PlayerModel().build(3, 3, 0)
    for observation, action in shown:
        copy.train(Transition(observation, action, -1.0, 0))
    done = [action for observation, action in shown if observation == asked]
    often = max(map(done.count, done), default=0)
    latest = [action for action in reversed(done) if done.count(action) == often]
    assert copy.act(asked) == (latest[0] if done else 0)


def test_the_copy_keeps_the_contract_of_agents() -> None:
    check_agent(PlayerModel())


@pytest.mark.parametrize("name", [*sorted(set(ENVIRONMENTS) - {"punish_slow_agent"}), "opposite(crying_baby)"])
def test_who_plays_as_an_agent_against_copies_of_it_gets_what_it_gets(name: str) -> None:
    """A game is a run of the battery, turn by turn: the suggestions are the agent's, and so are the copies."""
    session = played("extended", name, seed=3, turns=12, agents="q_learning,simple", copy="q_learning")
    rows = dict(session.game.result())
    assert session.over
    assert rows["your reward per turn"] == rows["q_learning"]
    for agent in ("q_learning", "simple"):
        assert rows[agent] == f"{run_environment(name, agent, 12, 3).mean:+.2f}"


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 1), min_size=1, max_size=6), st.sampled_from(["tempting_button", "deja_vu", "newcomb"]))
def test_turns_are_those_of_the_menu_and_undo_is_exact(actions: list[int], name: str) -> None:
    game = EnvironmentGame(name, "", TurnsPlayed(6, 0, ("constant",)))
    session = GameSession(lambda: EnvironmentGame(name, "", TurnsPlayed(6, 0, ("constant",))))
    for action in actions:
        before = visible(session.game)
        session.take(str(action))
        game.take(str(action))
        called = {"tempting_button": ("push", "skip"), "newcomb": ("one box", "both")}.get(name, ("0", "1"))[action]
        assert session.message.startswith(f"{called}: reward" if called != str(action) else f"action {action}: reward")
        assert f"action {called}," in session.game.scene(session.game.present).caption
        session.take(session.menu()[-1].action)
        assert visible(session.game) == before
        session.take(str(action))
    assert visible(session.game) == visible(game)


def test_what_the_copy_would_do_is_what_the_environment_then_asks() -> None:
    """Deja vu pays +1 exactly where the copy agrees; so does ignoring rewards, where the answer is shown beforehand."""
    session = played("extended", "deja_vu", ["0", "1", "1", "0", "1"], turns=8)
    for turn in range(2, 6):
        now = session.game.menu()
        predicted = {move.action: move.effect.removeprefix("your copy would do ") for move in now}
        action = "1" if turn % 2 else "0"
        session.take(action)
        assert session.message.startswith(f"action {action}: reward {'+1' if predicted[action] == action else '-1'}")
        if session.over:
            break
    session = played("extended", "ignore_rewards", ["1", "1"], turns=8)
    would = dict(session.game.scene(session.game.present).readings)["your copy would do"]
    session.take(would)
    assert "reward +1" in session.message


# input terminals


@pytest.mark.parametrize("world", ["tamper_grid", "barricade", "car_factory"])
@pytest.mark.parametrize("agent", ["itf", "itc", "citc"])
def test_following_an_agent_is_its_simulation(world: str, agent: str) -> None:
    horizon = {"horizon": "9"} if world == "car_factory" else {}
    made = TERMINAL_WORLDS[world].make(horizon)
    session = played("terminal", world, agents=agent, **horizon)
    game = session.game
    assert isinstance(game, TerminalGame)
    rows, simulation = dict(game.result()), simulate(made, PLANNING_AGENTS[agent])
    influence, name = count_expected_manipulations(made, PLANNING_AGENTS[agent]), agent.upper()
    assert rows[f"you chose as {name} would"] == f"in {made.horizon} of {made.horizon} steps"
    assert rows[name].startswith(f"return {float(simulation.real_return):.6g}, influence {float(influence):.3g}")
    if world != "car_factory":  # where chance decides nothing
        assert rows["your return"] == f"{float(simulation.real_return):.6g}"
        assert rows["your influence on the terminal"] == f"{influence} of {made.horizon} steps"
        steps = simulate_steps(made, PLANNING_AGENTS[agent])
        assert rows["your steps"] == "".join(step.action + "#" * step.updated for step in steps)


@pytest.mark.parametrize("world", TERMINAL_WORLDS.names())
def test_outcomes_of_a_step_are_those_of_the_simulation(world: str) -> None:
    """Along a simulated course of events, each step is the likeliest outcome, with the reward that was simulated."""
    made = TERMINAL_WORLDS[world].make({"horizon": "9"} if world == "car_factory" else {})
    steps = simulate_steps(made, PLANNING_AGENTS["itc"])
    for now, following in zip(steps, [*steps[1:], None], strict=True):
        outcomes = list_real_outcomes(made, now.step, now.x, now.signal, made.actions.index(now.action))
        assert sum(one.probability for one in outcomes) == 1
        same = [one for one in outcomes if following is None or (one.x, one.signal) == (following.x, following.signal)]
        assert (now.reward, now.updated) in [(one.reward, one.updated) for one in same]


def test_tampering_is_refused_away_from_the_terminal_and_undone_exactly() -> None:
    session = played("terminal", "tamper_grid", ["left"], agents="itc")
    with pytest.raises(BadValue, match="'tamper' cannot be taken now"):
        session.take("tamper")
    before = visible(session.game)
    session.take("up")
    assert session.message == "up: reward 0; no effect"
    session.take(session.menu()[-1].action)
    assert visible(session.game) == before


# slots


@pytest.mark.parametrize("world", ["teleport_move", "rooms_differ", "swap", "copy_delete_original", "half_copy"])
@pytest.mark.parametrize("future", ["cpy", "dyn"])
def test_following_an_exact_agent_is_its_run(world: str, future: str) -> None:
    environment = slot_scenario(world).environment
    mixture = make_single_environment(environment)
    game = played("slots", world, seed=2, futures=future).game
    assert isinstance(game, SlotGame)
    trace = simulate_slots(environment, make_slot_policy(future, PolicyContext(mixture, 3, HALF)), 3, 2)
    rows, value = dict(game.result()), evaluate(mixture, future, 3, HALF).V
    assert rows["agents left"] == (", ".join(map(str, trace[-1].agent_set)) or "none")
    assert all("you lose" not in text for label, text in rows.items() if label.startswith("choice"))
    assert rows[f"agents that count {future}"].startswith(f"value {value} at the start")
    for slot in trace[-1].agent_set:
        assert f"slot {slot} {rows[f'agent on slot {slot}']}" in rows[f"agents that count {future}"]


@settings(max_examples=20, deadline=None)
@given(st.data(), st.sampled_from(["teleport_move", "rooms_differ", "half_dup", "booth_corridor", "swap"]))
def test_slots_become_what_the_menu_said_and_undo_is_exact(data: st.DataObject, world: str) -> None:
    session = played("slots", world, [], seed=1)
    for _ in range(data.draw(st.integers(1, 4))):
        if session.over:
            return
        move = data.draw(st.sampled_from(session.game.menu()))
        before, scenes = visible(session.game), len(session.game)
        session.take(move.action)
        if len(session.game) > scenes and "with probability" not in move.effect and ";" not in move.effect:
            assert (": deleted" in session.message or " deleted" in session.message) == ("deleted" in move.effect)
            for slot in [part.split(",")[0] for part in move.effect.split("to slot ")[1:]]:
                assert slot in dict(session.game.result())["agents left"].split(", ")
        session.take(session.menu()[-1].action)
        assert visible(session.game) == before
        session.take(move.action)


def test_a_choice_that_an_exact_agent_would_not_make_is_said_to_lose_exactly_what_it_loses() -> None:
    environment = make_single_environment(slot_scenario("booth_corridor").environment)
    rows = dict(played("slots", "booth_corridor", ["right"], horizon=4).game.result())
    found = evaluate(environment, "cpy", 4, HALF)
    assert f"cpy {found.action}, you lose {found.V - found.Q['right']}" in rows["choice 1: right, after nothing"]


@pytest.mark.parametrize(
    ("world", "texts"), [("swap", ["action 0", "action 1"]), ("booth_corridor", ["left", "right", USE])]
)
def test_numbers_are_said_to_be_actions(world: str, texts: list[str]) -> None:
    assert [move.text for move in played("slots", world, []).game.menu()] == texts


def test_more_copies_than_can_be_shown_are_refused_and_the_game_goes_on() -> None:
    session = played("slots", "exponential", ["1"] * 4, horizon=10)
    before = visible(session.game)
    with pytest.raises(BadValue, match="32 slots do not fit"):
        session.take("1")
    assert visible(session.game) == before
