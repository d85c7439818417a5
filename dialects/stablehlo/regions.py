"""Ops of StableHLO with regions: reductions and loops."""

from __future__ import annotations

from abc import ABC
from typing import cast

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    TensorType,
)
from xdsl.ir import Block
from xdsl.irdl import (
    AnyAttr,
    BaseAttr,
    IRDLOperation,
    SameVariadicOperandSize,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, Pure

from tinyml.dialects.stablehlo.base import Integers, PureOp, expect, expect_axes, expect_shape, numbers, shape_of


class ReductionOp(PureOp, ABC):
    """The base class of reductions. The region combines two elements; the last operands are the initial values."""

    def verify_body(self, body: Block, reduced: int) -> None:
        expect(len(body.args) == 2 * reduced, f"expected a body of {2 * reduced} arguments, got {len(body.args)}")
        last = body.last_op
        expect(isinstance(last, ReturnOp) and len(last.operands) == reduced, f"expected a body of {reduced} results")
        expect(len(self.results) == reduced, f"expected {reduced} results, got {len(self.results)}")


@irdl_op_definition
class ReduceOp(ReductionOp):
    """A reduction over some axes. The results do not have these axes."""

    name = "stablehlo.reduce"
    inputs = var_operand_def(TensorType)
    init_values = var_operand_def(TensorType)
    dimensions = prop_def(DenseArrayBase[I64])
    body = region_def("single_block")
    result = var_result_def(TensorType)
    irdl_options = (SameVariadicOperandSize(),)

    def verify_(self) -> None:
        self.verify_body(self.body.block, len(self.inputs))
        for input, result in zip(self.inputs, self.result, strict=True):
            axes, shape = numbers(self.dimensions), shape_of(input)
            expect_axes(axes, len(shape), "dimensions")
            expect_shape(result, [n for at, n in enumerate(shape) if at not in axes])


@irdl_op_definition
class ReduceWindowOp(ReductionOp):
    """A reduction over windows that move along all axes."""

    name = "stablehlo.reduce_window"
    inputs = var_operand_def(TensorType)
    init_values = var_operand_def(TensorType)
    window_dimensions = prop_def(DenseArrayBase[I64])
    window_strides = opt_prop_def(DenseArrayBase[I64])
    base_dilations = opt_prop_def(DenseArrayBase[I64])
    window_dilations = opt_prop_def(DenseArrayBase[I64])
    padding = opt_prop_def(BaseAttr(DenseIntOrFPElementsAttr))
    body = region_def("single_block")
    result = var_result_def(TensorType)
    irdl_options = (SameVariadicOperandSize(),)

    def verify_(self) -> None:
        self.verify_body(self.body.block, len(self.inputs))
        for input in self.inputs:
            rank = len(shape_of(input))
            for name in ("window_dimensions", "window_strides", "base_dilations", "window_dilations"):
                found = cast("Integers | None", self.properties.get(name))
                expect(found is None or len(found) == rank, f"expected {rank} numbers as {name}")
            expect(self.padding is None or len(numbers(self.padding)) == 2 * rank, f"expected padding of {rank} axes")


@irdl_op_definition
class WhileOp(IRDLOperation):
    """A loop that executes the region `body` on the carried values while the region `cond` returns 1 for them."""

    name = "stablehlo.while"
    operand = var_operand_def(AnyAttr())
    cond = region_def("single_block")
    body = region_def("single_block")
    result = var_result_def(AnyAttr())

    def verify_(self) -> None:
        types = self.operand_types
        expect(types == self.result_types, "its results are not of the types of its operands")
        for name, region in (("cond", self.cond), ("body", self.body)):
            expect(region.block.arg_types == types, f"the arguments of {name} are not of the types of its operands")
        tested, carried = self.cond.block.last_op, self.body.block.last_op
        expect(isinstance(tested, ReturnOp) and len(tested.operands) == 1, "expected a cond that returns one number")
        kept = isinstance(carried, ReturnOp) and carried.operand_types == types
        expect(kept, "expected a body that returns values of the types of its operands")


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Yield the results of a region."""

    name = "stablehlo.return"
    results_ = var_operand_def(AnyAttr())
    traits = traits_def(IsTerminator(), Pure())
