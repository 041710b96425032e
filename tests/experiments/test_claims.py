"""Claims of blocks: one taker at a time, given up with the session that made them."""

import os
from pathlib import Path

import pytest

from experiments.runs import segments
from experiments.runs.dispatch import Claims
from experiments.runs.segments import Identity, SegmentWriter

IDENTITY = Identity("tests/claims", 1, 0, ("n",))


def _session(folder: Path) -> tuple[SegmentWriter, Claims]:
    for name in ("units", "claims"):
        (folder / name).mkdir(exist_ok=True)
    writer = SegmentWriter(folder / "units", IDENTITY, {})
    writer.append([({"n": 0}, [])])
    return writer, Claims(folder / "claims", folder / "units", writer.name)


def test_a_block_has_one_taker_until_it_is_given_back_or_its_session_ends(tmp_path: Path) -> None:
    (first_writer, first), (second_writer, second) = _session(tmp_path), _session(tmp_path)
    assert [first.take(block) for block in "ab"] == [True, True]
    assert [second.take(block) for block in "abc"] == [False, False, True]
    first.release("a")
    assert second.take("a")
    first_writer.close()  # as when its process dies: nothing of it is given back
    assert second.take("b")
    second.release_all()
    second_writer.close()
    assert not (tmp_path / "claims").exists()
    assert second.take("e"), "the folder is made again"


def test_a_session_of_another_machine_lives_while_its_segment_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(segments.time, "monotonic", lambda: now[0])
    writer, ours = _session(tmp_path)
    far = tmp_path / "units" / "000009-far_away-7.jsonl"
    far.write_text("{}\n")
    (tmp_path / "claims" / "a").write_text(far.name)
    for moment in range(5):
        now[0] = 25.0 * moment
        os.utime(far, ns=(moment, moment))  # its clock may say anything
        assert not ours.take("a")
    now[0] += 31
    assert ours.take("a")
    writer.close()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"../../etc/passwd", b"000001-gone-1.jsonl", b"x" * 5000])
def test_a_claim_that_says_nothing_sensible_is_waited_for_and_taken(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(segments.time, "monotonic", lambda: now[0])
    writer, ours = _session(tmp_path)
    (tmp_path / "claims" / "a").write_bytes(content)
    taken = ours.take("a")
    now[0] = 40.0
    assert taken or ours.take("a")
    writer.close()


def test_what_is_no_claim_is_left_where_it_is_and_read_by_nobody(tmp_path: Path) -> None:
    writer, session = _session(tmp_path)
    os.mkfifo(tmp_path / "claims" / "c")
    assert not session.take("c")
    assert session.take("d")
    writer.close()
