"""An op without a lowering or an evaluation causes an error of one line."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from programs.network_writer import NetworkWriter
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, ModuleOp, TensorType, f32
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, shape_of
from tinyml.lowering.tdsl_to_loops import LowerTdslToLoopsPass
from tinyml.lowering.tdsl_to_scratch import LowerTdslToScratchPass
from tinyml.runtime.evaluator.evaluator import evaluate


@irdl_op_definition
class UnknownOp(TensorOp):
    """An op that belongs to none of the kinds with defined semantics."""

    name = "tdsl.unknown"
    MOVES_BITS: ClassVar[bool] = True
    input = operand_def(SHAPED)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue):
        build(self, [input], TensorType(f32, shape_of(input)))

    def infer_shape(self) -> Shape:
        return shape_of(self.input)


def program() -> ModuleOp:
    net = NetworkWriter((2,), format=F32_FORMAT)
    return net.module(net.insert(UnknownOp(net.input)))


def test_the_evaluator_names_the_op():
    with pytest.raises(InputError, match=r"tdsl.unknown is not supported yet by the evaluator"):
        evaluate(program(), np.zeros((1, 2), np.float32))


def test_the_evaluator_takes_tensors_of_its_own_constants():
    net = NetworkWriter((2,), format=F32_FORMAT)
    constant = net.insert(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(f32, [2]), [1.0, 2.0])))
    with pytest.raises(
        InputError, match=r"arith.constant of a tensor is not supported by the evaluator, expected tdsl"
    ):
        evaluate(net.module(net.insert(tdsl.AddOp(net.input, constant))), np.zeros((1, 2), np.float32))


def test_bufferisation_names_the_op():
    with pytest.raises(InputError, match=r"tdsl.unknown is not supported yet: it has no lowering"):
        LowerTdslToScratchPass().apply(context(), program())


def test_the_lowering_to_loops_names_the_op():
    block = Block(arg_types=[MemRefType(f32, (2,))])
    unknown = UnknownOp.build(operands=[block.args[0], [block.args[0]]], result_types=[[]])
    block.add_ops([unknown, func.ReturnOp()])
    module = ModuleOp([func.FuncOp("f", (block.arg_types, []), Region(block))])
    with pytest.raises(InputError, match=r"tdsl.unknown is not supported yet: it has no lowering to loops"):
        LowerTdslToLoopsPass().apply(context(), module)
