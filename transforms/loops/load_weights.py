"""`load-weights`: moves the numbers of a model from flash to RAM, into which the caller writes them (L3).

Gural and Murmann (2019, section 5.1) store network, images and stack in the 2 KB of an ATmega328P. All numbers arrive
over the serial line. Under these conditions bytes of RAM matter more than time. Each number is therefore stored in as
few bits as its value allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.exact.numbers import ExactNumbers, exact_numbers, integers_of
from tinyml.dialects.formats.number_format import element_format, number_format
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import limits
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.buffers import buffer_reads, retype_buffer, retype_elements
from tinyml.transforms.ir.loop_nest import LoopBuilder

_READERS = num.StartOp, num.MacOp, num.AddOp


@dataclass(frozen=True)
class LoadWeightsPass(ModulePass):
    """Move to RAM every constant array in flash whose elements have a number format or are sums.

    The tables that the compiler adds and the structure of sparse matrices stay in flash. Single numbers also stay in
    flash, because they usually become part of the code. If a power of two divides all elements of a filter, the
    elements are divided by it and the sum is multiplied by it. 16-bit integers that 8 bits can represent become one
    byte each; `pack-constants` packs other widths. No result changes.
    """

    name = "load-weights"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for constant in [each for each in op.walk() if isinstance(each, scratch.ConstantOp)]:
            type = scratch.memref_type(constant.result)
            number = number_format(type.element_type) or accumulator_of(type.element_type)
            if number is None or not isinstance(type.memory_space, scratch.Flash) or constant.raws.size == 1:
                continue
            _divide(constant)
            _narrow(constant)
            type = scratch.memref_type(constant.result)
            retype_buffer(constant.result, MemRefType(type.element_type, type.get_shape()))


def _divide(constant: scratch.ConstantOp) -> None:
    """Divide a constant by the greatest power of two that divides all its raws, if all readers of the constant permit
    this. Multiply the sums of its products by this power.

    If the initial value of a sum is another constant, this constant is added at the end: `2 * sum + start`.
    """
    raws, format = constant.raws, _integers(scratch.memref_type(constant.result).element_type)
    if format is None or raws.dtype.kind != "i" or not raws.any():
        return
    common = int(np.bitwise_or.reduce(raws.reshape(-1)))
    places = (common & -common).bit_length() - 1
    readers = [use.operation for use in buffer_reads(constant.result)]
    sums = [reader for reader in readers if _multiplies(reader) and _may_divide(reader, places)]
    if not places or len(sums) < len(readers):
        return
    narrow = ExactNumbers.INTEGERS(format.bits - places, format.scale - places)
    constant.value = scratch.ConstantOp.of((raws >> places).astype(narrow.dtype), narrow.type).value
    retype_elements(constant.result, narrow.type)
    for sum in sums:
        _add_start_last(sum, places)


def _integers(type: Attribute) -> ExactNumbers | None:
    format = number_format(type)
    return None if format is None else integers_of(format)


def _multiplies(op: Operation) -> TypeGuard[num.ProductsOp | num.CallOp]:
    return isinstance(op, num.ProductsOp) or num.calls_dot(op)


def _may_divide(op: num.ProductsOp | num.CallOp, places: int) -> bool:
    """Whether a sum consists only of its initial value and the products of `op`, and its accumulator can represent
    the products without the initial value.

    places: the number of bits by which the weights are divided.
    """
    sum = num.Sum.of(op)
    accumulator, finish = num.accumulator_type(op.sum), sum.finish
    if len(sum.links) > 1 or not isinstance(accumulator, AccumulatorType) or finish is None or finish.sum_bound is None:
        return False
    if accumulator.frac.data - places not in AccumulatorType.FRACS:
        return False
    if sum.starts_from_zero:
        return True
    if (load := sum.start_load) is None or (array := scratch.constant_root(load.memref)) is None:
        return False
    if (format := _integers(load.res.type)) is None:
        return False
    starts = array.raws
    units = 1 << accumulator.frac.data - format.scale
    low, high = limits(accumulator.width.data)
    least, most = finish.sum_bound
    return low <= least - int(starts.max()) * units and most - int(starts.min()) * units <= high


def _add_start_last(op: num.ProductsOp | num.CallOp, places: int) -> None:
    """Change a sum whose weights were divided by 2^places: start from zero, multiply the result by 2^places, and
    add the initial value.
    """
    accumulator, start = num.accumulator_type(op.sum), op.sum.owner
    assert isinstance(accumulator, AccumulatorType)
    nest = LoopBuilder(op)
    fine, coarse = accumulator, AccumulatorType(accumulator.width.data, accumulator.frac.data - places)
    op.operands[0] = nest.insert(num.ZeroOp(coarse.type))
    Rewriter.replace_value_with_new_type(op.result, coarse.type)
    [use] = op.result.uses
    nest = LoopBuilder(use.operation)
    sum = nest.insert(num.AlignOp(op.result, fine.type))
    if isinstance(start, num.StartOp):
        sum = _added(sum, start.value, fine, nest)
    use.operation.operands[use.index] = sum


def _added(sum: SSAValue, value: SSAValue, accumulator: AccumulatorType, nest: LoopBuilder) -> SSAValue:
    """Add a number to a sum, and return the new sum. The addition is a product of the number and a power of two."""
    format = exact_numbers(element_format(value.type))
    scale = accumulator.frac.data - format.scale
    one = nest.insert(num.ConstantOp(1.0, ExactNumbers.INTEGERS(2 + max(scale, 0), scale).type))
    return nest.insert(num.MacOp(sum, value, one))


def _narrow(constant: scratch.ConstantOp) -> None:
    raws, format = constant.raws, _integers(scratch.memref_type(constant.result).element_type)
    low, high = limits(8)
    if format is None or format.dtype.itemsize != 2:
        return
    if not ((low <= raws) & (raws <= high)).all():
        return
    # A format in which every raw is a number, including the least one.
    narrow: Attribute = ExactNumbers.OF_SENSOR(8, True, format.scale).type
    for use in buffer_reads(constant.result):
        match reader := use.operation:
            case memref.LoadOp() if all(isinstance(each.operation, _READERS) for each in reader.res.uses):
                continue
            case _ if _multiplies(reader):
                continue
            case _:
                return
    constant.value = scratch.ConstantOp.of(raws.astype("i1"), narrow).value
    retype_elements(constant.result, narrow)
