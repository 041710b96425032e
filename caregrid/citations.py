"""What `caregrid cite` gives: BibTeX for caregrid, and for the works that an entry cites; and what a run cites.

An entry cites the document that its package implements, and every work whose title stands in its docstring or in that
of its file. `CITATION.cff` of the repository is what `write_citation_file` makes of the five documents."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

from caregrid.kinds import KINDS
from caregrid.results import Result
from engine.errors import CaregridError
from engine.user_code import names_of_file

SOFTWARE = "caregrid"
SOFTWARE_TITLE = "caregrid: a gridworld safety simulator"
DEVELOPERS = "The caregrid developers"
YEAR = 2026
PAPERS = {
    "craftworld": "considerate",
    "multislot": "multislot",
    "counterfactual": "counterfactual",
    "xenv/theory": "selfreflection_theory",
    "xenv": "selfreflection",
    "experiments/catalogue/be_considerate": "considerate",
    "experiments/catalogue/counterfactual": "counterfactual",
    "experiments/catalogue/extended_environments": "selfreflection",
    "experiments/catalogue/multislot": "multislot",
    "experiments/catalogue/safety_gridworlds/deviation_measures": "relative_reachability",
    "experiments/catalogue/safety_gridworlds/attainable_utility": "attainable_utility",
    "experiments/catalogue/safety_gridworlds/future_tasks": "future_tasks",
    "experiments/catalogue/safety_gridworlds": "safety_gridworlds",
}
"""Folder -> the key of the document that it implements; the first one that fits counts."""
DOCUMENTS = ("considerate", "selfreflection", "selfreflection_theory", "multislot", "counterfactual")
"""The five documents that caregrid implements."""

WORKS = """
@misc{considerate, author = {Alizadeh Alamdari, Parand and Klassen, Toryn Q. and Toro Icarte, Rodrigo and McIlraith, Sheila A.}, title = {Be Considerate: Objectives, Side Effects, and Deciding How to Act}, year = {2021}}
@misc{selfreflection, author = {Alexander, Samuel A. and Castaneda, Michael and Compher, Kevin and Martinez, Oscar}, title = {Extending Environments To Measure Self-Reflection In Reinforcement Learning}, year = {2021}}
@misc{selfreflection_theory, author = {Alexander, Samuel Allen}, title = {Extending environments to incentivize self-reflection in reinforcement learning}, orcid = {0000-0002-7930-110X}}
@inproceedings{multislot, author = {Orseau, Laurent}, title = {The Multi-slot Framework: A Formal Model for Multiple, Copiable {AIs}}, booktitle = {Artificial General Intelligence (AGI 2014)}, series = {LNAI}, volume = {8598}, pages = {97--108}, publisher = {Springer}, address = {Cham}, year = {2014}}
@misc{counterfactual, author = {Holtman, Koen}, title = {Counterfactual planning with an input terminal}, note = {in the sequence Counterfactual Planning}, year = {2021}}
@misc{safety_gridworlds, author = {Leike, Jan and Martic, Miljan and Krakovna, Victoria and Ortega, Pedro A. and Everitt, Tom and Lefrancq, Andrew and Orseau, Laurent and Legg, Shane}, title = {{AI} Safety Gridworlds}, eprint = {1711.09883}, archiveprefix = {arXiv}, year = {2017}}
@misc{relative_reachability, author = {Krakovna, Victoria and Orseau, Laurent and Kumar, Ramana and Martic, Miljan and Legg, Shane}, title = {Penalizing side effects using stepwise relative reachability}, eprint = {1806.01186}, archiveprefix = {arXiv}, year = {2019}}
@inproceedings{future_tasks, author = {Krakovna, Victoria and Orseau, Laurent and Ngo, Richard and Martic, Miljan and Legg, Shane}, title = {Avoiding side effects by considering future tasks}, booktitle = {Advances in Neural Information Processing Systems}, year = {2020}}
@inproceedings{attainable_utility, author = {Turner, Alexander Matt and Hadfield-Menell, Dylan and Tadepalli, Prasad}, title = {Conservative agency via attainable utility preservation}, booktitle = {AAAI/ACM Conference on {AI}, Ethics, and Society}, year = {2020}}
@misc{altruistic_choice, author = {Franzmeyer, Tim and Malinowski, Mateusz and Henriques, Jo{\\~a}o F.}, title = {Learning altruistic behaviours in reinforcement learning without external rewards}, year = {2021}}
@inproceedings{empowerment, author = {Klyubin, Alexander S. and Polani, Daniel and Nehaniv, Chrystopher L.}, title = {Empowerment: a universal agent-centric measure of control}, booktitle = {{IEEE} Congress on Evolutionary Computation}, year = {2005}}
@inproceedings{empathic_q_learning, author = {Bussmann, Bart and Heinerman, Jacqueline and Lehman, Joel}, title = {Towards empathic deep {Q}-learning}, booktitle = {Workshop on Artificial Intelligence Safety, {IJCAI}}, year = {2019}}
@inproceedings{assistance_empowerment, author = {Du, Yuqing and Tiomkin, Stas and Kiciman, Emre and Polani, Daniel and Abbeel, Pieter and Dragan, Anca}, title = {{AvE}: assistance via empowerment}, booktitle = {Advances in Neural Information Processing Systems}, year = {2020}}
@article{blahut, author = {Blahut, Richard E.}, title = {Computation of channel capacity and rate-distortion functions}, journal = {{IEEE} Transactions on Information Theory}, volume = {18}, number = {4}, year = {1972}}
@article{arimoto, author = {Arimoto, Suguru}, title = {An algorithm for computing the capacity of arbitrary discrete memoryless channels}, journal = {{IEEE} Transactions on Information Theory}, volume = {18}, number = {1}, year = {1972}}
@article{gini_welfare, author = {Weymark, John A.}, title = {Generalized {Gini} inequality indices}, journal = {Mathematical Social Sciences}, volume = {1}, number = {4}, year = {1981}}
@book{social_welfare, author = {Sen, Amartya}, title = {Collective choice and social welfare}, publisher = {Holden-Day}, address = {San Francisco}, year = {1970}}
@article{bargaining, author = {Nash, John F.}, title = {The bargaining problem}, journal = {Econometrica}, volume = {18}, number = {2}, year = {1950}}
@article{nash_welfare, author = {Kaneko, Mamoru and Nakamura, Kenjiro}, title = {The {Nash} social welfare function}, journal = {Econometrica}, volume = {47}, number = {2}, year = {1979}}
@article{relative_utilitarianism, author = {Dhillon, Amrita and Mertens, Jean-Fran{\\c c}ois}, title = {Relative utilitarianism}, journal = {Econometrica}, volume = {67}, number = {3}, year = {1999}}
@misc{simulation_based_calibration, author = {Talts, Sean and Betancourt, Michael and Simpson, Daniel and Vehtari, Aki and Gelman, Andrew}, title = {Validating {Bayesian} inference algorithms with simulation-based calibration}, year = {2018}}
@article{welch, author = {Welch, Bernard L.}, title = {The generalization of {Student's} problem when several different population variances are involved}, journal = {Biometrika}, volume = {34}, year = {1947}}
@inproceedings{quantilizers, author = {Taylor, Jessica}, title = {Quantilizers: a safer alternative to maximizers for limited optimization}, booktitle = {{AAAI} Workshop on {AI}, Ethics, and Society}, year = {2016}}
@inproceedings{bayesian_irl, author = {Ramachandran, Deepak and Amir, Eyal}, title = {Bayesian inverse reinforcement learning}, booktitle = {International Joint Conference on Artificial Intelligence}, year = {2007}}
@article{commons, author = {Hardin, Garrett}, title = {The tragedy of the commons}, journal = {Science}, volume = {162}, year = {1968}}
@inproceedings{agent_incentives, author = {Everitt, Tom and Carey, Ryan and Langlois, Eric and Ortega, Pedro A. and Legg, Shane}, title = {Agent Incentives: A Causal Perspective}, booktitle = {{AAAI} Conference on Artificial Intelligence}, year = {2021}}
@misc{corrigibility_utility, author = {Holtman, Koen}, title = {Corrigibility with Utility Preservation}, year = {2019}}
@misc{indifference, author = {Armstrong, Stuart and O'Rourke, Xavier}, title = {Indifference methods for managing agent rewards}, year = {2017}}
@article{shutdown_seeking, author = {Goldstein, Simon and Robinson, Pamela}, title = {Shutdown-seeking {AI}}, journal = {Philosophical Studies}, year = {2024}}
@inproceedings{off_switch, author = {Hadfield-Menell, Dylan and Dragan, Anca and Abbeel, Pieter and Russell, Stuart}, title = {The off-switch game}, booktitle = {International Joint Conference on Artificial Intelligence}, year = {2017}}
@book{governing_commons, author = {Ostrom, Elinor}, title = {Governing the commons: the evolution of institutions for collective action}, publisher = {Cambridge University Press}, address = {Cambridge}, year = {1990}}
@article{asymmetric_commons, author = {Janssen, Marco A. and Anderies, John M. and Cardenas, Juan-Camilo}, title = {Head-enders as stationary bandits in asymmetric commons: comparing irrigation experiments in the laboratory and the field}, journal = {Ecological Economics}, volume = {70}, number = {9}, year = {2011}}
@article{dqn, author = {Mnih, Volodymyr and others}, title = {Human-level control through deep reinforcement learning}, journal = {Nature}, volume = {518}, year = {2015}}
@inproceedings{a3c, author = {Mnih, Volodymyr and others}, title = {Asynchronous methods for deep reinforcement learning}, booktitle = {International Conference on Machine Learning}, year = {2016}}
@misc{ppo, author = {Schulman, John and Wolski, Filip and Dhariwal, Prafulla and Radford, Alec and Klimov, Oleg}, title = {Proximal policy optimization algorithms}, year = {2017}}
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
    number = read_version()
    return "\n".join(
        [
            f"@software{{{SOFTWARE},",
            f"  author = {{{{{DEVELOPERS}}}}},",
            f"  title = {{{SOFTWARE_TITLE}}},",
            *([f"  version = {{{number}}},"] if number else []),
            f"  year = {{{YEAR}}},",
            "}",
        ]
    )


def read_version() -> str:
    """Return the version of caregrid; "" where it is not installed."""
    try:
        return version(SOFTWARE)
    except PackageNotFoundError:
        return ""


def find_citations(file: Path, documentation: str, folder: str = "") -> list[str]:
    """Return the keys of the works that an entry cites: its package's document first.

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
    """Return one field per line."""
    head, _, rest = work.partition(", ")
    fields = re.findall(r"(\w+ = \{(?:[^{}]|\{[^{}]*\})*\})", rest)
    return "\n".join([f"{head},", *(f"  {field}," for field in fields), "}"])


TYPES = {
    "misc": "article",
    "inproceedings": "conference-paper",
    "book": "book",
    "article": "article",
    "techreport": "report",
    "phdthesis": "thesis",
}
"""BibTeX's type of a work -> that of the Citation File Format."""

SAME_MEANING = {
    "title": "title",
    "journal": "journal",
    "booktitle": "collection-title",
    "volume": "volume",
    "number": "issue",
    "doi": "doi",
    "note": "notes",
}
"""BibTeX's field of a work -> that of the Citation File Format."""
ACCENTS = {"~": "\u0303", "'": "\u0301", "`": "\u0300", '"': "\u0308", "^": "\u0302", "c ": "\u0327"}


def write_citation_file(works: Iterable[str]) -> str:
    """Return a CITATION.cff (1.2.0) of caregrid, with these works, as BibTeX entries, for references."""
    number = read_version()
    about: dict[str, object] = {"title": SOFTWARE_TITLE, "type": "software", "authors": [{"name": DEVELOPERS}]}
    about |= {"version": number} if number else {}
    message = "If you use this software, please cite it, and the papers whose constructions it implements."
    references = [_convert_work(work) for work in works]
    fields = {
        "cff-version": "1.2.0",
        "message": message,
        **about,
        "license": "MIT",
        "preferred-citation": {**about, "year": YEAR},
        **({"references": references} if references else {}),
    }
    return "\n".join(_write_yaml(fields)) + "\n"


def _convert_work(work: str) -> dict[str, object]:
    """Return a BibTeX entry as a reference of the Citation File Format."""
    fields = {name: _read_latex(value) for name, value in re.findall(r"^  (\w+) = \{(.*)\},?$", work, re.MULTILINE)}
    authors = [_read_author(author) for author in fields["author"].split(" and ")]
    if "orcid" in fields:
        authors[0]["orcid"] = f"https://orcid.org/{fields['orcid']}"
    reference: dict[str, object] = {"type": TYPES[work[1 : work.index("{")]], "authors": authors}
    reference |= {theirs: fields[ours] for ours, theirs in SAME_MEANING.items() if ours in fields}
    reference |= {"year": int(fields["year"])} if "year" in fields else {}
    if "series" in fields:
        reference["volume"] = f"{fields['series']} {fields['volume']}"
    if "pages" in fields:
        reference["start"], reference["end"] = fields["pages"].split("--")
    if "publisher" in fields:
        reference["publisher"] = {"name": fields["publisher"], "city": fields["address"]}
    if "school" in fields:
        reference["institution"] = {"name": fields["school"]}
    if "eprint" in fields:
        reference["url"] = f"https://arxiv.org/abs/{fields['eprint']}"
    return reference


def _read_author(name: str) -> dict[str, str]:
    family, comma, given = name.partition(", ")
    if name == "others":
        return {"name": "et al."}
    return {"family-names": family, "given-names": given} if comma else {"name": name}


def _read_latex(text: str) -> str:
    """Text without braces, accents put on their letters."""

    def put(found: re.Match[str]) -> str:
        return unicodedata.normalize("NFC", found[2] + ACCENTS[found[1]])

    return re.sub(r"[{}]", "", re.sub(r"\\([~'`\"^]|c )\{?(\w)\}?", put, text))


def _write_yaml(fields: Mapping[str, object], indent: str = "") -> list[str]:
    """Lines of YAML: texts in quotes, as in JSON, which is a part of YAML."""
    lines = []
    for name, value in fields.items():
        if isinstance(value, dict):
            lines += [f"{indent}{name}:", *_write_yaml(value, indent + "  ")]
        elif isinstance(value, list):
            lines.append(f"{indent}{name}:")
            for item in value:
                first, *rest = _write_yaml(item, indent + "    ")
                lines += [f"{indent}  - {first.strip()}", *rest]
        else:
            lines.append(f"{indent}{name}: {json.dumps(value, ensure_ascii=False)}")
    return lines


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
        """Return a row per work: key and BibTeX."""
        return [{"key": key, "bibtex": work} for key, work in self.works.items()]

    def as_dict(self) -> dict[str, Any]:
        """Return {"name", "works"}; name is None for caregrid alone."""
        return {"name": self.name or None, "works": self.rows()}

    def text(self) -> str:
        """Return a BibTeX file."""
        return "\n\n".join(self.works.values())


WORD = re.compile(r"[\w./:-]+")
MOST_WORDS = 1000


def cite_run(directory: Path, experiment: str = "", asked: Sequence[Any] = ()) -> dict[str, str]:
    """Name of a file -> its content: what to cite for a run, by its experiment and the entries that settings name.

    experiment, asked: what the user has named just now; code of their own counts. What the directory says is a file's.
    """
    from experiments.results import read_described_results
    from experiments.runs.run_directory import read_manifest

    works = {SOFTWARE: cite_software(), **_find_works(experiment, asked)}
    with names_of_file(directory):
        manifest = read_manifest(directory)
        sessions = read_described_results(directory).store.sessions()
        stored = [manifest.get("origin"), *(session.get("settings") for session in sessions)]
        works |= _find_works(str(manifest.get("experiment")), stored)
    return {
        "CITATION.cff": write_citation_file(work for key, work in works.items() if key != SOFTWARE),
        "CITATION.bib": "\n\n".join(works.values()) + "\n",
    }


def _find_works(experiment: str, asked: Sequence[Any]) -> dict[str, str]:
    works: dict[str, str] = {}
    for kind, name in dict.fromkeys([("experiments", experiment), *_list_entries(asked)]):
        with contextlib.suppress(CaregridError):  # a word that names nothing, or code that nobody trusts
            works |= cite_entry(name, kind).works
    return works


def _list_entries(asked: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """(kind, name) of the entries among settings: a setting `agent` names agents or, where there is none, others."""
    for settings in asked:
        for setting, values in settings.items() if isinstance(settings, Mapping) else ():
            several = f"{str(setting).removesuffix('s')}s"
            kinds = sorted((kind for kind in KINDS if f"_{kind}".endswith(f"_{several}")), key=len)
            listed = values[:MOST_WORDS] if isinstance(values, list | tuple) else [values]
            for word in (word for value in listed if isinstance(value, str) for word in WORD.findall(value)):
                kind = next((kind for kind in kinds if ":" in word or word in KINDS[kind].light_registry()), None)
                if kind is not None:
                    yield kind, word


def cite_entry(name: str | None, kind: str | None = None) -> Citations:
    """Return the works of every entry that has a name, each once; raises as `caregrid.inventory.find_entries`."""
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
