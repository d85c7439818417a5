"""Products of rows of weights and windows beside each other, each sum finished where it was summed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.formats.product import Bound
from tinyml.dialects.num.base import sums_products
from tinyml.dialects.num.constraints import SUM
from tinyml.dialects.num.kernel_attributes import KernelAttr, TileKernelAttr
from tinyml.dialects.num.kernels import MEMREF, KernelOp, run_length
from tinyml.dialects.num.proofs import BOUND, bound_of, proof, verify_room

__all__ = ["ChannelTilesOp", "ComposedTilesOp", "DotTilesOp", "FinishedSumsOp", "Spacing"]


class Spacing(NamedTuple):
    """Where windows lie in memory: each consists of `runs` runs `pitch` elements apart, and the next lies `step` on.

    lines: there are as many windows in each line, which lies a pitch behind the one before.
    """

    runs: int
    pitch: int
    step: int
    lines: int = 1


class _TilesOp(KernelOp, ABC):
    """Sums of windows that run in the accumulator `acc`, finished and written."""

    acc = prop_def(SUM)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @property
    def accumulator(self) -> Accumulator:
        return cast(Accumulator, accumulator_of(self.acc))


class FinishedSumsOp(_TilesOp, ABC):
    """Sums of windows by rows of weights, run in `acc` and rounded into the format of the outputs.

    There is a start for each row of weights, and an output for each window and row, window by window, line by line.
    `spacing` says where the windows lie. `bound` proves that no sum overflows.
    """

    outputs = operand_def(MEMREF)
    starts = operand_def(MEMREF)
    weights = operand_def(MEMREF)
    windows = operand_def(MEMREF)
    bound = opt_prop_def(BOUND)
    spacing = prop_def(DenseArrayBase.constr(i64))
    assembly_format = (
        "$outputs `,` $starts `,` $weights `,` $windows attr-dict"
        " `:` type($outputs) `,` type($starts) `,` type($weights) `,` type($windows)"
    )

    def __init__(self, operands: Sequence[SSAValue], acc: Attribute, spacing: Spacing, bound: Bound | None = None):
        spaces = DenseArrayBase.from_list(i64, spacing if spacing.lines > 1 else spacing[:3])
        super().__init__(operands=operands, properties={"acc": acc, "spacing": spaces, **proof(bound)})

    @property
    def format(self) -> NumberFormat:
        """The format of the outputs."""
        return element_format(self.outputs.type)

    @property
    def sum_bound(self) -> Bound | None:
        return bound_of(self.bound)

    @property
    def spaces(self) -> Spacing:
        values = [int(value) for value in self.spacing.get_values()]
        if len(values) not in (3, 4) or min(values) < 0 or 0 in (values[0], *values[3:]):
            raise VerifyException(f"spacing needs runs, at least 1, a pitch, a step, and any lines, got {values}")
        return Spacing(*values)

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.weights, self.windows

    @property
    def rows(self) -> int:
        return run_length(self.starts)

    @property
    def length(self) -> int:
        """The number of products of a sum."""
        return run_length(self.weights) // self.rows

    @property
    @abstractmethod
    def run(self) -> int:
        """The elements of a run."""

    @property
    def count(self) -> int:
        """The number of windows of a line."""
        return run_length(self.outputs) // (self.rows * self.spaces.lines)

    @property
    def products(self) -> int:
        return run_length(self.outputs) * self.length

    def verify_runs(self) -> None:
        outputs, starts, weights, windows = (
            run_length(run) for run in (self.outputs, self.starts, self.weights, self.windows)
        )
        runs, pitch, step, lines = self.spaces
        if 0 in (outputs, starts, weights) or outputs % (starts * lines) or weights % (starts * runs):
            raise VerifyException(f"{weights} weights of {starts} rows in {runs} runs do not give {outputs} results")
        if (needed := (self.count - 1) * step + (lines + runs - 2) * pitch + self.run) > windows:
            raise VerifyException(f"windows reach over {needed} elements, got {windows}")
        sums_products(self.acc, *(element_format(factor.type) for factor in self.factors))
        if self.accumulator.FAMILY != self.format.FAMILY:
            raise VerifyException(f"sums in {self.acc} cannot be rounded into {self.format.type}; convert first")
        verify_room(self.accumulator, self.sum_bound, self.format)


@irdl_op_definition
class DotTilesOp(FinishedSumsOp):
    """`outputs[p, r] =` the sum, finished, of `starts[r]` and the products of row r of weights and window p."""

    name = "num.dot_tiles"

    @property
    def run(self) -> int:
        return self.length // self.spaces.runs


@irdl_op_definition
class ChannelTilesOp(FinishedSumsOp):
    """`outputs[p, c] =` the sum, finished, of `starts[c]` and the products of filter c and channel c of window p.

    A run of a window consists of pixels, each of which has an element of every channel.
    """

    name = "num.channel_tiles"

    @property
    def run(self) -> int:
        return self.length * self.rows // self.spaces.runs


@irdl_op_definition
class ComposedTilesOp(_TilesOp):
    """The sums of a tile, by a kernel that is composed for its shape.

    stream: weights and all else that belongs to rows, in the order in which the kernel fetches them. multiplied:
    products of a call.
    """

    name = "num.composed_tiles"
    NEEDS_KERNEL: ClassVar[bool] = True
    outputs = operand_def(MEMREF)
    stream = operand_def(MEMREF)
    windows = operand_def(MEMREF)
    multiplied = prop_def(IntegerAttr.constr(i64))
    assembly_format = (
        "$outputs `,` $stream `,` $windows attr-dict `:` type($outputs) `,` type($stream) `,` type($windows)"
    )

    def __init__(self, operands: Sequence[SSAValue], acc: Attribute, products: int, kernel: KernelAttr):
        properties: dict[str, Attribute] = {"acc": acc, "multiplied": IntegerAttr(products, i64)}
        super().__init__(operands=operands, properties={**properties, "kernel": kernel})

    def may_call(self, kernel: KernelAttr) -> bool:
        return isinstance(kernel, TileKernelAttr)

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.stream, self.windows

    @property
    def products(self) -> int:
        return self.multiplied.value.data

    def verify_runs(self) -> None:
        for run in (self.outputs, self.stream, self.windows):
            run_length(run)
