"""Operators on environments, by the papers' definitions as plain loops over lists; the games of the introduction."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caregrid
from caregrid.main import main
from engine.errors import BadValue, CaregridError, ContractBroken, UnknownName
from xenv.theory import THEORY_EXAMPLES
from xenv.theory.examples.baby_and_predictor import crying_baby, newcomb, society
from xenv.theory.examples.environments_inside import counting
from xenv.theory.examples.handicap_examples import deja_vu
from xenv.theory.examples.rewarding_otherwise import is_guarded, opposite, with_rewards
from xenv.theory.examples.seeing_otherwise import binocular, mirror
from xenv.theory.handicaps import with_handicap
from xenv.theory.histories import Percept, Play
from xenv.theory.interaction import interact
from xenv.theory.naming import read_agent, read_environment

AGENTS = st.integers(0, 10**6).map(lambda key: read_agent(f"scrambled:{key},3"))
NAMES = ("counting", "newcomb", "crying_baby", "deja_vu", "false_memories:1/2,3,1")


def environment(name: str) -> Any:
    return read_environment(name).environment


def answers(name: str, agent: Any) -> Callable[[list[Any]], tuple[Any, int]]:
    """A shipped environment, as a function of plain lists."""
    game = environment(name)
    return lambda play: tuple(game(agent, Play(play)))


def walk(agent: Any, e: Callable[[list[Any]], tuple[Any, int]], turns: int) -> list[Any]:
    """Definition 3: r_0, o_0, a_0, ..., r_n, o_n."""
    history: list[Any] = []
    for _ in range(turns):
        history += e(history)
        history.append(agent(history))
    return [*history, *e(history)]


def as_list(name: str, agent: Any, turns: int) -> list[Any]:
    result = interact(agent, environment(name), turns)
    return [*result.play, *result.last]


def pair_of(number: int) -> tuple[int, int]:
    """Walk along Cantor's diagonals: (0, 0), (1, 0), (0, 1), (2, 0), (1, 1), ..."""
    first = second = 0
    for _ in range(number):
        first, second = (first - 1, second + 1) if first else (second + 1, 0)
    return first, second


@settings(deadline=None, max_examples=25)
@given(AGENTS, st.sampled_from(NAMES), st.integers(1, 5))
def test_the_mirror_of_any_environment(agent: Any, name: str, divisor: int) -> None:
    """Example 8: the observations of e; 1 where a = T(p') with o'_i the mirror's part of o_i, else -1."""
    e = answers(name, agent)

    def expected(play: list[Any]) -> tuple[Any, int]:
        if not play:
            return 0, e(play)[1]
        imagined = [x % divisor if k % 3 == 1 else x for k, x in enumerate(play[:-1])]
        return (1 if agent(imagined) == play[-1] else -1), e(play)[1]

    assert as_list(f"mirror({name},modulo:{divisor})", agent, 9) == walk(agent, expected, 9)


