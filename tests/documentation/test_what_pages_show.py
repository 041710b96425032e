"""Every command and snippet of the documentation runs, in the order of its page, and prints what the page shows.

A terminal is 80 columns wide. Shown output is compared line by line; "..." stands for what varies. A window is opened
without a display, games in the terminal are left at once, and lines of progress, which depend on how fast a machine is,
are left out.
"""

from __future__ import annotations

import contextlib
import difflib
import doctest
import io
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from caregrid.main import main
from tests.documentation.pages import PAGES, ROOT, Step, mentioned, require_readable, steps

ELSEWHERE = ("docs/lessons/", "docs/gallery.md")  # tested with the command that writes them, and by the site's build
NAMED = {str(page.relative_to(ROOT)): page for page in PAGES}
SHOWN = {name: page for name, page in NAMED.items() if not name.startswith(ELSEWHERE) and any(steps(page))}
SLOW = (
    *(f"docs/{name}.md" for name in ("be_considerate", "bench", "deep_agents", "experiments", "identify", "language")),
    *(f"docs/{name}.md" for name in ("python", "rendering", "shared", "theory", "wrap", "xenv")),
    *(f"docs/tutorials/{name}.md" for name in ("add_your_own", "cluster", "own_agent", "own_lesson")),
)
EXAMPLE = re.compile(r"[A-Z]{2,}|\bmy_|compare$|locality$")  # a word of the reader's own, or none yet
LONG = re.compile(r"caregrid (run |bench |demo all|sweep workshop --method|battery .*--turns 10000)")
"""These are read, not run: quick subsets of experiments and benchmarks have tests, and so have short batteries."""
MENTIONS = {
    name: [words for words in mentioned(page) if not EXAMPLE.search(words)]
    for name, page in NAMED.items()
    if name != "CHANGELOG.md" and not name.startswith(ELSEWHERE)
}
WINDOWS = ("view", "play", "demo")
PROGRESS = re.compile(r"^.*: [\d,]+ of (?:about )?[\d,]+(?: units, |[^:\n]*: \d+%).*\n", flags=re.M)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that a reader has defined so far, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    return {"__name__": "__main__"}


def _file(step: Step, names: dict[str, Any]) -> str:
    Path(step.name).write_text(step.text, encoding="utf-8")
    return ""


def _command(step: Step, names: dict[str, Any]) -> str:
    words = shlex.split(step.text, comments=True)[1:]
    if words[0] in WINDOWS and not {"--headless", "--out", "--text"} & {*words}:
        words += ["--headless", "--frames", "2", "--out", "window.gif"]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            code = main(words)
        except SystemExit as left:
            code = int(left.code or 0)
    text = PROGRESS.sub("", printed.getvalue())
    if step.shown is None:
        return "" if code == 0 else text
    wanted, got = (_lines(step.shown), _lines(text))
    if doctest.OutputChecker().check_output("\n".join([*wanted, ""]), "\n".join([*got, ""]), doctest.ELLIPSIS):
        return ""
    return "\n".join(difflib.unified_diff(wanted, got, "shown", "printed", lineterm=""))


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def _session(step: Step, names: dict[str, Any]) -> str:
    failures: list[str] = []
    test = doctest.DocTestParser().get_doctest(step.text, names, "the session", None, 0)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(optionflags=flags, verbose=False).run(test, out=failures.append, clear_globs=False)
    names.update(test.globs)
    return "".join(failures)


def _python(step: Step, names: dict[str, Any]) -> str:
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(step.text, f"line {step.line}", "exec"), names)
    return ""


def _parse(step: Step, names: dict[str, Any]) -> str:
    require_readable(shlex.split(step.text)[1:])
    return ""


def _unread(step: Step, names: dict[str, Any]) -> str:
    return 'no test reads this: begin the command with "$ ", name the file, fence it as text, or say why it is not run'


DO = {
    "file": _file,
    "command": _command,
    "pycon": _session,
    "python": _python,
    "not run": _parse,
    "unread": _unread,
}


def _fault(step: Step, names: dict[str, Any]) -> str:
    """What is wrong with a step, "" where nothing is."""
    try:
        return DO[step.kind](step, names)
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.slow_cases(*SLOW)
@pytest.mark.parametrize("name", SHOWN)
def test_a_page_shows_what_happens(name: str, reader: dict[str, Any]) -> None:
    faults = [(step, _fault(step, reader)) for step in steps(SHOWN[name])]
    wrong = [f"{name}, line {step.line}: {step.text.splitlines()[0]}\n{fault}" for step, fault in faults if fault]
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, found in MENTIONS.items() if found])
def test_the_commands_between_backticks_run(name: str, reader: dict[str, Any]) -> None:
    for step in steps(NAMED[name]):
        if step.kind == "file":
            _file(step, reader)
    done = [(words, _fault(_make_step(words), reader)) for words in MENTIONS[name]]
    assert not [f"{words}\n{fault}" for words, fault in done if fault]


def _make_step(words: str) -> Step:
    return Step("not run" if LONG.match(words) else "command", re.split(r"\s[|>]\s", words)[0], 0)


def test_most_of_what_is_shown_is_run() -> None:
    """Pages say why something is not run; a page whose marks are misread would look as if it showed nothing."""
    found = [step for page in SHOWN.values() for step in steps(page)]
    assert len([step for step in found if step.kind == "command"]) > 100
    assert len([step for step in found if step.shown is not None]) > 40
    assert sum(len(commands) for commands in MENTIONS.values()) > 40
    reasons = [reason for page in PAGES for reason in re.findall("<!-- not run: (.*) -->", page.read_text())]
    assert all(reasons)
    assert len(reasons) < 40


WRONG = """\
Save this as `greeting.py`:

```
WORDS = "hello"
```

```pycon
>>> import greeting
>>> greeting.WORDS
'goodbye'

```

```console
$ caregrid solve kitchen_salt --care 0
own return  -8
...
actions     none
$ caregrid solve kitchen_salt --care lots
caregrid: something else
```

    caregrid solve nowhere       a remark

<!-- not run: it would fail -->

    caregrid solve nowhere_else

<!-- not run: hours of work -->

    caregrid solve garden --no-such-option

```console
caregrid solve garden
own return  -6
```

```json
{"nobody": "reads this"}
```

```text
$ caregrid solve garden
```

```pycon
>>> 1 + 1
3

```
"""


def test_what_is_wrong_is_found(reader: dict[str, Any]) -> None:
    page = Path("wrong.md")
    page.write_text(WRONG)
    found = list(steps(page))
    assert [(step.kind, step.line) for step in found] == [
        ("file", 4),
        ("pycon", 8),
        ("command", 15),
        ("command", 19),
        ("command", 23),
        ("not run", 27),
        ("not run", 31),
        ("command", 34),
        ("unread", 35),
        ("unread", 39),
        ("unread", 43),
        ("pycon", 47),
    ]
    faults = [_fault(step, reader) for step in found]
    assert faults[0] == ""
    assert "Got:\n    'hello'" in faults[1]
    assert "-actions     none" in faults[2]
    assert "-own return" not in faults[2]
    assert "-caregrid: something else" in faults[3]
    assert "did you mean" in faults[4] or "nowhere" in faults[4]
    assert faults[5] == ""
    assert faults[6] == "SystemExit: 2"
    assert faults[7] == ""
    assert all("no test reads this" in fault for fault in faults[8:11])
    assert "Got:\n    2" in faults[11]
