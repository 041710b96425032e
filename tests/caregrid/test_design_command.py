"""`caregrid design`: what its units find is what the library finds world by world, and how they are run."""

import json
import os
import re
import signal
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from caregrid.programmes.caring import world_designs
from caregrid.runs.execution import RunNotFinished
from craftworld.identification.behaviour import ObservedWorld
from craftworld.identification.design import NoiseModel, choose_worlds, design_world, find_care_evidence
from experiments.experiment import Rows, UnitSetting
from experiments.runs import progress
from experiments.runs.run_directory import RunDirectory

WORLDS = ("kitchen_peanut", "playroom")
FORMULATIONS = ("expected", "no_worse_off")


def test_rows_and_pairs_are_those_of_the_worlds_one_by_one() -> None:
    found = caregrid.design(*WORLDS, formulation=FORMULATIONS, limit=20)
    noise = NoiseModel((0.5,), 0.1, 20)
    alone = {name: design_world(ObservedWorld.make(name), FORMULATIONS, noise)[0] for name in WORLDS}
    assert [(row["world"], row["steps"], row["information"], row["width"]) for row in found.rows()] == [
        (name, one.steps, one.information, one.expect_width(20)) for name, one in alone.items()
    ]
    for pair in found.pairs():
        rates = {name: one.find_pair(pair["truth"], pair["other"]).rate for name, one in alone.items()}
        best = max(rates.values())
        assert pair["world"] == (next(name for name, rate in rates.items() if rate == best) if best else "")


def test_chosen_worlds_are_those_that_the_evidence_itself_chooses() -> None:
    found = caregrid.design(*WORLDS, choose=2, limit=20)
    noise = NoiseModel((0.1 * 0.5, 0.4 * 0.5, 0.5), 0.1, 20)
    evidence = [find_care_evidence(ObservedWorld.make(name), "expected", noise) for name in WORLDS]
    expected = [(WORLDS[at], evidence[at].steps, width) for at, width in choose_worlds(evidence, 2, 20)]
    assert [(row["world"], row["steps"], row["width"]) for row in found.rows()] == expected


def test_two_workers_print_the_same_bytes_and_progress(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    line = ["design", *WORLDS, "--formulation=expected", "--limit=10", "--json"]
    printed = []
    for engine in (["--engine=serial"], ["--workers=2"]):
        assert main([*line, *engine]) == 0
        shown = capsys.readouterr()
        printed.append(shown.out)
        assert re.search(r"design/compare-\w+: 2 of 2 units, ", shown.err)
    assert printed[0] == printed[1]
    assert [row["world"] for row in json.loads(printed[0])["worlds"]] == list(WORLDS)


def test_a_stopped_design_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(world: object, question: object) -> list[dict[str, object]]:
        os.kill(os.getpid(), signal.SIGINT)
        return [{"left_out": "never"}]

    monkeypatch.setattr(world_designs, "_compare_hypotheses", stop)
    scratch, table = tmp_path / "scratch", tmp_path / "table.csv"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    with pytest.raises(RunNotFinished) as stopped:
        caregrid.design(*WORLDS, out=table)
    assert stopped.value.exit_code == 130
    stored = "1 of 2 units are finished; none is stored; with --out DIR the same command would go on"
    assert stopped.value.warning == f"stopped by SIGINT: {stored}"
    assert not table.exists()
    assert not list(scratch.iterdir())


def test_a_stopped_design_goes_on_in_its_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, save = list[str](), RunDirectory.save

    def save_and_stop(self: RunDirectory, finished: Iterable[tuple[UnitSetting, Rows]]) -> None:
        stored = list(finished)
        save(self, stored)
        saved.extend(str(setting["world"]) for setting, _ in stored)
        if len(saved) == 1:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(RunDirectory, "save", save_and_stop)
    line = ["design", *WORLDS, "garden", "--formulation=expected", "--limit=10", "--json"]
    kept = [*line, f"--out={tmp_path / 'kept'}"]
    assert main([*kept, "--engine=serial"]) == 130  # the next one has begun
    assert capsys.readouterr().err.endswith("(2 now, 0 before); the same command goes on\n")
    assert not (tmp_path / "kept" / "worlds.csv").exists()
    assert main(kept) == 0
    assert saved == [*WORLDS, "garden"]
    printed = capsys.readouterr().out
    assert main([*line, f"--out={tmp_path / 'whole.csv'}"]) == 0
    assert capsys.readouterr().out == printed
    assert (tmp_path / "kept" / "worlds.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert main([*kept, "--episodes=3"]) == 2
    assert "it holds" in capsys.readouterr().err


def test_a_table_that_changes_is_not_mixed_with_what_was_found_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.prism"
    caregrid.problem("kitchen_peanut").export(out=model)
    line = ["design", str(model), "--limit=10", f"--out={tmp_path / 'kept'}"]
    assert main(line) == 0
    assert main(line) == 0
    model.write_text(model.read_text() + "// changed\n")
    capsys.readouterr()
    assert main(line) == 2
    assert "model.prism" in capsys.readouterr().err
