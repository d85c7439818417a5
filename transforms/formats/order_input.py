"""`order-input`: sets the order of axes in which the caller provides an image (L0, L1).

Many frameworks train on images of channels x height x width, while cameras provide height x width x channels. `tdsl`
ops require the order of cameras. An image that the caller provides in this order need not be copied or gathered from
several planes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.tdsl.base import spell
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.targets.chip import CHANNELS_LAST, FILE_ORDER, INPUT_ORDERS, MEMORY
from tinyml.transforms.ir.conditional_pass import ConditionalPass


@dataclass(frozen=True)
class OrderInputPass(ConditionalPass):
    """Change the order of axes of an argument whose channels come first, and record the order in the interface.

    The pass applies to an argument whose channels a `tdsl.transpose` moves to the end. Any other program is unchanged.

    input_order: `channels-last`, or `file` for the order of the model's file.
    input: the source of the input. An image that arrives row by row and is not channels-last has the order height x
        channels x width: each row concatenates the rows of all channels.

    Raises `InputError` for an order other than `file` and `channels-last`. With `channels-last`, it is also raised if
    the program has a single input, no order of this input is recorded yet, and no op reads the input as an image or a
    sequence.
    """

    name = "order-input"
    input_order: str = FILE_ORDER
    input: str = MEMORY

    def obstacle(self, module: ModuleOp) -> str | None:
        function = predict_function(module)
        if len(function.args) != 1 or not isinstance(function.args[0].type, TensorType):
            return "the program has no single input"
        if tdsl.read_input(function).order is not None:
            return "the interface already states the order of axes"
        moved = any(map(_moves_channels_last, _readers(function.args[0])))
        return None if moved else "no tdsl.transpose moves the channels of the input to the end"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.input_order not in INPUT_ORDERS:
            raise unknown("order of the input", self.input_order, INPUT_ORDERS)
        function = predict_function(op)
        if len(function.args) != 1 or not isinstance(function.args[0].type, TensorType):
            return
        [argument] = function.args
        rank = len(tdsl.shape_of(argument))
        if tdsl.read_input(function).order is not None:
            return
        if not any(map(_moves_channels_last, _readers(argument))):
            if self.input_order == CHANNELS_LAST and not _has_channels_last(argument):
                raise InputError(
                    f"nothing reads the input, {spell(tdsl.shape_of(argument))}, as an image or a sequence whose "
                    f"channels come first: leave out --input-order {CHANNELS_LAST}"
                )
            return
        if self.input_order == CHANNELS_LAST:
            axes = tdsl.channels_last(rank)
        else:
            axes = tdsl.row_by_row() if self.input != MEMORY and rank == 4 else tuple(range(rank))
        tdsl.update_input(function, order=axes)
        _reorder(argument, axes)
        function.update_function_type()


def _readers(value: SSAValue) -> list[Operation]:
    return list(dict.fromkeys(use.operation for use in value.uses))


def _moves_channels_last(op: Operation) -> bool:
    """Whether an op is a `tdsl.transpose` of one sample that moves several channels after the other axes."""
    if not isinstance(op, tdsl.TransposeOp):
        return False
    shape = tdsl.shape_of(op.input)
    return len(shape) in (3, 4) and op.axes == tdsl.channels_last(len(shape)) and shape[0] == 1 and not op.keeps_order


def _has_channels_last(value: SSAValue) -> bool:
    """Whether image ops read a value, directly or through elementwise ops and reshapes, and its channels are last or
    there is a single channel.
    """
    for reader in _readers(value):
        match reader:
            case tdsl.Conv2dOp() | tdsl.PoolOp() | tdsl.PadOp():
                return True
            case tdsl.TransposeOp() if reader.keeps_order:
                return True
            case tdsl.ElementwiseOp() | tdsl.ReshapeOp() if _has_channels_last(reader.out):
                return True
            case _:
                pass
    return False


def _reorder(argument: BlockArgument, axes: tuple[int, ...]) -> None:
    """Change the order of an argument's axes. Insert transpositions for readers that require the previous order.

    axes: the new order, as numbers of axes in the model's file.
    """
    if list(axes) == sorted(axes):
        return
    readers = _readers(argument)
    shape, element = tdsl.shape_of(argument), tdsl.format_of(argument).type
    type = TensorType(element, [shape[axis] for axis in axes])
    argument = cast(BlockArgument, Rewriter.replace_value_with_new_type(argument, type))
    back: dict[tuple[int, ...], SSAValue] = {}

    def ordered(wanted: tuple[int, ...]) -> SSAValue:
        permutation = tuple(axes.index(axis) for axis in wanted)
        if list(permutation) == sorted(permutation):
            return argument
        if wanted not in back:
            transpose = tdsl.TransposeOp(argument, permutation)
            Rewriter.insert_op(transpose, InsertPoint.at_start(argument.block))
            transpose.out.name_hint = argument.name_hint
            back[wanted] = transpose.out
        return back[wanted]

    for reader in readers:
        if isinstance(reader, tdsl.TransposeOp):
            reader.out.replace_all_uses_with(ordered(reader.axes))
            Rewriter.erase_op(reader)
        else:
            for number, operand in enumerate(reader.operands):
                if operand is argument:
                    reader.operands[number] = ordered(tuple(range(len(shape))))
