"""The house rules that a machine can check: imports, names, docstrings, no global randomness, no pickle."""

import ast
import functools
import re
from collections.abc import Iterable
from pathlib import Path

import networkx as nx

from caregrid.kinds import KINDS

ROOT = Path(__file__).resolve().parent.parent
PROGRAMMES = ("craftworld", "xenv", "multislot", "counterfactual")
MAY_IMPORT = {
    "engine": set(),
    "craftworld": {"engine"},
    "xenv": {"engine"},
    "multislot": {"engine"},
    "counterfactual": {"engine"},
    "renderers": {"engine"},
    "experiments": {"engine", "renderers", *PROGRAMMES},
    "caregrid": {"engine", "renderers", "experiments", *PROGRAMMES},
}
PACKAGES = tuple(MAY_IMPORT)
HEAVY = {"torch", "stable_baselines3", "matplotlib", "pygame", "pandas"}
ERRORS = ("BadValue", "UnknownName", "BadFile", "MissingExtra", "ContractBroken", "CaregridError", "NoPlan")
VAGUE_NAMES = {"utils", "util", "common", "helpers", "helper", "misc", "base"}
SOURCES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in SOURCES if path.name != "__init__.py"
}
EVERY_FILE = [*SOURCES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "benchmarks").rglob("*.py"))]


def _label(path: Path) -> str:
    return str(path.relative_to(ROOT))


@functools.cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    """Every node of a file; several rules look at them."""
    return tuple(ast.walk(_tree(path)))


def _imported(nodes: Iterable[ast.AST]) -> set[str]:
    """Dotted names of every import among nodes."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return names


def _dotted(path: Path) -> str:
    """The importable name of a file or folder."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@functools.cache
def _named(path: Path) -> set[str]:
    """Modules that a file imports, `from package import module` and strings such as "package.module:Name" included."""
    names = _imported(_nodes(path))
    for node in _nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= MODULES.keys() & {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names |= {module for module in [node.value.partition(":")[0]] if module in MODULES}
    return names


def _module_level(tree: ast.Module) -> ast.Module:
    """The statements that run on import, functions' insides and `if TYPE_CHECKING` left out."""

    def runs(node: ast.stmt) -> bool:
        typing_only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        return not typing_only and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)

    return ast.Module(body=[node for node in tree.body if runs(node)], type_ignores=[])


def test_imports_follow_the_arrows() -> None:
    upwards = {}
    for path in SOURCES:
        package = path.relative_to(ROOT).parts[0]
        ours = {name.split(".")[0] for name in _named(path)} & {*PACKAGES, "tests", "benchmarks"}
        upwards[_label(path)] = ours - MAY_IMPORT[package] - {package}
    assert not {label: names for label, names in upwards.items() if names}


def test_the_documented_arrows_are_those_that_are_tested() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("| package | imports |\n| --- | --- |\n")[2].partition("\n\n")[0].splitlines()
    shown = {}
    for row in table:
        packages, imports = (re.findall(r"`(\w+)`", cell) for cell in row.strip("|").split(" | "))
        everything = {*PACKAGES} - {*packages} if "all of them" in row else {*imports}
        shown |= dict.fromkeys(packages, everything)
    assert shown == MAY_IMPORT


def test_no_two_files_import_each_other() -> None:
    """No circle of any length, imports inside functions and names handed to importers as strings included."""
    graph = nx.DiGraph()
    for module, path in MODULES.items():
        graph.add_edges_from((module, other) for other in _named(path) & MODULES.keys() if other != module)
    circles = [sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1]
    assert not circles


def test_renderers_see_only_scene_errors_and_files() -> None:
    kinds = {"engine.registry", "engine.contracts", "engine.user_code"}
    allowed = {"engine.scene", "engine.errors", "engine.files", "engine.plain_values", "engine.printable", *kinds}
    for path in (ROOT / "renderers").rglob("*.py"):
        engine = {name for name in _imported(_nodes(path)) if name.split(".")[0] == "engine"}
        assert engine <= allowed, f"{_label(path)} imports {sorted(engine - allowed)}"


def test_no_heavy_import_at_module_level() -> None:
    heavy = {
        _label(path): {name.split(".")[0] for name in _imported(ast.walk(_module_level(_tree(path))))} & HEAVY
        for path in SOURCES
    }
    assert not {label: names for label, names in heavy.items() if names}


