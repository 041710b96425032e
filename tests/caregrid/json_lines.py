"""For each output of --json the lines that print it, on small and on awkward inputs."""

RUN = "tests.experiments.workloads:"
QUIET = "--engine=serial --quiet"
WRITE_FIRST = (
    f"run {RUN}false_claim {QUIET} --out=stored",
    f"run be_considerate/figure_1b --quick {QUIET} --out=figure",
    f"run counterfactual/tamper_grid --quick {QUIET} --out=table",
    f"bench copies --quick {QUIET} --out=measured",
    "train garden --steps=10 --out=policy",
    "pack table --out=packed.zip",
)
BROKEN_AGENT = """
class Weary:
    def __init__(self, n_actions):
        self.trainings = 0

    def act(self, observation):
        return 0

    def train(self, observation, action, reward, next_observation):
        self.trainings += 1
        if self.trainings > 15:
            raise ValueError("too long")
"""
JSON_LINES = {
    "battery": ("battery --agents=random,constant --environments=crying_baby,opposite(newcomb) --turns=5 --seeds=2",),
    "bench": (f"bench copies --quick {QUIET}", f"bench --quick --method=multislot.futures.copy_centred:cpy {QUIET}"),
    "bench_compare": ("bench compare measured", "bench compare measured measured/bench.json"),
    "best_responses": (
        "best-responses common_meadow --rounds=1",
        "best-responses passing_places '--order=at once' --care=0.5 --damping=0.5 --rounds=2",
    ),
    "breakpoints": (
        "breakpoints garden",
        "breakpoints garden --certify",
        "breakpoints workshop --formulation=worst_case --care-min=-inf --certify",
        "breakpoints toll_road --epsilon=0.5",
        "breakpoints icy_yard",
        "breakpoints office_kitchen",
        "breakpoints boat_race --care-max=1e300",
    ),
    "check": (
        "check stored --trust",
        "check figure",
        "check table",
        "check counterfactual/car_factory",
    ),
    "cite": ("cite", "cite empowerment"),
    "papers": ("papers considerate", "papers counterfactual"),
    "statements": ("statements playroom", "statements toll_road"),
    "collect": ("collect stored",),
    "compact": ("compact stored",),
    "compare": ("compare garden", "compare icy_yard --care=-1e300,0", "compare garden --care=1 --policy=policy"),
    "demo": ("demo",),
    "demo_files": ("demo docs --out=documents",),
    "demo_lesson": ("demo 1 --headless --frames=1 --out=film.txt",),
    "design": ("design garden", "design garden kitchen_peanut --choose=1 --limit=20"),
    "doctor": ("doctor",),
    "draw": ("draw figure --out=figure.svg --style=slides",),
    "export": ("export garden --out=garden.prism", "export icy_yard --formulation=worst_case --out=yard.jani"),
    "evaluate": (
        "evaluate garden --policy=optimal --certify",
        "evaluate icy_yard --policy=craftworld.action_rules:quantilize(fraction=0.25) --care=2",
        "evaluate boat_race --policy=random",
        "evaluate garden --policy=policy",
    ),
    "identify": (
        "identify seen.jsonl",
        "identify seen.jsonl seen.jsonl --formulation=expected --temperature=0.5:2 --misfit",
    ),
    "identify_agents": ("identify turns.jsonl",),
    "identify_group": ("identify seen.jsonl --by-agent --formulation=expected",),
    "infer": ("infer icy_yard", "infer icy_yard --worth-at=8 --temperature=1e-9"),
    "list": ("list", "list schemas"),
    "multislot": (
        "multislot swap --horizon=2",
        "multislot teleport_move --value=slot:1 --arithmetic=float --horizon=2 --discount=0",
        "multislot sleeping_beauty --horizon=1",
    ),
    "multislot_locality": ("multislot locality swap", "multislot locality threshold --horizon=1"),
    "multislot_scenarios": ("multislot",),
    "multislot_simulation": (
        "multislot swap --simulate=0 --policy=cpy --horizon=1",
        "multislot booth_corridor:move --simulate=3 --policy=random:1 --horizon=3",
        "multislot deletion --simulate=2 --policy=always:0 --horizon=2",
    ),
    "optima": ("optima boat_race", "optima conveyor_belt --set variant=sushi_goal"),
    "pack": ("pack stored --out=again.zip --licence=CC-BY-4.0",),
    "penalties": ("penalties boat_race --actions=up", "penalties boat_race"),
    "precompute": (
        "precompute garden --out=values.npz",
        'precompute garden --follow="agent 2=random" --out=followed.npz',
        "precompute garden --method=q_learning --steps=5 --out=learned.npz",
    ),
    "record": ("record garden --care=0,-1 --out=film.txt", "record slots/swap --out=slots.txt"),
    "regions": (
        "regions toll_road --quiet",
        "regions garden --axes=own,care --quiet --epsilon=0.1",
        "regions mailroom --axes=own,care --quiet --certify",
        "regions icy_yard --beliefs=postman,neighbour --care=8 --quiet",
        "regions garden --care-min=-inf --quiet",
    ),
    "report": ("report stored", "report stored --out=page --trust"),
    "rollout": (
        "rollout boat_race",
        "rollout boat_race --actions=up,right --seed=3",
        "rollout whisky_gold --actions=right",
    ),
    "rollout_samples": ("rollout boat_race --episodes=1", "rollout workshop --episodes=3 --policy=optimal --epsilon=1"),
    "run": (f"run {RUN}false_claim {QUIET} --out=again",),
    "run_plan": ("bench --dry-run", "run be_considerate/figure_1b --dry-run --engine=serial"),
    "run_unfinished": (f"battery --agents=simple,weary:Weary --environments=repeater --turns=20 --seeds=1 {QUIET}",),
    "show": tuple(f"show {name}" for name in ("garden", "random", "itc", "solve", "schemas/rollout", "copies")),
    "solve": (
        "solve garden --draw --certify",
        "solve workshop",
        "solve icy_yard --care=-1e300",
        "solve office_kitchen --care=0",
        "solve common_meadow",
    ),
    "sweep": (
        f"sweep garden --care=0:1:0.5 {QUIET} --certify",
        f"sweep garden --care=1 --method=both --steps=5 {QUIET}",
    ),
    "terminal": ("terminal car-factory --horizon=2 --quiet", "terminal barricade --horizon=3 --learn=20 --quiet"),
    "terminal_diagram": ("terminal diagram --agent=citc", "terminal diagram --agent=learning --horizon=1"),
    "terminal_parameters": ("terminal off-switch --parameters",),
    "measure": (
        "measure parity --examples=newcomb --turns=2",
        "measure always:1,reality_check(parity) --examples=deja_vu,newcomb*deja_vu --turns=2",
    ),
    "theory": ("theory newcomb --turns=2", "theory deja_vu --agent=parity --turns=1 --discount=1/3"),
    "train": ("train garden --steps=10 --out=policy", "train icy_yard --agent=random --steps=2 --out=other"),
    "unpack": ("unpack packed.zip --out=unpacked",),
    "verify": ("verify table --share=1", "verify stored --trust --seed=3"),
    "validate": ("validate scenarios garden", "validate schemas solve"),
    "worlds": ("worlds garden", "worlds boat_race --out=page", "worlds garden --held-out=7 --maps=1"),
}
