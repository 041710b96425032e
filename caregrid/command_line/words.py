"""Words that several operations take: how a scenario, its map or a file is spelled on a command line."""

from __future__ import annotations

from caregrid.command_line.operation import Word

SCENARIO = Word(metavar="SCENARIO", kinds=("scenarios",), by_place=True)
MAP = Word(metavar="FILE")
SET = Word(metavar="NAME=VALUE", several=True)
PROBLEM = Word(made_by="problem", required=("scenario",))
FORMULATION = Word(metavar="F", kinds=("formulations",))
FILE = Word(metavar="FILE")
NAMES = Word(metavar="NAME,NAME,...")
SEEDS = Word(metavar="SEEDS")
POLICY = Word(metavar="DIR", several=True)
UNLESS_JSON = object()
"""The default of an `out` that is True, results/..., but None where JSON on stdout is all that is asked for."""
QUIET = Word(default=False)
"""A command shows how far it is unless it is told not to; Python shows it only where it is asked to."""