def test_no_vague_module_names() -> None:
    assert not [_label(path) for path in SOURCES if {path.stem, *path.relative_to(ROOT).parts[:-1]} & VAGUE_NAMES]


def test_docstrings() -> None:
    faults = []
    for path in SOURCES:
        tree = _tree(path)
        docstring = ast.get_docstring(tree) or ""
        if docstring.partition("\n")[0][-1:] not in (".", "?", ":"):
            faults.append(f"{_label(path)}: the first line of its docstring must be a sentence")
        for node in tree.body:
            public = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
            if public and not ast.get_docstring(node):
                faults.append(f"{_label(path)}: {node.name} has no docstring")
    assert not faults


def test_modules_that_texts_name_exist() -> None:
    """`package.module.name` in docstrings, comments and pages is a module, or something that its file holds."""
    dotted = re.compile(rf"(?<![\w/.:-])((?:{'|'.join(PACKAGES)})(?:\.\w+)+)")
    pages = [page for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")] if page.name != "CHANGELOG.md"]
    groups = {kind.group for kind in KINDS.values()}
    missing = {
        f"{_label(path)}: {name}"
        for path in [*SOURCES, *pages]
        for name in dotted.findall(path.read_text(encoding="utf-8"))
        if name not in groups and not name.endswith(".md") and not _holds(name)
    }
    assert not missing


@functools.cache
def _words(file: Path) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", file.read_text(encoding="utf-8")))


@functools.cache
def _holds(name: str) -> bool:
    """Whether a dotted name is a folder or file of ours, or all that follows one stands in its text."""
    parts = name.split(".")
    for known in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:known])
        file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        if file.is_file():
            return set(parts[known:]) <= _words(file)
    return False


def test_no_global_randomness_and_no_pickle() -> None:
    forbidden = [
        r"np\.random\.(seed|rand|randn|choice|randint|normal|random|shuffle|permutation)\(",
        r"(?<![\w.])random\.seed\(",
        r"allow_pickle\s*=\s*True",
        r"pickle\.loads?\(",
        r"torch\.manual_seed\(",
    ]
    texts = {_label(path): path.read_text(encoding="utf-8") for path in EVERY_FILE if path != Path(__file__)}
    assert not [(label, one) for label, text in texts.items() for one in forbidden if re.search(one, text)]


def test_messages_name_options_by_one_function() -> None:
    """Nothing raises an error that names an option, but for the command line: `engine.errors.argument` names both."""
    option, literal = re.compile(r"(?<![\w-])--[a-z]"), []
    for path in SOURCES:
        if _label(path).startswith(("caregrid/command_line", "caregrid/operations", "caregrid/main.py")):
            continue
        for node in _nodes(path):
            if not (isinstance(node, ast.Call) and ast.unparse(node.func).endswith(ERRORS)):
                continue
            named = {id(each) for call in ast.walk(node) if _names_an_argument(call) for each in ast.walk(call)}
            texts = [each for each in ast.walk(node) if isinstance(each, ast.Constant) and id(each) not in named]
            literal += [(_label(path), text.value) for text in texts if option.search(str(text.value))]
    assert not literal


def _names_an_argument(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "argument"


def test_builtin_hash_is_not_used() -> None:
    calls = {
        _label(path): [ast.unparse(node.func) for node in _nodes(path) if isinstance(node, ast.Call)]
        for path in SOURCES
    }
    assert not [label for label, names in calls.items() if "hash" in names]


def test_no_two_public_classes_share_a_name() -> None:
    """A class, type alias or registry is called so in one file of one package; entries and commands are free."""
    places: dict[str, set[str]] = {}
    entries = {package for kind in KINDS.values() for package in kind.packages}
    for path in SOURCES:
        if _dotted(path.parent) in entries and path.name != "__init__.py":
            continue
        for node in _tree(path).body:
            names = [node.name] if isinstance(node, ast.ClassDef) else []
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            names += [target.id for target in targets if isinstance(target, ast.Name)]
            for name in names:
                is_registry = isinstance(node, ast.Assign | ast.AnnAssign) and "Registry[" in ast.unparse(node)
                if not name.startswith("_") and (is_registry or not name.isupper()) and name[0].isupper():
                    places.setdefault(name, set()).add(_label(path))
    assert not {name: files for name, files in places.items() if len(files) > 1}
