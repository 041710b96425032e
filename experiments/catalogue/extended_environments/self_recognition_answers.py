"""Why rows of self-recognition differ: in the published ones a copy of A2C or PPO always answers the same.

    reward = +1 where the agent is right about  "the copy would take action a at observation o",  else -1

Here the copy draws its answer from its policy at o, where no reward ever comes, so that it answers now this, now that.
With a copy whose answers never change, the rows of A2C and PPO are the published ones. DQN's is not: with that copy it
is as good as the published one is with a reality check in the opposite, where the check holds the copy to one answer.

Reference: Alexander et al. 2021, Table 2 (means over the battery) and section 3.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.agent import Agent, Transition
from experiments.catalogue.extended_environments.table_2_rows import LEARNERS, compare_row, read_published_rows
from experiments.experiment import TURNS, Claim, Experiment, Rows
from experiments.rows import numbers, values
from xenv.environments.self_recognition import SelfRecognition

if TYPE_CHECKING:
    from xenv.simulation import Simulate

POLICY, CONSTANT = "of its policy", "always 0"
NEAR = 0.02
ON_POLICY = (LEARNERS["A2C_learner"], LEARNERS["PPO_learner"])


class AlwaysZero(Agent):
    """An agent that takes action 0, whatever it is trained on."""

    def act(self, observation: int) -> int:
        return 0

    def train(self, transition: Transition) -> None:
        pass

    def fork(self) -> AlwaysZero:
        return AlwaysZero()


class OneAnswer(SelfRecognition):
    """Self-recognition with a copy that always answers action 0."""

    def __init__(self, simulate: Simulate) -> None:
        super().__init__(simulate)
        self.copy = AlwaysZero()


def run(agent: str, answers: str, turns: int, seed: int, key: int) -> Rows:
    """Run one agent that draws by history, before a copy with such answers."""
    from xenv.interaction_loop import run_environment

    environment = "self_recognition" if answers == POLICY else OneAnswer
    return [{"reward_a_turn": run_environment(environment, f"{agent}(draws='history')", turns, seed).mean}]


def summarise(rows: Rows) -> Rows:
    """Mean over seeds beside the published one, and the ends of the interval of their difference."""
    table: Rows = []
    for agent in values(rows, "agent"):
        published = read_published_rows()[str(agent), "self_recognition"]
        for answers in values(rows, "answers"):
            found = compare_row(numbers(rows, "reward_a_turn", agent=agent, answers=answers), published)
            table.append(
                {"agent": agent, "answers": answers, "seeds": found.seeds, "mean": found.mean}
                | {"published": found.published, "low": found.low, "high": found.high}
            )
    return table


def _are_near(rows: Rows, agents: tuple[str, ...], answers: str) -> bool:
    lines = [line for line in summarise(rows) if line["agent"] in agents and line["answers"] == answers]
    return all(abs(float(line["mean"]) - float(line["published"])) < NEAR for line in lines)  # type: ignore[arg-type]


experiment = Experiment(
    reproduces="Extending Environments To Measure Self-Reflection, Table 2, the rows of self-recognition",
    settings={
        "agent": tuple(LEARNERS.values()),
        "answers": (POLICY, CONSTANT),
        "turns": (100_000,),
        "seed": (1, 2, 3, 4, 5),
    },
    run=run,
    lengths={"turns": TURNS},
    quick={"agent": ON_POLICY[:1], "turns": (20_000,), "seed": (1,)},
    claims=(
        Claim(
            "with one answer for ever, A2C and PPO are within .02 of the published rows",
            lambda rows: _are_near(rows, ON_POLICY, CONSTANT),
        ),
    ),
    table=summarise,
    no_figure="six means beside their published ones are read best in the table",
    extras=("deep",),
)
