"""Some of the stored units computed once more, on this machine, and compared byte by byte with what is stored.

    drawn       the ceil(share n) units with the least random numbers, each a function of the seed and the unit
    unit agrees where the line that it would be stored as is the line of the stored rows

A unit that differs was made by other code, or by the same code with other bytes: which of the two says its segment's
code identity (`experiments.runs.code_identity`). `rows.csv`, which is made of the units, is
made again and compared, too.

Only what is computed again is known. Of d wrong units among n, k drawn ones miss all with probability
(1 - d/n)(1 - d/(n - 1)) ..., about (1 - share)^d.
"""

from __future__ import annotations

import hashlib
import heapq
import math
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine.effort import write_duration
from engine.errors import BadValue, argument
from engine.files import open_regular_file
from engine.printable import make_printable
from engine.randomness.counter_based import split
from engine.user_code import names_of_file, require_trusted_content
from experiments.experiment import Rows, UnitSetting, require_lengths
from experiments.results import Results
from experiments.runs.code_identity import CodeIdentity, list_few
from experiments.runs.segments import write_unit_line
from experiments.runs.unit import StoredUnit, UnitTask, make_unit_key, run_chunk
from experiments.sharing.packing import ROWS
from experiments.stored_rows import write_rows

SECONDS_WITHOUT_ASKING = 600.0


class Difference(NamedTuple):
    """A unit that differs, and where. column: in the first row that does. code: in what the code differs."""

    setting: UnitSetting
    column: str
    stored: Any
    recomputed: Any
    code: str


class Verified(NamedTuple):
    """What computing units once more has shown.

    units: how many are stored. recomputed: how many were computed again. differences: a line each that differs. code:
    in what this code differs from that of the units that were drawn, "" where it is the same. unknown: what nobody can
    know of it. stale: files that are not what the units say. seed: draws the same units again.
    """

    units: int
    recomputed: int
    differences: Sequence[Difference]
    code: str
    unknown: str
    stale: Sequence[str]
    seed: int

    @property
    def agrees(self) -> bool:
        """Whether every byte does."""
        return not self.differences and not self.stale


def verify_results(
    results: Results, share: float, seed: int, *, trust: bool, yes: bool, show: Callable[[int, float], None]
) -> Verified:
    """Compute a share of the stored units again; BadValue for what does not repeat, or would take long.

    trust: let settings name code. show: called with how many units are done, and how many there are.
    """
    results.require_units()
    store, experiment = results.store, results.experiment
    if not experiment.repeatable:
        remedy = "no other machine finds the same ones"
        raise BadValue("its rows hold measured seconds", place=experiment.name, remedy=remedy)
    texts = list(store.index.texts())
    count = math.ceil(share * len(texts))
    key = split(0, seed)
    drawn = sorted(heapq.nsmallest(count, texts, key=lambda text: split(key, text.hex())))
    units = list(store.index.units(drawn))
    _refuse_long(results, count, yes)
    settings = {name: tuple({unit.setting[name]: None for unit in units}) for name in experiment.settings}
    require_lengths(experiment.lengths, settings, yes)
    with names_of_file(store.path, trust):
        require_trusted_content([unit.setting for unit in units], "setting")
        store.asked = settings
        codes = _compare_codes(results, set(drawn))
        differences = []
        began = time.monotonic()
        for number, (text, unit) in enumerate(zip(drawn, units, strict=True)):
            show(number, count)
            _refuse_endless(time.monotonic() - began, number, count, yes)
            if (difference := _recompute(results, unit, codes[text][0])) is not None:
                differences.append(difference)
    others = dict.fromkeys(found for found, _ in codes.values() if found)
    unknown = dict.fromkeys(found for _, found in codes.values() if found)
    stale = [ROWS] if _is_stale(results) else []
    return Verified(len(texts), count, differences, "; ".join(others), "; ".join(unknown), stale, seed)


def _refuse_long(results: Results, count: int, yes: bool) -> None:
    """BadValue where the sessions' records say that so many units take long."""
    sessions = results.store.sessions()
    seconds = sum(_read_number(one.get("seconds")) * _read_number(one.get("workers", 1)) for one in sessions)
    done = sum(_read_number(one.get("done")) for one in sessions)
    if done and not yes and count * seconds / done > SECONDS_WITHOUT_ASKING:
        raise _make_cost_error(count, count * seconds / done, "took")


def _refuse_endless(seconds: float, done: int, count: int, yes: bool) -> None:
    if not yes and seconds > SECONDS_WITHOUT_ASKING:
        raise _make_cost_error(count, seconds / max(done, 1) * count, "take")


def _make_cost_error(count: int, seconds: float, verb: str) -> BadValue:
    remedy = f"choose a smaller {argument('share')}, or confirm it with {argument('yes', True)}"
    return BadValue(f"{count:,} units {verb} about {write_duration(seconds)}", place=argument("share"), remedy=remedy)


def _read_number(value: Any) -> float:
    return value if isinstance(value, int | float) and math.isfinite(value) else 0.0


def _compare_codes(results: Results, drawn: set[bytes]) -> dict[bytes, tuple[str, str]]:
    """Drawn unit -> in what our code differs from that which made it, and what nobody can know; "" for nothing."""
    index, ours = results.store.index, results.store.code
    found: dict[bytes, tuple[str, str]] = {}
    for code, _ in index.list_codes():
        said = _compare_code(ours, code)
        found |= dict.fromkeys(drawn & set(index.texts_by(code)), said)
    return found


def _compare_code(ours: CodeIdentity, theirs: CodeIdentity | None) -> tuple[str, str]:
    if theirs is None:
        return "", "their code was not recorded"
    unknown = {**theirs.unknown, **ours.unknown}
    named = (f"{make_printable(name)}: {make_printable(why)}" for name, why in sorted(unknown.items()))
    return make_printable(list_few(ours.differences(theirs))), list_few(named)


def _recompute(results: Results, unit: StoredUnit, code: str) -> Difference | None:
    """Run a unit again; None where it gives the same bytes."""
    experiment, identity = results.experiment, results.store.identity
    task = UnitTask(unit.setting, make_unit_key(experiment.name, identity.seed, unit.setting))
    [found] = run_chunk(experiment.run, [task])
    if found.rows is None:
        return Difference(unit.setting, "", None, found.reason, code)
    stored, made = (write_unit_line(identity, unit.setting, rows) for rows in (unit.rows, found.rows))
    return None if stored == made else Difference(unit.setting, *_find_first(unit.rows, found.rows), code)


def _find_first(stored: Rows, made: Rows) -> tuple[str, Any, Any]:
    """Return the first column whose values differ, and both values; "rows" where their numbers differ."""
    for ours, theirs in zip(stored, made, strict=False):
        for column in {**ours, **theirs}:
            if repr(ours.get(column)) != repr(theirs.get(column)):
                return column, ours.get(column), theirs.get(column)
        if list(ours) != list(theirs):
            return "columns", ", ".join(ours), ", ".join(theirs)
    return "rows", len(stored), len(made)


def _is_stale(results: Results) -> bool:
    """Return whether rows.csv is there and is not what the units say."""
    with open_regular_file(results.store.path / ROWS) as handle:
        if handle is None:
            return False
        with open(handle, "rb", closefd=False) as stream:
            stored = hashlib.file_digest(stream, "sha256").digest()
    with tempfile.TemporaryDirectory(prefix="caregrid-") as folder:
        made = Path(folder, ROWS)
        write_rows(made, results.each_row())
        with made.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").digest() != stored
