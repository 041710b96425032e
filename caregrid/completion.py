"""Completion in shells: commands, options, choices and registered names (extra `completion`).

    eval "$(register-python-argcomplete caregrid)"        in ~/.bashrc or ~/.zshrc

The shell then runs `caregrid` with _ARGCOMPLETE in its environment, and argcomplete reads the answer off the parser.
"""

from __future__ import annotations

import argparse

from engine.errors import MissingExtra


def complete(parser: argparse.ArgumentParser) -> None:
    """Write what may follow to the shell and end the process. MissingExtra where argcomplete is absent."""
    try:
        import argcomplete
    except ImportError as error:
        remedy = "pip install 'caregrid[completion]'"
        raise MissingExtra("completion needs argcomplete", place="completion", remedy=remedy) from error
    argcomplete.autocomplete(parser)
