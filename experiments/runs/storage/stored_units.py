"""Stored units in an order, read from the disk one by one each time they are gone through."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from experiments.experiment import SettingValues
from experiments.runs.storage.lines import texts_of, values_of
from experiments.runs.storage.unit_index import UnitIndex
from experiments.runs.unit import StoredUnit


class StoredUnits:
    """The units of an index with these settings' texts, in the order of the texts. kept: units held in memory."""

    def __init__(
        self, index: UnitIndex, texts: Sequence[bytes], kept: Mapping[bytes, StoredUnit] | None = None
    ) -> None:
        self._index, self._texts, self._kept = index, texts, kept

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[StoredUnit]:
        return self._index.units(self._texts) if self._kept is None else map(self._kept.__getitem__, self._texts)

    def in_memory(self) -> StoredUnits:
        """The same, read now, for a directory that will be gone."""
        return StoredUnits(self._index, self._texts, dict(zip(self._texts, self, strict=True)))

    def covers(self, settings: SettingValues) -> bool:
        """Whether a unit is here for every combination of these settings' values, whatever its other settings."""
        names = self._index.identity.settings
        if not set(settings) <= set(names):
            return False
        if set(settings) == set(names):
            here = self._index if len(self) == len(self._index) else frozenset(self._texts)
            few = math.prod(map(len, settings.values())) <= len(self)
            return few and all(text in here for text in texts_of(settings))
        places = [names.index(name) for name in sorted(settings)]
        stored = {tuple(values[place] for place in places) for values in map(values_of, self._texts)}
        return all(tuple(values_of(text)) in stored for text in texts_of(settings))

    def within(self, settings: SettingValues) -> StoredUnits:
        """Those whose settings are all among these values."""
        if len(self) == math.prod(map(len, settings.values())) and self.covers(settings):
            return self
        among = [frozenset(settings[name]) for name in self._index.identity.settings]
        texts = [text for text in self._texts if _is_among(values_of(text), among)]
        return StoredUnits(self._index, texts, self._kept)

    def without(self, others: StoredUnits) -> StoredUnits:
        """Those that are not among the others, which are of the same index."""
        left_out = frozenset(others._texts)
        return StoredUnits(self._index, [text for text in self._texts if text not in left_out], self._kept)


def _is_among(values: list[Any], among: list[frozenset[Any]]) -> bool:
    return all(value in allowed for value, allowed in zip(values, among, strict=True))
