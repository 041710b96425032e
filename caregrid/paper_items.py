"""What each paper defines, proves and shows, and which of these items caregrid has.

The latter is read from the references of the entries. An entry belongs to an item of a paper if its documentation names
the item ("Eq 4", "Examples 3 and 6", "Figure 1(b)") or one of its phrases, such as an example's title. An item that no
entry names is looked for in the docstrings of the package's files. Only the list of items is written by hand; what
caregrid has is found.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from caregrid.citations import PAPERS
from caregrid.kinds import KINDS
from caregrid.results import Result
from engine.errors import UnknownName

ROOT = Path(__file__).resolve().parents[1]

ITEMS = {
    "considerate": """
3.1   | Eq 1            | those who come next, expected
3.1   | Definition 1    | terminating policy
3.1   | Proposition 1   | undiscounted and negative everywhere: the optimum ends
3.1.1 | Eq 2            | the worst case
3.1.2 | Eq 3            | no harm, compared with the start
3.2   | Eq 4            | a caring coefficient for each agent
3.2   | Eq 5            | the agent worst off
3.3   | Eq 6            | agents acting at once
3.3   | Eq 6, note      | the sequential case is contained | sequential case
4.1   | Figure 1(a)     | the workshop | The workshop in the paper's words
4.1   | Figure 1(b)     | returns against the caring coefficient
4.2   | Figure 2(a)     | through the garden or round it
4.2   | Figure 2(b)     | a fence round the garden
4.2   | Figure 2(c)     | where to leave the doll
4.3   | Table 1         | both agents in the workshop
A.1   | Eq 7            | options that can start
A.1   | Eq 8            | options with values
A.2   | Figure 3        | where to leave the key
B     | future tasks    | Krakovna et al. 2020, as Eq 1 over one's own values | appendix B)
B.1   | baselines       | as Eq 3 over one's own values | appendix B.1
B.2   | different agents | the acting agent's own values as some of those of Eq 4 | appendix B.2
C     | Table 2         | steps and seconds of training
""",
    "selfreflection": """
2     | Definition 1    | environments
2     | Definition 2    | extended environments
3.1   | Example 3       | ignoring rewards
3.2   | Example 4       | the tempting button
3.2   | Table 1         | classic agents before the tempting button
3.3   | Example 5       | reverse history
3.4   | SelfRecognition | statements about oneself | Judge statements about yourself
3.4   | IncentivizeLearningRate | acting as with another learning rate | Act as if your learning rate were
3.4   | AdversarialSequencePredictor | a competitor who is you | of an evader who is you; of a predictor who is you
3.4   | RuntimeInspector | acting quickly | Be quick: acting
3.4   | DeterminismInspector | acting as before when asked again | Be deterministic
4.1   | Example 6       | an environment as code
4.1   | Example 7       | Newcomb's problem
4.2   | Example 8       | the crying baby
4.3   | Definition 9    | semi-deterministic agents
5     | Definition 10   | the reality check
5     | Definition 11   | good agents, informally | informal
5     | Conjecture 12   | the reality check improves them | of their reality checks
5     | Proposition 13  | properties of the reality check
6     | the battery     | 25 environments and their opposites | section 6
6     | Table 2         | measures of agents and their reality checks
""",
    "selfreflection_theory": """
1     | labyrinth       | guarded treasures | Wander from room to room
1     | employment      | paid to act as if paid otherwise | Be paid 100 an hour
2     | Definition 1    | plays and prompts
2     | Lemma 1         | how a play decomposes
2     | Definition 2    | agents and extended environments
2     | Definition 3    | the result of an interaction
2     | Lemma 2         | the result is defined
3     | Example 1       | ignoring rewards | Reward Agent for Ignoring Rewards
3     | Lemma 3         | Example 1 is an environment
3     | Example 2       | false memories | , False Memories
3     | Example 3       | backward consciousness | Backward Consciousness
3     | Example 4       | deja vu | Déjà Vu; Deja Vu
3     | Example 5       | incentive to incentivize | Choose rewards for a copy
3     | runtime, memory | inspectors of time and memory | Be quick: computing; Need little memory
4     | Definition 4    | merciful environments, handicaps | merciful
4     | Example 6       | the handicaps of section 3 | every handicap of the theory
4     | Example 7       | self-inserting | Self-Inserting
5     | Example 8       | playing in the mirror | Playing in the mirror
5     | Example 9       | binocular vision | See with two eyes
5     | Example 10      | the crying baby | , The Crying Baby
5     | a society       | what follows Example 10 | after The Crying Baby
6     | Example 11      | self-recognition | Incentivizing Self-recognition
6     | Example 12      | other aspects of oneself | Recognise how you; Recognise what you; Say what you know
7     | Definition 5    | total reward
7     | Lemma 4         | totals are enumerated | totals
7     | Example 13      | reinforcement learning itself | Reinforcement learning itself
8     | measures        | means over environments | mean reward in examples of the formal theory
""",
    "multislot": """
