"""`expand-nests`: nests become loops of `scf`, and windows do not slide (L3, L4)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import affine
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.contraction_loops import expand_contraction
from tinyml.transforms.ir.index_maps import mapped
from tinyml.transforms.ir.loop_nest import Indices, LoopNest


@dataclass(frozen=True)
class ExpandNestsPass(ModulePass):
    """Expand every `num.nest`, and every `num.contract` without products that a kernel could compute.

    Contractions without them are those that were kept for hardware (L4); the entries of a compressed row become a loop
    that follows its gaps. What `scratch.slide` states is dropped with them.
    """

    name = "expand-nests"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for nest in [each for each in op.walk() if isinstance(each, num.ClosedNestOp)]:
            if isinstance(nest, num.NestOp):
                expand_nest(nest)
            elif isinstance(nest, num.ContractOp) and not nest.products:
                expand_contraction(nest)
        for slide in [each for each in op.walk() if isinstance(each, scratch.SlideOp)]:
            Rewriter.erase_op(slide)


def expand_nest(op: num.NestOp) -> None:
    """Replace a nest by loops over its axes, the outermost first."""
    nest = LoopNest(op)

    def body(numbers: Indices) -> None:
        for argument, number in zip(op.body.block.args, numbers, strict=True):
            number.name_hint = argument.name_hint
        inline(op, numbers, nest)

    nest.over(op.shape, body)
    Rewriter.erase_op(op)


def inline(op: num.NestOp, numbers: Indices, nest: LoopNest) -> None:
    """Move the body of a nest to the insertion point of a builder, for given numbers of its axes."""
    for argument, number in zip(op.body.block.args, numbers, strict=True):
        argument.replace_all_uses_with(number)
    for each in list(op.body.block.ops):
        nest.location = each.location
        if isinstance(each, affine.ApplyOp):
            each.result.replace_all_uses_with(_applied(each, op, numbers, nest))
            Rewriter.erase_op(each)
        else:
            each.detach()
            nest.put(each)


def _applied(op: affine.ApplyOp, around: num.NestOp, numbers: Indices, nest: LoopNest) -> SSAValue:
    """The index that a map gives, as arithmetic on indices."""
    map, dims = op.map.data, op.map.data.num_dims
    operands = list(op.mapOperands)
    shape = [around.shape[numbers.index(number)] for number in operands[:dims]]
    return mapped(map, shape, operands[:dims], operands[dims:], nest)[0]
