"""`tabulate-maps`: replaces chains of elementwise ops on one number of at most 8 bits by a table of results (L1).

A function of such a number is computed by a table. GELU and SiLU add several products and sums to the function. A table
of the whole chain needs the same flash and a single load. Its entries are the results of the chain, so no result
changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tinyml.dialects import num, tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.transforms.ir.conditional_pass import ConditionalPass


@dataclass(frozen=True)
class TabulateMapsPass(ConditionalPass):
    """If a `tdsl.map` has one operand of at most 8 bits and a step is a function, replace its steps by one
    `num.lookup`.

    All other inputs of the map must be constants of one element. The result must have at most 8 bits and the family of
    the operand. The function must be one that is computed by a table. Maps without such a function, and maps of a
    single step, are unchanged.
    """

    name = "tabulate-maps"
    ACTS_ON = (tdsl.MapOp,)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(_Tabulate(), apply_recursively=False).rewrite_module(op)


class _Tabulate(RewritePattern):
    """A pattern that replaces a map by a map whose only step is a table lookup."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MapOp, rewriter: PatternRewriter, /) -> None:
        body = op.scalar_body
        values: dict[SSAValue, Any] = {}
        for argument, value in zip(body.arguments, op.inputs, strict=True):
            if (constant := _number(value)) is not None:
                values[argument] = constant
        arguments = [argument for argument in body.arguments if argument not in values]
        if len(arguments) != 1 or len(body.steps) < 2 or not _has_table(body.steps):
            return
        [argument], element = arguments, cast("Any", op.out.type).element_type
        source, result = num.format_of(argument), tdsl.format_of(op.out)
        if (raws := num.raws_in_order(source)) is None or result.dtype != np.int8 or source.FAMILY != result.FAMILY:
            return
        block = Block(arg_types=[argument.type])
        block.args[0].name_hint = argument.name_hint
        values[argument] = raws
        table = num.LookupOp(block.args[0], element, _results(body.steps, values, body.result, raws.size))
        table.result.name_hint = body.result.name_hint
        table.location = op.location
        block.add_ops([table, tdsl.YieldOp(table.result)])
        x = op.inputs[body.arguments.index(argument)]
        tabulated = tdsl.MapOp([x], block, tdsl.shape_of(op.out), element)
        tabulated.attributes |= op.attributes
        tabulated.out.name_hint = op.out.name_hint
        rewriter.replace(op, [tabulated])


def _number(value: SSAValue) -> Any | None:
    constant = value.owner
    if not isinstance(constant, tdsl.ConstOp) or constant.raws.size != 1:
        return None
    return constant.raws.reshape(())


def _has_table(steps: Sequence[Any]) -> bool:
    functions = [step for step in steps if isinstance(step, num.FunctionOp)]
    return any(num.raws_in_order(num.format_of(function.input)) is not None for function in functions)


def _results(steps: Sequence[Any], values: dict[SSAValue, Any], result: SSAValue, count: int) -> Sequence[int]:
    machine = NumpyMachine()
    for step in steps:
        values[step.results[0]] = step.computation()(machine, [values[operand] for operand in step.operands])
    return cast("Sequence[int]", np.broadcast_to(values[result], (count,)).tolist())
