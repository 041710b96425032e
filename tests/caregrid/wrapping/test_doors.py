"""Doors: worlds of other libraries, whose values closed forms and backward induction in this file confirm.

dm_env, gymnax, jumanji, pgx and OpenSpiel are too heavy for this suite. Small objects with the methods of each stand
in for them.
"""

import itertools
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from gymnasium.spaces import Discrete
from pettingzoo import ParallelEnv
from pettingzoo.classic.rps.rps import env as make_rps
from pettingzoo.utils import aec_to_parallel

import caregrid
from caregrid.wrapping.doors.functional import Gymnax, _draws_from, _trace_use
from caregrid.wrapping.settings import WorldSettings
from engine.errors import BadValue, CaregridError, ContractBroken, UnknownName
from tests.caregrid.wrapping.door_worlds import Catch, HeapGame, HeapState, Lights, Nim, Packing, Slippery, Walk


def own_value(env: Any, **settings: Any) -> float:
    return caregrid.problem(caregrid.wrap(env, **settings)).solve(care=0).own


# dm_env


@pytest.mark.parametrize("first", [0, 4])
def test_dm_env(first: int) -> None:
    scenario = caregrid.wrap(Catch(first=first), seeds="every draw", others=[])
    assert len(scenario.table.start.nonzero()[0]) == 3
    assert caregrid.problem(scenario).solve(care=0).own == pytest.approx(1.0)
    assert own_value(Catch(rows=2, columns=5), seeds="every draw", others=[]) == pytest.approx(3 / 5 - 2 / 5)


def test_dm_env_with_a_discount_of_its_own_is_refused() -> None:
    with pytest.raises(BadValue, match=r"discount 0\.9"):
        caregrid.wrap(Catch(discount=0.9), others=[])


# PettingZoo in turns


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("make", [make_rps, lambda **given: aec_to_parallel(make_rps(**given))])
def test_rock_paper_scissors(make: Callable[..., Any]) -> None:
    """Paper against half rock: 0.5 - 0.2 each round."""
    law = np.array([0.5, 0.3, 0.2])
    value = own_value(make(max_cycles=1), policies={"player_1": lambda seen: law})
    assert value == pytest.approx(0.3)


