"""Language agents in the worlds of caregrid, measured through Inspect (extra `language`).

A language agent reads rules and a board in words and answers in words. Nothing of a world changes: what is told and
read is a thin layer over scenarios, extended environments, slot worlds and terminal worlds.

| file                | holds                                                                                   |
| ------------------- | --------------------------------------------------------------------------------------- |
| `worlds`            | a world with what can be reached in it within a step limit, step by step                |
| `texts`             | what an agent is told of a state, and a state read back from it                         |
| `prompts`           | prompt sets of three kinds: files of texts with gaps, or the user's own                |
| `answers`           | an action read from an answer, line by line                                             |
| `episodes`          | an episode in words: what is said next, and what an answer does; its measures           |
| `exact_agents`      | exact agents that read and answer in words                                              |
| `self_reflection`   | extended environments, where a copy is the same model asked about the imagined history  |
| `situations`        | situations in plain words, their actions lettered, and what exact agents choose in them |
| `copied_situations`, `terminal_situations` | those of copies, and those at an input terminal                  |
| `exact_speaker`     | the exact agent of a name, whatever is asked                                            |
| `memo`              | answers that have been given, so that nothing is asked twice                            |
| `inspect_tasks`     | Inspect's tasks, solvers and scorers of worlds and turns                                |
| `inspect_situations` | those of situations                                                                    |
| `inspect_benchmark` | models in `caregrid bench`                                                             |
| `inspect_arguments` | what `-T` says, checked                                                                 |
| `inspect_model`     | questions put to Inspect's model                                                        |
| `inspect_provider`  | Inspect's provider `exact/...`, the exact agents                                        |

Inspect takes a second to import: only the files of its name import it, and nothing else of caregrid imports these.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from engine.errors import MissingExtra, UnknownName

TASKS = ("bench", "caring", "copies", "kitchen", "levels", "self_reflection", "terminal")


def task(name: str, **arguments: Any) -> Any:
    """Make a task of Inspect, as `inspect eval caregrid/NAME -T ARGUMENT=VALUE` does.

    Parameters
    ----------
    name : str
        bench, caring, copies, kitchen, levels, self_reflection or terminal.
    **arguments
        Those of the task (docs/language.md).

    Returns
    -------
    inspect_ai.Task

    Raises
    ------
    UnknownName
        For another name.
    MissingExtra
        Without the extra `language`.
    """
    if name not in TASKS:
        raise UnknownName("task", name, TASKS, place="caregrid.language")
    require_inspect()
    made: Any = getattr(importlib.import_module("caregrid.language.inspect_tasks"), name)
    return made(**arguments)


def require_inspect() -> None:
    """Raise MissingExtra where Inspect is not installed."""
    if importlib.util.find_spec("inspect_ai") is None:
        raise MissingExtra("Inspect is not installed", remedy="pip install 'caregrid[language]'")
