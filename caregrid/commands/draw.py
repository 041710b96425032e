"""Draw an experiment's figure from its stored rows, and print its table.

TARGET is what 'caregrid run' took, or a run directory. The figure is written beside the rows unless --out names
another file (.png, .svg or .pdf); letters of a PDF are TrueType, a PNG has 300 dots an inch. An experiment without a
figure says why, with exit code 2."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument, print_json
from caregrid.arguments.stored import StoredArguments
from caregrid.command_line.terminal_width import print_text

GROUP = "Experiments and benchmarks"


@dataclass(frozen=True, kw_only=True)
class DrawArguments(StoredArguments, JsonArgument):
    """The results to draw."""

    out: str | None = option(None, "the picture (default figure.png in the run directory)", metavar="FILE")
    format: str | None = option(None, "pdf, svg or png, in place of --out's ending", choices=("pdf", "svg", "png"))
    style: str = option("paper", "paper (default), or slides: larger letters", choices=("paper", "slides"))

    def path(self, directory: Path | None) -> Path | None:
        """Where to write, None for where the experiment's figures go; BadValue where --out and --format disagree."""
        from engine.errors import BadValue, add_article

        if self.out is None:
            return directory / f"figure.{self.format}" if directory and self.format else None
        path = Path(self.out)
        if self.format and not path.suffix:
            return path.with_name(f"{path.name}.{self.format}")
        if self.format and path.suffix != f".{self.format}":
            remedy = f"leave --format out, or end --out in .{self.format}"
            raise BadValue(f"'{path.name}' is not {add_article(self.format)}", place="--out", remedy=remedy)
        return path


def run(arguments: DrawArguments) -> int:
    from experiments.rows import format_table

    results = arguments.results()
    drawn = str(results.draw(arguments.path(results.directory), style=arguments.style))
    if arguments.json:
        print_json("draw", {"experiment": results.name, "figure": drawn, "table": results.table()})
        return 0
    for line in format_table(results.table()):
        print_text(line)
    print(drawn)
    return 0
