"""Precompute what the others can expect and save it, for 'solve', 'breakpoints' and 'sweep' to load with --values."""

from __future__ import annotations

import argparse
import json

from caregrid.arguments import add_scenario, scenario_of


def configure(parser: argparse.ArgumentParser) -> None:
    add_scenario(parser)
    parser.add_argument("--discount", metavar="G", type=float, default=None, help="gamma (default: the scenario's)")
    parser.add_argument("--method", choices=("exact", "q-learning"), default="exact", help="default: exact")
    parser.add_argument("--seed", type=int, default=0, help="of the learning newcomers (default 0)")
    parser.add_argument("--steps", type=int, default=None, help="of the learning newcomers (default: the paper's)")
    parser.add_argument("--out", metavar="FILE", required=True, help="the .npz file to write")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from craftworld.others import value_file
    from craftworld.others.value_distribution import precompute
    from craftworld.solution.sweep import learned_values, newcomer_settings
    from engine.mdp.tabulate import tabulate

    scenario = scenario_of(arguments)
    mdp = tabulate(scenario, scenario.discount if arguments.discount is None else arguments.discount)
    note: dict[str, object] = {"method": arguments.method}
    value_of = None
    if arguments.method == "q-learning":
        settings = newcomer_settings(scenario, arguments.steps)
        value_of = learned_values(settings, arguments.seed)
        note |= {"seed": arguments.seed, **asdict(settings)}
    others = precompute(scenario, mdp, value_of)
    mark = value_file.fingerprint(scenario, mdp)
    value_file.save(arguments.out, others, mark, note)
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
