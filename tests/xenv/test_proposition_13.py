"""Proposition 13 of "Extending Environments To Measure Self-Reflection", on random histories and random runs."""

from hypothesis import given, settings
from hypothesis import strategies as st

import xenv
from engine.agent import Agent, AgentSpec, Transition
from xenv.environments import benchmark
from xenv.names import agent_spec

N_OBSERVATIONS, N_ACTIONS = 3, 2
SPECS = st.sampled_from(["random", "simple", "q_learning", "constant"]).map(agent_spec)
KEYS = st.integers(0, 2**64 - 1)
STEPS = st.tuples(
    st.integers(0, N_ACTIONS - 1), st.sampled_from([-1.0, 0.0, 1.0]), st.integers(0, N_OBSERVATIONS - 1), st.booleans()
)
STEP_LISTS = st.lists(STEPS, max_size=40)


def build(spec: AgentSpec, key: int) -> Agent:
    return spec.build(N_OBSERVATIONS, N_ACTIONS, key)


def history(spec: AgentSpec, key: int, steps: list[tuple[int, float, int, bool]]) -> list[Transition]:
    """A possible history: each action is the agent's own where the draw says so, otherwise any."""
    actor, observation, transitions = build(spec, key), 0, []
    for action, reward, following, genuine in steps:
        chosen = actor.act(observation) if genuine else action
        transitions.append(Transition(observation, chosen, reward, following))
        actor.train(transitions[-1])
        observation = following
    return transitions


def answers(agent: Agent) -> list[int]:
    return [agent.act(observation) for observation in range(N_OBSERVATIONS)]


@settings(deadline=None, max_examples=150)
@given(SPECS, KEYS, STEP_LISTS)
def test_alternate_definition(spec: AgentSpec, key: int, steps: list[tuple[int, float, int, bool]]) -> None:
    checked, underlying = build(xenv.reality_check(spec), key), build(spec, key)
    untrained, consistent = answers(underlying), True
    transitions = history(spec, key, steps)
    for transition in transitions:
        consistent = consistent and underlying.act(transition.observation) == transition.action
        underlying.train(transition)
        checked.train(transition)
    expected = answers(underlying) if consistent else [untrained[transitions[0].observation]] * N_OBSERVATIONS
    assert answers(checked) == expected


@settings(deadline=None, max_examples=100)
@given(SPECS, KEYS, STEP_LISTS)
def test_idempotence(spec: AgentSpec, key: int, steps: list[tuple[int, float, int, bool]]) -> None:
    once, twice = (
        build(check, key) for check in (xenv.reality_check(spec), xenv.reality_check(xenv.reality_check(spec)))
    )
    for transition in history(spec, key, steps):
        assert answers(once) == answers(twice)
        once.train(transition)
        twice.train(transition)
    assert answers(once) == answers(twice)


@settings(deadline=None, max_examples=40)
@given(SPECS, KEYS, st.sampled_from(benchmark()))
def test_equivalence_on_genuine_history(spec: AgentSpec, key: int, environment: str) -> None:
    run = xenv.run_environment(environment, xenv.reality_check(spec), 150, key, record=True)
    kind = xenv.ENVIRONMENTS[environment]
    underlying = spec.build(kind.n_observations, kind.n_actions, key)
    assert run.record is not None
    for observation, action, reward, following in run.record.tolist():
        assert underlying.act(observation) == action
        underlying.train(Transition(observation, action, reward, following))


class Ordinary(xenv.ExtendedEnvironment):
    """An environment that never looks at the agent: it pays for repeating what was done two turns ago."""

    n_observations, n_actions = N_OBSERVATIONS, N_ACTIONS

    def __init__(self, simulate: xenv.Simulate) -> None:
        super().__init__(simulate)
        self.before = self.last = self.turn = 0

    def start(self) -> int:
        return 1

    def step(self, action: int) -> tuple[float, int]:
        reward = 1.0 if action == self.before else -1.0
        self.before, self.last, self.turn = self.last, action, self.turn + 1
        return reward, (self.turn * 7 + action) % N_OBSERVATIONS


@settings(deadline=None, max_examples=40)
@given(SPECS, KEYS)
def test_equivalence_in_ordinary_environments(spec: AgentSpec, key: int) -> None:
    plain, checked = (
        xenv.run_environment(Ordinary, measured, 200, key, record=True) for measured in (spec, xenv.reality_check(spec))
    )
    assert plain.record is not None
    assert checked.record is not None
    assert plain.record.tolist() == checked.record.tolist()
