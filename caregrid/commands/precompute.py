"""Precompute what the others can expect and save it, for 'solve', 'breakpoints' and 'sweep' to load with --values."""

from __future__ import annotations

import json
from dataclasses import dataclass

from caregrid.arguments.craft import ScenarioArguments, named_scenario
from caregrid.arguments.declaration import option, required_option
from caregrid.arguments.printed import JsonArgument


@dataclass(frozen=True, kw_only=True)
class PrecomputeArguments(ScenarioArguments, JsonArgument):
    """A scenario and how the others learn or solve it."""

    discount: float | None = option(None, "gamma (default: the scenario's)", metavar="G")
    method: str = option("exact", "default: exact", choices=("exact", "q_learning"))
    seed: int = option(0, "of the learning newcomers (default 0)", metavar="N")
    steps: int | None = option(None, "of the learning newcomers (default: the paper's)", metavar="N")
    out: str = required_option("the .npz file to write", metavar="FILE")


def run(arguments: PrecomputeArguments) -> int:
    from dataclasses import asdict

    from craftworld.others import value_file
    from craftworld.others.value_distribution import precompute
    from craftworld.solution.sweep import learned_values, newcomer_settings
    from engine.mdp.tabulate import tabulate

    scenario = named_scenario(arguments)
    mdp = tabulate(scenario, scenario.discount if arguments.discount is None else arguments.discount)
    note: dict[str, object] = {"method": arguments.method.replace("_", "-")}
    value_of = None
    if arguments.method == "q_learning":
        settings = newcomer_settings(scenario, arguments.steps)
        value_of = learned_values(settings, arguments.seed)
        note |= {"seed": arguments.seed, **asdict(settings)}
    others = precompute(scenario, mdp, value_of)
    mark = value_file.fingerprint(scenario, mdp)
    value_file.save_values(arguments.out, others, mark, note)
    result = {
        "scenario": scenario.name,
        "file": arguments.out,
        "fingerprint": mark,
        "states": len(mdp.states),
        "names": list(others.names),
        "baseline_value": [float(value) for value in others.baseline_value],
    }
    print(json.dumps(result) if arguments.json else f"wrote {arguments.out}: {', '.join(others.names)}, {mark}")
    return 0
