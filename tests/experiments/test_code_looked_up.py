"""Whose code made these rows, where nothing names it: what is looked up, registered, patched or set on import.

Each case is a line or two at the top of the author's module, what `run` returns, other files, and one change.
"""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from experiments.runs.code_identity import CodeIdentity, identify_code


class Case(NamedTuple):
    """top: of the author's module. value: what `run` returns. before, after: the change, in `changed`."""

    name: str
    top: str
    value: str
    before: str
    after: str
    files: dict[str, str] = {}  # noqa: RUF012

    @property
    def changed(self) -> str:
        return next((name for name, text in self.files.items() if self.before in text), "own_study.py")


TOOLS = {"own_tools.py": "STEP = 1\n\n\ndef shifted(n):\n    return n + STEP\n"}
TABLE = {"own_table.py": "RULES = {}\n\n\ndef keep(name, value):\n    RULES[name] = value\n    return value\n"}
MARKED = {
    "own_table.py": (
        "RULES = {}\n\n\ndef keep(weight):\n    def mark(f):\n"
        "        RULES[f.__name__] = (f, weight)\n        return f\n\n    return mark\n"
    ),
    "own_rules.py": "from own_table import keep\n\n\n@keep(weight=3)\ndef rule(n):\n    return n + 1\n",
}
BASE = {
    "own_base.py": "class Base:\n    k = 0\n",
    "own_kinds.py": "from own_base import Base\nclass A(Base):\n    k = 1\n",
}
IMPORTING = "import importlib\n"
DATA = {"own_data.csv": "1,2\n"}
SETTING = """
class D:
    def __init__(self, k):
        self.k = k

    def __get__(self, one, kind=None):
        return self.k


class A:
    x = D(3)
"""
NOTICED = [
    Case("getattr", "import own_tools", "getattr(own_tools, 'shifted')(n)", "n + STEP", "n - STEP", TOOLS),
    Case(
        "a computed name",
        "import own_tools",
        "getattr(own_tools, 'sh' + str('ifted'))(n)",
        "STEP = 1",
        "STEP = 2",
        TOOLS,
    ),
    Case("vars", "import own_tools", "vars(own_tools)['shifted'](n)", "n + STEP", "n - STEP", TOOLS),
    Case(
        "an alias",
        "import own_tools\ndef take(m, n):\n    return m.shifted(n)",
        "take(own_tools, n)",
        "STEP = 1",
        "STEP = 2",
        TOOLS,
    ),
    Case(
        "a default",
        "import own_tools\ndef take(n, m=own_tools):\n    return m.shifted(n)",
        "take(n)",
        "STEP = 1",
        "STEP = 2",
        TOOLS,
    ),
    Case(
        "a module in a table",
        "import own_tools\nALL = {'t': own_tools}",
        "ALL['t'].shifted(n)",
        "STEP = 1",
        "STEP = 2",
        TOOLS,
    ),
    Case(
        "a module in a class",
        "import own_tools\nclass A:\n    m = own_tools",
        "A.m.shifted(n)",
        "STEP = 1",
        "STEP = 2",
        TOOLS,
    ),
    Case("import_module", IMPORTING, "importlib.import_module('own_tools').shifted(n)", "STEP = 1", "STEP = 2", TOOLS),
    Case("__import__", "", "__import__('own_tools').shifted(n)", "STEP = 1", "STEP = 2", TOOLS),
    Case("sys.modules", "import sys, own_tools", "sys.modules['own_tools'].shifted(n)", "STEP = 1", "STEP = 2", TOOLS),
    Case("eval", "F = 3", "eval('F * n')", "F = 3", "F = 4"),
    Case("eval of a module's name", "import own_tools", "eval('own_tools.shifted(n)')", "STEP = 1", "STEP = 2", TOOLS),
    Case("globals", "def g(n):\n    return n + 1", "globals()['g'](n)", "n + 1", "n + 2"),
    Case(
        "a module's __getattr__",
        "import own_late",
        "own_late.any",
        "3",
        "4",
        {"own_late.py": "def __getattr__(name):\n    return 3\n"},
    ),
    Case("a file's name", "import numpy", "numpy.loadtxt('own_data.csv', str)", "1,2", "1,2,3", DATA),
    Case(
        "a file beside",
        "from pathlib import Path\nHERE = Path(__file__).parent",
        "len((HERE / 'own_data.csv').read_text())",
        "1,2",
        "1",
        DATA,
    ),
    Case("a script", "import subprocess", "subprocess.check_output(['cat', 'own_data.csv'])", "1,2", "1", DATA),
    Case("a patched class", "from own_base import Base\nBase.k = 3", "Base.k", "k = 3", "k = 4", BASE),
    Case("a patched library", "import decimal\ndecimal.own = 3", "decimal.own", "own = 3", "own = 4"),
    Case("a library's setting", "import decimal\ndecimal.getcontext().prec = 28", "decimal.Decimal(1) / 3", "28", "29"),
    Case("a thread's value", "import threading\nT = threading.local()\nT.k = 3", "T.k", "T.k = 3", "T.k = 4"),
    Case(
        "a context's value",
        "from contextvars import ContextVar\nT = ContextVar('t', default=3)",
        "T.get()",
        "default=3",
        "default=4",
    ),
    Case("a global set by a call", "K = 1\ndef put(v):\n    global K\n    K = v\nput(3)", "K", "put(3)", "put(4)"),
    Case("a list filled by a call", "L = []\ndef put(v):\n    L.append(v)\nput(3)", "L[0]", "put(3)", "put(4)"),
    Case(
        "a registered number",
        "import own_table, own_put",
        "own_table.RULES['f']",
        "'f', 1",
        "'f', 2",
        {**TABLE, "own_put.py": "from own_table import keep\nkeep('f', 1)\n"},
    ),
    Case(
        "a registered number, named",
        "import own_table, own_put",
        "own_table.RULES['f']",
        "'f', 1",
        "'f', 2",
        {**TABLE, "own_put.py": "from own_table import keep\nF = keep('f', 1)\n"},
    ),
    Case(
        "a decorator's value",
        "import own_table, own_rules",
        "own_table.RULES['rule'][1]",
        "weight=3",
        "weight=4",
        MARKED,
    ),
    Case(
        "a decorated function", "import own_table, own_rules", "own_table.RULES['rule'][0](n)", "n + 1", "n + 2", MARKED
    ),
    Case(
        "who registers himself",
        "ALL = []\nclass A:\n    def __init__(self, k):\n        self.k = k\n        ALL.append(self)\nONE = A(3)",
        "ALL[0].k",
        "A(3)",
        "A(4)",
    ),
    Case(
        "a subclass",
        "import own_base, own_kinds\nfrom own_base import Base",
        "Base.__subclasses__()[0].k",
        "k = 1",
        "k = 2",
        BASE,
    ),
    Case(
        "a class's keyword",
        "class B:\n    def __init_subclass__(cls, k):\n        cls.k = k\nclass A(B, k=3):\n    pass",
        "A.k",
        "k=3",
        "k=4",
    ),
    Case(
        "a class's counter",
        "class A:\n    count = 3\n    def go(self):\n        type(self).count += 1\n        return A.count",
        "A().go()",
        "count = 3",
        "count = 4",
    ),
    Case("a descriptor's value", SETTING, "A().x", "D(3)", "D(4)"),
    Case("a descriptor's code", SETTING, "A().x", "return self.k", "return -self.k"),
    Case(
        "a partial method",
        "import functools\nclass A:\n    def f(s, n, k): return n * k\n    g = functools.partialmethod(f, k=3)",
        "A().g(n)",
        "k=3",
        "k=4",
    ),
    Case(
        "a class made by a call",
        "from dataclasses import make_dataclass, field\nA = make_dataclass('A', [('x', int, field(default=3))])",
        "A().x",
        "default=3",
        "default=4",
    ),
    Case("a docstring that is read", "'''ab'''", "len(__doc__)", "ab", "abc"),
]
IGNORED = [
    Case(
        "a comment in what is looked up",
        "import own_tools",
        "getattr(own_tools, 'shifted')(n)",
        "STEP = 1",
        "STEP = 1  # one",
        TOOLS,
    ),
    Case(
        "a comment in what is done on import",
        "import decimal\ndecimal.getcontext().prec = 28",
        "n",
        "= 28",
        "=  28  # digits",
    ),
    Case("what is done as a program", "if __name__ == '__main__':\n    print(1)", "n", "print(1)", "print(2)"),
    Case(
        "a decorated class that nothing uses",
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass A:\n    x: int = 1",
        "n",
        "int = 1",
        "int = 2",
    ),
    Case(
        "an import that may fail",
        "try:\n    import numpy\nexcept ImportError:\n    numpy = None",
        "n",
        "numpy = None",
        "numpy = None  # none",
    ),
    Case("a file that is written", "def table(rows):\n    return open('own_data.csv').read()", "n", "1,2", "1", DATA),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if name.startswith("own_")]:
        del sys.modules[name]
    importlib.invalidate_caches()