def test_who_moves_second_begins_where_the_first_has_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    """A planner knows the state, here what the other has chosen already; that one reset is followed alone is told."""
    settings: dict[str, Any] = {"agent": "player_1", "policies": {"player_0": lambda seen: [0.5, 0.3, 0.2]}}
    scenario = caregrid.wrap(make_rps(max_cycles=1), seeds="every draw", **settings)
    assert sorted(scenario.table.start[scenario.table.start > 0]) == pytest.approx([0.2, 0.3, 0.5])
    assert caregrid.problem(scenario).solve(care=0).own == pytest.approx(1.0)
    assert capsys.readouterr().err == ""
    caregrid.wrap(make_rps(max_cycles=1), **settings)
    assert 'one draw is followed; seeds="every draw" follows all\n' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({}, BadValue, "no policy for player_1"),
        ({"policies": {"player_9": "uniform"}}, UnknownName, "player_9"),
        ({"policies": "unifrom"}, ContractBroken, "the policy of the others"),
        ({"policies": [1]}, BadValue, "expected a policy, or a mapping"),
        ({"policies": lambda seen: 7}, BadValue, "gave 7"),
        ({"policies": {"player_1": lambda seen: 7}}, BadValue, "gave 7"),
        ({"policies": {"player_1": lambda seen: [0.5, 0.5, 0.5]}}, BadValue, r"gave \[0\.5"),
    ],
)
def test_policies_are_checked(settings: dict[str, Any], error: type[CaregridError], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        caregrid.wrap(make_rps(max_cycles=1), **settings)
    assert "\n" not in str(caught.value)


# Functional worlds: take 1 or 2 of some stones; who takes the last one wins

STONES = 5


@lru_cache
def nim_against_chance(left: int, mine: bool) -> Fraction:
    """The value of the acting player's best play against uniform moves."""
    if left == 0:
        return Fraction(-1 if mine else 1)
    values = [nim_against_chance(left - taken, not mine) for taken in (1, 2) if taken <= left]
    return max(values) if mine else Fraction(sum(values), len(values))


@pytest.mark.slow
def test_a_game_of_pgx() -> None:
    scenario = caregrid.wrap(Nim(), policies={1: "uniform"})
    assert caregrid.problem(scenario).solve(care=0).own == pytest.approx(float(nim_against_chance(STONES, True)))
    assert scenario.table.available is not None
    second = own_value(Nim(), agent=1, policies="uniform", seeds="every draw")
    assert second == pytest.approx(float(sum(nim_against_chance(STONES - taken, True) for taken in (1, 2)) / 2))


def test_gymnax() -> None:
    assert own_value(Slippery(), others=[]) == pytest.approx(-4)
    assert own_value(Slippery(most=3), others=[]) == pytest.approx(-3), "its clock is a part of the state"
    assert len(caregrid.wrap(Slippery(most=3), others=[], ignore=("time",)).table.terminal) == 5
    assert own_value((Slippery(), SimpleNamespace(most=2)), others=[]) == pytest.approx(-2)


def test_chance_of_a_functional_world_is_sampled_where_that_is_said() -> None:
    with pytest.raises(ContractBroken, match="random_seeds="):
        caregrid.wrap(Slippery(slips=True), others=[], ignore=("time",))
    sampled = caregrid.wrap(Slippery(slips=True), others=[], ignore=("time",), random_seeds=range(8))
    assert caregrid.problem(sampled).solve(care=0).own < -4


def test_a_field_may_be_called_as_a_method_of_mappings() -> None:
    """The two best things of 3, 1 and 2."""
    assert own_value(Packing(), others=[]) == 5.0


def test_jumanji() -> None:
    scenario = caregrid.wrap(Walk(), others=[])
    assert scenario.actions == ("0,0", "0,1", "1,0", "1,1")
    assert caregrid.problem(scenario).solve(care=0).own == pytest.approx(-2.5)
    assert scenario.table.available is not None
    assert not scenario.table.available[0][0]


# OpenSpiel: the same heap, after a coin decides how many stones there are


@pytest.mark.parametrize("information", ["PERFECT_INFORMATION", "IMPERFECT_INFORMATION"])
def test_a_game_of_openspiel(information: str) -> None:
    scenario = caregrid.wrap(HeapGame(information), policies="uniform")
    expected = Fraction(1, 4) * nim_against_chance(4, True) + Fraction(3, 4) * nim_against_chance(5, True)
    assert caregrid.problem(scenario).solve(care=0).own == pytest.approx(float(expected))
    assert scenario.actions == ("take 1", "take 2")


def test_a_policy_object_of_openspiel() -> None:
    takes_one = SimpleNamespace(action_probabilities=lambda state: {0: 1.0})
    value = own_value(HeapGame(), policies={1: takes_one.action_probabilities})
    assert value == pytest.approx(1.0)


def test_simultaneous_moves_are_refused() -> None:
    with pytest.raises(BadValue, match="convert_to_turn_based"):
        caregrid.wrap(HeapGame(dynamics="SIMULTANEOUS"), policies={1: "uniform"})
    with pytest.raises(BadValue, match="heap: a mean-field game; choose one in which players take turns"):
        caregrid.wrap(HeapGame(dynamics="MEAN_FIELD"), policies={1: "uniform"})


def test_chance_that_is_not_listed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HeapState, "chance_outcomes", lambda state: [])
    with pytest.raises(CaregridError, match=r"heap: .*no outcomes of chance after"):
        caregrid.wrap(HeapGame(), policies={1: "uniform"})


# a hidden performance


def test_a_hidden_performance() -> None:
    """What hurries is paid for by the hidden performance: two steps over the diagonal, or four along the sides."""
    scenario = caregrid.wrap(Walk(), others=[], performance=lambda before, action, after: -1.0 * (action == "1,1"))
    found = caregrid.optima(scenario).optima
    assert (found.reward, found.performance) == pytest.approx((-2.5, -2.0))
    assert (found.best_performance, found.its_reward) == pytest.approx((0.0, -4.0))
    lost = caregrid.optima(caregrid.wrap(Nim(), policies={1: "uniform"}, performance="1")).optima
    assert lost.best_performance == pytest.approx(-lost.its_reward)
    assert lost.best_performance > -lost.reward


@pytest.mark.parametrize(
    ("performance", "says"), [("score", "unknown reward"), (7, "reward 7 of 2"), (lambda state: 0.0, "performance")]
)
def test_a_performance_that_is_none(performance: Any, says: str) -> None:
    with pytest.raises(CaregridError, match=says):
        caregrid.wrap(Nim(), policies={1: "uniform"}, performance=performance)


# compound actions


@pytest.mark.parametrize("kind", ["multi", "binary", "tuple", "dict", "box"])
def test_compound_actions(kind: str) -> None:
    scenario = caregrid.wrap(Lights(kind), others=[])
    assert sorted(scenario.actions) == [",".join(each) for each in itertools.product("01", repeat=3)]
    assert caregrid.problem(scenario).solve(care=0).own == pytest.approx(-4.0)


def test_actions_counted_from_elsewhere() -> None:
    scenario = caregrid.wrap(Lights("late"), others=[])
    assert scenario.actions == ("5", "6")
    assert caregrid.problem(scenario).solve(care=0).own == pytest.approx(-1.0)


