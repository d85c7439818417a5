"""Candidates for `spend-flash`: parts of a program with a faster implementation that takes more flash (L3).

Tiles get kernels with widened weights, with Winograd's transformation or with their weights as code; rows of constant
matrices become code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tinyml.dialects import num
from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.transforms.loops.kernels.contracted_rows import contracted_rows
from tinyml.transforms.loops.kernels.tiles import TileCall
from tinyml.transforms.loops.kernels.window_rows import window_rows


class TimeSaving(NamedTuple):
    """Time saved per inference: in the target's unit and in core cycles.

    Both are the same for a core without published timing.
    """

    units: float = 0.0
    cycles: float = 0.0


@dataclass(frozen=True, eq=False)
class TileCandidate:
    """A faster kernel for a tile that takes more flash than the usual one."""

    part: num.ContractOp
    call: TileCall
    saving: TimeSaving


class Matrix(Protocol):
    """A matrix whose first rows can become code; `choices` are the possible numbers of rows.

    part: the op that needs the rows.
    """

    @property
    def part(self) -> Operation: ...
    @property
    def rows(self) -> CodedRows: ...
    @property
    def choices(self) -> range: ...
    def replace(self, target: str, count: int) -> None: ...


@dataclass(frozen=True, eq=False)
class RowsCandidate:
    """Rows of a matrix as code.

    part: the op that needs the rows. number: the index of the matrix in `matrices`, the same in copies of the module.
    choices: the numbers of rows that can be code; count: the chosen number. saving, bytes: estimated for a program in
    which only these rows are code.
    """

    part: Operation
    number: int
    choices: range
    count: int
    saving: TimeSaving
    bytes: float

    def of(self, count: int) -> RowsCandidate:
        """The candidate for a different number of rows, with saving and bytes in proportion."""
        share = count / self.count
        saving = TimeSaving(share * self.saving.units, share * self.saving.cycles)
        return replace(self, count=count, saving=saving, bytes=share * self.bytes)


Candidate: TypeAlias = TileCandidate | RowsCandidate
Group: TypeAlias = Mapping[Operation, Candidate]
"""Candidates that are taken together, by the parts that they replace: equal weights share a stream or a function."""

Taken: TypeAlias = Mapping[Operation, Candidate]
"""The candidates that are taken, by the parts that they replace."""


def matrices(module: ModuleOp) -> Sequence[Matrix]:
    """The matrices of a module whose rows can become code, in a fixed order."""
    return [*contracted_rows(module), *window_rows(module)]


def coded(taken: Taken) -> Mapping[int, int]:
    """The number of rows that become code for each matrix, by the index of the matrix, in ascending order."""
    counts = {each.number: each.count for each in taken.values() if isinstance(each, RowsCandidate)}
    return dict(sorted(counts.items()))
