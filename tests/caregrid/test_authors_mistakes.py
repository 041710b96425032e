"""Whatever an author writes in the place of any value of a file of their own: it is valid, or one line names the file.

The files are those that "Add your own" shows; a mistake is a value in the place of what is returned, assigned or
passed, a definition left out, or another signature.
"""

import ast
import importlib
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from caregrid.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "tutorials" / "add_your_own.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"# (my_\w+)\.py\n(.*?)\n```", PAGE, re.DOTALL))
CHECKED = re.findall(r"caregrid validate (\w+) (my_\w+):(\w+)", PAGE)
MISTAKES_EACH = 15
VALUES = (
    *("None", "3", "-1", "'x'", "''", "float('nan')", "float('inf')", "1e308", "10**30", "()", "[]", "{}", "[None]"),
    *("object()", "{1: 2}", "(0.5, None)", "b'x'", "True", "lambda *given: given", "type", "1/0", "iter(())"),
    *("__import__('numpy').array([float('nan')])", "__import__('numpy').zeros((2, 3))", "[[0.5, 0.5], [0.5]]"),
    *("(yield)", "nonesuch", "'\\ud800'", "__import__('sys').exit(0)", "_odd()"),
)
ODD = """

class _Odd(BaseException):
    def __str__(self):
        raise RuntimeError


def _odd():
    raise _Odd
"""


def mistakes(text: str) -> Iterator[str]:
    """Every text with one mistake in it."""
    lines, tree = text.splitlines(keepends=True), ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Return | ast.Assign | ast.Yield) and node.value is not None:
            yield from (_with(lines, node.value, value) for value in VALUES)
        elif isinstance(node, ast.Call):
            for given in (*node.args, *(word.value for word in node.keywords)):
                yield from (_with(lines, given, value) for value in VALUES)
        elif isinstance(node, ast.FunctionDef):
            head = lines[node.lineno - 1]
            for other in (
                re.sub(r"\(.*\)", "()", head, count=1),
                re.sub(r"\)(?=[^)]*:\n)", ", one_more)", head, count=1),
                head.replace("def ", "async def ", 1),
            ):
                yield "".join([*lines[: node.lineno - 1], other, *lines[node.lineno :]])
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                yield "".join([*lines[: part.lineno - 1], "    pass\n", *lines[part.end_lineno :]])


def _with(lines: list[str], node: ast.expr, value: str) -> str:
    """The text with a value in the place of an expression."""
    assert node.end_lineno is not None
    before = [*lines[: node.lineno - 1], lines[node.lineno - 1][: node.col_offset]]
    after = [lines[node.end_lineno - 1][node.end_col_offset :], *lines[node.end_lineno :]]
    return "".join([*before, f"({value})", *after])


@pytest.mark.slow_cases("my_battery0")
@pytest.mark.parametrize(("kind", "module", "attribute"), CHECKED, ids=[module for _, module, _ in CHECKED])
def test_any_mistake_is_one_line_with_its_file(
    kind: str,
    module: str,
    attribute: str,
    users_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in FILES:
        monkeypatch.delitem(sys.modules, name, raising=False)  # and what is imported here is forgotten afterwards
    for name, text in FILES.items():
        (users_folder / f"{name}.py").write_text(text, encoding="utf-8")
    every = list(mistakes(FILES[module]))
    found = 0
    for number, text in enumerate(random.Random(22).sample(every, MISTAKES_EACH)):
        name = f"{module}_{number}"
        (users_folder / f"{name}.py").write_text(text + ODD, encoding="utf-8")
        importlib.invalidate_caches()
        code = main(["validate", kind, f"{name}:{attribute}"])
        said = capsys.readouterr().err
        assert code in (0, 2), text
        if code == 2:
            found += 1
            assert re.search(rf"^caregrid: .*{name}\.py", said), f"{said}\n{text}"
            assert len(said.splitlines()) in (1, 3), f"{said}\n{text}"  # three where a line of a map is shown
    assert found > 1 or kind == "commands"  # a file may hold two things; a command is not called


MISTAKEN = (
    (
        "slot_policies",
        "my_slots",
        "ByTheClock",
        "return actions[0]",
        "return __import__('numpy').zeros(2)  #",
        "act gave",
    ),
    ("factory_rules", "my_rule", "DayOff", 'MappingProxyType({"h": "take a day off"})', "0.5", "action_names is 0.5"),
    ("factory_rules", "my_rule", "DayOff", 'step.is_any_of("h")', 'step.is_any_of("z")', "the action 'z'"),
    ("slot_likelihoods", "my_slots", "half_a_step", "[(configuration, Fraction(1, 2))]", "Fraction(1, 2)", "it gave"),
    ("incentives", "my_incentive", "reach", 'diagram, "chance"', 'diagram, "chances"', "did you mean 'chance'"),
    ("commands", "my_command", "count", '"What there is, and whether it works"', "7", "group is 7"),
    ("commands", "my_command", "count", 'kind: str = "scenarios"', 'kind = "scenarios"', "'kind' has no type"),
)


@pytest.mark.parametrize(("kind", "module", "attribute", "part", "mistaken", "said"), MISTAKEN)
def test_values_of_another_type_are_named(
    kind: str,
    module: str,
    attribute: str,
    part: str,
    mistaken: str,
    said: str,
    users_folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert part in FILES[module]
    (users_folder / f"{module}_mistaken.py").write_text(FILES[module].replace(part, mistaken), encoding="utf-8")
    assert main(["validate", kind, f"{module}_mistaken:{attribute}"]) == 2
    error = capsys.readouterr().err
    assert f"{module}_mistaken.py" in error
    assert error.count("\n") == 1
    assert said in error
