"""Candidates for flash: parts of a program that take more flash and less time than usual (L3).

Tiles get kernels with widened weights, with Winograd's transformation or with weights that are code; rows of constant
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
from tinyml.targets.kernel import RowCoder
from tinyml.transforms.loops.kernels.contracted_rows import contracted_rows
from tinyml.transforms.loops.kernels.tiles import CodeCall, TileCall
from tinyml.transforms.loops.kernels.window_rows import window_rows


class TimeSaving(NamedTuple):
    """Time that an inference saves: in the unit of the target, and in cycles of the core.

    Both are the same on a core without a published timing.
    """

    units: float = 0.0
    cycles: float = 0.0


@dataclass(frozen=True, eq=False)
class TileCandidate:
    """A kernel for a tile that takes more flash than its usual one."""

    part: num.ContractOp
    call: TileCall | CodeCall
    saving: TimeSaving


class Matrix(Protocol):
    """A matrix whose rows can become code, the first `choices` of them. part: the op that needs the rows."""

    @property
    def part(self) -> Operation: ...
    @property
    def rows(self) -> CodedRows: ...
    @property
    def choices(self) -> range: ...
    def replace(self, coder: RowCoder, count: int) -> None: ...


@dataclass(frozen=True, eq=False)
class RowsCandidate:
    """Rows of a matrix as code.

    part: the op that needs the rows. number: of the matrix in `matrices`, in copies of the module as well. choices: the
    numbers of rows that can be code; count: the number of those that are. saving, bytes: by the estimate of a program
    in which these rows alone are code.
    """

    part: Operation
    number: int
    choices: range
    count: int
    saving: TimeSaving
    bytes: float

    def of(self, count: int) -> RowsCandidate:
        """The candidate for another number of rows."""
        share = count / self.count
        saving = TimeSaving(share * self.saving.units, share * self.saving.cycles)
        return replace(self, count=count, saving=saving, bytes=share * self.bytes)


Candidate: TypeAlias = TileCandidate | RowsCandidate
Group: TypeAlias = Mapping[Operation, Candidate]
"""Candidates by the parts that they replace, which are taken together: equal weights share a stream or a function."""

Taken: TypeAlias = Mapping[Operation, Candidate]
"""The candidates that are taken, by the parts that they replace."""


def matrices(module: ModuleOp) -> Sequence[Matrix]:
    """The matrices of a module whose rows can become code, always in the same order."""
    return [*contracted_rows(module), *window_rows(module)]


def coded(taken: Taken) -> Mapping[int, int]:
    """The numbers of rows that become code, by the numbers of their matrices in order."""
    counts = {each.number: each.count for each in taken.values() if isinstance(each, RowsCandidate)}
    return dict(sorted(counts.items()))