def _write(case: Case, folder: Path, before: str = "", after: str = "") -> None:
    files = {**case.files, "own_study.py": f"{case.top}\n\n\ndef run(n, key):\n    return {case.value}\n"}
    for name, text in files.items():
        (folder / name).write_text(text.replace(before, after) if name == case.changed else text)


def _identify() -> tuple[CodeIdentity, str]:
    """The identity and what `run` gives, in a process that has not run it; afterwards the identity is the same."""
    _forget()
    module = importlib.import_module("own_study")
    identity = identify_code(module.run)
    value = repr(module.run(n=2, key=0))
    assert not identify_code(module.run).differences(identity)
    return identity, value


@pytest.mark.parametrize("case", NOTICED, ids=[case.name for case in NOTICED])
def test_what_no_name_leads_to_counts(case: Case, folder: Path) -> None:
    _write(case, folder)
    first, value = _identify()
    assert not first.unknown
    assert _identify()[0] == first
    _write(case, folder, case.before, case.after)
    second, other = _identify()
    assert other != value, "the change changes rows"
    assert second.differences(first)


@pytest.mark.parametrize("case", IGNORED, ids=[case.name for case in IGNORED])
def test_what_changes_no_row_does_not(case: Case, folder: Path) -> None:
    _write(case, folder)
    first, value = _identify()
    _write(case, folder, case.before, case.after)
    assert _identify() == (first, value)


def test_what_cannot_be_followed_is_noted(folder: Path) -> None:
    _write(Case("", IMPORTING, "importlib.import_module('own_' + str('tools')).shifted(n)", "", "", TOOLS), folder)
    assert _identify()[0].unknown == {"own_study.run": "it imports by a name that is not written in it"}
