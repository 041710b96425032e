"""The paper's examples, by hand and by their definitions; handicaps; how long 200 turns take."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import xenv
from engine.errors import BadValue, ContractBroken
from xenv.theory import THEORY_EXAMPLES
from xenv.theory.agents import as_agent
from xenv.theory.enumerations import decode_percept, decode_play, encode_percept
from xenv.theory.environments import TheoryExample
from xenv.theory.handicaps import with_handicap
from xenv.theory.histories import Percept, Play, Prompt
from xenv.theory.interaction import interact
from xenv.theory.naming import read_agent, read_environment

AGENTS = st.integers(0, 10**6).map(lambda key: read_agent(f"scrambled:{key},3"))
HANDICAPS = [name for name, example in THEORY_EXAMPLES.items() if example.is_handicap]
MERCIFUL = [name for name, example in THEORY_EXAMPLES.items() if example.is_merciful]


def environment(name: str) -> Any:
    return read_environment(name).environment


@settings(deadline=None, max_examples=20)
@given(AGENTS)
def test_definitions_turn_by_turn(agent: Any) -> None:
    """Each example against its formula, written once more with plain tuples."""

    def expected(name: str, p: tuple[Any, ...], a: int) -> bool:
        backward = tuple(x for k in range(len(p) - 2, -1, -3) for x in (p[k], p[k + 1], *p[k - 1 : k][:1]) if k >= 0)
        zeroed = tuple(0 if k % 3 == 0 else x for k, x in enumerate(p))
        asked = {
            "ignoring_rewards": zeroed,
            "false_memories": (0, 0, 1, *p),
            "deja_vu": (*p, a, *p),
            "backward_consciousness": backward,
        }
        return bool(agent(asked[name]) == a)

    for name in ("ignoring_rewards", "false_memories", "deja_vu", "backward_consciousness"):
        result = interact(agent, environment(name), 8)
        for turn, reward in enumerate(result.rewards[1:]):
            prompt, action = result.play[: 3 * turn + 2], result.play[3 * turn + 2]
            assert reward == (1 if expected(name, tuple(prompt), action) else -1)


@settings(deadline=None, max_examples=20)
@given(AGENTS)
def test_incentive_to_incentivize_by_its_definition(agent: Any) -> None:
    result = interact(agent, environment("incentive_to_incentivize"), 8)
    copy: tuple[Any, ...] = (0, 0)
    for action, reward in zip(result.play.actions, result.rewards[1:], strict=True):
        copy = (*copy, agent(copy), action, 0)
        assert reward == (1 if agent(copy) == 0 else -1)


@settings(deadline=None, max_examples=20)
@given(AGENTS, st.integers(1, 40))
def test_the_crying_baby_by_its_definition(agent: Any, turns: int) -> None:
    result = interact(agent, environment("crying_baby"), turns)
    childhood: tuple[Any, ...] = ()
    for turn in range(turns):
        so_far = result.play[: 3 * turn + 3]
        satiation = 100 + 25 * so_far[2::3].count(0) - len(so_far)
        childhood = (*childhood, 1 if 50 <= satiation <= 200 else -1, so_far[-1])
        childhood = (*childhood, agent(childhood))
        following = Percept(*result.play[3 * turn + 3 : 3 * turn + 5]) if turn + 1 < turns else result.last
        assert following == (1 if childhood[-1] == 0 else -1, childhood[-1])


def test_the_baby_grows_hungry_and_full() -> None:
    contented = interact(read_agent("after_punishment"), environment("crying_baby"), 30)
    assert contented.rewards[:6] == (1, 1, 1, 1, 1, -1)


def test_self_recognition_shows_all_plays_and_asks_whose_they_are() -> None:
    def honest(prompt: Prompt) -> int:
        shown = prompt.observations[-1]
        if shown == 0:
            return 0  # p_0 asks what is done at this very prompt: no answer to it is right
        asked, action = decode_play(shown).decompose()
        return int(honest(asked) == action)

    result = interact(honest, environment("self_recognition"), 100)
    assert result.play.observations == tuple(range(100))
    assert result.last.observation == 100
    assert result.rewards == (0, 0, *[1] * 99)
    for action in range(3):
        fixed = interact(lambda prompt, action=action: action, environment("self_recognition"), 1)
        assert fixed.rewards == (0, int((action > 0) == (action == 0)))


def test_self_insertion_shows_percepts_and_rewards_treating_them_as_real() -> None:
    def cruel(agent: Any, play: Play) -> Percept:
        return Percept(Fraction(-1 if len(play) % 2 else 1, 2), 5)

    room = THEORY_EXAMPLES["self_insertion"](cruel)

    def immersed(prompt: Prompt) -> int:
        observation = prompt.observations[-1]
        percept = decode_percept(observation) if observation != 5 else Percept(*prompt[-2:])
        return int(percept.reward < 0)

    result = interact(immersed, room, 8)
    assert result.rewards == (0, *[1] * 8)
    assert [decode_percept(shown) for shown in result.play.observations] == [
        cruel(None, (0,) * 3 * k) for k in range(8)
    ]
    assert -1 in interact(read_agent("after_punishment"), room, 8).rewards


@settings(deadline=None, max_examples=20)
@given(AGENTS)
def test_the_self_inserted_game_answers_the_play_in_the_room(agent: Any) -> None:
    asked: list[Play] = []

    def game(measured: Any, play: Play) -> Percept:
        asked.append(play)
        return Percept(Fraction(len(play), 7), 5)

    result = interact(agent, THEORY_EXAMPLES["self_insertion"](game), 6)
    shown = [Percept(Fraction(3 * turn, 7), 5) for turn in range(7)]
    assert asked == [result.play[: 3 * turn] for turn in range(7)]
    assert (*result.play.observations, result.last.observation) == tuple(map(encode_percept, shown))
    for turn in range(1, 7):
        *prompt, action = (entry for k in range(turn) for entry in (*shown[k], result.play[3 * k + 2]))
        assert result.rewards[turn] == (1 if action == agent(tuple(prompt)) else -1)


def test_a_percept_whose_number_is_too_long_is_refused() -> None:
    with pytest.raises(BadValue, match="too long a number"):
        interact(read_agent("always:0"), environment("self_insertion(newcomb)"), 2)


def test_snapshots() -> None:
    room = interact(lambda prompt: (len(prompt) // 3) % 3, environment("mirror"), 30)
    lamps = [divmod(o, 8) for o in room.play.observations]
    assert all(f"{shown:03b}" == f"{mirror:03b}"[::-1] for shown, mirror in lamps)
    assert len({shown for shown, _ in lamps}) > 3
    space = interact(read_agent("scrambled:3,3"), environment("binocular"), 60)
    eyes = {(left + right) * (left + right + 1) // 2 + right: (left, right) for left in range(9) for right in range(9)}
    shown = [eyes[o] for o in space.play[1::3]]
    points = {((left + right - 4) / 2, (left - right + 4) / 2) for left, right in shown}
    assert len(points) > 10
    assert points <= {(x, z) for x in range(5) for z in range(5)}


def test_the_body_in_the_mirror_is_the_computation() -> None:
    def busy(prompt: Prompt) -> int:
        total = 0
        for observation in prompt.observations:
            total += observation
        return total % 2

    lines = [1 + 2 * turns + 1 + 1 for turns in range(1, 9)]
    agent = as_agent(busy)
    result = interact(agent, environment("mirror_with_body"), 8)
    for turn in range(8):
        seen = [o % 8 + 8 * (lines[k - 1] if k else 0) for k, o in enumerate(result.play.observations[: turn + 1])]
        assert result.rewards[turn + 1] == (1 if sum(seen) % 2 == result.play.actions[turn] else -1)


def test_reinforcement_learning_itself_pays_computed_totals() -> None:
    result = interact(read_agent("always:0"), environment("learning_itself"), 12)
    assert result.play.observations == tuple(range(12))
    # n <-> (i, m - 1): always 0 gets m in each but the baby's, where it gets m + 1, and Newcomb's
    assert result.rewards[1:8] == (1, 1, 2, 1, 2, 3, 1)
    assert interact(read_agent("always:1"), environment("learning_itself"), 12).total == 0


@pytest.mark.parametrize("name", list(THEORY_EXAMPLES))
def test_examples_take_plays_that_never_happened(name: str) -> None:
    """e(T, s) is defined for every agent and play."""

    @settings(deadline=None, max_examples=15)
    @given(AGENTS, st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 200), st.integers(0, 4)), max_size=4))
    def check(agent: Any, turns: list[tuple[int, int, int]]) -> None:
        play = Play(entry for turn in turns for entry in turn)
        reward, observation = environment(name)(agent, play)
        assert Prompt((*play, reward, observation))

    check()


@pytest.mark.parametrize("handicap", HANDICAPS)
@pytest.mark.parametrize("merciful", MERCIFUL)
def test_every_handicap_on_every_merciful_environment(merciful: str, handicap: str) -> None:
    agent = read_agent("scrambled:7")
    e, h, eh = (environment(name) for name in (merciful, handicap, f"{merciful}*{handicap}"))
    result = interact(agent, eh, 20)
    for turn in range(21):
        play = Play(result.play[: 3 * turn])
        reward, observation = e(agent, play)
        assert eh(agent, play) == (-1 if h(agent, play)[0] == -1 else reward, observation)


@settings(deadline=None, max_examples=15)
@given(AGENTS, st.permutations(HANDICAPS))
def test_several_handicaps_in_any_order(agent: Any, order: list[str]) -> None:
    result = interact(agent, environment("*".join(["counting", *order])), 12)
    assert result == interact(agent, environment("*".join(["counting", *sorted(order)])), 12)
    for turn in range(1, 13):
        play = Play(result.play[: 3 * turn])
        failed = any(environment(name)(agent, play)[0] == -1 for name in order)
        assert result.rewards[turn] == (-1 if failed else int(play[-1] == 1))


@pytest.mark.parametrize(("first", "begins"), [(1, 0), (0, 0), (-1, -1)])
def test_a_handicap_may_judge_before_the_first_action(first: int, begins: int) -> None:
    def strict(agent: Any, play: Play) -> Percept:
        return Percept(Fraction(1 if play else first), 0)

    xenv.check_theory_example(TheoryExample(lambda: strict, is_handicap=True))
    result = interact(read_agent("always:1"), with_handicap(environment("counting"), strict), 3)
    assert result.rewards == (begins, 1, 1, 1)


def test_only_merciful_environments_take_handicaps() -> None:
    with pytest.raises(ContractBroken, match="merciful"):
        interact(read_agent("parity"), with_handicap(lambda T, p: Percept(Fraction(-2), 0), environment("deja_vu")), 1)
    with pytest.raises(ContractBroken, match=r"h of e\*h"):
        interact(read_agent("parity"), environment("counting*newcomb"), 2)


@pytest.mark.parametrize("bad", [None, 3, (1, 2, 3), (0.5, 0), (0, -1), (True, 0), ("1", 0)])
def test_what_is_no_percept_is_refused_in_one_line(bad: Any) -> None:
    def mine(agent: Any, play: Play) -> Any:
        return bad

    with pytest.raises(ContractBroken, match=r"test_examples\.py, function .*mine"):
        interact(read_agent("parity"), mine, 3)
    with pytest.raises(ContractBroken):
        xenv.check_theory_example(TheoryExample(lambda: mine))


def test_the_checker_knows_handicaps_and_mercy() -> None:
    with pytest.raises(ContractBroken, match="handicap"):
        xenv.check_theory_example(TheoryExample(lambda: environment("counting"), is_handicap=True))
    with pytest.raises(ContractBroken, match="merciful"):
        xenv.check_theory_example(TheoryExample(lambda: environment("crying_baby"), is_merciful=True))
