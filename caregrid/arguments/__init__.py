"""What commands take: typed declarations, the groups that several share, and the way to argparse and back.

declaration   a frozen dataclass becomes a parser, a parsed command line becomes that dataclass
craft         SCENARIO, --map, --set; --formulation, --own, --discount, --values
runs          --engine, --workers, --seeds, --out ...: what everything that runs experiments takes
stored        TARGET, --from: what everything that reads stored results takes
screen        --headless, --frames, --keys, --out: what everything that shows something takes
printed       --json
terminal_width  text and help as wide as the terminal
"""
