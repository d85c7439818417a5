"""Ops of the `scratch` dialect that copy, transpose or receive the content of memory."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerAttr, UnitAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.operations import DialectOp
from tinyml.dialects.scratch.ops import MEMREF, MovesBytes
from tinyml.dialects.scratch.types import (
    elements_of,
    in_flash,
    memref_type,
    packed_bits,
    size_in_bytes,
    storage_of,
    unit_of,
)

__all__ = ["CopyRunOp", "ReceiveOp", "SlideOp", "TurnOp"]


@irdl_op_definition
class CopyRunOp(DialectOp):
    """Copy `count` elements from one run of memory, starting at its element `first`, to another run, starting at its
    element `at`.

    `most` is an upper bound on `count`. The elements of both runs have the same storage type. The runs are in working
    memory. If both runs are packed, `count`, `first` and `at` are multiples of the number of elements that fill whole
    bytes.

    The runs do not overlap unless `down` is set. The target then starts before the source, and elements are copied in
    order.

    `step` is set if the copied run is a row of a window and the whole row is copied in each iteration of the loop over
    windows. `step` is the number of elements by which the window advances per iteration. All elements except the last
    `step` elements were then also copied in the previous iteration, to an index that is greater by `step`.
    """

    name = "scratch.copy_run"
    source = operand_def(MEMREF)
    dest = operand_def(MEMREF)
    first = operand_def(IndexType)
    at = operand_def(IndexType)
    count = operand_def(IndexType)
    most = prop_def(IntegerAttr)
    step = opt_prop_def(IntegerAttr)
    down = opt_prop_def(UnitAttr)
    traits = traits_def(MovesBytes())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$source `[` $first `]` `to` $dest `[` $at `]` `count` $count attr-dict `:` type($source) `to` type($dest)"
    )

    def __init__(
        self,
        source: SSAValue,
        first: SSAValue,
        dest: SSAValue,
        at: SSAValue,
        count: SSAValue,
        most: int,
        step: int | None = None,
        *,
        down: bool = False,
    ):
        properties = {
            "most": IntegerAttr(most, i64),
            "step": None if step is None else IntegerAttr(step, i64),
            "down": UnitAttr() if down else None,
        }
        super().__init__(operands=[source, dest, first, at, count], properties=properties)

    def verify_(self) -> None:
        source, dest = memref_type(self.source), memref_type(self.dest)
        if any(len(type.get_shape()) != 1 for type in (source, dest)):
            raise VerifyException(f"copies between runs, got {source} and {dest}")
        if storage_of(source.element_type) != storage_of(dest.element_type):
            raise VerifyException(f"the storage type of elements cannot change, got {source} and {dest}")
        if in_flash(source) or packed_bits(source) != packed_bits(dest) or self.most.value.data % unit_of(source)[0]:
            raise VerifyException(f"copies whole bytes of working memory, got {source} and {dest}")
        if self.step is not None and not 0 < self.step.value.data < self.most.value.data:
            raise VerifyException(f"a row of {self.most.value.data} elements does not slide by {self.step.value.data}")


@irdl_op_definition
class SlideOp(DialectOp):
    """Declare that `weights` are multiplied by a sliding window (see `step` of `scratch.copy_run`).

    Each element of a row of weights is multiplied by the corresponding element of `window`. No other op reads the
    window. Hardware may therefore store each column of the window at a fixed place, and rotate the rows of weights
    instead (`slide-windows`).
    """

    name = "scratch.slide"
    window = operand_def(MEMREF)
    weights = operand_def(MEMREF)
    assembly_format = "$window `against` $weights attr-dict `:` type($window) `,` type($weights)"

    def __init__(self, window: SSAValue, weights: SSAValue):
        super().__init__(operands=[window, weights])

    def verify_(self) -> None:
        window, weights = memref_type(self.window), memref_type(self.weights)
        if not in_flash(weights) or elements_of(self.weights) % elements_of(self.window):
            raise VerifyException(f"needs constant rows of the elements of the window, got {weights} and {window}")


@irdl_op_definition
class ReceiveOp(DialectOp):
    """Fill a run of memory with the next row of the input, which the caller sends.

    The input is not in memory. In the evaluator, only this op accesses it.
    """

    name = "scratch.receive"
    source = operand_def(MEMREF)
    dest = operand_def(MEMREF)
    row = operand_def(IndexType)
    traits = traits_def(MovesBytes())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$source `[` $row `]` `to` $dest attr-dict `:` type($source) `to` type($dest)"

    def __init__(self, source: SSAValue, row: SSAValue, dest: SSAValue):
        super().__init__(operands=[source, dest, row])

    def verify_(self) -> None:
        source, dest = memref_type(self.source), memref_type(self.dest)
        if storage_of(source.element_type) != storage_of(dest.element_type) or packed_bits(source) != packed_bits(dest):
            raise VerifyException(f"the storage type of elements cannot change, got {source} and {dest}")
        if in_flash(dest) or size_in_bytes(dest) == 0 or size_in_bytes(source) % size_in_bytes(dest):
            raise VerifyException(f"fills working memory with one of several rows, got {source} and {dest}")


class ChangesBytes(MemoryEffect):
    """The memory effects of an op that reads and writes its first operand."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {EffectInstance(kind, op.operands[0]) for kind in (MemoryEffectKind.READ, MemoryEffectKind.WRITE)}


@irdl_op_definition
class TurnOp(DialectOp):
    """Transpose an image of rows * columns pixels in place. The image starts at pixel `first` of a buffer.

    `pixel` is the number of units per pixel. `bits` is the width of a unit: 8, or 4 in a buffer that is packed to 4
    bits.
    """

    name = "scratch.turn"
    buffer = operand_def(MEMREF)
    first = operand_def(IndexType)
    rows = operand_def(IndexType)
    columns = operand_def(IndexType)
    pixel = prop_def(IntegerAttr)
    bits = prop_def(IntegerAttr)
    traits = traits_def(ChangesBytes())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$buffer `[` $first `]` `:` $rows `x` $columns attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue, first: SSAValue, rows: SSAValue, columns: SSAValue, pixel: int, bits: int):
        properties = {"pixel": IntegerAttr(pixel, i64), "bits": IntegerAttr(bits, i64)}
        super().__init__(operands=[buffer, first, rows, columns], properties=properties)

    def verify_(self) -> None:
        if in_flash(type := memref_type(self.buffer)) or packed_bits(type) not in (None, 4):
            raise VerifyException(f"turns working memory of whole bytes, or packed to 4 bits, got {type}")
        if self.bits.value.data not in (4, 8) or self.pixel.value.data < 1:
            raise VerifyException("a pixel has units of 4 or 8 bits")
