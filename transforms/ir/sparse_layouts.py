"""Sparse matrices as the kernels of a target read them: from compressed rows as they are, or from a stream of bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tinyml.dialects import num, scratch
from tinyml.dialects.layouts.csr import CompressedRows
from tinyml.dialects.layouts.delta_row_stream import SKIP_BITS, delta_rows
from tinyml.dialects.layouts.row_stream import pack_rows
from tinyml.dialects.machine.lazy_numpy import np
from tinyml.targets.kernel import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class SparseRows:
    """kernel: reads the matrix. entries: that it goes through. stream: None where it reads compressed rows; lengths:
    behind its beginning, a row of the stream has so many times `unit` bytes."""

    kernel: Kernel
    entries: int
    bytes: int
    stream: NDArray[np.uint8] | None
    lengths: NDArray[Any]
    unit: int

    @classmethod
    def read_by(cls, kernel: Kernel, rows: CompressedRows, columns: int) -> SparseRows | None:
        """The rows of a matrix of so many columns; None where the kernel's layout does not hold it."""
        if kernel.gaps == 0:
            return cls(kernel, len(rows.values), rows.bytes, None, rows.lengths, 0)
        if kernel.gaps == SKIP_BITS:
            if (near := delta_rows(rows, columns, kernel.weights)) is None:
                return None
            stream = near.stream()
            return cls(kernel, len(near.values), stream.nbytes, stream, near.groups, near.group_bytes)
        if (stream := pack_rows(rows, kernel.vector // 8)) is None:
            return None
        return cls(kernel, len(rows.values), stream.nbytes, stream, rows.lengths, 1 + rows.values.itemsize)

    @property
    def time(self) -> float:
        """In the unit of the kernel's step."""
        return self.entries * self.kernel.step

    @property
    def effort(self) -> float:
        """Bytes times time."""
        return (self.bytes + self.kernel.code) * self.time


def best_rows(kernels: Iterable[Kernel], rows: CompressedRows, columns: int) -> SparseRows | None:
    """The rows that take least, bytes times time, for one of these kernels; None where none can read the matrix."""
    found = (SparseRows.read_by(kernel, rows, columns) for kernel in kernels)
    return min((one for one in found if one is not None), key=lambda one: one.effort, default=None)


def compressed_rows(op: num.SparseDotOp) -> CompressedRows:
    """The matrix that an op reads, from constants."""
    values, gaps, lengths = (cast(scratch.ConstantOp, run.owner).raws for run in (op.values, op.gaps, op.lengths))
    lengths = lengths.view(f"u{lengths.itemsize}")
    entries = int(lengths.sum())
    return CompressedRows(values[:entries], gaps.view("u1")[:entries], lengths)
