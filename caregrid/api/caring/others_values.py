"""What the others can expect, precomputed on the acting agent's states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.api.results.result import Result, Writer
from engine.errors import UnknownName, argument
from engine.limits.long_runs import require_learning_confirmed
from experiments.figures.style import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from craftworld.others.value_distribution import ValueDistribution
    from craftworld.scenario import Scenario
    from engine.mdp.mdp import TabularMDP

METHODS = ("exact", "q_learning")


@dataclass(frozen=True, repr=False, eq=False)
class OthersValues(Result):
    """The values of those who come afterwards, one for each state in which the acting agent may end.

    scenario, mdp: the acting agent's world and table. distribution: names, values f64[N, S], probabilities f64[N].
    fingerprint: of what the values belong to. note: how they were made. warning:
    one line where learned values are not the exact ones, else None.
    """

    scenario: Scenario
    mdp: TabularMDP
    distribution: ValueDistribution
    fingerprint: str
    note: Mapping[str, object]
    warning: str | None = None

    @property
    def title(self) -> str:
        """The scenario, who comes afterwards, and the number of states."""
        return f"{self.scenario.name}: values of {', '.join(self.names)} on {len(self.mdp.states)} states"

    @property
    def names(self) -> tuple[str, ...]:
        """Who comes afterwards."""
        return self.distribution.names

    def rows(self) -> list[dict[str, Any]]:
        """A row a state: its fields, whether it is terminal, and the value of each who comes afterwards."""
        columns = {name: self.distribution.value[number] for number, name in enumerate(self.names)}
        return [
            {
                **state._asdict(),
                "terminal": bool(self.mdp.terminal[number]),
                **{name: float(column[number]) for name, column in columns.items()},
            }
            for number, state in enumerate(self.mdp.states)
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """value f64[N, S], probability, weight and baseline_value f64[N]."""
        return {name: getattr(self.distribution, name) for name in ("value", "probability", "weight", "baseline_value")}

    def as_dict(self) -> dict[str, Any]:
        """scenario, fingerprint, states, names, baseline_value, warning."""
        return {
            "scenario": self.scenario.name,
            "fingerprint": self.fingerprint,
            "states": len(self.mdp.states),
            "names": list(self.names),
            "baseline_value": [float(value) for value in self.distribution.baseline_value],
            "warning": self.warning,
        }

    @styled
    def figure(self) -> Figure:
        """How many terminal states give each value, one histogram for each who comes afterwards."""
        from experiments.figures.style import CYCLE, HATCHES, Look, new_figure, whole_ticks

        figure = new_figure()
        axes = figure.subplots()
        shown = self.mdp.terminal if self.mdp.terminal.any() else ~self.mdp.terminal
        for number, name in enumerate(self.names):
            colour, hatch = CYCLE[number % len(CYCLE)], HATCHES[number % len(HATCHES)]
            look: Look = {
                "bins": 30,
                "color": colour,
                "alpha": 0.6,
                "hatch": hatch,
                "edgecolor": "white",
                "linewidth": 0.0,
            }
            axes.hist(self.distribution.value[number][shown], bins=30, label=name, **look)
        axes.set_xlabel("value of what the acting agent leaves (sum of rewards)")
        axes.set_ylabel("terminal states (count)")
        whole_ticks(axes, "y")
        axes.legend()
        return figure

    def text(self) -> str:
        """The title and the fingerprint."""
        return f"{self.title}, {self.fingerprint}"

    def writers(self) -> dict[str, Writer]:
        """As every result; .npz is the file that `values=` and --values load."""
        from craftworld.others.value_file import save_values

        def as_values(path: Path) -> None:
            save_values(path, self.distribution, self.fingerprint, self.note)

        return super().writers() | {"npz": as_values}


def precomputed(
    scenario: Scenario, discount: float | None, method: str, seed: int, steps: int | None, confirmed: bool = False
) -> OthersValues:
    """The others' values, exact or learned; the arguments are those of `CaringProblem.precompute`."""
    from craftworld.others import value_file
    from craftworld.others.value_distribution import precompute
    from craftworld.solution.learning import NewcomerLearners, newcomer_learning, values_error, values_warning
    from engine.mdp.tabulate import tabulate

    require_learning_confirmed(confirmed, steps=steps)
    if method not in METHODS:
        raise UnknownName("method", method, METHODS, place=argument("method"))
    mdp = tabulate(scenario, scenario.discount if discount is None else discount)
    exact, mark = precompute(scenario, mdp), value_file.fingerprint(scenario, mdp)
    if method == "exact":
        return OthersValues(scenario, mdp, exact, mark, {"method": method})
    learning = newcomer_learning(scenario, steps)
    learners = NewcomerLearners(learning, seed)
    learned = precompute(scenario, mdp, learners)
    error = values_error(exact, learned)
    note = {"method": "q-learning", "seed": seed, **asdict(learning.settings), "steps": learners.steps, "error": error}
    return OthersValues(scenario, mdp, learned, mark, note, values_warning(scenario, mdp, error, learning))
