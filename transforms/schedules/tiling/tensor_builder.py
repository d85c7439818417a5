"""A builder of ops on tensors and of loops that carry tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, LocationAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import tdsl
from tinyml.dialects.operations import index_constant
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.loop_nest import LocatedBuilder


class TensorBuilder(LocatedBuilder):
    """A builder of ops on tensors before a given op. The methods `loop` and `over` each insert a loop; the ops that
    their argument `body` inserts are placed inside it.
    """

    def __init__(self, before: Operation, location: LocationAttr) -> None:
        super().__init__(InsertPoint.before(before), location)

    def insert(self, op: Operation, like: Operation | None = None) -> SSAValue:
        """Insert an op with one result, and return the result.

        like: the op whose location the new op receives; None for the builder's location.
        """
        op.location = self.location if like is None else like.location
        return super().insert(op)

    def index(self, value: int) -> SSAValue:
        return self.insert(index_constant(value))

    def plus(self, index: SSAValue, offset: int) -> SSAValue:
        if offset == 0:
            return index
        if (known := const_evaluate_operand(index)) is not None:
            return self.index(known + offset)
        if offset < 0:
            return self.insert(arith.SubiOp(index, self.index(-offset)))
        return self.insert(arith.AddiOp(index, self.index(offset)))

    def sum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Emit the sum of two indices, and return it."""
        if (known := const_evaluate_operand(b)) is not None:
            return self.plus(a, known)
        return self.insert(arith.AddiOp(a, b))

    def times(self, index: SSAValue, factor: int) -> SSAValue:
        if factor == 1:
            return index
        if (known := const_evaluate_operand(index)) is not None:
            return self.index(known * factor)
        return self.insert(arith.MuliOp(index, self.index(factor)))

    def reshaped(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """Reshape a tensor, and return the result; a tensor that already has this shape is returned unchanged.

        For a constant without other uses, the result is a new constant. For all other tensors, a `tdsl.reshape` is
        inserted.
        """
        if tdsl.shape_of(value) == tuple(shape):
            return value
        if (constant := tdsl.own_constant(value)) is not None:
            new = constant.with_raws(constant.raws.reshape(shape), tdsl.format_of(value))
            Rewriter.insert_op(new, InsertPoint.before(constant))
            return new.result
        reshaped = self.insert(tdsl.ReshapeOp(value, shape))
        reshaped.name_hint = value.name_hint
        return reshaped

    def loop(
        self,
        low: SSAValue,
        high: SSAValue,
        carried: Sequence[SSAValue],
        body: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """Insert a loop that carries tensors, and return its results.

        low, high: the bounds of the loop.
        carried: the initial tensors.
        body: returns the next carried values, from the index and the carried values.
        """
        block = Block(arg_types=[IndexType(), *(value.type for value in carried)])
        for argument, value in zip(block.args[1:], carried, strict=True):
            argument.name_hint = value.name_hint
        step = self.index(1)
        with self.inside(block):
            self.put(scf.YieldOp(*body(block.args[0], block.args[1:])))
        loop = scf.ForOp(low, high, step, carried, block)
        self.put(loop)
        for result, value in zip(loop.results, carried, strict=True):
            result.name_hint = value.name_hint
        return loop.results

    def over(self, extent: int, whole: SSAValue, body: Callable[[SSAValue, SSAValue], SSAValue]) -> SSAValue:
        """Insert a loop over [0, extent) that carries one tensor, and return its result. A single iteration
        needs no loop.

        whole: the initial tensor.
        body: returns the next tensor, from the index and the carried tensor.
        """
        if extent == 1:
            return body(self.index(0), whole)
        ends = self.index(0), self.index(extent)
        [result] = self.loop(*ends, [whole], lambda i, carried: [body(i, carried[0])])
        return result