@pytest.mark.parametrize(("kind", "says"), [("huge", "1,000,000 actions"), ("real", "its actions are Tuple")])
def test_too_many_actions(kind: str, says: str) -> None:
    with pytest.raises(BadValue, match=says):
        caregrid.wrap(Lights(kind), others=[])


def test_a_reset_with_too_many_outcomes_is_refused_in_one_line() -> None:
    class Dealt(Lights):
        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            shown = super().reset(seed=seed, options=options)
            self.cards = [int(self.np_random.integers(52)) for _ in range(4)]
            return shown

    with pytest.raises(
        CaregridError, match=r"its reset: more than 4096 outcomes of one step; give seeds=range"
    ) as told:
        caregrid.wrap(Dealt("binary"), seeds="every draw", others=[])
    assert "NotFinite" not in str(told.value)


class RarelySlippery(Slippery):
    """It slips with every tenth key, which neither of the first two is."""

    def step_env(self, key: Any, state: Any, action: int, params: Any) -> Any:
        return super().step_env(np.array([0, int(key[1]) % 10 == 7]), state, action, params)


def test_rare_chance_of_a_functional_world_is_no_certainty() -> None:
    """Two keys that lead alike say little: a slip in every tenth step costs half a step each, not none."""
    with pytest.raises(ContractBroken, match="random_seeds="):
        caregrid.wrap(RarelySlippery(slips=True), others=[], ignore=("time",))
    keys = range(64)
    sampled = caregrid.wrap(RarelySlippery(slips=True), others=[], ignore=("time",), random_seeds=keys)
    assert caregrid.problem(sampled).solve(care=0).own < -4.01


def test_what_is_computed_from_a_key_is_seen_in_the_traced_step() -> None:
    """A traced function as jax has it: y = f(state), split = g(key), z = h(y, split)."""

    def step(name: str, given: list[object], gives: list[object], **parameters: Any) -> Any:
        return SimpleNamespace(primitive=SimpleNamespace(name=name), invars=given, outvars=gives, params=parameters)

    state, key, y, split, z = (object() for _ in range(5))
    steps = [step("f", [state], [y]), step("g", [key], [split]), step("h", [y, split], [z])]
    traced = SimpleNamespace(invars=[state, key], eqns=steps, outvars=[y, z, key, state])
    assert _trace_use(traced, [False, True]) == [False, True, True, False]
    a, b, whole, part = (object() for _ in range(4))
    closed = SimpleNamespace(jaxpr=traced)
    for name, wanted in (("jit", [False, True]), ("while", [True, True])):
        call = step(name, [a, b], [whole, part, object(), object()], jaxpr=closed)
        outer = SimpleNamespace(invars=[a, b], eqns=[call], outvars=[whole, part])
        assert _trace_use(outer, [False, True]) == wanted


def test_a_random_key_of_any_name_is_seen_in_the_traced_step() -> None:
    """A step that wraps a leaf as a random key draws from it, also within a call, whose other arguments are no keys."""

    def step(name: str, given: list[object], gives: list[object], **parameters: Any) -> Any:
        return SimpleNamespace(primitive=SimpleNamespace(name=name), invars=given, outvars=gives, params=parameters)

    noise, place, half, key, a, b, c = (object() for _ in range(7))
    inner = SimpleNamespace(invars=[a, b], eqns=[step("random_wrap", [b], [c])], outvars=[a, c])
    for name, parameters in (("jit", {"jaxpr": SimpleNamespace(jaxpr=inner)}), ("cond", {"branches": (inner,)})):
        steps = [step("slice", [noise], [half]), step(name, [place, half], [object(), key], **parameters)]
        traced = SimpleNamespace(invars=[noise, place], eqns=steps, outvars=[key, place])
        assert _draws_from(traced, {id(noise)})
        assert not _draws_from(traced, {id(place)})
    assert not _draws_from(SimpleNamespace(eqns=[step("add", [noise], [half])]), {id(noise)})


def test_a_typed_random_key_is_one_whatever_it_is_called() -> None:
    """jax's own kind of keys, by its name for the type; of numbers the name decides."""
    door = Gymnax(SlipsByItsOwnKey(), WorldSettings())
    for kind, name, wanted in (("key<fry>", "s.noise", True), ("uint32", "s.noise", False), ("uint32", "s.rng", True)):
        assert door._is_random_key(name, SimpleNamespace(dtype=kind, shape=(2,))) is wanted


class KeyAndPlace(NamedTuple):
    """A state of gymnax with the key to a door."""

    place: Any
    key: Any