@settings(deadline=None, max_examples=25)
@given(AGENTS, st.sampled_from(NAMES), st.sampled_from(["left", "right", "point"]))
def test_binocular_vision_of_any_environment(agent: Any, name: str, model: str) -> None:
    """Example 9: o_i encodes two snapshots, and o'_i what they show together."""
    e = answers(name, agent)
    models = {
        "left": lambda left, right: left,
        "right": lambda left, right: right,
        "point": lambda left, right: 10 * (max(left + right - 4, 0) // 2) + max(left - right + 4, 0) // 2,
    }

    def expected(play: list[Any]) -> tuple[Any, int]:
        if not play:
            return 0, e(play)[1]
        imagined = [models[model](*pair_of(x)) if k % 3 == 1 else x for k, x in enumerate(play[:-1])]
        return (1 if agent(imagined) == play[-1] else -1), e(play)[1]

    written = f"binocular({name})" if model == "point" else f"binocular({name},{model})"
    assert as_list(written, agent, 9) == walk(agent, expected, 9)


@settings(deadline=None, max_examples=10)
@given(AGENTS)
def test_two_eyes_see_the_point_where_it_is(agent: Any) -> None:
    result = interact(agent, environment("binocular"), 12)
    x, z, imagined = 2, 1, list[Any]()
    for turn in range(12):
        imagined += [result.rewards[turn], 10 * x + z]
        action = result.play.actions[turn]
        assert result.rewards[turn + 1] == (1 if agent(imagined) == action else -1)
        imagined.append(action)
        x, z = (x + (action == 0)) % 5, (z + (action == 1)) % 5


@settings(deadline=None, max_examples=10)
@given(AGENTS)
def test_the_mirror_of_the_lamps(agent: Any) -> None:
    result = interact(agent, environment("mirror"), 12)
    lamps, imagined = [0, 0, 1], list[Any]()
    for turn in range(12):
        value, image = (4 * one[0] + 2 * one[1] + one[2] for one in (lamps, lamps[::-1]))
        assert result.play.observations[turn] == 8 * value + image
        imagined += [result.rewards[turn], image]
        action = result.play.actions[turn]
        assert result.rewards[turn + 1] == (1 if agent(imagined) == action else -1)
        imagined.append(action)
        lamps[action % 3] = 1 - lamps[action % 3]


@settings(deadline=None, max_examples=25)
@given(AGENTS, st.lists(st.sampled_from(NAMES), min_size=1, max_size=4))
def test_a_society_is_a_ring_of_copies(agent: Any, names: list[str]) -> None:
    first, *others = [answers(name, agent) for name in names]

    def expected(play: list[Any]) -> tuple[Any, int]:
        neighbour = play
        for e in others:
            life: list[Any] = []
            for turn in range(1, len(play) // 3 + 1):
                life += e(neighbour[: 3 * turn])
                life.append(agent(life))
            neighbour = life
        return first(neighbour)

    assert as_list(f"society({','.join(names)})", agent, 7) == walk(agent, expected, 7)


@settings(deadline=None, max_examples=20)
@given(AGENTS)
def test_the_family_of_three(agent: Any) -> None:
    """The agent raises a child, the child a grandchild, by the satiation of The Crying Baby."""

    def perceive(deeds: list[int]) -> tuple[int, int]:
        satiation = 100 + 25 * deeds.count(0) - 3 * len(deeds)
        return (1 if 50 <= satiation <= 200 else -1), deeds[-1]

    result = interact(agent, environment("society"), 20)
    deeds: list[int] = []
    child: list[Any] = []
    grandchild: list[Any] = []
    for turn in range(20):
        deeds.append(result.play.actions[turn])
        child += perceive(deeds)
        child.append(agent(child))
        grandchild += perceive(child[2::3])
        grandchild.append(agent(grandchild))
        following = result.play[3 * turn + 3 : 3 * turn + 5] if turn < 19 else result.last
        assert tuple(following) == (1 if grandchild[-1] == 0 else -1, grandchild[-1])


@settings(deadline=None, max_examples=20)
@given(AGENTS, st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=2, max_size=12))
def test_a_society_answers_plays_in_any_order(agent: Any, steps: list[tuple[int, bool]]) -> None:
    """What is kept of the last play changes no answer."""
    one, play = environment("society(crying_baby,newcomb)"), list[Any]()
    for action, back in steps:
        play = play[: -3 * (len(play) > 3)] if back else [*play, Fraction(action), 0, action]
        fresh = environment("society(crying_baby,newcomb)")
        assert one(agent, Play(play)) == fresh(agent, Play(play))


@settings(deadline=None, max_examples=25)
@given(AGENTS, st.sampled_from(NAMES), st.fractions(max_denominator=9))
def test_other_rewards_and_opposites(agent: Any, name: str, factor: Fraction) -> None:
    e = answers(name, agent)
    scaled = walk(agent, lambda play: (factor * e(play)[0], e(play)[1]), 8)
    assert as_list(f"with_rewards({name},times:{factor})", agent, 8) == scaled
    assert as_list(f"opposite({name})", agent, 8) == walk(agent, lambda play: (-e(play)[0], e(play)[1]), 8)
    bound = abs(factor)
    within = walk(agent, lambda play: (max(-bound, min(bound, e(play)[0])), e(play)[1]), 8)
    assert as_list(f"with_rewards({name},within:{factor})", agent, 8) == within


@settings(deadline=None, max_examples=25)
@given(AGENTS, st.integers(-9, 9), st.fractions(max_denominator=7))
def test_employment(agent: Any, paid: int, imagined: Fraction) -> None:
    """ "Every hour that you act as if I am paying you $1000 per hour, I will pay you $100", else deduct it."""
    for name, pay, as_if in (("employment", 100, 1000), (f"employment:{paid},{imagined}", paid, imagined)):

        def expected(play: list[Any], pay: int = pay, as_if: Any = as_if) -> tuple[Any, int]:
            if not play:
                return 0, 0
            dreamt = [as_if if k % 3 == 0 else x for k, x in enumerate(play[:-1])]
            return (pay if agent(dreamt) == play[-1] else -pay), 0

        assert as_list(name, agent, 8) == walk(agent, expected, 8)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6))
