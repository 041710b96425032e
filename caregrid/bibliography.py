"""The works that entries cite, as BibTeX, and which of them an entry cites.

An entry cites the document that its package implements, and every work whose title stands in its docstring or in that
of its file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

from caregrid.results import Result

SOFTWARE = "caregrid"
PAPERS = {
    "craftworld": "considerate",
    "multislot": "multislot",
    "counterfactual": "counterfactual",
    "xenv/theory": "selfreflection_theory",
    "xenv": "selfreflection",
}
"""Folder -> the key of the document that it implements; the first one that fits counts."""

WORKS = """
@misc{considerate, author = {Alizadeh Alamdari, Parand and Klassen, Toryn Q. and Toro Icarte, Rodrigo and McIlraith, Sheila A.}, title = {Be Considerate: Objectives, Side Effects, and Deciding How to Act}, year = {2021}}
@misc{selfreflection, author = {Alexander, Samuel A. and Castaneda, Michael and Compher, Kevin and Martinez, Oscar}, title = {Extending Environments To Measure Self-Reflection In Reinforcement Learning}, year = {2021}}
@misc{selfreflection_theory, author = {Alexander, Samuel Allen}, title = {Extending environments to incentivize self-reflection in reinforcement learning}}
@inproceedings{multislot, author = {Orseau, Laurent}, title = {The Multi-slot Framework: A Formal Model for Multiple, Copiable {AIs}}, booktitle = {Artificial General Intelligence (AGI 2014)}, series = {LNAI}, volume = {8598}, pages = {97--108}, publisher = {Springer}, year = {2014}}
@misc{counterfactual, author = {Holtman, Koen}, title = {Counterfactual planning with an input terminal}, note = {in the sequence Counterfactual Planning}, year = {2021}}
@misc{safety_gridworlds, author = {Leike, Jan and Martic, Miljan and Krakovna, Victoria and Ortega, Pedro A. and Everitt, Tom and Lefrancq, Andrew and Orseau, Laurent and Legg, Shane}, title = {{AI} Safety Gridworlds}, eprint = {1711.09883}, archiveprefix = {arXiv}, year = {2017}}
@misc{relative_reachability, author = {Krakovna, Victoria and Orseau, Laurent and Kumar, Ramana and Martic, Miljan and Legg, Shane}, title = {Penalizing side effects using stepwise relative reachability}, eprint = {1806.01186}, archiveprefix = {arXiv}, year = {2019}}
@inproceedings{future_tasks, author = {Krakovna, Victoria and Orseau, Laurent and Ngo, Richard and Martic, Miljan and Legg, Shane}, title = {Avoiding side effects by considering future tasks}, booktitle = {Advances in Neural Information Processing Systems}, year = {2020}}
@inproceedings{attainable_utility, author = {Turner, Alexander Matt and Hadfield-Menell, Dylan and Tadepalli, Prasad}, title = {Conservative agency via attainable utility preservation}, booktitle = {AAAI/ACM Conference on {AI}, Ethics, and Society}, year = {2020}}
@misc{altruistic_choice, author = {Franzmeyer, Tim and Malinowski, Mateusz and Henriques, Jo{\\~a}o F.}, title = {Learning altruistic behaviours in reinforcement learning without external rewards}, eprint = {2107.09598}, archiveprefix = {arXiv}, year = {2021}}
@inproceedings{empowerment, author = {Klyubin, Alexander S. and Polani, Daniel and Nehaniv, Chrystopher L.}, title = {Empowerment: a universal agent-centric measure of control}, booktitle = {{IEEE} Congress on Evolutionary Computation}, year = {2005}}
@inproceedings{assistance_empowerment, author = {Du, Yuqing and Tiomkin, Stas and Kiciman, Emre and Polani, Daniel and Abbeel, Pieter and Dragan, Anca}, title = {{AvE}: assistance via empowerment}, booktitle = {Advances in Neural Information Processing Systems}, year = {2020}}
@article{blahut, author = {Blahut, Richard E.}, title = {Computation of channel capacity and rate-distortion functions}, journal = {{IEEE} Transactions on Information Theory}, volume = {18}, number = {4}, year = {1972}}
@article{arimoto, author = {Arimoto, Suguru}, title = {An algorithm for computing the capacity of arbitrary discrete memoryless channels}, journal = {{IEEE} Transactions on Information Theory}, volume = {18}, number = {1}, year = {1972}}
@inproceedings{quantilizers, author = {Taylor, Jessica}, title = {Quantilizers: a safer alternative to maximizers for limited optimization}, booktitle = {{AAAI} Workshop on {AI}, Ethics, and Society}, year = {2016}}
@inproceedings{bayesian_irl, author = {Ramachandran, Deepak and Amir, Eyal}, title = {Bayesian inverse reinforcement learning}, booktitle = {International Joint Conference on Artificial Intelligence}, year = {2007}}
@article{commons, author = {Hardin, Garrett}, title = {The tragedy of the commons}, journal = {Science}, volume = {162}, year = {1968}}
@inproceedings{agent_incentives, author = {Everitt, Tom and Carey, Ryan and Langlois, Eric and Ortega, Pedro A. and Legg, Shane}, title = {Agent Incentives: A Causal Perspective}, booktitle = {{AAAI} Conference on Artificial Intelligence}, year = {2021}}
@misc{corrigibility_utility, author = {Holtman, Koen}, title = {Corrigibility with Utility Preservation}, eprint = {1908.01695}, archiveprefix = {arXiv}, year = {2019}}
@misc{indifference, author = {Armstrong, Stuart and O'Rourke, Xavier}, title = {Indifference methods for managing agent rewards}, eprint = {1712.06365}, archiveprefix = {arXiv}, year = {2017}}
@article{shutdown_seeking, author = {Goldstein, Simon and Robinson, Pamela}, title = {Shutdown-seeking {AI}}, journal = {Philosophical Studies}, year = {2024}}
@inproceedings{off_switch, author = {Hadfield-Menell, Dylan and Dragan, Anca and Abbeel, Pieter and Russell, Stuart}, title = {The off-switch game}, booktitle = {International Joint Conference on Artificial Intelligence}, year = {2017}}
@article{dqn, author = {Mnih, Volodymyr and others}, title = {Human-level control through deep reinforcement learning}, journal = {Nature}, volume = {518}, year = {2015}}
@inproceedings{a3c, author = {Mnih, Volodymyr and others}, title = {Asynchronous methods for deep reinforcement learning}, booktitle = {International Conference on Machine Learning}, year = {2016}}
@misc{ppo, author = {Schulman, John and Wolski, Filip and Dhariwal, Prafulla and Radford, Alec and Klimov, Oleg}, title = {Proximal policy optimization algorithms}, eprint = {1707.06347}, archiveprefix = {arXiv}, year = {2017}}
@misc{interruptible_agents, author = {Orseau, Laurent and Armstrong, Stuart}, title = {Safely interruptible agents}, note = {Conference on Uncertainty in Artificial Intelligence}, year = {2016}}
@techreport{sarsa, author = {Rummery, Gavin A. and Niranjan, Mahesan}, title = {On-line {Q}-learning using connectionist systems}, year = {1994}}
@inproceedings{expected_sarsa, author = {van Seijen, Harm and van Hasselt, Hado and Whiteson, Shimon and Wiering, Marco}, title = {A theoretical and empirical analysis of expected {Sarsa}}, booktitle = {{IEEE} Symposium on Adaptive Dynamic Programming and Reinforcement Learning}, year = {2009}}
@phdthesis{q_learning, author = {Watkins, Christopher J. C. H.}, title = {Learning from delayed rewards}, school = {King's College, Cambridge}, year = {1989}}
"""  # noqa: E501


def read_works() -> dict[str, str]:
    """Key -> the BibTeX entry, a field per line."""
    works = {}
    for line in WORKS.strip().splitlines():
        key = line[line.index("{") + 1 : line.index(",")]
        works[key] = _break_lines(line)
    return works


def cite_software() -> str:
    """The BibTeX entry of this version of caregrid; of none where it is not installed but read from its folder."""
    try:
        fields = [f"  version = {{{version(SOFTWARE)}}},"]
    except PackageNotFoundError:
        fields = []
    return "\n".join(
        [
            f"@software{{{SOFTWARE},",
            "  author = {{The caregrid developers}},",
            "  title = {caregrid: a gridworld safety simulator},",
            *fields,
            "}",
        ]
    )


def find_citations(file: Path, documentation: str, folder: str = "") -> list[str]:
    """The keys of the works that an entry cites: its package's document first.

    file: the entry's. documentation: its own text. folder: from the repository's root to the file, with "/".
    """
    works = read_works()
    module = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    text = _simplify(f"{module} {documentation}")
    document = next((key for place, key in PAPERS.items() if folder.startswith(place)), None)
    named = [key for key, work in works.items() if _simplify(_read_title(work)) in text]
    return list(dict.fromkeys([*([document] if document else []), *named]))


def _read_title(work: str) -> str:
    found = re.search(r"title = \{(.*)\},?$", work, re.MULTILINE)
    assert found is not None
    return found.group(1)


def _simplify(text: str) -> str:
    """Letters and digits in small letters, words apart by one space."""
    return " ".join(re.findall(r"[a-z0-9]+", re.sub(r"[{}]", "", text).lower()))


def _break_lines(work: str) -> str:
    """One field per line."""
    head, _, rest = work.partition(", ")
    fields = re.findall(r"(\w+ = \{(?:[^{}]|\{[^{}]*\})*\})", rest)
    return "\n".join([f"{head},", *(f"  {field}," for field in fields), "}"])


ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, repr=False, eq=False)
class Citations(Result):
    """What to cite. name: the entry's, "" for caregrid alone. works: BibTeX key -> entry, caregrid first."""

    as_wide_as_terminal: ClassVar[bool] = True  # a program reads it: no line is broken

    name: str
    works: Mapping[str, str]

    @property
    def title(self) -> str:
        """What is cited."""
        return f"what to cite for {self.name or SOFTWARE}"

    def rows(self) -> list[dict[str, Any]]:
        """A row a work: key and BibTeX."""
        return [{"key": key, "bibtex": work} for key, work in self.works.items()]

    def as_dict(self) -> dict[str, Any]:
        """{"name", "works"}; name is None for caregrid alone."""
        return {"name": self.name or None, "works": self.rows()}

    def text(self) -> str:
        """A BibTeX file."""
        return "\n\n".join(self.works.values())


def cite_entry(name: str | None, kind: str | None = None) -> Citations:
    """The works of every entry that has a name, each once; raises as `caregrid.inventory.find_entries`."""
    from caregrid.inventory import find_entries, find_entry_file

    works = {SOFTWARE: cite_software()}
    every = read_works()
    for one, found in find_entries(name, kind) if name else ():
        registry = one.full_registry()
        file = find_entry_file(registry, found, registry[found])
        folder = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else ""
        if file.suffix == ".py":
            works |= {key: every[key] for key in find_citations(file, registry.documentation(found), folder)}
    return Citations(name or "", works)
