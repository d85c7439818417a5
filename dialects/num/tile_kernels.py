"""Products of matrices and windows, each sum finished where it was summed."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import StringAttr
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

__all__ = ["ChannelTilesOp", "DotTilesOp", "FinishedSumsOp"]


class FinishedSumsOp(KernelOp, ABC):
    """Sums that run in `acc` and are rounded into the format of the outputs; `bound` proves that none overflows.

    There is a start for each row of weights.
    """

    if TYPE_CHECKING:
        outputs: SSAValue
        starts: SSAValue

    acc = prop_def(AnyAttr())
    bound = opt_prop_def(BOUND)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        operands: Sequence[SSAValue | Sequence[SSAValue]],
        acc: Attribute,
        bound: Bound | None = None,
        kernel: str | None = None,
    ):
        named = {} if kernel is None else {"kernel": StringAttr(kernel)}
        super().__init__(operands=operands, properties={"acc": acc, **proof(bound), **named})

    @property
    def accumulator(self) -> Accumulator:
        if (accumulator := accumulator_of(self.acc)) is None:
            raise VerifyException(f"expected sums in an accumulator, got {self.acc}")
        return accumulator

    @property
    def format(self) -> NumberFormat:
        """The format of the outputs."""
        return element_format(self.outputs.type)

    @property
    def sum_bound(self) -> Bound | None:
        return bound_of(self.bound)

    @property
    def rows(self) -> int:
        return run_length(self.starts)

    @property
    def length(self) -> int:
        """The number of products of a sum."""
        return run_length(self.factors[0]) // self.rows

    @property
    def products(self) -> int:
        return run_length(self.outputs) * self.length

    @property
    def parts(self) -> Mapping[str, int]:
        return {"row": self.rows}

    def verify_runs(self) -> None:
        sums_products(self.acc, *(element_format(factor.type) for factor in self.factors))
        if self.accumulator.FAMILY != self.format.FAMILY:
            raise VerifyException(f"sums in {self.acc} cannot be rounded into {self.format.type}; convert first")
        verify_room(self.accumulator, self.sum_bound, self.format)


@irdl_op_definition
class DotTilesOp(FinishedSumsOp):
    """`outputs[p, r] =` the sum, finished, of `starts[r]` and the products of row r of a matrix and window p.

    All are runs: of the windows one after the other, of the rows, and of the outputs window by window. A kernel widens
    windows in `wide`.
    """

    name = "num.dot_tiles"
    outputs = operand_def(MEMREF)
    starts = operand_def(MEMREF)
    matrix = operand_def(MEMREF)
    windows = operand_def(MEMREF)
    wide = opt_operand_def(MEMREF)
    assembly_format = (
        "$outputs `,` $starts `,` $matrix `,` $windows (`wide` $wide^ `:` type($wide))? attr-dict"
        " `:` type($outputs) `,` type($starts) `,` type($matrix) `,` type($windows)"
    )

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.matrix, self.windows

    @property
    def count(self) -> int:
        """The number of windows."""
        return run_length(self.outputs) // self.rows

    @property
    def parts(self) -> Mapping[str, int]:
        return {"row": self.rows, "column": self.length}

    def verify_runs(self) -> None:
        extents = self.count * self.rows, self.rows * self.length, self.count * self.length
        outputs, matrix, windows = (run_length(run) for run in (self.outputs, self.matrix, self.windows))
        if extents != (outputs, matrix, windows) or 0 in extents:
            raise VerifyException(
                f"{matrix} elements of {self.rows} rows and {windows} of windows do not give {outputs} results"
            )
        super().verify_runs()


@irdl_op_definition
class ChannelTilesOp(FinishedSumsOp):
    """`outputs[c] =` the sum, finished, of `starts[c]` and the products of filter c and column c of a window.

    The window is a run of rows of all channels. The filters are a run in the order in which a kernel fetches weights:
    by as many channels as it takes at once, then by the rows of the window.
    """

    name = "num.channel_tiles"
    NEEDS_KERNEL: ClassVar[bool] = True
    outputs = operand_def(MEMREF)
    starts = operand_def(MEMREF)
    filters = operand_def(MEMREF)
    window = operand_def(MEMREF)
    assembly_format = (
        "$outputs `,` $starts `,` $filters `,` $window attr-dict"
        " `:` type($outputs) `,` type($starts) `,` type($filters) `,` type($window)"
    )

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.filters, self.window

    def verify_runs(self) -> None:
        outputs, starts, filters, window = (
            run_length(run) for run in (self.outputs, self.starts, self.filters, self.window)
        )
        if outputs != starts or filters != window or starts == 0 or filters % starts:
            raise VerifyException(f"{filters} weights of {starts} channels do not meet {window} elements of a window")
        super().verify_runs()
