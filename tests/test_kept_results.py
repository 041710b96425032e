"""The results that are kept under docs/results are whole, and the tables of their page are computed from them."""

import csv
import statistics
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from scipy.stats import ttest_ind_from_stats

from experiments.catalogue.extended_environments import table_2, table_2_deep, table_2_rows
from experiments.experiment import Claim, Experiment
from experiments.setting_grid import SettingGrid
from xenv.interaction_loop import run_environment

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "results"
PAGE = (RESULTS / "README.md").read_text(encoding="utf-8")
KeptRows = list[dict[str, str]]


def kept(name: str) -> KeptRows:
    """The rows of a file."""
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


DEEP, TABULAR = kept("table_2_deep"), kept("table_2")
PAIRED = [row for row in TABULAR if row["opposites"] == "opposite"]
OF_AGENTS = [
    *((PAIRED, agent, table_2.PRINTED) for agent in table_2.AGENTS),
    *((DEEP, agent, table_2_deep.PRINTED) for agent in table_2_deep.AGENTS),
]


def number(value: float) -> str:
    """Four digits, without the 0 in front."""
    return f"{value:.4f}".replace("0.", ".")


def two_digits(value: float) -> str:
    """Two digits, without the 0 in front and without -.00."""
    return f"{value + 0.0:.2f}".replace("0.", ".", 1).replace("-.00", ".00")


def seed_means(rows: KeptRows, agent: str, environment: str = "") -> list[float]:
    """An agent's reward per turn by seed, over all environments or one of them, opposites included."""
    of_seeds = defaultdict(list)
    for row in rows:
        if row["agent"] == agent and row["environment"] == (environment or row["environment"]):
            of_seeds[row["seed"]].append(float(row["reward_a_turn"]))
    return [statistics.fmean(rewards) for rewards in of_seeds.values()]


@pytest.mark.parametrize(
    ("rows", "experiment", "runs"),
    [(DEEP, table_2_deep.experiment, 2), (TABULAR, table_2.experiment, 50)],
    ids=["table_2_deep", "table_2"],
)
def test_every_unit_is_there_with_all_its_runs(rows: KeptRows, experiment: Experiment, runs: int) -> None:
    grid = SettingGrid(experiment.settings)
    found = Counter(tuple(row[name] for name in grid.names) for row in rows)
    assert found == Counter({tuple(map(str, point)): runs for point in grid.points()})


@pytest.mark.parametrize(
    ("rows", "claim"),
    [
        pytest.param(rows, claim, id=claim.says)
        for rows, experiment in ((DEEP, table_2_deep.experiment), (TABULAR, table_2.experiment))
        for claim in experiment.claims
    ],
)
def test_claims_hold_for_the_rows(rows: KeptRows, claim: Claim) -> None:
    numbers = {"turns": int, "seed": int, "reward_a_turn": float}
    assert claim.holds([{name: numbers.get(name, str)(value) for name, value in row.items()} for row in rows])


@pytest.mark.parametrize(("rows", "agent", "printed"), OF_AGENTS, ids=[agent for _, agent, _ in OF_AGENTS])
def test_the_page_says_what_the_rows_say_of_an_agent(rows: KeptRows, agent: str, printed: dict[str, float]) -> None:
    means = seed_means(rows, agent)
    error = statistics.stdev(means) / len(means) ** 0.5
    paper = number(printed[agent]) if agent in printed else ""
    cells = [agent, paper, number(statistics.fmean(means)), f"{number(min(means))} to {number(max(means))}"]
    assert f"| {' | '.join([*cells, number(error)])} |" in PAGE


@pytest.mark.parametrize("environment", table_2_deep.experiment.settings["environment"])
def test_the_page_says_what_the_rows_say_of_an_environment(environment: str) -> None:
    cells = [f"{statistics.fmean(seed_means(DEEP, agent, environment)):.2f}" for agent in table_2_deep.AGENTS]
    assert f"| {' | '.join([environment, *cells])} |" in PAGE


@pytest.mark.slow
@pytest.mark.parametrize("agent", table_2_deep.DEEP)
def test_a_kept_row_comes_out_again(agent: str) -> None:
    """On the machine of the kept rows to the last digit; rounding may decide an action on another."""
    pytest.importorskip("torch")
    [reward] = [
        row["reward_a_turn"] for row in DEEP if (row["agent"], row["run"], row["seed"]) == (agent, "repeater", "1")
    ]
    assert run_environment("repeater", agent, 100_000, 1).mean == pytest.approx(float(reward), abs=0.01)


