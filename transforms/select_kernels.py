"""`select-kernels`: which sums of products a target's kernel computes; the others become loops (L3).

A kernel is exact integer arithmetic, so it gives the bits of the loop that it stands for. Kernels of the target come
first, then the generic loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, MemRefType, ModuleOp, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.targets.kernels import Kernel, kernels_of
from tinyml.transforms.loop_nest import LoopNest


@dataclass(frozen=True)
class SelectKernelsPass(ModulePass):
    """Sets `kernel` of every `num.dot` and `num.sparse_dot` that the target has a kernel for, expands the others.

    target: as for printing C. Raises `InputError` for an unknown one.
    """

    name = "select-kernels"
    target: str = "host"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = kernels_of(self.target)
        for one in list(op.walk()):
            if isinstance(one, num.DotOp | num.SparseDotOp):
                if (kernel := _matching(one, kernels)) is not None:
                    one.kernel = StringAttr(kernel.symbol)
                else:
                    _expand(one)


def _matching(op: num.DotOp | num.SparseDotOp, kernels: Sequence[Kernel]) -> Kernel | None:
    accumulator = num.accumulator_type(op.sum)
    if not accumulator.INTEGER:
        return None
    weights, vector = (op.lhs, op.rhs) if isinstance(op, num.DotOp) else (op.values, op.vector)
    wanted = Kernel(
        "",
        sparse=isinstance(op, num.SparseDotOp),
        flash=scratch.in_flash(scratch.memref_type(weights)),
        weights=_bits(weights),
        vector=_bits(vector),
        sum=cast("IntegerType[Any, Any]", accumulator.storage).width.data,
    )
    if scratch.in_flash(scratch.memref_type(vector)):
        return None
    return next((kernel for kernel in kernels if kernel.computes(wanted)), None)


def _bits(memref: SSAValue) -> int:
    type = cast("MemRefType[Attribute]", memref.type)
    return 8 * scratch.element_bytes(type)


def _expand(op: num.DotOp | num.SparseDotOp) -> None:
    nest = LoopNest(op)
    sum = _dot(op, nest) if isinstance(op, num.DotOp) else _sparse_dot(op, nest)
    sum.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(sum)
    op.detach()
    op.erase()


def _dot(op: num.DotOp, nest: LoopNest) -> SSAValue:
    def step(k: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
        return [nest.insert(num.MacOp(sums[0], nest.load(op.lhs, [k]), nest.load(op.rhs, [k])))]

    return nest.fold(nest.index(op.length), [op.sum], step)[0]


def _sparse_dot(op: num.SparseDotOp, nest: LoopNest) -> SSAValue:
    def step(_: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        sum, column, at = carried
        column = nest.add(column, nest.unsigned(nest.load(op.gaps, [at])))
        product = num.MacOp(sum, nest.load(op.values, [at]), nest.load(op.vector, [column]))
        return [nest.insert(product), column, nest.add(at, nest.index(1))]

    return nest.fold(op.length, [op.sum, nest.index(0), op.at], step)[0]
