"""Theory: learning agents weigh environments by their likelihood and plan with their own later ignorance."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import pytest

from caregrid.main import main
from engine.errors import BadValue, UnknownName
from multislot.errors import BadTable
from multislot.learning import Mixture
from multislot.likelihoods import LIKELIHOODS, find_likelihood
from multislot.loading import load_mixture
from multislot.planning.backup import float_arithmetic
from multislot.planning.planner import evaluate
from multislot.scenarios import SLOT_SCENARIOS, slot_scenario
from multislot.worlds.environment import HistoryBasedEnvironment
from multislot.worlds.table import TableEnvironment, table_environment
from tests.printed_json import printed_content

HALF = Fraction(1, 2)
VALUES = ("cpy", "sta:1", "dyn", "cpy_joint")


def lever(name: str, good: int) -> TableEnvironment:
    """A mono-slot world in which one of two actions pays, with a first step that tells nothing."""
    return table_environment(
        name=name,
        actions=[0, 1],
        rewards={"win": "1", "lose": "0"},
        z0="s",
        rules=[["s", 1, good, [["1", {"1": "win"}]]], ["s", 1, 1 - good, [["1", {"1": "lose"}]]]],
    )


def levers(*weights: str, likelihood: str = "exists") -> Mixture:
    return Mixture((lever("zero", 0), lever("one", 1)), tuple(map(Fraction, weights)), find_likelihood(likelihood))


@pytest.mark.parametrize("value", VALUES)
def test_mono_slot_learning_is_eq_2_with_the_posterior(value: str) -> None:
    """Weights 2/3 and 1/3. Trying 0 first: 2/3 now, and everything later, since one try decides."""
    answer = evaluate(levers("2/3", "1/3"), value, 2, HALF)
    assert {0: Fraction(2, 3) + HALF, 1: Fraction(1, 3) + HALF} == answer.Q
    after = evaluate(levers("2/3", "1/3"), value, 1, HALF, ((0, "lose"),))
    assert after.Q == {0: 0, 1: 1}


def test_with_the_prior_nothing_is_learned() -> None:
    """Eq. 2 to the letter: after a loss the other world is excluded by no weight, only by what it can pay."""
    mixture = levers("2/3", "1/3", likelihood="prior")
    assert mixture.posterior(((0, "lose"),)) == (Fraction(2, 3), Fraction(1, 3))
    assert {0: 0, 1: Fraction(1, 3)} == evaluate(mixture, "cpy", 1, HALF, ((0, "lose"),)).Q


@pytest.mark.slow_cases(beyond=4)
@pytest.mark.parametrize("name", [n for n in SLOT_SCENARIOS if n not in ("factorial",)])
def test_a_class_of_two_equal_worlds_is_the_known_world(name: str) -> None:
    for likelihood, value in itertools.product(LIKELIHOODS, VALUES):
        require_known_world(slot_scenario(name).environment, likelihood, value)


def require_known_world(environment: HistoryBasedEnvironment, likelihood: str, value: str) -> None:
    twins = Mixture((environment, environment), (HALF, Fraction(1, 4)), find_likelihood(likelihood))
    for history in [(), *(((a, o),) for a in environment.actions[:1] for o in list(environment.rewards)[:2])]:
        alone = evaluate(environment, value, 2, HALF, history)
        if not alone.P:
            with pytest.raises(BadValue, match="no environment of the class can produce"):
                evaluate(twins, value, 2, HALF, history)
            continue
        both = evaluate(twins, value, 2, HALF, history)
        assert (both.Q, both.ties, both.P, both.slot_Q) == (alone.Q, alone.ties, alone.P, alone.slot_Q)


def test_slot_values_of_a_class_average_to_its_values() -> None:
    """Awake in sleeping beauty or as one of a pair: where one is depends on the world one is in."""
    beauty = slot_scenario("sleeping_beauty").environment
    pair = table_environment(
        name="pair",
        actions=[0, 1],
        rewards={"0": "0", "1": "1", "2": "3/5"},
        z0="a",
        rules=[
            ["a", 1, "*", [["1", {"1": 0, "2": 0}]]],
            ["b", 1, "*", [["1", {"1": 2}]]],
            ["b", 2, 0, [["1", {"2": 1}]]],
            ["b", 2, 1, [["1", {}]]],
        ],
        update=[["a", "*", "*", "b"]],
    )
    answer = evaluate(Mixture((beauty, pair), (HALF, HALF), find_likelihood("exists")), "cpy", 1, HALF, ((0, 0),))
    assert {1: Fraction(5, 12), 2: Fraction(5, 12), 3: Fraction(1, 6)} == answer.P
    for action, value in answer.Q.items():
        assert value == sum(share * answer.slot_Q[slot][action] for slot, share in answer.P.items())


def test_likelihoods_differ_where_copies_and_chances_do() -> None:
    """Awake after (0,0): someone is, surely; 3/2 are expected; along a path the weights are 3 * 1/3 * 1/2."""
    beauty = slot_scenario("sleeping_beauty").environment
    coin = table_environment(
        name="coin",
        actions=[0, 1],
        rewards={"0": "0", "1": "1", "2": "3/5"},
        z0="S",
        rules=[["S", 1, "*", [["1/2", {"1": 0}], ["1/2", {"1": 1}]]]],
    )
    odds = {}
    for likelihood in ("exists", "count", "path", "possible", "prior"):
        ours, other = Mixture((beauty, coin), (HALF, HALF), find_likelihood(likelihood)).posterior(((0, 0),))
        odds[likelihood] = ours / other
    assert odds == {"exists": 2, "count": 3, "path": 1, "possible": 1, "prior": 1}


def test_existence_counts_a_crowd_once() -> None:
    """Two agents with one history, each of whom sees 1 with probability 1/2: 3/4 that someone does, 1 expected."""
    rules = [["a", 1, 0, [["1", {"1": 0, "2": 0}]]]]
    rules += [["b", slot, 0, [["1/2", {str(slot): 1}], ["1/2", {str(slot): 0}]]] for slot in (1, 2)]
    shared = {"actions": [0], "rewards": {"0": "0", "1": "1"}, "z0": "a", "update": [["a", 0, 0, "b"]]}
    crowd = table_environment(name="crowd", rules=rules, **shared)
    rules = [["a", 1, 0, [["1", {"1": 0}]]], ["b", 1, 0, [["1", {"1": 1}]]]]
    sure = table_environment(name="sure", rules=rules, **shared)
    odds = {}
    for likelihood in ("exists", "count", "path"):
        first, second = Mixture((crowd, sure), (HALF, HALF), find_likelihood(likelihood)).posterior(((0, 0), (0, 1)))
        odds[likelihood] = first / second
    assert odds == {"exists": Fraction(3, 4), "count": 1, "path": HALF}


def test_the_learner_expects_to_stay_ignorant() -> None:
    """No observation tells the two worlds apart, so both values are taken under one behaviour, not two optimal ones."""
    worlds = tuple(
        table_environment(
            name=f"hidden {good}",
            actions=[0, 1],
            rewards={"wait": "0", "done 0": "1", "done 1": "1", "nothing": "0"},
            z0="s",
            rules=[
                ["s", 1, "*", [["1", {"1": "wait"}]]],
                ["t", 1, good, [["1", {"1": f"done {good}"}]]],
                ["t", 1, 1 - good, [["1", {"1": "nothing"}]]],
            ],
            update=[["s", "*", "*", "t"]],
        )
        for good in (0, 1)
    )
    answer = evaluate(Mixture(worlds, (Fraction(3, 4), Fraction(1, 4)), find_likelihood("exists")), "cpy", 2, HALF)
    assert HALF * Fraction(3, 4) == answer.V


def test_float_learns_alike() -> None:
    precise = evaluate(levers("2/3", "1/3"), "dyn", 4, HALF)
    quick = evaluate(levers("2/3", "1/3"), "dyn", 4, HALF, arithmetic=float_arithmetic)
    assert pytest.approx({a: float(q) for a, q in precise.Q.items()}, abs=1e-12) == quick.Q


def test_classes_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = {"environments": [{"name": "teleport_move", "length": 1}, {"name": "half_copy", "weight": "1/4"}]}
    path = tmp_path / "class.json"
    path.write_text(json.dumps(content))
    with pytest.raises(BadValue, match="another reward"):
        load_mixture(path)
    data = Path(__file__).resolve().parent.parent / "data" / "multislot" / "mono.json"
    entries = [{"file": str(data), "length": 2}, {"length": 1, "spec": json.loads(data.read_text())["spec"]}]
    path.write_text(json.dumps({"environments": entries}))
    mixture = load_mixture(path, "count")
    assert mixture.weights == (Fraction(1, 4), HALF)
    command = ["multislot", "--class", str(path), "--value", "dyn", "--horizon", "4", "--json"]
    assert main(command) == 0
    printed = printed_content(capsys.readouterr().out)
    assert (printed["Q"], printed["P"]) == ({"0": "145/216", "1": "601/648"}, {"1": "1"})
    assert main([*command, "--likelihood", "exsts"]) == 2
    assert "did you mean 'exists'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "no environments"),
        ('{"environments": [3]}', "not an environment"),
        ('[{"name": "mono", "length": -1}]', "length -1"),
        ('[{"name": "mono", "weight": "x"}]', "not a fraction"),
        ('[{"name": "mono", "weight": "1", "length": 1}]', "both"),
        ('["nonesuch"]', "neither a file nor a scenario"),
        ('["nonesuch.json"]', "file not found"),
        ('{"environments": [', "not JSON"),
    ],
)
def test_bad_classes_are_named(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "class.json"
    path.write_text(content)
    with pytest.raises(BadTable, match=message):
        load_mixture(path)


def test_classes_must_fit_together() -> None:
    with pytest.raises(BadValue, match="other actions"):
        Mixture((lever("a", 0), slot_scenario("grey_red_blue").environment), (HALF, HALF), find_likelihood("exists"))
    with pytest.raises(BadValue, match="not positive"):
        levers("1", "0")
    with pytest.raises(BadValue, match="weights for"):
        Mixture((lever("a", 0),), (), find_likelihood("exists"))
    with pytest.raises(UnknownName, match="path"):
        find_likelihood("paht")


def test_the_posterior_is_in_what_users_get() -> None:
    """By hand: somebody surely sees t zeros in the universal environment, and with probability 2^-t with a coin."""
    import caregrid

    for t in (0, 1, 3):
        result = caregrid.slots(members=["universal", "coin_flip"], horizon=1, history=((0, 0),) * t)
        weight = Fraction(2**t, 2**t + 1)
        assert dict(result.posterior) == {"universal": weight, "coin_flip": 1 - weight}
        assert f"posterior: universal: {weight}, coin_flip: {1 - weight}" in result.text()
        assert result.as_dict()["posterior"][0] == {"name": "universal", "weight": str(weight)}
    assert caregrid.slots("universal", horizon=1).as_dict().keys() == {"Q", "V", "action", "ties", "P", "slot_Q"}


def test_a_class_is_simulated_and_its_agents_learn() -> None:
    """Worlds of two doors that say at the first step which one pays: whoever learns takes it at the second step."""
    import caregrid

    def make_doors(pays: str) -> dict[str, object]:
        rules = [["S", 1, "*", [[1, {1: pays}]]]]
        rules += [["T", 1, door, [[1, {1: "coin" if door == pays else "dust"}]]] for door in ("left", "right")]
        update = [["S", "*", "*", "T"]]
        rewards = {"left": 0, "right": 0, "coin": 1, "dust": 0}
        return {
            "name": f"door {pays}", "actions": ["left", "right"], "z0": "S", "rewards": rewards, "rules": rules,
            "update": update,
        }  # fmt: skip

    doors = {
        "environments": [{"spec": make_doors(pays), "weight": w} for pays, w in (("left", "1/4"), ("right", "3/4"))]
    }
    drawn = []
    for seed in range(60):
        run = caregrid.simulate_slots(None, "cpy", 2, members=doors, seed=seed)
        drawn.append(run.environment.name)
        assert run.trace[-1].observations == {1: "coin"}
    assert 5 < drawn.count("door left") < 27  # binomial(60, 1/4): outside once in a thousand times
