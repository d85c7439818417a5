"""Copies of programs, made in one walk over the ops.

xDSL's `clone` needs a second walk to set operands after all ops exist. A copy may have types and constants other than
those of the original, so that no later replacement is necessary.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

T = TypeVar("T", bound=Operation)


def copied(
    op: T,
    values: dict[SSAValue, SSAValue] | None = None,
    types: Mapping[SSAValue, Attribute] | None = None,
    constants: Mapping[SSAValue, Operation] | None = None,
) -> T:
    """Copy an op, including the ops in its regions, and return the copy. Every operand must be defined before its uses.

    values: filled with the copy of each value.
    types: the types of the values whose copies have a different type.
    constants: detached ops that replace the definitions of these values.
    """
    values, types, constants = {} if values is None else values, types or {}, constants or {}
    copy = op.create(
        operands=[values.get(operand, operand) for operand in op.operands],
        result_types=[types.get(result) or result.type for result in op.results],
        properties=op.properties,
        attributes=op.attributes,
        location=op.location,
        successors=op.successors,
    )
    for region in op.regions:
        copy.add_region(Region(_copied_block(block, values, types, constants) for block in region.blocks))
    for result, new in zip(op.results, copy.results, strict=True):
        new.name_hint = result.name_hint
        values[result] = new
    return copy


def _copied_block(
    block: Block,
    values: dict[SSAValue, SSAValue],
    types: Mapping[SSAValue, Attribute],
    constants: Mapping[SSAValue, Operation],
) -> Block:
    copy = Block(arg_types=[types.get(argument) or argument.type for argument in block.args])
    for argument, new in zip(block.args, copy.args, strict=True):
        new.name_hint = argument.name_hint
        values[argument] = new
    for op in block.ops:
        if constants and op.results and (constant := constants.get(op.results[0])) is not None:
            values[op.results[0]] = constant.results[0]
            copy.add_op(constant)
        else:
            copy.add_op(copied(op, values, types, constants))
    return copy
