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
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from engine import value_types
from engine.effort import SECONDS_A_LEARNING_STEP, SECONDS_A_TURN, STEPS_WITHOUT_ASKING, require_confirmed
from engine.errors import BadValue, ContractBroken, UnknownName
from engine.printable import show_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Length(NamedTuple):
    """The values of a whole-number setting that makes units longer.

    Parameters
    ----------
    counted : str
        What the setting counts, in words that begin with a plural, such as "turns a run".
    least, most : int
        The smallest and the largest value that can be run at all.
    without_asking : int
        Larger values have to be confirmed.
    seconds : float
        Seconds that one of the counted things takes at least, on a common machine; 0 where that is unknown.
    runs : int
        The number of runs of that length in a unit.

    Examples
    --------
    >>> Length("turns a run", most=1000).most
    1000
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
    """The length of every unit of a grid. number: how many turns, steps, ...; counted: the word for them."""

    number: int = 0
    counted: str = ""

    def describe_rate(self, units: float) -> str:
        """Return a number of units per second in words, as turns or steps; "" where the length is unknown."""
        return f"{units * self.number:,.0f} {self.counted} per second" if self.number else ""


def find_unit_length(lengths: Mapping[str, Length], settings: Mapping[str, Sequence[object]]) -> UnitLength:
    """Return the length of the units of a grid; its number is 0 where units differ, or where no time is known."""
    if len(lengths) != 1:
        return UnitLength()
    [(name, length)] = lengths.items()
    values = settings.get(name, ())
    if len(values) != 1 or not isinstance(values[0], int) or not length.seconds:
        return UnitLength()
    return UnitLength(values[0] * length.runs, length.counted.split()[0])


def require_lengths(lengths: Mapping[str, Length], settings: Mapping[str, Iterable[object]], yes: bool) -> None:
    """Raise BadValue for the first value that cannot be run, or that takes long and is not confirmed."""
    for name, length in lengths.items():
        for value in settings.get(name, ()):
            if not isinstance(value, int):
                continue
            if not length.least <= value <= length.most:
                bounds = f"choose a whole number from {length.least} to {length.most}"
                raise BadValue(f"{value} {length.counted}", place=f"setting '{name}'", remedy=bounds)
            require_confirmed(value, length.counted, f"setting '{name}'", length.seconds, yes, length.without_asking)


Scalar: TypeAlias = str | int | float | bool | None
ResultRow: TypeAlias = dict[str, Scalar]
Rows: TypeAlias = list[ResultRow]
UnitSetting: TypeAlias = Mapping[str, Scalar]
SettingValues: TypeAlias = Mapping[str, tuple[Scalar, ...]]


class NotEnoughRows(Exception):
    """A claim, figure or published number needs rows that are not stored (yet)."""


class Claim(NamedTuple):
    """A statement of a paper, as a test of stored rows.

    Parameters
    ----------
    says : str
        The statement, in words.
    holds : callable
        rows -> whether they bear the statement out; it may raise NotEnoughRows.
    needs : mapping, optional
        Setting -> values without whose rows the claim is not judged, by default those of the quick subset.

    Examples
    --------
    >>> claim = Claim("nobody loses", lambda rows: all(row["own"] >= 0 for row in rows))
    >>> claim.holds([{"own": 1.0}, {"own": -2.0}])
    False
    """

    says: str
    holds: Callable[[Rows], bool]
    needs: SettingValues | None = None


class Published(NamedTuple):
    """A number that a paper prints, beside the one that we compute.

    Parameters
    ----------
    what : str
        What the number is, in words, with its unit.
    number : float
        The printed number.
    ours : callable
        rows -> our number; it may raise NotEnoughRows.
    """

    what: str
    number: float
    ours: Callable[[Rows], float]


class ScoreColumns(NamedTuple):
    """The columns of scores on one scale, for statistics over seeds and environments (`experiments.statistics`).

    Parameters
    ----------
    score : str or callable
        A column, or a function row -> score.
    method, run : str
        The columns of the method and of its run, by default the seed.
    environment : str, optional
        The column of the environment; None where there is only one environment.
    groups : tuple of str
        Columns by whose values rows are summarised apart.
    pairs : tuple of (str, str), optional
        Methods (a, b) for the probability that a scores higher than b; None for every pair.
    """

    score: str | Callable[[ResultRow], float]
    method: str
    run: str = "seed"
    environment: str | None = None
    groups: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] | None = None


class LearnedRuns(NamedTuple):
    """Rows that are learned, and what is tested of each: reports count the seeds that fail it.

    Parameters
    ----------
    found : callable
        row -> whether it passes, such as whether it reached the exact optimum; None for a row that was not learned.
    by : tuple of str
        Columns by whose values seeds are counted apart.
    run : str
        The column of the seed; a seed fails where one of its rows does.
    failing : str
        What the seeds that fail do, as reports print it.
    """

    found: Callable[[ResultRow], bool | None]
    by: tuple[str, ...]
    run: str = "seed"
    failing: str = "miss the exact optimum"


@dataclass(frozen=True)
class Experiment:
    """The contract of an experiment: data, a pure function, and what is claimed of its rows.

    Parameters
    ----------
    reproduces : str
        Source and place, such as "Be Considerate, Table 1".
    settings : mapping
        Setting -> tuple of values (str, int, float, bool or None, all of one kind). The units of work are the product.
        A setting called `seed` is what `--seeds` counts.
    run : callable
        `run(**setting, key) -> rows`, pure and picklable (a module's function): a list of flat dicts of str, int,
        float, bool or None, without the setting, which is put in front of every row. `key` is the unit's own random
        key; draw from `split(0, seed)` instead where units must share their random numbers.
    quick : mapping
        Setting -> fewer values (or shorter runs); settings that it leaves out keep all values. The quick grid must take
        seconds, for the tests run it and check every claim on it.
    lengths : mapping
        Setting -> `Length`, for whole numbers that make a unit run longer. Values beyond it are refused, or have to be
        confirmed, before anything runs.
    prepare : callable, optional
        What `run` makes of settings first, such as a world: a function of the settings that its parameters name. Before
        anything runs it is called with every combination of their values (of many thousands, with a sample), and what
        it refuses is refused.
    together : callable, optional
        Settings of several units -> a list of rows for each, equal to those of `run`: for work without chance that is
        cheaper done at once. Workers call it for their chunks of units; where it fails, each unit runs alone.
    files : tuple of str or Path
        Files of data that `run` reads: their content belongs to the code that makes the rows, so that rows of a changed
        file are not mixed with older ones.
    claims : tuple of Claim
        The paper's statements.
    published : tuple of Published
        The paper's numbers.
    scores : ScoreColumns, optional
        Columns for statistics over seeds and environments.
    learned : LearnedRuns, optional
        Rows that are learned, of which reports count the seeds that fail a test.
    figure : callable, optional
        rows -> matplotlib figure (import matplotlib inside).
    no_figure : str
        Why a table says it better, for an experiment without a figure.
    table : callable, optional
        rows -> rows of a table to print.
    version : int
        Raise it when `run` changes its results; rows of other versions are then never mixed in.
    repeatable : bool
        False only where rows hold measured seconds.
    extras : tuple of str
        Optional dependencies that `run` needs, such as ("deep",); the tests then count it among the slow ones.
    name : str
        The catalogue sets it from the file, such as "be_considerate/table_1".

    Raises
    ------
    ContractBroken
        For a field that holds another sort of thing.
    BadValue
        For settings without values, with values of several kinds, or with a value twice.
    UnknownName
        For a setting of `quick`, `lengths` or `prepare` that is not declared.

    Examples
    --------
    >>> def run(n, key):
    ...     return [{"square": n * n}]
    >>> squares = Experiment("squares", {"n": (1, 2, 3)}, run, quick={"n": (1,)})
    >>> squares.quick_settings["n"]
    (1,)
    """

    reproduces: str
    settings: SettingValues
    run: Callable[..., Rows]
    quick: SettingValues = field(default_factory=dict)
    lengths: Mapping[str, Length] = field(default_factory=dict)
    prepare: Callable[..., object] | None = None
    together: Callable[[Sequence[UnitSetting]], list[Rows]] | None = None
    files: tuple[str | Path, ...] = ()
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
            ("files", _all_are(self.files, str | Path), "a tuple of paths"),
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


def _all_are(things: object, kind: type | UnionType) -> bool:
    return isinstance(things, tuple | list) and all(isinstance(thing, kind) for thing in things)


def _are_lengths(things: object) -> bool:
    return isinstance(things, Mapping) and all(isinstance(length, Length) for length in things.values())


def _describe_kind(value: Scalar) -> type:
    return float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
