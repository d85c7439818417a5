"""`split-constants`: splits arrays by rows if they are too large for the target's C compiler (L3).

On AVR, where int has 16 bits, an array must be smaller than 32 KB. A loop over the rows of a larger array becomes
several loops, each over a separate array.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import lcm, prod

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import scratch
from tinyml.dialects.loops import iterations_of
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.registry import HOST, chip_of
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.indices import affine_sum
from tinyml.transforms.ir.levels import LOOPS
from tinyml.transforms.ir.loop_nest import LoopBuilder


@dataclass(frozen=True)
class SplitConstantsPass(ConditionalPass):
    """Split each constant that is too large for the C compiler into several constants of whole rows.

    A constant is split only if all its readers are in loops over its rows that start at the first row. All parts
    except the last have the same number of rows. Constants that remain too large are unchanged, for example streams
    of sparse rows, whose positions are computed. The printer of C rejects such constants.

    target: as for `select-kernels`.

    Raises `InputError` for an unknown target.
    """

    name = "split-constants"
    takes = LOOPS
    target: str = HOST

    def obstacle(self, module: ModuleOp) -> str | None:
        limit = chip_of(self.target).object_bytes
        if limit is None:
            return f"the C compiler of {self.target} takes arrays of any size"
        return None if any(_larger(module, limit)) else f"no constant has more than {limit:,} bytes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if (limit := chip_of(self.target).object_bytes) is None:
            return
        for constant in list(_larger(op, limit)):
            split(constant, limit)


@dataclass(frozen=True)
class _Reader:
    """An op that reads `length` elements of an array from position slope * i + start in iteration i of a loop.

    op: a view of the array or a load from it.
    step: the step of the loop.
    """

    op: scratch.SliceOp | memref.LoadOp
    loop: scf.ForOp
    slope: int
    start: int
    length: int
    step: int

    @classmethod
    def of(cls, op: scratch.SliceOp | memref.LoadOp) -> _Reader | None:
        """The reader for an op. None unless the position of the elements varies only with the index of one loop, which
        starts from 0 and whose iterations read disjoint elements.
        """
        row, length = _elements_read(op)
        first, factors = affine_sum(op.operands[1])
        if len(factors) != 1:
            return None
        [(index, factor)] = factors.items()
        taken = iterations_of(loop := index.owner.parent_op())
        if taken is None or not isinstance(loop, scf.ForOp) or taken.start or index is not loop.body.block.args[0]:
            return None
        reader = cls(op, loop, row * factor, row * first, length, taken.step)
        return reader if 0 <= reader.start <= reader.slope * taken.step - length else None

    def read(self, copy: scratch.SliceOp | memref.LoadOp, part: SSAValue, index: SSAValue) -> None:
        """Change a copy of the op to read from a part of the array.

        index: the number of iterations since the first row of the part.
        """
        nest = LoopBuilder(copy)
        row, _ = _elements_read(copy)
        at = nest.times(index, self.slope // row)
        copy.operands[0] = part
        copy.operands[1] = nest.add(at, nest.index(self.start // row)) if self.start else at


def _elements_read(op: scratch.SliceOp | memref.LoadOp) -> tuple[int, int]:
    """The number of elements by which a position in the array advances, and the number of elements that an op reads."""
    if isinstance(op, memref.LoadOp):
        row = prod(scratch.memref_type(op.memref).get_shape()[1:])
        return row, row
    return 1, scratch.elements_of(op.result)


def _larger(module: ModuleOp, limit: int) -> Iterator[scratch.ConstantOp]:
    for op in module.walk():
        if isinstance(op, scratch.ConstantOp) and scratch.bytes_of(op.result) > limit:
            yield op


def split(constant: scratch.ConstantOp, limit: int) -> None:
    """Split a constant into parts of at most `limit` bytes, if all its readers are in loops over its rows."""
    users = [use.operation for use in constant.result.uses]
    readers = [_Reader.of(user) for user in users if isinstance(user, scratch.SliceOp | memref.LoadOp)]
    found = [reader for reader in readers if reader is not None]
    slopes = {reader.loop: reader.slope for reader in found}
    nested = any(inner in slopes for loop in slopes for inner in loop.walk() if inner is not loop)
    if nested or len(found) < len(users) or any(slopes[reader.loop] != reader.slope for reader in found):
        return
    raws = constant.raws
    unit = lcm(prod(raws.shape[1:]), *(reader.slope * reader.step for reader in found))
    units, most = -(-raws.size // unit), limit * raws.size // (unit * scratch.bytes_of(constant.result))
    if most == 0:
        return
    size = unit * -(-units // -(-units // most))
    cuts = [*range(0, raws.size, size), raws.size]
    parts = [_part(constant, first, last) for first, last in pairwise(cuts)]
    for loop in slopes:
        inside = [reader for reader in found if reader.loop is loop]
        _split_loop(loop, inside, cuts, parts)
    Rewriter.erase_op(constant)


def _part(constant: scratch.ConstantOp, first: int, last: int) -> SSAValue:
    """Insert a constant with the elements [first, last) of a constant, which form whole rows, and return its value."""
    raws, type = constant.raws, scratch.memref_type(constant.result)
    rows = raws.reshape(-1)[first:last].reshape(-1, *raws.shape[1:])
    value = scratch.ConstantOp.of(rows, type.element_type).value
    part = scratch.ConstantOp(value, MemRefType(type.element_type, rows.shape, memory_space=type.memory_space))
    part.result.name_hint = constant.result.name_hint
    Rewriter.insert_op(part, InsertPoint.before(constant))
    return part.result


def _split_loop(loop: scf.ForOp, readers: Sequence[_Reader], cuts: Sequence[int], parts: Sequence[SSAValue]) -> None:
    """Replace a loop by one loop for each part of an array.

    cuts: the first element of each part, followed by the end of the last part.
    """
    nest = LoopBuilder(loop)
    slope, end = readers[0].slope, const_evaluate_operand(loop.ub)
    assert end is not None
    carried: Sequence[SSAValue] = loop.iter_args
    for part, (first, last) in zip(parts, pairwise(cuts), strict=True):
        begin = first // slope
        copy = loop.clone()
        copy.operands = [nest.index(begin), nest.index(min(last // slope, end)), loop.step, *carried]
        nest.put(copy)
        carried = copy.results
        copies = dict(zip(loop.walk(), copy.walk(), strict=True))
        index = copy.body.block.args[0]
        for reader in readers:
            op = copies[reader.op]
            assert isinstance(op, scratch.SliceOp | memref.LoadOp)
            inside = LoopBuilder(op)
            since = inside.insert(arith.SubiOp(index, inside.index(begin))) if begin else index
            reader.read(op, part, since)
    for result, value in zip(loop.results, carried, strict=True):
        result.replace_all_uses_with(value)
    Rewriter.erase_op(loop)