@dataclass(frozen=True)
class ComparedRow:
    """A kept row beside the published one. rewards: by seed; published: mean and standard deviation of five seeds."""

    agent: str
    draws: str
    run: str
    rewards: tuple[float, ...]
    published: float
    deviation: float

    @property
    def miss(self) -> float:
        """How far our mean is from the published one."""
        return abs(statistics.fmean(self.rewards) - self.published)

    @property
    def agrees(self) -> bool:
        """Whether SciPy's test of Welch finds no difference at 5 %; where nothing varies, whether they are equal."""
        spread = statistics.stdev(self.rewards)
        if spread == self.deviation == 0.0:
            return self.miss < 1e-12
        mean = statistics.fmean(self.rewards)
        ours = mean, spread, len(self.rewards)
        tested = ttest_ind_from_stats(*ours, self.published, self.deviation, 5, equal_var=False)
        return bool(tested.pvalue >= 0.05)


@pytest.fixture(scope="module")
def compared() -> list[ComparedRow]:
    """By a plain second program: published and kept rows joined by name."""
    published = {}
    for line in csv.DictReader(table_2_rows.FILE.read_text(encoding="utf-8").splitlines()):
        inner = line["agent"].removeprefix("reality_check(").removesuffix(")")
        agent = {"DQN_learner": "stacked_dqn", "A2C_learner": "stacked_a2c"}.get(inner, "stacked_ppo_redrawn")
        agent = agent if inner == line["agent"] else f"reality_check_published({agent})"
        plain = line["environment"].removeprefix("minus_rewards(").removesuffix(")")
        numbers = float(line["mean_reward_per_turn"]), float(line["sd"])
        published[agent, plain.lower(), plain != line["environment"]] = numbers
    ours = defaultdict(list)
    for row in [*kept("table_2_rows"), *({**row, "draws": "turn"} for row in DEEP)]:
        plain = row["run"].removeprefix("opposite(").removesuffix(")").replace("_published", "").replace("_", "")
        plain = f"{plain}agent" if plain == "punishnondeterministic" else plain
        key = row["agent"], plain, row["run"].startswith("opposite(")
        if key in published:
            ours[row["draws"], row["run"], *key].append(float(row["reward_a_turn"]))
    return [
        ComparedRow(agent, draws, run, tuple(rewards), *published[agent, plain, is_opposite])
        for (draws, run, agent, plain, is_opposite), rewards in ours.items()
    ]


def test_the_page_says_how_far_each_row_is_from_the_published_one(compared: list[ComparedRow]) -> None:
    of_agents = defaultdict(list)
    for row in compared:
        of_agents[row.agent, row.draws].append(row)
    assert len(of_agents) > 3
    for (agent, draws), rows in of_agents.items():
        miss = [row.miss for row in rows]
        cells = [agent, draws, str(len(rows)), str(min(len(row.rewards) for row in rows))]
        numbers = [f"{number:.3f}".replace("0.", ".", 1) for number in (statistics.fmean(miss), max(miss))]
        counts = [str(sum(each < 0.05 for each in miss)), str(sum(row.agrees for row in rows))]
        assert f"| {' | '.join([*cells, *numbers, *counts])} |" in PAGE


def test_the_page_lists_every_row_drawn_by_history_that_misses(compared: list[ComparedRow]) -> None:
    """Whatever misses by .05 or more, and nothing else."""
    expected = {
        f"| {row.agent} | {row.run} | {', '.join(map(two_digits, row.rewards))} "
        f"| {two_digits(row.published)} (sd {two_digits(row.deviation)}) | {two_digits(row.miss)} "
        f"| {'yes' if row.agrees else 'no'} |"
        for row in compared
        if row.draws == "history" and row.miss >= 0.05
    }
    assert {line for line in PAGE.splitlines() if "(sd ." in line} == expected


