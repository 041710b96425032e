"""A policy that was learned, kept in a folder: an action for every state of a scenario's table, and what it is.

`policy.npz` holds int32[S] and a header, without pickle. Its fingerprint covers the scenario's table, so that it is
refused for another scenario, map or discount (`craftworld.others.value_distribution.compute_fingerprint`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.array_file import read_arrays, write_arrays
from engine.errors import BadFile

if TYPE_CHECKING:
    from craftworld.scenario import Scenario
    from engine.mdp.mdp import Floats, Policy, TabularMDP

FILE = "policy.npz"
FORMAT = "caregrid policy 1"
REMEDY = "train one with 'caregrid train'"


@dataclass(frozen=True, eq=False)
class LearnedPolicy:
    """actions: int32[S], the action of each state, or f64[S, A], the probabilities of actions.

    note: agent, care, formulation, steps, seed, ... as plain values.

    name: the folder that it was read from, if it was.
    """

    actions: Policy | Floats
    note: Mapping[str, Any]
    name: str = ""

    @property
    def label(self) -> str:
        """The folder, who learned it, at which coefficient."""
        what = f"{self.note.get('agent', 'agent')}, care {self.care:g}"
        return f"{self.name} ({what})" if self.name else what

    @property
    def care(self) -> float:
        """The coefficient at which it was learned."""
        return float(self.note["care"])


def save_policy(directory: Path, policy: LearnedPolicy, mark: str) -> None:
    """Write the policy's file into a folder. mark: the fingerprint of the scenario's table."""
    header = {"format": FORMAT, "fingerprint": mark, "note": dict(policy.note)}
    write_arrays(directory / FILE, header, {"policy": policy.actions})


def load_policy(directory: str | Path, scenario: Scenario, mdp: TabularMDP) -> LearnedPolicy:
    """The policy of a folder, for a scenario's table. BadFile where it is missing, damaged or for another table."""
    from craftworld.others.value_distribution import compute_fingerprint

    path = Path(directory) / FILE
    remedy = REMEDY
    header, [actions] = read_arrays(path, ["policy"], "a policy", remedy)
    note = header.get("note")
    if header.get("format") != FORMAT or not isinstance(note, dict) or not isinstance(note.get("care"), float):
        raise BadFile("not a policy's file", place=str(path), remedy=remedy)
    if header.get("fingerprint") != compute_fingerprint(scenario, mdp):
        raise make_other_table_error(note, str(path))
    integers = actions.dtype.kind == "i" and actions.shape == mdp.terminal.shape
    if not integers or not ((actions >= 0) & (actions < len(mdp.actions))).all():
        raise BadFile("its actions do not fit the scenario's table", place=str(path), remedy=remedy)
    return LearnedPolicy(mdp.executable(actions.astype(np.int32)), note, str(directory))


def make_other_table_error(note: Mapping[str, Any], place: str) -> BadFile:
    """Make the error of a policy that was learned on another table. note: what is known of it."""
    made_for = f"made for '{note.get('scenario')}' as it was there: another scenario, map, option or discount"
    return BadFile(f"its policy was {made_for}", place=place, remedy=REMEDY)
