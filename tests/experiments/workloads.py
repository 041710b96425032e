"""Small experiments for the tests, importable by workers as `tests.experiments.workloads`."""

import os
import signal
import time
from pathlib import Path

from engine.errors import BadValue, MissingExtra
from engine.randomness.counter_based import uniform
from experiments.experiment import Claim, Experiment, Published, Rows
from experiments.rows import mean, never_rises, values


def run_counting(care: float, seed: int, key: int) -> Rows:
    """Two rows a unit, from its key."""
    return [{"draw": k, "own": -10.0 - care, "number": uniform(key, k)} for k in range(2)]


def own_never_rises(rows: Rows) -> bool:
    return never_rises([mean(rows, "own", care=care) for care in values(rows, "care")])


def number_is_above_one(rows: Rows) -> bool:
    return mean(rows, "number") > 1


def draw_own(rows: Rows):  # type: ignore[no-untyped-def]
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3, 2))
    figure.subplots().plot(values(rows, "care"), [mean(rows, "own", care=care) for care in values(rows, "care")])
    return figure


def tabulate_own(rows: Rows) -> Rows:
    return [{"care": care, "own": mean(rows, "own", care=care)} for care in values(rows, "care")]


counting = Experiment(
    reproduces="A counting paper, Figure 1",
    settings={"care": tuple(step / 4 for step in range(12)), "seed": (0, 1, 2)},
    quick={"care": (0.0, 1.0), "seed": (0,)},
    run=run_counting,
    claims=(Claim("own never rises with care", own_never_rises),),
    published=(Published("own at care 0", -10.5, lambda rows: mean(rows, "own", care=0.0)),),
    figure=draw_own,
    table=tabulate_own,
)
false_claim = Experiment(
    reproduces="A false paper, Table 1",
    settings={"care": (0.0, 1.0), "seed": (0,)},
    run=run_counting,
    claims=(Claim("number is above one", number_is_above_one),),
    table=tabulate_own,
)


def run_slowly(n: int, key: int) -> Rows:
    """A unit of about a hundredth of a second."""
    time.sleep(0.005 + 0.01 * uniform(key, 0))
    return [{"square": n * n, "number": uniform(key, 1)}]


slow_units = Experiment(reproduces="A slow paper, Table 1", settings={"n": tuple(range(120))}, run=run_slowly)


def run_patiently(n: int, key: int) -> Rows:
    """A unit of a tenth of a second."""
    time.sleep(0.1)
    return [{"square": n * n}]


patient_units = Experiment(reproduces="A patient paper, Table 1", settings={"n": tuple(range(40))}, run=run_patiently)


def run_for_long(n: int, key: int) -> Rows:
    """A unit that nobody waits for."""
    time.sleep(60)
    return [{"square": n * n}]


endless = Experiment(reproduces="An endless paper, Table 1", settings={"n": tuple(range(4))}, run=run_for_long)


def run_deadly(n: int, key: int) -> Rows:
    """Unit 3 kills its worker, unit 5 raises, unit 6 raises an error for users, unit 7 returns nonsense."""
    if n == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if n == 5:
        raise ZeroDivisionError("five")
    if n == 6:
        raise BadValue("six is bad", place="six", remedy="take seven")
    return {"seven": 7} if n == 7 else [{"square": n * n}]  # type: ignore[return-value]


def run_deeply(n: int, key: int) -> Rows:
    """A unit that needs what is not there."""
    raise MissingExtra("this needs the package 'depth'", remedy="pip install 'caregrid[deep]'")


deep = Experiment(reproduces="A deep paper, Table 1", settings={"n": tuple(range(4))}, run=run_deeply)
deadly = Experiment(reproduces="A deadly paper, Table 1", settings={"n": tuple(range(10))}, run=run_deadly)


def run_fatal_once(n: int, marker: str, key: int) -> Rows:
    """Unit 4 kills its worker as long as its marker file is not there."""
    if n == 4 and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return [{"square": n * n}]


def run_large(n: int, key: int) -> Rows:
    """A unit whose file takes some kilobytes."""
    return [{"text": f"{n:06d}" * 500}]


large = Experiment(reproduces="A large paper, Table 1", settings={"n": tuple(range(40))}, run=run_large)


def run_learning(seed: int, steps: int, key: int) -> Rows:
    """A unit of honest work: tabular Q-learning on a corridor, in plain Python."""
    value = [[0.0, 0.0] for _ in range(12)]
    place = 0
    for step in range(steps):
        greedy = value[place].index(max(value[place]))
        action = greedy if uniform(key, 2 * step) > 0.3 else int(2 * uniform(key, 2 * step + 1))
        after = max(0, place - 1) if action == 0 else place + 1
        reward = 1.0 if after == 11 else 0.0
        value[place][action] += 0.1 * (reward + 0.9 * max(value[after]) - value[place][action])
        place = 0 if after == 11 else after
    return [{"start_value": max(value[0])}]


learning = Experiment(
    reproduces="A learning paper, Table 1",
    settings={"seed": tuple(range(200)), "steps": (60_000,)},
    quick={"seed": (0, 1), "steps": (1_000,)},
    run=run_learning,
)
