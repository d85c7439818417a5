"""A front end in number formats and a model on reals as one program."""

from __future__ import annotations

from math import prod

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import SSAValue

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
    module = front_end.clone()
    [function], [following] = defined_functions(module), defined_functions(model)
    block, arguments = function.body.block, following.body.block.args
    last = block.last_op
    assert isinstance(last, func.ReturnOp)
    [features] = last.operands
    if len(arguments) != 1 or prod(shape_of(arguments[0])) != prod(shape_of(features)):
        shapes = ", ".join(str(list(shape_of(argument))) for argument in arguments)
        raise InputError(f"the front end gives {prod(shape_of(features))} features, the model takes {shapes}")
    last.detach()
    last.erase()
    cast = tdsl.CastOp(features, f32)
    reshaped = tdsl.ReshapeOp(cast.out, shape_of(arguments[0]))
    block.add_ops([cast, reshaped])
    copies: dict[SSAValue, SSAValue] = {arguments[0]: reshaped.out}
    block.add_ops([op.clone(value_mapper=copies) for op in following.body.block.ops])
    function.sym_name = following.sym_name
    function.res_attrs = following.res_attrs
    function.update_function_type()
    module.attributes |= model.attributes
    return module