class LockedRoom:
    """An environment of gymnax: begin in cell 1 of 0 to 3; the key lies in 0, the door in 3 opens with it only."""

    name, default_params = "locked_room", None

    def action_space(self, params: Any) -> Any:
        return SimpleNamespace(n=2)

    def reset_env(self, key: Any, params: Any) -> tuple[None, KeyAndPlace]:
        return None, KeyAndPlace(np.int32(1), np.bool_(False))

    def step_env(self, key: Any, state: KeyAndPlace, action: int, params: Any) -> Any:
        place = np.clip(state.place + (1 if action else -1), 0, 3)
        holds = bool(state.key) or place == 0
        opened = bool(place == 3 and holds)
        return None, KeyAndPlace(np.int32(place), np.bool_(holds)), 10.0 if opened else -1.0, opened, {}


def test_the_key_to_a_door_is_no_random_key() -> None:
    """One step to the key, three to the door."""
    assert own_value(LockedRoom(), others=[]) == 10 - 3


class OwnKey(NamedTuple):
    """A state of gymnax that carries its random key."""

    place: Any
    rng: Any


class SlipsByItsOwnKey(LockedRoom):
    """It walks from 0 to 3, slipping by its state's random key, and never looks at the one that it is given."""

    name = "slips_by_its_own_key"

    def reset_env(self, key: Any, params: Any) -> tuple[None, OwnKey]:
        return None, OwnKey(np.int32(0), np.array([0, 8], dtype=np.uint32))

    def step_env(self, key: Any, state: OwnKey, action: int, params: Any) -> Any:
        place = state.place if action == 0 or state.rng[1] % 2 else state.place + 1
        return None, OwnKey(np.int32(place), state.rng + np.uint32(1)), -1.0, bool(place == 3), {}


def test_a_random_key_that_a_state_carries_is_drawn_like_the_one_that_is_given() -> None:
    """Three steps, each tried until a key is even, as half of them are: six on average."""
    with pytest.raises(ContractBroken, match="random_seeds="):
        caregrid.wrap(SlipsByItsOwnKey(), others=[])
    sampled = caregrid.wrap(SlipsByItsOwnKey(), others=[], random_seeds=range(60))
    assert caregrid.problem(sampled).solve(care=0).own == pytest.approx(-6, abs=1.5)


class Guessers(ParallelEnv[str, int, int]):
    """Two rounds; a pays 1 for action 1, which its mask forbids in the second round. b dies, c is born, both idle."""

    metadata: ClassVar[dict[str, Any]] = {"name": "guessers"}
    possible_agents: ClassVar[list[str]] = ["a", "b", "c"]

    def __init__(self, late: str = "c", told: bool = True, first: tuple[str, ...] = ("a", "b")) -> None:
        self.late, self.told, self.first = late, told, first

    def observation_space(self, agent: str) -> Discrete:
        return Discrete(3)

    def action_space(self, agent: str) -> Discrete:
        return Discrete(2)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.turn, self.agents = 0, list(self.first)
        return dict.fromkeys(self.agents, 0), {name: {} for name in self.agents}

    def step(self, actions: dict[str, int]) -> Any:
        if self.turn == 1 and actions["a"] == 1:
            raise RuntimeError("not allowed")
        rewards = {name: float(action) for name, action in actions.items()}
        self.turn += 1
        over = {name: name == "b" or self.turn == 2 for name in actions}
        self.agents = [] if self.turn == 2 else [*(name for name in actions if not over[name]), self.late]
        seen = dict.fromkeys([*actions, *([self.late] if self.told else [])], self.turn)
        masks = {name: {"action_mask": np.array([1, 0], dtype=np.int8)} for name in seen}
        return seen, rewards, over, dict.fromkeys(actions, False), masks


def test_agents_of_pettingzoo_die_and_are_born_and_masks_may_be_said_beside_observations() -> None:
    assert own_value(Guessers(), policies="uniform", others=[]) == 1.0
    for wrong, said in (
        (Guessers(late="stranger"), "'stranger' is none of its agents; name all"),
        (Guessers(told=False), "'c' acts and has observed nothing; let reset and step"),
        (Guessers(first=("b",)), "'a' is not there when an episode begins; choose agent="),
    ):
        with pytest.raises(ContractBroken, match=said):
            caregrid.wrap(wrong, policies="uniform", others=[])
    with pytest.raises(BadValue, match=r"policy of c gave 1; give .* above 0 for 0 alone, which can be taken there"):
        caregrid.wrap(Guessers(), policies={"b": "uniform", "c": lambda seen: 1}, others=[])


def test_what_is_earned_before_the_first_move_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first player is paid 2 at once for its first move."""
    plain = HeapState.returns
    early = 2.0
    monkeypatch.setattr(HeapState, "returns", lambda state: [plain(state)[0] + early * (len(state.history()) > 1), 0.0])
    caregrid.wrap(HeapGame(), agent=1, policies="uniform")
    assert capsys.readouterr().err.count("left out is what is earned before the agent's first move: 1 0, 0 2\n") == 1
    caregrid.wrap(HeapGame(), agent=0, policies="uniform")
    assert "left out" not in capsys.readouterr().err