def test_the_guarded_labyrinth(key: int) -> None:
    agent = read_agent(f"scrambled:{key},5")

    def expected(play: list[Any]) -> tuple[Any, int]:
        rooms = [1]
        for action in play[2::3]:
            rooms.append(2 * rooms[-1] + action // 2 % 2)
        seen = int(rooms[-1] % 3 > 0)
        if not play or play[-1] % 2 == 0:
            return 0, seen
        would_take = agent([*play[:-2], 0]) % 2 == 1
        return (-1 if rooms[-2] % 3 > 0 and would_take else 1), seen

    assert as_list("labyrinth", agent, 12) == walk(agent, expected, 12)


def test_who_takes_only_guarded_treasures_gets_them_all() -> None:
    """Whoever leaves unguarded treasures gets every guarded one; whoever takes all is zapped by every guard."""

    def choose_door(prompt: Any) -> int:
        return 2 * (len(prompt.actions) % 2)

    contrary = interact(lambda prompt: choose_door(prompt) + prompt.observations[-1], environment("labyrinth"), 30)
    assert [*contrary.rewards[1:]] == [*contrary.play.observations]
    greedy = interact(lambda prompt: choose_door(prompt) + 1, environment("labyrinth"), 30)
    assert [*greedy.rewards[1:]] == [-1 if seen else 1 for seen in greedy.play.observations]
    assert 0 < greedy.play.observations.count(0) < 15


def test_most_rooms_are_guarded_but_not_all() -> None:
    """Two of three: every room of the first ten levels of the tree, reached by its doors."""
    guarded = [is_guarded(tuple(map(int, f"{room:b}"[1:].replace("1", "2")))) for room in range(1, 2**10)]
    assert guarded == [room % 3 != 0 for room in range(1, 2**10)]
    assert sum(guarded) == 682


@settings(deadline=None, max_examples=15)
@given(AGENTS)
def test_operators_nest_in_names_as_in_python(agent: Any) -> None:
    def parity_of(observation: int) -> int:
        return observation % 2

    nested = {
        "opposite(mirror(society(crying_baby,counting),modulo:2))": opposite(
            mirror(society(crying_baby, counting), parity_of)
        ),
        "with_rewards(opposite(newcomb),times:1/2)": with_rewards(opposite(newcomb), lambda reward: reward / 2),
        "binocular(mirror(counting,modulo:2),left)": binocular(mirror(counting, parity_of), lambda left, right: left),
    }
    for name, made in nested.items():
        assert as_list(name, agent, 7) == [*interact(agent, made, 7).play, *interact(agent, made, 7).last]


@settings(deadline=None, max_examples=15)
@given(AGENTS)
def test_an_operator_may_be_a_handicap_of_another(agent: Any) -> None:
    name = "with_rewards(newcomb,times:1/1000)*mirror(deja_vu,modulo:1)"
    in_python = with_handicap(with_rewards(newcomb, lambda reward: reward / 1000), mirror(deja_vu, lambda seen: 0))
    assert interact(agent, environment(name), 6) == interact(agent, in_python, 6)
    assert interact(agent, with_handicap(newcomb, deja_vu), 6) == interact(agent, environment("newcomb*deja_vu"), 6)
    e, h = answers("newcomb", agent), answers("mirror(deja_vu,modulo:1)", agent)
    expected = walk(agent, lambda play: (-1 if h(play)[0] == -1 else Fraction(e(play)[0], 1000), e(play)[1]), 6)
    assert as_list(name, agent, 6) == expected


OWN = """
from xenv.theory.environments import TheoryExample

def view(observation, divisor=3):
    return observation % divisor

def model(left, right):
    return left + right

def doubled(reward):
    return 2 * reward

def broken(observation):
    return -1

def raising(observation):
    raise KeyError(observation)

def game(agent, play):
    return 1, len(play)

def act(prompt, number=0):
    return number
"""


@pytest.fixture
def own_file(users_folder: Path) -> str:
    (users_folder / "own_operators.py").write_text(OWN, encoding="utf-8")
    return "own_operators"


def test_functions_and_games_of_ones_own(own_file: str) -> None:
    agent = read_agent("imitate")
    result = interact(agent, environment(f"mirror({own_file}:game,{own_file}:view:5)"), 6)
    assert result.rewards[1:] == tuple(1 if 3 * turn % 5 == 3 * turn else -1 for turn in range(6))
    result = interact(agent, environment(f"binocular({own_file}:game,{own_file}:model)"), 6)
    assert result.rewards[1:] == tuple(1 if sum(pair_of(3 * turn)) == 3 * turn else -1 for turn in range(6))
    assert interact(agent, environment(f"with_rewards({own_file}:game,{own_file}:doubled)"), 6).total == 14


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("mirror(counting,OWN:broken)", ContractBroken, "own_operators.py, function broken: observation -1"),
        ("mirror(counting,OWN:raising)", ContractBroken, "own_operators.py, line 17: KeyError"),
        ("mirror(counting,OWN:model)", ContractBroken, r"called as view\(observation\)"),
        ("binocular(counting,OWN:view:3)", ContractBroken, r"called as model\(left, right\) with 1 numbers"),
        ("mirror(counting,modulus:3)", UnknownName, "unknown view 'modulus:3'"),
        ("mirror(counting,modulo:0)", BadValue, "no divisor"),
        ("mirror()", UnknownName, "unknown example"),
        ("mirror(counting,newcomb,modulo:2)", BadValue, "does not take 3 things"),
        ("with_rewards(counting,times:x)", BadValue, "not a fraction"),
        ("employment:3", BadValue, "not two rewards"),
        ("twin(punish_slow_agent)", BadValue, "no formal twin"),
        ("twin(nothing)", UnknownName, "unknown"),
        ("society(newcomb,)", UnknownName, "unknown example"),
        ("crying_baby*deja_vu", ContractBroken, "e of e.h: 'crying_baby' is not merciful: it gives"),
        ("opposite(newcomb)*deja_vu", ContractBroken, "is not merciful"),
        ("newcomb*counting", ContractBroken, "h of e.h: 'counting' is no handicap"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    name: str, error: type[CaregridError], message: str, own_file: str
) -> None:
    with pytest.raises(error, match=message) as refused:
        interact(read_agent("always:0"), environment(name.replace("OWN", own_file)), 3)
    assert "\n" not in str(refused.value)


def test_python_refuses_what_is_no_environment() -> None:
    with pytest.raises(ContractBroken, match="environment"):
        mirror(3)
    with pytest.raises(ContractBroken, match="view"):
        mirror(counting, lambda: 0)
    with pytest.raises(ContractBroken, match="function"):
        interact(read_agent("always:0"), mirror(counting, lambda observation: 0.5), 2)


def test_theory_and_validate_accept_the_same_names(own_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    examples = (
        "newcomb*deja_vu",
        "false_memories:0,0,1",
        f"mirror({own_file}:game,{own_file}:view:2)",
        "twin(repeater)",
    )
    for name in (*examples, "crying_baby*deja_vu", "newcomb:3", "mirror(counting"):
        codes = {main(["theory", name, "--turns", "2"]), main(["validate", "theory_examples", name])}
        assert codes == ({0} if name in examples else {2}), capsys.readouterr().err
    agents = ("always:1", f"{own_file}:act:1", "reality_check(parity)", "q_learning", "scrambled:7,2")
    for name in (*agents, "always:x", "dream(parity)"):
        codes = {
            main(["theory", "counting", "--agent", name, "--turns", "2"]),
            main(["validate", "theory_agents", name]),
        }
        assert codes == ({0} if name in agents else {2}), capsys.readouterr().err


def test_validate_finds_what_an_operator_hides(own_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "theory_examples", f"mirror({own_file}:game,{own_file}:broken)"]) == 2
    assert "own_operators.py, function broken: observation -1" in capsys.readouterr().err


def test_a_formal_twin_by_its_name() -> None:
    """ignore_rewards by its rule: r = 1 where a = T(p^0), else -1."""
    agent = read_agent("once_rewarded")
    result = caregrid.theory("twin(ignore_rewards)", "once_rewarded", 20)
    for turn, reward in enumerate(result.interaction.rewards[1:]):
        prompt = result.play[: 3 * turn + 2]
        assert reward == (
            1 if agent([0 if k % 3 == 0 else x for k, x in enumerate(prompt)]) == result.play[3 * turn + 2] else -1
        )
    negated = caregrid.theory("opposite(twin(ignore_rewards))", "parity", 20)
    assert negated.total == -caregrid.theory("twin(ignore_rewards)", "parity", 20).total


@pytest.mark.parametrize("name", list(THEORY_EXAMPLES))
def test_agents_of_the_battery_play_every_example(name: str) -> None:
    for agent in ("simple", "reality_check(q_learning)"):
        assert len(caregrid.theory(name, agent, 6).rows()) == 6


@pytest.mark.parametrize("agent", ["q_learning", "simple"])
def test_agents_of_the_battery_answer_prompts_of_any_length(agent: str) -> None:
    """More observations than an agent is built for: those of a small agent that sees the same, numbered."""
    from engine.agent import Transition
    from xenv.names import agent_spec

    turns = 2500
    prompt = [x for turn in range(turns) for x in (turn % 3 - 1, 7 * turn**2, turn % 5)] + [0, 7]
    large = agent_spec(agent).build(4000, 2, 0)
    shown = [*range(turns), 1]
    for turn in range(turns):
        if turn % 5 < 2:
            reward = prompt[3 * turn + 3]
            large.train(Transition(shown[turn], turn % 5, float(reward), shown[turn + 1]))
    assert read_agent(agent)(prompt) == large.act(1)
    strange = read_agent(agent, 3, 2)
    assert strange((0, 2, 5, 1, 10**30)) in (0, 1)


def test_false_memories_may_hold_what_an_agent_never_observes() -> None:
    result = caregrid.theory("newcomb*false_memories:0,5,7", "q_learning", 5)
    assert isinstance(result.interaction.last, Percept)
