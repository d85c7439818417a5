"""A front end in number formats and a model on reals as one program."""

from __future__ import annotations

from math import prod

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Block, Region, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.tdsl import shape_of


def followed_by(front_end: ModuleOp, model: ModuleOp) -> ModuleOp:
    """The program that computes features and hands them to a model; both are copied.

    Raises `InputError` for a model that has number formats, several inputs, or another number of features.
    """
    if tdsl.has_formats(model):
        raise InputError("a model that follows a front end must be on reals: this one has number formats")
    [first], [second] = defined_functions(front_end.clone()), defined_functions(model.clone())
    block, last = first.body.block, first.body.block.last_op
    assert isinstance(last, func.ReturnOp)
    [features] = last.operands
    arguments = second.body.block.args
    if len(arguments) != 1 or prod(shape_of(arguments[0])) != prod(shape_of(features)):
        shapes = ", ".join(str(list(shape_of(argument))) for argument in arguments)
        raise InputError(f"the front end gives {prod(shape_of(features))} features, the model takes {shapes}")
    last.detach()
    mapping: dict[SSAValue, SSAValue] = {}
    value = features
    for op in (tdsl.CastOp(features, f32), None):
        if op is not None:
            block.add_op(op)
            value = op.out
    if shape_of(value) != shape_of(arguments[0]):
        reshaped = tdsl.ReshapeOp(value, shape_of(arguments[0]))
        block.add_op(reshaped)
        value = reshaped.out
    mapping[arguments[0]] = value
    for op in second.body.block.ops:
        block.add_op(op.clone(value_mapper=mapping))
    results = [result.type for result in block.last_op.operands] if block.last_op is not None else []
    joined = func.FuncOp(
        second.sym_name.data,
        (block.arg_types, results),
        Region(_moved(block)),
        arg_attrs=first.arg_attrs,
        res_attrs=second.res_attrs,
    )
    module = ModuleOp([joined])
    module.attributes |= dict(model.attributes)
    return module


def _moved(block: Block) -> Block:
    """A block without its region."""
    region = block.parent_region()
    return block if region is None else region.detach_block(block)


__all__ = ["TensorType", "followed_by"]
