"""An experiment is data: what it reproduces, a grid of settings, a pure `run`, claims, and a figure or a table.

    rows = union over settings s of { s + row : row in run(**s, key) }

A file of `experiments/catalogue/` declares one experiment by calling `Experiment` at module level and naming it
`experiment`. Everything else (running, resuming, collecting, checking, drawing, reporting) follows from that.

A `Length` declares a setting that says how long a unit runs: what values it may have, what is refused before
anything runs, and what must be confirmed because it takes long.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from engine import value_types
from engine.effort import SECONDS_A_LEARNING_STEP, SECONDS_A_TURN, STEPS_WITHOUT_ASKING, require_confirmed
from engine.errors import BadValue, ContractBroken, UnknownName
from engine.printable import show_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Length(NamedTuple):
    """What a whole-number setting may be that makes units longer.

    counted: what it counts, in words, the first of them the plural of one. least, most: the values that can be run at
    all. without_asking: more have to be confirmed. seconds: what one takes at least, on a common machine; 0 where that
    cannot be told. runs: how many runs of that length a unit is.
    """

    counted: str
    least: int = 1
    most: int = 2**63 - 1
    without_asking: int = STEPS_WITHOUT_ASKING
    seconds: float = 0.0
    runs: int = 1


LEARNING_STEPS = Length("steps of learning", least=0, most=value_types.STEPS.most, seconds=SECONDS_A_LEARNING_STEP)
TURNS = Length("turns a run", most=value_types.TURNS.most, seconds=SECONDS_A_TURN)


class UnitLength(NamedTuple):
    """How long every unit of a grid is: so many turns, steps, ..."""

    number: int = 0
    counted: str = ""

    def a_second(self, units: float) -> str:
        """What so many units a second are, in words; "" where the length is not known."""
        return f"{units * self.number:,.0f} {self.counted} a second" if self.number else ""


def find_unit_length(lengths: Mapping[str, Length], settings: Mapping[str, Sequence[object]]) -> UnitLength:
    """The length of the units of a grid; that of number 0 where they differ in it, or none is known to take time."""
    if len(lengths) != 1:
        return UnitLength()
    [(name, length)] = lengths.items()
    values = settings.get(name, ())
    if len(values) != 1 or not isinstance(values[0], int) or not length.seconds:
        return UnitLength()
    return UnitLength(values[0] * length.runs, length.counted.split()[0])


def require_lengths(lengths: Mapping[str, Length], settings: Mapping[str, Iterable[object]], confirmed: bool) -> None:
    """BadValue for the first value that cannot be run, or that takes long and is not confirmed."""
    for name, length in lengths.items():
        for value in settings.get(name, ()):
            if not isinstance(value, int):
                continue
            if not length.least <= value <= length.most:
                bounds = f"choose a whole number from {length.least} to {length.most}"
                raise BadValue(f"{value} {length.counted}", place=f"setting '{name}'", remedy=bounds)
            require_confirmed(
                value, length.counted, f"setting '{name}'", length.seconds, confirmed, length.without_asking
            )


Scalar: TypeAlias = str | int | float | bool | None
ResultRow: TypeAlias = dict[str, Scalar]
Rows: TypeAlias = list[ResultRow]
UnitSetting: TypeAlias = Mapping[str, Scalar]
SettingValues: TypeAlias = Mapping[str, tuple[Scalar, ...]]


class NotEnoughRows(Exception):
    """A claim, figure or published number needs rows that are not stored (yet)."""


class Claim(NamedTuple):
    """A statement of a paper, executable.

    says: the statement, in words. holds: whether stored rows bear it out; it may raise NotEnoughRows.
    needs: the settings without which nothing can be said, by default those of the quick subset.
    """

    says: str
    holds: Callable[[Rows], bool]
    needs: SettingValues | None = None


class Published(NamedTuple):
    """A number printed in a paper and how to compute ours from stored rows; `ours` may raise NotEnoughRows."""

    what: str
    number: float
    ours: Callable[[Rows], float]


class ScoreColumns(NamedTuple):
    """Which columns hold scores on one scale, for statistics over seeds and environments (`experiments.statistics`).

    score: a column, or a function of a row. method, run, environment: columns; environment None: there is one. groups:
    columns that are summarised apart.
    pairs: (a, b) of methods for the probability that a scores higher than b; None: every pair.
    """

    score: str | Callable[[ResultRow], float]
    method: str
    run: str = "seed"
    environment: str | None = None
    groups: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] | None = None


class LearnedRuns(NamedTuple):
    """Which rows are learned beside an exact optimum: reports count the seeds that miss it.

    found: row -> whether it reached the optimum, None for a row that was not learned. by: columns that are counted
    apart. run: a seed misses where one of its rows does.
    """

    found: Callable[[ResultRow], bool | None]
    by: tuple[str, ...]
    run: str = "seed"


@dataclass(frozen=True)
class Experiment:
    """The contract of an experiment.

    reproduces: source and place, such as "Be Considerate, Table 1".
    settings: setting's name -> its values (str, int, float, bool or None, all of one kind); the units of work are
        the product. A setting called `seed` is what `--seeds` counts.
    run: `run(**setting, key) -> rows`, pure and picklable (a module's function): a list of flat dicts of str, int,
        float, bool or None, without the setting, which is put in front of every row. `key` is the unit's own random
        key; draw from `split(0, seed)` instead where units must share their random numbers.
    together: settings of several units -> a list of rows for each, the same that `run` gives: for work that is cheaper
        done at once, without chance. Workers ask it for their chunks of units; where it fails, each runs alone.
    quick: setting's name -> fewer values (or shorter run lengths); what it leaves out keeps all values. It must take
        seconds, for the tests run it and check every claim on it.
    lengths: setting's name -> `experiments.experiment.Length`, for whole numbers that make a unit run longer; values
        beyond it are refused, or have to be confirmed, before anything runs.
    prepare: what `run` makes of settings first, such as a world: a function of the settings that it names. Before
        anything runs it is called with every combination of their values (thousands are sampled), and what it refuses
        is refused.
    claims: the paper's statements. published: the paper's numbers.
    scores: columns for statistics over seeds and environments. learned: rows to be held against the exact optimum.
    figure: rows -> matplotlib figure (import matplotlib inside). no_figure: why a table says it better, where it does.
    table: rows -> rows of a table to print.
    version: raise it when `run` changes its results; rows of other versions are then never mixed in.
    repeatable: False only where rows hold measured seconds.
    extras: optional dependencies that `run` needs, such as ("deep",); the tests then count it among the slow ones.
    name: set by the catalogue from the file, such as "be_considerate/table_1".
    """

    reproduces: str
    settings: SettingValues
    run: Callable[..., Rows]
    quick: SettingValues = field(default_factory=dict)
    lengths: Mapping[str, Length] = field(default_factory=dict)
    prepare: Callable[..., object] | None = None
    together: Callable[[Sequence[UnitSetting]], list[Rows]] | None = None
    claims: tuple[Claim, ...] = ()
    published: tuple[Published, ...] = ()
    scores: ScoreColumns | None = None
    learned: LearnedRuns | None = None
    figure: Callable[[Rows], Figure] | None = None
    no_figure: str = ""
    table: Callable[[Rows], Rows] | None = None
    version: int = 1
    repeatable: bool = True
    extras: tuple[str, ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        self._require_declared()
        require_plain_values(self.settings, self.reproduces)
        for setting in self.quick:
            if setting not in self.settings:
                raise UnknownName("setting", setting, self.settings, place=f"{self.reproduces}, quick")
        require_plain_values(self.quick, f"{self.reproduces}, quick")
        for setting in self.lengths:
            if setting not in self.settings:
                raise UnknownName("setting", setting, self.settings, place=f"{self.reproduces}, lengths")
        for setting in list_parameters(self.prepare) if self.prepare else ():
            if setting not in self.settings:
                raise UnknownName("setting", setting, self.settings, place=f"{self.reproduces}, prepare")
        for attribute in ("settings", "quick"):
            object.__setattr__(self, attribute, MappingProxyType(dict(getattr(self, attribute))))

    def _require_declared(self) -> None:
        """ContractBroken for a field that holds another sort of thing than it should."""
        sorts: tuple[tuple[str, bool, str], ...] = (
            ("reproduces", isinstance(self.reproduces, str) and bool(self.reproduces), "a text"),
            ("settings", isinstance(self.settings, Mapping), "a dict: setting's name -> tuple of values"),
            ("quick", isinstance(self.quick, Mapping), "a dict: setting's name -> tuple of values"),
            ("lengths", _are_lengths(self.lengths), "a dict: setting's name -> Length"),
            (
                "run",
                callable(self.run) and not inspect.iscoroutinefunction(self.run),
                "a function, no coroutine: run(setting, ..., key) -> rows",
            ),
            ("prepare", self.prepare is None or callable(self.prepare), "a function: prepare(setting, ...)"),
            (
                "together",
                self.together is None or callable(self.together),
                "a function: settings of units -> their rows",
            ),
            ("claims", _all_are(self.claims, Claim), "a tuple of Claim"),
            ("published", _all_are(self.published, Published), "a tuple of Published"),
            ("scores", self.scores is None or isinstance(self.scores, ScoreColumns), "ScoreColumns"),
            ("learned", self.learned is None or isinstance(self.learned, LearnedRuns), "LearnedRuns"),
            ("figure", self.figure is None or callable(self.figure), "a function: rows -> figure"),
            ("no_figure", isinstance(self.no_figure, str), "a text: why there is no figure"),
            ("table", self.table is None or callable(self.table), "a function: rows -> rows"),
            ("version", type(self.version) is int, "a whole number"),
        )
        for name, fits, expected in sorts:
            if not fits:
                raise ContractBroken(
                    f"{name} is {type(getattr(self, name)).__name__}",
                    place=f"experiment '{self.reproduces}'",
                    remedy=f"give {expected}",
                )

    def __reduce__(self) -> tuple[Any, ...]:
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        values |= {"settings": dict(self.settings), "quick": dict(self.quick)}
        return _rebuild, (values,)

    @property
    def quick_settings(self) -> SettingValues:
        """The whole grid of the quick subset."""
        return {**self.settings, **self.quick}


def list_parameters(prepare: Callable[..., object]) -> tuple[str, ...]:
    """The settings that a `prepare` asks for, by the names of its parameters; those with a default may be others."""
    parameters = inspect.signature(prepare).parameters.values()
    return tuple(one.name for one in parameters if one.default is inspect.Parameter.empty)


def _rebuild(values: dict[str, Any]) -> Experiment:
    return Experiment(**values)


def require_plain_values(settings: SettingValues, place: str) -> None:
    """Refuse empty grids, values that are not finite scalars, and repeated ones (BadValue)."""
    for name, values in settings.items():
        if isinstance(values, str) or not values:
            raise BadValue(f"setting '{name}' has no values", place=place, remedy="give a tuple of at least one")
        for value in values:
            if not isinstance(value, str | int | float | bool | None):
                raise BadValue(
                    f"{show_value(value)} of '{name}' is not a plain value", place=place, remedy="use words or numbers"
                )
            if isinstance(value, float) and not abs(value) < float("inf"):
                raise BadValue(f"{value} of '{name}' is not finite", place=place, remedy="give finite numbers")
        if len({_describe_kind(value) for value in values if value is not None}) > 1:
            raise BadValue(f"setting '{name}' mixes words, numbers or flags", place=place, remedy="use one kind")
        if len(set(values)) < len(values):
            raise BadValue(f"setting '{name}' repeats a value", place=place, remedy="give each value once")


def _all_are(things: object, kind: type) -> bool:
    return isinstance(things, tuple | list) and all(isinstance(thing, kind) for thing in things)


def _are_lengths(given: object) -> bool:
    return isinstance(given, Mapping) and all(isinstance(length, Length) for length in given.values())


def _describe_kind(value: Scalar) -> type:
    return float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
