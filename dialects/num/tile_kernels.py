"""Products of a matrix and several windows at once, each sum finished where it was summed."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AnyAttr, irdl_op_definition, operand_def, opt_operand_def, opt_prop_def, prop_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.formats.product import Bound
from tinyml.dialects.num.base import sums_products
from tinyml.dialects.num.kernels import MEMREF, KernelOp, run_length
from tinyml.dialects.num.proofs import BOUND, bound_of, proof, verify_room

__all__ = ["DotTilesOp"]


@irdl_op_definition
class DotTilesOp(KernelOp):
    """`results[p, r] =` the sum, finished, of `starts[r]` and the products of row r of a matrix and window p.

    All are runs: of the windows one after the other, of the rows, and of the results window by window. Sums run in
    `acc`, and `bound` proves that none overflows. A kernel widens windows in `wide`.
    """

    name = "num.dot_tiles"
    outputs = operand_def(MEMREF)
    starts = operand_def(MEMREF)
    matrix = operand_def(MEMREF)
    windows = operand_def(MEMREF)
    wide = opt_operand_def(MEMREF)
    acc = prop_def(AnyAttr())
    bound = opt_prop_def(BOUND)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$outputs `,` $starts `,` $matrix `,` $windows (`wide` $wide^ `:` type($wide))? attr-dict"
        " `:` type($outputs) `,` type($starts) `,` type($matrix) `,` type($windows)"
    )

    def __init__(
        self,
        outputs: SSAValue,
        starts: SSAValue,
        matrix: SSAValue,
        windows: SSAValue,
        acc: Attribute,
        bound: Bound | None = None,
        wide: SSAValue | None = None,
    ):
        properties = {"acc": acc, **proof(bound)}
        super().__init__(
            operands=[outputs, starts, matrix, windows, [] if wide is None else [wide]], properties=properties
        )

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.matrix, self.windows

    @property
    def accumulator(self) -> Accumulator:
        if (accumulator := accumulator_of(self.acc)) is None:
            raise VerifyException(f"expected sums in an accumulator, got {self.acc}")
        return accumulator

    @property
    def format(self) -> NumberFormat:
        """The format of the results."""
        return element_format(self.outputs.type)

    @property
    def sum_bound(self) -> Bound | None:
        return bound_of(self.bound)

    @property
    def rows(self) -> int:
        return run_length(self.starts)

    @property
    def length(self) -> int:
        """The number of elements of a row and of a window."""
        return run_length(self.matrix) // self.rows

    @property
    def count(self) -> int:
        """The number of windows."""
        return run_length(self.outputs) // self.rows

    @property
    def products(self) -> int:
        return self.count * run_length(self.matrix)

    @property
    def parts(self) -> Mapping[str, int]:
        return {"row": self.rows, "column": self.length}

    def verify_runs(self) -> None:
        extents = self.count * self.rows, self.rows * self.length, self.count * self.length
        if extents != tuple(map(run_length, (self.outputs, self.matrix, self.windows))) or not prod(extents):
            results, matrix, windows = (run_length(run) for run in (self.outputs, self.matrix, self.windows))
            raise VerifyException(
                f"{matrix} elements of {self.rows} rows and {windows} of windows do not give {results} results"
            )
        sums_products(self.acc, element_format(self.matrix.type), element_format(self.windows.type))
        if self.accumulator.FAMILY != self.format.FAMILY:
            raise VerifyException(f"sums in {self.acc} cannot be rounded into {self.format.type}; convert first")
        verify_room(self.accumulator, self.sum_bound, self.format)
