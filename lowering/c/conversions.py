"""Conversions in the C functions for callers: computations in the arithmetic of a number format, and clamping of the
caller's raws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Block, Region, SSAValue

from tinyml.dialects import c
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.emitter import Emitter
from tinyml.dialects.rewriting import Rewriter
from tinyml.lowering.c.function import ExpressionBuilder, FunctionLowering, Spellings
from tinyml.lowering.c.program import ProgramBuilder
from tinyml.transforms.ir.arithmetic import FunctionContext


def emitted(
    program: ProgramBuilder,
    body: Block,
    operands: Sequence[SSAValue],
    compute: Callable[[Emitter, Sequence[SSAValue]], SSAValue],
    spellings: Spellings,
) -> SSAValue:
    """Emit a computation in the arithmetic of a number format at the end of a C block, and return the computed
    value.
    """
    block = Block(arg_types=[operand.type for operand in operands])
    end = func.ReturnOp()
    block.add_op(end)
    function = func.FuncOp("conversion", FunctionType.from_lists(block.arg_types, []), Region(block))
    value = compute(Emitter(end, FunctionContext(ModuleOp([function]), function)), block.args)
    Rewriter.erase_op(end)
    lowering = FunctionLowering(program, body, spellings)
    lowering.values.update(zip(block.args, operands, strict=True))
    lowering.lower_block(block)
    return lowering.values[value]


def guarded(program: ProgramBuilder, build: ExpressionBuilder, raw: SSAValue) -> SSAValue:
    """Clamp a raw of the input to the valid raws if the program indexes tables by raws of the input. Return the
    raw, clamped or not.
    """
    if program.guarded is None or program.input_format is None:
        return raw
    info = np.iinfo(program.input_format.dtype)
    for operator, end, bound in zip("<>", program.guarded, (info.min, info.max), strict=True):
        if end != bound:
            limit = build.literal(end, program.input.element_type)
            raw = build.insert(c.ConditionalOp(build.insert(c.CompareOp(raw, operator, limit)), limit, raw))
    return raw
