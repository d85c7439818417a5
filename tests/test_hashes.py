"""A sample of the programs of `hashes/corpus.py` compiles to the recorded C (`make hashes` compiles all)."""

from __future__ import annotations

import pytest
from hashes.__main__ import digests_of, recorded
from hashes.corpus import Program, pairwise, programs
from programs.spread import spread

WHAT_HELPS = "`make hashes` shows the lines that differ; `make hashes UPDATE=1` writes the digests anew"


@pytest.mark.long
@pytest.mark.parametrize("program", spread(programs(), 7), ids=lambda program: program.name)
def test_the_c_of_programs_stays(program: Program):
    assert digests_of(program)[1] == recorded().get(program.name), WHAT_HELPS


def test_every_program_is_recorded_once():
    names = [program.name for program in programs()]
    assert len(set(names)) == len(names)
    assert set(names) <= recorded().keys()


def test_pairs_are_covered():
    rows = pairwise("ab", "cde", "fghi")
    assert {row[:2] for row in rows} == {(one, other) for one in "ab" for other in "cde"}
    assert {row[1:] for row in rows} == {(one, other) for one in "cde" for other in "fghi"}
    assert {row[::2] for row in rows} == {(one, other) for one in "ab" for other in "fghi"}