2     | Eq 1            | the ordinary agent
2     | Eq 2            | the learning agent
3     | Definition 1    | slots and self-modifying agents
3     | Definition 2    | agent sets
3     | Definition 3    | copy sets
3     | Definition 4    | the protocol
3     | Definition 5    | multi-slot environments
3     | Definition 6    | slot histories | slot history; slot histories
3     | Definition 7    | interaction histories
3     | Definition 8    | history-based agents
3     | Definition 9    | history-based environments
4     | slot 1          | a given slot | A given slot
4     | slot i          | the present slot | Dynamic slot-centred
4     | the t-th prime  | the slot numbered by a prime | numbered by the t-th prime
4     | first copy      | the lowest slot of the copy set | The first copy
4     | all copies      | summed, or weighed | All copies, summed
4     | minimal reward  | the copies that are worst off | The copies with the lowest reward
4     | same history    | all agents that are alike | All agents with the same history
4     | output 11011    | all agents that acted so | All agents that have at some point output
4     | common ancestor | all agents of one descent | All agents that have a common ancestor
4     | time consistency | the later self decides | consistency trick
4.1   | P^i(h)          | the estimate of the own slot | section 4.1
4.2   | V^cpy           | copy-centred | Copy-centred
4.2   | remark          | half a copy | the remark of
4.3   | V^sta           | static slot-centred | Static slot-centred
4.4   | V^dyn           | dynamic slot-centred | section 4.4
5     | the universal environment | all mono-slot environments at once | The universal environment
5     | Theorem 1       | exactly one slot is consistent
5     | coin flip       | the stochastic twin | Coin flip
5     | constant weight | no predictive power | constant weight
5     | footnote 3      | exchanged observations predict | footnote 3
""",
    "counterfactual": """