def test_the_page_says_which_rows_do_not_agree(compared: list[ComparedRow]) -> None:
    """Those whose deviations are so small that .01 counts, and ten others, by their environments."""
    apart = [row for row in compared if row.draws == "history" and not row.agrees]
    large = [row.run.removeprefix("opposite(").removesuffix(")") for row in apart if row.miss >= 0.011]
    counts = Counter(large)
    assert f"Seven of the {len(apart)} others miss by .01 or less. The ten that are left" in PAGE
    assert (len(apart) - len(large), len(large)) == (7, 10)
    assert counts == {"self_recognition": 5, "limited_memory": 3, "crying_baby": 1, "ignore_rewards_2": 1}


def test_the_page_says_what_the_published_settings_make_of_dqn(compared: list[ComparedRow]) -> None:
    """Little exploration and no target update: how many rows agree then, and by how much they miss."""
    found = defaultdict(list)
    for row in kept("table_2_dqn_settings"):
        found[row["run"]].append(float(row["reward_a_turn"]))
    assert Counter(map(len, found.values())) == {2: 2 * len(table_2_rows.ENVIRONMENTS)}
    ours = [row for row in compared if (row.agent, row.draws) == ("stacked_dqn", "history")]
    tried = [replace(row, rewards=tuple(found[row.run])) for row in ours]
    apart = [row for row in tried if not row.agrees]
    misses = [f"{statistics.fmean(row.miss for row in rows):.3f}"[1:] for rows in (tried, ours)]
    words = " ".join(PAGE.split())
    assert f"{len(tried) - len(apart)} agree, the two others miss by less than .01" in words
    assert f"the mean miss is {misses[0]} in place of {misses[1]}." in words
    assert len(apart) == 2
    assert max(row.miss for row in apart) < 0.01


BREAK_POINTS = (1 / 972, 0.4, 1, 14 / 3)
OWN_RETURNS = (-24, -25, -27, -31, -45)


def test_what_is_kept_of_figure_1b_was_learned_to_the_optimum() -> None:
    """Exact rows are the segments of "Be Considerate", Figure 1(b); ten repetitions reach them at every coefficient."""
    rows = kept("figure_1b")
    exact = {row["care"]: float(row["own"]) for row in rows if row["agent"] == "exact"}
    learned = [row for row in rows if row["agent"] == "q_learning"]
    assert exact == {care: OWN_RETURNS[bisect_right(BREAK_POINTS, float(care))] for care in exact}
    assert Counter(row["care"] for row in learned) == dict.fromkeys(exact, 10)
    assert all(float(row["regret"]) == 0.0 for row in learned)
    assert f"at each of its {len(exact)} coefficients" in PAGE
    assert f"all of the {len(learned):,} learned policies are optimal" in " ".join(PAGE.split())


def answer_of_checked_copy(q: float, trained: int = 0, first: int = 0) -> float:
    """P(1) of a copy with the published check whose answers are fair coins, after five actions, each 1 with q."""
    if trained == 5:
        return 0.5
    return sum(
        chance / 2 * (answer_of_checked_copy(q, trained + 1, first or own) if own == action else (first or own))
        for action, chance in ((1, q), (0, 1 - q))
        for own in (0, 1)
    )


def test_what_copies_that_draw_anew_would_leave_in_limited_memory() -> None:
    best = max((2 * q - 1) * (2 * answer_of_checked_copy(q) - 1) for q in (step / 100 for step in range(101)))
    assert f"a policy without memory would get {two_digits(best)} at most" in PAGE


def test_every_row_by_row_unit_is_there() -> None:
    """Six agents by history and both of PPO by turn; DQN and A2C by turn are in the other file."""
    found = Counter((row["agent"], row["draws"], row["seed"]) for row in kept("table_2_rows"))
    ppo = [agent for agent in table_2_rows.AGENTS if "ppo" in agent]
    ways = [*((agent, "history") for agent in table_2_rows.AGENTS), *((agent, "turn") for agent in ppo)]
    runs = 2 * len(table_2_rows.ENVIRONMENTS)
    assert found == {(*way, str(seed)): runs for way in ways for seed in range(1, 6)}


def test_drawn_by_history_the_rows_of_ppo_are_the_published_ones() -> None:
    numbers = {"turns": int, "seed": int, "reward_a_turn": float}
    rows = [{name: numbers.get(name, str)(value) for name, value in row.items()} for row in kept("table_2_rows")]
    [claim] = table_2_rows.experiment.claims
    assert claim.holds(rows)
