"""Candidates for `spend-flash`: parts of a program with a faster implementation that needs more flash (L3).

Three kinds of kernels can be faster for a tile: they widen the weights, use Winograd's transformation, or contain the
weights as code. The rows of constant matrices may also become code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from xdsl.ir import Operation

from tinyml.dialects import num
from tinyml.transforms.loops.kernels.tiles import TileCall


class TimeSaving(NamedTuple):
    """The time that a candidate saves per inference, in the target's unit and in core cycles.

    The two numbers are equal for a core without published timing.
    """

    units: float = 0.0
    cycles: float = 0.0


@dataclass(frozen=True, eq=False)
class TileCandidate:
    """A kernel for a tile that is faster, and needs more flash, than the kernel that `select-kernels` would choose."""

    part: num.ContractOp
    call: TileCall
    saving: TimeSaving


@dataclass(frozen=True, eq=False)
class RowsCandidate:
    """Rows of a constant matrix that become code.

    part: the op that uses the rows.
    number: the index of the matrix in `constant_rows`, which is the same in copies of the module.
    choices: the numbers of rows that can become code.
    count: the chosen number.
    saving, bytes: the time saved and the bytes added, estimated for a program in which only these rows are code.
    """

    part: Operation
    number: int
    choices: range
    count: int
    saving: TimeSaving
    bytes: float

    def of(self, count: int) -> RowsCandidate:
        """A copy of this candidate in which `count` rows of the matrix become code. Its saving and its bytes are
        multiplied by the ratio of `count` to the number of rows of this candidate.
        """
        share = count / self.count
        saving = TimeSaving(share * self.saving.units, share * self.saving.cycles)
        return replace(self, count=count, saving=saving, bytes=share * self.bytes)


Candidate: TypeAlias = TileCandidate | RowsCandidate
Group: TypeAlias = Mapping[Operation, Candidate]
"""Candidates that are chosen together, by the parts that they replace: equal weights share a stream or a function."""

Taken: TypeAlias = Mapping[Operation, Candidate]
"""The chosen candidates, by the parts that they replace."""


def coded(taken: Taken) -> Mapping[int, int]:
    counts = {each.number: each.count for each in taken.values() if isinstance(each, RowsCandidate)}
    return dict(sorted(counts.items()))