terminal      | the input terminal | a signal that carries the reward function | input terminal
learning      | first diagram   | an agent and its environment | An agent and its environment
learning      | second diagram  | the state split into signal and the rest | split into
learning      | learning world  | with the two records | The learning world
ITF           | ITF             | factual planning | ITF, the factual agent
incentives    | control incentive | paths to value | Control incentive
ITC           | ITC             | counterfactual planning | ITC, the counterfactual agent
corrigibility | indirect incentives | what the graph does not rule out | indirect incentive; People who notice
CITC          | CITC            | the compact agent | CITC, the compact
relation      | the 2020 agent  | indifference by a balancing term | f_c, the balancing agent
simulations   | section 4       | the car factory | The car factory: people plan
simulations   | section 6       | lobbying, and that power suppresses it | how many steps ITC lobbies
simulations   | sections 11, 12 | extensions | A bribe: ; Changed rewards: ; A second line: ; A device against
""",
}
"""Document -> its items: section, name, what it is, phrases of documentation that mean it, separated by ";"."""

_NUMBERED = re.compile(
    r"\b(Eq|Example|Definition|Lemma|Theorem|Proposition|Figure|Table|Conjecture)s?\.? (\d+(?:\([a-z]\))?)"
    r"((?:(?:, | and |, and | to | or )(?:\d+(?:\([a-z]\))?))*)"
)
_NUMBER = re.compile(r"\d+(?:\([a-z]\))?")
_MISSING = "not here"
INFORMAL = "informal"
"""In the place of a phrase: the paper says nothing that could be computed."""


class PaperItem(NamedTuple):
    """One definition, theorem, example or figure."""

    section: str
    name: str
    about: str
    phrases: tuple[str, ...] = ()

    @classmethod
    def parse(cls, line: str) -> PaperItem:
        """Read a line of `ITEMS`."""
        section, name, about, phrases, *_ = [part.strip() for part in f"{line}||".split("|")]
        return cls(section, name, about, tuple(phrase.strip() for phrase in phrases.split(";") if phrase.strip()))


def list_references(text: str) -> set[str]:
    """List what a text refers to by number: "Examples 3 and 6" names two examples.

    Examples
    --------
    >>> sorted(list_references('Eqs 7 and 8; "Figures 2(a) and 2(b)"'))
    ['Eq 7', 'Eq 8', 'Figure 2(a)', 'Figure 2(b)']
    >>> sorted(list_references("Definitions 2 to 4"))
    ['Definition 2', 'Definition 3', 'Definition 4']
    """
    return {
        f"{word} {number}"
        for word, first, rest in _NUMBERED.findall(" ".join(text.split()))
        for number in (first, *_NUMBER.findall(rest), *_list_between(first + rest))
    }


def _list_between(numbers: str) -> list[str]:
    """List the whole numbers between the ends of each range, "2 to 7"."""
    ranges = re.findall(r"\b(\d+) to (\d+)\b", numbers)
    return [str(number) for low, high in ranges for number in range(int(low) + 1, int(high))]


def names_item(text: str, item: PaperItem) -> bool:
    """Return whether a text names an item."""
    plain = " ".join(text.split())
    if INFORMAL in item.phrases:
        return False
    return item.name in list_references(plain) or any(phrase in plain for phrase in item.phrases)


class DocumentedPlace(NamedTuple):
    """Where something is documented.

    kind, name: an entry's, or "" and the file's. text: what is said there. documents: those that it belongs to.
    """

    kind: str
    name: str
    text: str
    documents: tuple[str, ...]


def list_places(document: str) -> tuple[list[DocumentedPlace], list[DocumentedPlace]]:
    """List the entries that belong to a document, and the files of its packages."""
    places = [place for place in _read_places() if document in place.documents]
    return [place for place in places if place.kind], [place for place in places if not place.kind]


@cache
def _read_places() -> list[DocumentedPlace]:
    """Read all entries, then all files of the programmes."""
    entries = [
        DocumentedPlace(kind, name, text, _find_documents(registry.file(name), text))
        for kind in CALLS
        for registry in [KINDS[kind].full_registry()]
        for name in registry
        for text in [_read_documentation(kind, registry, name)]
    ]
    files = [
        DocumentedPlace("", path.relative_to(ROOT).as_posix(), text, _find_documents(path, text))
        for package in ("craftworld", "xenv", "multislot", "counterfactual")
        for path in sorted((ROOT / package).rglob("*.py"))
        for text in [_read_docstrings(path)]
    ]
    return entries + files


def _read_documentation(kind: str, registry: Any, name: str) -> str:
    """Return the documentation of an entry; of an experiment, what it reproduces, first."""
    text = str(registry.documentation(name))
    return f"{registry[name].reproduces}\n\n{text}" if kind == "experiments" else text


def _find_documents(file: Path, text: str) -> tuple[str, ...]:
    """Return the documents that a file implements: its folder's; in the theory, the one that the text cites."""
    folder = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else ""
    key = next((key for start, key in PAPERS.items() if folder.startswith(start)), "")
    if folder.startswith("caregrid/operations/"):
        return tuple(key for key, title in _TITLES.items() if title in " ".join(text.split()))
    if folder.startswith("xenv/theory/twins/"):
        return ("selfreflection",)
    if key == "selfreflection_theory":
        plain = " ".join(text.split())
        other = ("selfreflection",) if "et al. 2021" in plain or "To Measure Self-Reflection" in plain else ()
        return (*other, key) if not other or "to incentivize self-reflection" in plain else other
    if folder.endswith("extended_environments/handicaps.py"):
        return ("selfreflection_theory",)
    return (key,) if key else ()


