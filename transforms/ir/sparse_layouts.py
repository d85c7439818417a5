"""Layouts of sparse matrices for the kernels of a target: compressed rows, or a byte stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.layouts.packed_bits import GAP_BITS
from tinyml.dialects.layouts.sparse_rows import (
    COUNT_BYTES,
    CompressedRows,
    bytes_of_gathered,
    bytes_of_group,
    delta_rows,
    entries_of_group,
    gathered_rows,
    groups_of_rows,
    pack_rows,
)
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.targets.kernel import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class SparseRows:
    """The rows of a sparse matrix in the layout of one kernel.

    entries: the number of entries that the kernel processes, including entries added as padding.
    bytes: the size in flash.
    lengths: the lengths of the rows; in a stream, in multiples of `unit` bytes after the row's count.
    make_stream: the function that makes the stream; None for a kernel that reads compressed rows.
    """

    kernel: Kernel
    entries: int
    bytes: int
    lengths: NDArray[Any]
    unit: int = 0
    make_stream: Callable[[], NDArray[np.uint8]] | None = None

    @classmethod
    def read_by(cls, kernel: Kernel, rows: CompressedRows, columns: int) -> SparseRows | None:
        """The rows of a matrix in the layout that a kernel reads. None if this layout cannot represent the rows.

        columns: the number of columns of the matrix.
        """
        if kernel.gaps == 0:
            return cls(kernel, len(rows.values), rows.bytes, rows.lengths)
        if kernel.gaps == GAP_BITS:
            return cls._near(kernel, rows, columns)
        if (entries := kernel.gathered) is not None:
            return cls._gathered(kernel, rows, entries)
        if (stream := pack_rows(rows, kernel.vector // 8)) is None:
            return None
        entry = 1 + rows.values.itemsize
        return cls(kernel, len(rows.values), stream.nbytes, rows.lengths, entry, lambda: stream)

    @classmethod
    def _near(cls, kernel: Kernel, rows: CompressedRows, columns: int) -> SparseRows | None:
        """The rows as a delta-coded stream. None if this layout cannot represent the rows.

        The stream is made only when it is used, because making it takes long.
        """
        width = kernel.weights
        if (groups := groups_of_rows(rows, columns, width)) is None:
            return None

        def stream() -> NDArray[np.uint8]:
            near = delta_rows(rows, columns, width)
            assert near is not None
            return near.stream()

        total, unit = int(groups.sum()), bytes_of_group(width)
        bytes = COUNT_BYTES * len(groups) + unit * total
        return cls(kernel, entries_of_group(width) * total, bytes, groups, unit, stream)

    @classmethod
    def _gathered(cls, kernel: Kernel, rows: CompressedRows, entries: int) -> SparseRows | None:
        if (found := gathered_rows(rows, entries)) is None:
            return None
        unit = bytes_of_gathered(entries, kernel.weights)
        groups = int(found.groups.sum())
        return cls(kernel, entries * groups, found.stream.nbytes, found.groups, unit, lambda: found.stream)

    @property
    def time(self) -> float:
        """The time that the kernel needs to read the matrix, in the unit of the kernel's `step`."""
        return self.entries * self.kernel.step

    @property
    def effort(self) -> float:
        """The bytes of flash, including those of the kernel, times the time. The layout with the least product is
        chosen.
        """
        return (self.bytes + self.kernel.code) * self.time


def best_rows(kernels: Iterable[Kernel], rows: CompressedRows, columns: int) -> SparseRows | None:
    """Among the layouts that the given kernels read, the rows with the least product of bytes and time. None if no
    kernel can read the matrix.

    columns: the number of columns of the matrix.
    """
    candidates = (SparseRows.read_by(kernel, rows, columns) for kernel in kernels)
    return min((rows for rows in candidates if rows is not None), key=lambda rows: rows.effort, default=None)


def compressed_rows(op: num.Adding) -> CompressedRows:
    """The constant matrix that a `num.sparse_products` or the call of a `#num.sparse_dot` reads.

    The operands of either op are the sum, followed by the matrix's values, gaps and lengths. Raises `InputError`
    unless the matrix is constant.
    """
    constants = [run.owner for run in op.operands[1:4] if isinstance(run.owner, scratch.ConstantOp)]
    if len(constants) < 3:
        raise error_at(op, "the values, gaps and lengths of compressed rows must be constants")
    values, gaps, lengths = (constant.raws for constant in constants)
    lengths = lengths.view(f"u{lengths.itemsize}")
    entries = int(lengths.sum())
    return CompressedRows(values[:entries], gaps.view("u1")[:entries], lengths)


def dense_product(op: tdsl.SpmvOp, constant: tdsl.ConstOp) -> tuple[tdsl.ConstOp, tdsl.MatmulOp]:
    """The constant of a sparse product as a dense matrix, and the product with it."""
    dense = tdsl.ConstOp(constant.raws, tdsl.format_of(constant.result))
    dense.attributes |= constant.attributes
    dense.result.name_hint = constant.result.name_hint
    product = tdsl.MatmulOp(dense.result, op.rhs, tdsl.format_of(op.out).type)
    product.attributes |= op.attributes
    product.acc, product.bound, product.row_shifts = op.acc, op.bound, op.row_shifts
    return dense, product
