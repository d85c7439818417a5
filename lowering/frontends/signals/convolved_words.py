"""Streaming wake words of convolutional networks without states: MLPerf Tiny's benchmark `sww01`.

Such a network reads the features of all frames of a window. Its convolutions over time do not pad, so each row of a
result depends only on the last rows of the operand. The program is a loop over frames that carries these rows, and a
step computes one new row of each result. Every product is computed once, not once per window that contains it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.affine import affine_formula
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.tdsl import format_of, shape_of
from tinyml.lowering.frontends.importers import FRONTENDS
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, hint, in_shape_of
from tinyml.lowering.frontends.signals.log_mel import LogMel
from tinyml.lowering.frontends.signals.wake_words import CLASSES
from tinyml.runtime.readers.regular_files import read_bytes

_NO_PROBABILITIES = "the output of a wake word is a row of quantised probabilities"


def convolved_word(front_end: LogMel, file: Path, cutoff: float) -> ModuleOp:
    """The program that receives samples, and returns the class and the probability of the wake word after each frame.

    The class is 1 while the probability, which is the first output of the model, exceeds the cutoff. The first result
    is due after as many frames as the model reads.

    Raises `InputError` for a cutoff outside [0, 1) and for a cutoff that no probability exceeds, for a model that is
    not quantised to 8 bits or whose features differ from those of the front end, and for a model with other ops on
    several frames than convolutions without padding or strides and elementwise functions.
    """
    if not 0 <= cutoff < 1:
        raise InputError(f"cutoff is a probability from 0 to less than 1, got {cutoff}")
    model = FRONTENDS.get("tflite")(read_bytes(file, "model"), str(file))
    [network] = defined_functions(model)
    argument, to = network.body.block.args[0], ModelBuilder(str(file))
    formula, shape = affine_formula(format_of(argument)), shape_of(argument)
    if formula is None or format_of(argument).dtype.itemsize != 1 or len(shape) != 4 or shape[2] != 1:
        raise InputError(
            "expected a model quantised to 8 bits that reads images of one column, frames x 1 x features",
            file=str(file),
        )
    frames, features = shape[1], shape[3]
    if features != front_end.features:
        raise InputError(f"the model takes rows of {features} features, not of {front_end.features}", file=str(file))
    (scale, zero), hop = formula, front_end.hop
    ear = replace(front_end, scale=scale, zero=zero, samples=front_end.frame + (frames - 1) * hop)
    module = ear.module()
    [function] = defined_functions(module)
    block = to.entry = to.block = function.body.block
    end = block.last_op
    assert isinstance(end, func.ReturnOp)
    rows = to.reshape(end.operands[0], (frames, 1, 1, 1, features))
    end.detach()
    end.erase()
    scores = _over_time(to, network, rows)
    block.add_op(func.ReturnOp(*_answer(to, scores, cutoff)))
    function.sym_name = network.sym_name
    function.update_function_type()
    tdsl.update_interface(function, classes=CLASSES)
    tdsl.update_input(function, rate=ear.rate, frames=None, pushed=tdsl.Pushes(ear.frame, hop, frames, 1))
    return module


def _over_time(to: ModelBuilder, network: func.FuncOp, rows: SSAValue) -> SSAValue:
    """Emit a network as a loop over the rows of its input, and return its output after the last row.

    rows: the rows, of shape (frames, 1, 1, 1, features).
    """
    steps = _Steps(to)
    [argument], end = network.body.block.args, network.body.block.last_op
    assert isinstance(end, func.ReturnOp)
    low, high, by = (to.index(bound) for bound in (0, shape_of(rows)[0], 1))
    to.block = steps.body
    newest: dict[SSAValue, SSAValue] = {argument: to.op(tdsl.IndexOp, rows, steps.body.args[0])}
    constants: dict[SSAValue, SSAValue] = {}
    for op in network.body.block.ops:
        if op is end:
            break
        if any(operand in newest for operand in op.operands):
            operands = [newest.get(operand) or constants[operand] for operand in op.operands]
            newest[op.results[0]] = steps.newest(op, operands)
        else:
            steps.outer.add_op(op.clone(value_mapper=constants))
    if len(end.operands) != 1:
        raise to.error(f"the model has {len(end.operands)} outputs, a wake word has one")
    output = newest.get(end.operands[0])
    if output is None or not isinstance(output.type, TensorType):
        raise to.error(_NO_PROBABILITIES)
    steps.carry(TensorType(format_of(output).type, shape_of(output)))
    to.emit(scf.YieldOp, *steps.yielded, output)
    to.block = steps.outer
    return to.emit(scf.ForOp, low, high, by, steps.initial, Region(steps.body)).results[-1]


class _Steps:
    """A loop over rows, in which each op of a network computes the newest row of its result.

    outer, body: the block of the loop, and its body.
    initial, yielded: the carried tensors before the first step, and those after a step.
    """

    def __init__(self, to: ModelBuilder):
        self.to, self.outer = to, to.block
        self.body = Block(arg_types=[IndexType()])
        hint(self.body.args[0], "t")
        self.initial: list[SSAValue] = []
        self.yielded: list[SSAValue] = []

    def carry(self, type: TensorType[Attribute]) -> SSAValue:
        """Emit zeros as the initial value of a carried tensor, and return its value in the loop."""
        self.to.block = self.outer
        self.initial.append(self.to.op(tdsl.FillOp, 0.0, type))
        self.to.block = self.body
        return self.body.insert_arg(type, len(self.body.args))

    def newest(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        """Emit the newest row of the result of an op, and return it.

        operands: the newest rows of the operands, and constants.

        Raises `InputError` for an op whose newest row depends on rows that the loop does not carry.
        """
        if isinstance(op, tdsl.Conv2dOp) and _slides(op):
            height, window = shape_of(op.lhs)[1], [*operands]
            if height > 1:
                window[1] = self._last_rows(operands[1], height)
            row = TensorType(format_of(op.out).type, (1, 1, *shape_of(op.out)[2:]))
            return self._emit(op, window, row)
        if isinstance(op, tdsl.UnaryOp):
            return self.to.op(in_shape_of, op, operands[0])
        same = all(new.type == old.type for new, old in zip(operands, op.operands, strict=True))
        if same and len(op.results) == 1:
            return self._emit(op, operands, op.results[0].type)
        raise self.to.error(
            f"{op.name} of several frames: a streaming wake word consists of convolutions over time without padding "
            "and strides, elementwise functions, and layers behind the last frame"
        )

    def _last_rows(self, row: SSAValue, count: int) -> SSAValue:
        to, before = self.to, self.carry(TensorType(format_of(row).type, (1, count, *shape_of(row)[2:])))
        hint(before, "rows")
        kept = to.op(tdsl.MoveUpOp, before, 1, 1)
        self.yielded.append(to.op(tdsl.InsertSliceOp, row, kept, [to.index(at) for at in (0, count - 1, 0, 0)]))
        return self.yielded[-1]

    def _emit(self, op: Operation, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
        copy = self.to.emit(type(op).create, operands=operands, result_types=[result], properties=dict(op.properties))
        copy.location = op.location
        copy.results[0].name_hint = op.results[0].name_hint
        return copy.results[0]


def _slides(op: tdsl.Conv2dOp) -> bool:
    return op.strides.get_values()[0] == op.dilations.get_values()[0] == 1 and op.padding is None


def _answer(to: ModelBuilder, scores: SSAValue, cutoff: float) -> tuple[SSAValue, SSAValue]:
    """Emit the class and the probability of the wake word, and return both. The probability is the first of `scores`.
    The class is 1 if the probability exceeds `cutoff`, else 0.
    """
    formula = affine_formula(format_of(scores))
    if formula is None or len(shape_of(scores)) != 2:
        raise to.error(_NO_PROBABILITIES)
    scale, zero = formula
    exceeding = [raw for raw in range(-128, 128) if scale * (raw - zero) > cutoff]
    if not exceeding:
        raise to.error(f"no probability exceeds the cutoff {cutoff}")
    probability = to.part(scores, (0, 0), (1, 1))
    exceeds = to.emit(tdsl.AtLeastOp, probability, scale * (exceeding[0] - 0.5 - zero)).result
    label = to.emit(arith.SelectOp, exceeds, to.index(1), to.index(0)).results[0]
    label.name_hint = "label"
    return label, probability