_TITLES = {
    "considerate": "Be Considerate",
    "multislot": "Multi-slot Framework",
    "selfreflection_theory": "the formal theory",
}
"""What the documentation of a command says of the document that it belongs to."""


def _read_docstrings(path: Path) -> str:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return "\n".join(ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, documented))


ARGUMENTS = {"sta": "sta:1", "slot": "slot:1", "has_output": "has_output:1,0"}
"""Names that need an argument -> an example."""

CALLS = {
    "formulations": (
        "caregrid breakpoints {scenario} --formulation {name}",
        'caregrid.problem("{scenario}", "{name}").breakpoints()',
    ),
    "scenarios": ("caregrid breakpoints {name}", 'caregrid.problem("{name}").breakpoints()'),
    "environments": (
        "caregrid battery --agents q_learning --environments {name} --turns 200",
        'xenv.run_environment("{name}", "q_learning", turns=200)',
    ),
    "transformations": (
        'caregrid battery --agents "{name}(q_learning)" --turns 200',
        'xenv.run_environment("repeater", "{name}(q_learning)", turns=200)',
    ),
    "theory_examples": ("caregrid theory {name} --agent parity", 'caregrid.theory("{name}", "parity")'),
    "formal_twins": ("caregrid theory 'twin({name})' --agent parity", 'caregrid.theory("twin({name})", "parity")'),
    "slot_scenarios": ("caregrid multislot {name} --horizon 3", 'caregrid.slots("{name}", horizon=3)'),
    "slot_futures": (
        "caregrid multislot swap --horizon 3 --value {name}",
        'caregrid.slots("swap", value="{name}", horizon=3)',
    ),
    "crowds": (
        "caregrid multislot swap --horizon 3 --value {name} --policy always:0",
        'caregrid.slots("swap", value="{name}", horizon=3, policy="always:0")',
    ),
    "slot_policies": (
        "caregrid multislot swap --horizon 3 --policy always:0",
        'caregrid.slots("swap", horizon=3, policy="always:0")',
    ),
    "slot_likelihoods": (
        "caregrid multislot mono --horizon 3 --likelihood {name}",
        'caregrid.slots(members=["mono", "swap"], horizon=3, likelihood="{name}")',
    ),
    "terminal_worlds": ("caregrid terminal {name} --agent itc", 'caregrid.terminal("{name}", "itc")'),
    "planning_agents": ("caregrid terminal tamper-grid --agent {name}", 'caregrid.terminal("tamper-grid", "{name}")'),
    "factory_rules": ("caregrid terminal car-factory --parameters", 'caregrid.describe("factory_rules/{name}")'),
    "influence_diagrams": ("caregrid terminal diagram --agent {name}", 'caregrid.diagram("{name}")'),
    "incentives": ("caregrid terminal diagram --agent itc --horizon 1", 'caregrid.diagram("itc", horizon=1)'),
    "experiments": ("caregrid run {name} --quick", 'caregrid.run("{name}", quick=True)'),
    "commands": ("caregrid {name} {example}", "{function}"),
}
"""Kind -> how its entries are asked for."""

COMMAND_CALLS = {
    "statements": ("playroom", 'caregrid.problem("playroom").statements()'),
    "measure": ("parity", 'caregrid.measure("parity")'),
}
"""Command -> an example of its words, and the Python call."""

CALL_WITHOUT_WORLD = ("caregrid show formulations/{name}", 'caregrid.describe("formulations/{name}")')

SMALL_WORLDS = ("garden", "playroom", "mailroom", "workshop_shared", "toll_road")


