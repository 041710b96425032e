"""For each command a line that it accepts and that takes little work: tests change one word of it."""

from pathlib import Path

import caregrid

STORED = "stored"
BEHAVIOUR = "seen.jsonl"
TURNS = "turns.jsonl"
PACKED = "packed.crate.zip"
ACCEPTED = {
    "battery": "--agents=random --environments=crying_baby --turns=5 --seeds=1",
    "bench": "copies --quick --engine=serial",
    "bench_compare": "bench.json",
    "best_responses": "common_meadow --rounds=1",
    "breakpoints": "garden",
    "check": STORED,
    "cite": "itc",
    "collect": STORED,
    "compact": STORED,
    "compare": "garden",
    "demo": "1 --headless --frames=1 --out=film.txt",
    "design": "kitchen_peanut --formulation=expected --limit=10",
    "doctor": "",
    "draw": STORED,
    "evaluate": "garden --policy=random",
    "export": "garden --out=garden.prism",
    "identify": f"{BEHAVIOUR} --formulation=expected",
    "infer": "garden",
    "list": "",
    "measure": "parity --examples=deja_vu,newcomb --turns=2",
    "multislot": "swap --horizon=2",
    "optima": "boat_race",
    "pack": f"{STORED} --out={PACKED}",
    "penalties": "boat_race --actions=up",
    "play": "garden --headless --frames=1 --out=film.txt",
    "papers": "multislot",
    "precompute": "garden --out=values.npz",
    "record": "garden --out=film.txt",
    "regions": "toll_road --quiet",
    "report": STORED,
    "rollout": "boat_race --actions=up",
    "run": "tests.experiments.workloads:false_claim --engine=serial --quiet",
    "show": "itc",
    "solve": "garden",
    "statements": "playroom",
    "sweep": "garden --care=0:1:0.5 --engine=serial --quiet",
    "terminal": "car-factory --horizon=2 --quiet",
    "theory": "crying_baby --turns=2",
    "train": "garden --steps=10 --out=policy",
    "unpack": f"{PACKED} --out=unpacked",
    "validate": "scenarios garden",
    "verify": f"{PACKED} --share=0.5 --trust --quiet",
    "view": "garden --headless --frames=1 --out=film.txt",
    "worlds": "garden",
}


def changed(command: str, option: str | None, place: int, word: str) -> list[str]:
    """The line with a word in the place of an option's value, or of the positional argument of this number."""
    words = ACCEPTED[command].split()
    if option is not None:
        kept = [each for each in words if not each.startswith(f"{option}=")]
        return [command.replace("_", "-"), *kept, f"{option}={word}"]
    given = [each for each in words if not each.startswith("-")]
    options = [each for each in words if each.startswith("-")]
    return [command.replace("_", "-"), *options, "--", *given[:place], word, *given[place + 1 :]]


def write_pack(folder: Path) -> None:
    """Write the file that `unpack` and `verify` read, of the run that was stored before."""
    caregrid.pack(folder / STORED, folder / PACKED)


def write_behaviour(folder: Path) -> None:
    """Write the file that `identify` reads: an agent that cares, in the garden."""
    garden = caregrid.problem("garden")
    caregrid.record_behaviour(garden.solve(care=1), garden, episodes=2).save(folder / BEHAVIOUR)
    caregrid.record_behaviour("itc", "terminal/tamper_grid", horizon=4).save(folder / TURNS)