@dataclass(frozen=True, repr=False, eq=False)
class PaperReading(Result):
    """What of a paper is here. document: its key in the bibliography. items: a row each, see `rows`."""

    document: str
    items: Sequence[Mapping[str, Any]]
    schema: ClassVar[str] = "papers"

    @property
    def title(self) -> str:
        """Which document, and how much of it."""
        here = sum(item["state"] not in (_MISSING, INFORMAL) for item in self.items)
        return f"{self.document}: {here} of {len(self.items)} items are here"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per item: section, name, about, entries ("kind/name", or files), command, python, state."""
        return [{**item, "entries": " ".join(item["entries"])} for item in self.items]

    def as_dict(self) -> dict[str, Any]:
        """Return {"document", "items"}."""
        return {"document": self.document, "items": [dict(item) for item in self.items]}

    def text(self) -> str:
        """Return a line per item: section, name, what it is, the command or the file, the state."""
        from experiments.rows import align_lines

        lines = [(item["section"], item["name"], item["state"], item["command"]) for item in self.items]
        return "\n".join([self.title, *align_lines(lines)])

    def markdown(self) -> str:
        """Return the table of `docs/papers.md`."""
        lines = ["| section | item | | command | Python | state |", "| --- | --- | --- | --- | --- | --- |"]
        for item in self.items:
            command, python = (f"`{item[name]}`" if item[name] else "" for name in ("command", "python"))
            cells = (item["section"], item["name"], item["about"], command, python, item["state"])
            lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines)


def read_paper(document: str) -> PaperReading:
    """Return what of a document is here; UnknownName for an unknown one."""
    if document not in ITEMS:
        raise UnknownName("document", document, ITEMS)
    entries, files = list_places(document)
    lines = [line for line in ITEMS[document].splitlines() if line.strip()]
    return PaperReading(document, [_describe_item(PaperItem.parse(line), entries, files) for line in lines])


def _describe_item(
    item: PaperItem, entries: Sequence[DocumentedPlace], files: Sequence[DocumentedPlace]
) -> dict[str, Any]:
    row: dict[str, Any] = {"section": item.section, "name": item.name, "about": item.about}
    found = sorted(
        (place for place in entries if names_item(place.text, item)),
        key=lambda place: (
            _rank_kind(place.kind, item),
            not _opens_with(place.text, item),
            len(list_references(place.text.split("\n\n")[0])),
        ),
    )
    if found:
        first = found[0]
        command, python = (_fill_call(call, first) for call in CALLS[first.kind])
        names = [f"{place.kind}/{place.name}" for place in found]
        return {**row, "entries": names, "command": command, "python": python, "state": "here"}
    kind = item.name.split()[0]
    defining = sorted(
        files,
        key=lambda place: (
            place.name.endswith("__init__.py"),
            -place.text.count(item.name),
            -sum(each.startswith(kind) for each in list_references(place.text)),
        ),
    )
    named = [place.name for place in defining if names_item(place.text, item)]
    absent = INFORMAL if INFORMAL in item.phrases else _MISSING
    state = "in the code" if named else absent
    python = f"import {named[0].removesuffix('.py').replace('/', '.').removesuffix('.__init__')}" if named else ""
    return {**row, "entries": named, "command": "", "python": python, "state": state}


def _rank_kind(kind: str, item: PaperItem) -> int:
    """Return the order in which kinds are preferred: for figures and tables experiments come first."""
    if kind == "experiments" and item.name.startswith(("Figure", "Table")):
        return -1
    return list(CALLS).index(kind)


def _opens_with(text: str, item: PaperItem) -> bool:
    """Return whether the first sentence names the item."""
    return names_item(text.split("\n\n")[0], item)


def _fill_call(call: str, place: DocumentedPlace) -> str:
    if "{scenario}" in call and not _find_scenario(place.name):
        call = CALL_WITHOUT_WORLD[call.startswith("caregrid.")]
    name = ARGUMENTS.get(place.name, place.name)
    spelled = name.replace("_", "-") if place.kind == "terminal_worlds" else name
    scenario = _find_scenario(place.name) if "{scenario}" in call else ""
    example, function = COMMAND_CALLS.get(place.name, ("--help", f"help(caregrid.{name.replace('-', '_')})"))
    return call.format(name=spelled, scenario=scenario, example=example, function=function)


@cache
def _find_scenario(formulation: str) -> str:
    """Return the first scenario whose own formulation it is, otherwise the first to which it applies; "" for none."""
    from craftworld.scenarios import SCENARIOS
    from craftworld.solution.problem import find_applicable_formulations

    worlds = {name: SCENARIOS[name]() for name in SMALL_WORLDS}
    own = [name for name, world in worlds.items() if world.default_formulation == formulation]
    return next(
        iter([*own, *(name for name, world in worlds.items() if formulation in find_applicable_formulations(world))]),
        "",
    )
