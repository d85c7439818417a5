"""`drop-monotone`: removes functions that preserve the order of scores if only the class is requested (L0).

Softmax, sigmoid and a positive factor take time. In a number format they round and saturate, so that unequal scores
become equal. `compare-arguments` removes functions that only `tdsl.argmax` reads. On request, this pass also removes
functions whose results the program returns. The program then returns the numbers that it compares.

The class changes only if unequal scores were rounded to equal scores. The class was then the first of these scores, and
is now the greatest of them. A single score that was rounded to its threshold may change sides likewise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, IndexType, ModuleOp, TensorType
from xdsl.ir import OpResult, SSAValue
from xdsl.transforms.dead_code_elimination import dce

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.tdsl.base import shaped, spell
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.outputs import CLASS, OUTPUTS, SCORES, add_label, argument_of_sigmoid


@dataclass(frozen=True)
class DropMonotonePass(ConditionalPass):
    """Change a program to return a label, and remove increasing functions before the comparison that determines the
    label.

    The label is computed by `tdsl.argmax` from a vector of scores, and by `tdsl.sign` from a single score. A single
    score means class 1 if it is positive or, if a sigmoid computes it, above 1/2. Results that are computed only from
    the compared numbers are replaced by these numbers.

    outputs: `class`; with `scores`, the default, the program is unchanged.

    Raises `InputError` for a value of `outputs` other than `class` and `scores`. With `class`, it is also raised for an
    anomaly detector, and for a result that is neither a vector of scores nor a single score.
    """

    name = "drop-monotone"
    outputs: str = SCORES

    def obstacle(self, module: ModuleOp) -> str | None:
        return f"only if outputs={CLASS}" if self.outputs != CLASS else None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.outputs not in OUTPUTS:
            raise InputError(f"unknown outputs '{self.outputs}'; there are {', '.join(OUTPUTS)}")
        if self.obstacle(op) is not None:
            return
        if tdsl.read_interface(op).threshold is not None:
            raise InputError(
                f"leave out --outputs {CLASS}: a detector of anomalies gives a score, which NAME_is_anomaly compares "
                "with the threshold"
            )
        return_compared_scores(op)


_Decision = tdsl.ArgmaxOp | tdsl.SignOp | tdsl.AtLeastOp


def return_compared_scores(module: ModuleOp) -> None:
    """Change a program to return a label, and the numbers that determine the label.

    Raises `InputError` for a result that is neither a vector of scores nor a single score.
    """
    function = predict_function(module)
    if not any(isinstance(type, IndexType) for type in function.function_type.outputs):
        _add_label(function)
    for decision in [inner for inner in module.walk() if isinstance(inner, _Decision)]:
        _return_compared(function, _drop(decision))
    function.update_function_type()
    dce(module)


def _add_label(function: func.FuncOp) -> None:
    last = cast(func.ReturnOp, function.body.block.last_op)
    scores = last.operands[0]
    shape = tdsl.shape_of(scores)
    if math.prod(shape) != max(shape, default=1):
        raise InputError(f"outputs={CLASS} needs a vector of scores, or a single one; the program gives {spell(shape)}")
    argument = argument_of_sigmoid(scores)
    add_label(function, scores if argument is None else argument)


def _return_compared(function: func.FuncOp, compared: SSAValue) -> None:
    """Change a function to return `compared` once, in place of all results that are computed only from it.

    If `compared` is not a tensor of numbers, the function is unchanged. It may be an accumulator, which the program
    finishes before it returns it.
    """
    last = cast(func.ReturnOp, function.body.block.last_op)
    if not isinstance(compared.type, TensorType) or number_format(shaped(compared).get_element_type()) is None:
        # The program finishes an accumulator before it returns it.
        return
    kept: list[int] = []
    for number, result in enumerate(last.operands):
        if isinstance(result.type, TensorType) and _is_function_of(result, compared):
            last.operands[number] = compared
        if last.operands[number] not in [last.operands[earlier] for earlier in kept]:
            kept.append(number)
    last.operands = [last.operands[number] for number in kept]
    if function.res_attrs is not None:
        function.res_attrs = ArrayAttr([function.res_attrs.data[number] for number in kept])


def _is_function_of(value: SSAValue, argument: SSAValue) -> bool:
    """Whether a value is computed only from `argument` and constants, by ops without regions that make no decision."""
    if value is argument:
        return True
    if not isinstance(value, OpResult) or isinstance(value.op, _Decision) or not value.op.operands:
        return False
    operands = [each for each in value.op.operands if not isinstance(each.owner, tdsl.ConstOp | tdsl.FillOp)]
    return bool(operands) and not value.op.regions and all(_is_function_of(each, argument) for each in operands)


def _drop(decision: _Decision) -> SSAValue:
    """Change a decision to read the argument of increasing functions instead of their results. Return the value that
    the decision then compares.
    """
    value = decision.input
    threshold = decision.threshold.value.data if isinstance(decision, tdsl.AtLeastOp) else 0.0
    while (found := _argument(value, decision, threshold)) is not None:
        value, threshold = found
    if value is decision.input:
        return value
    if isinstance(decision, tdsl.AtLeastOp):
        new: _Decision = tdsl.AtLeastOp(value, threshold)
    else:
        new = type(decision)(value)
    new.attributes |= decision.attributes
    new.result.name_hint = decision.result.name_hint
    Rewriter.replace_op(decision, new)
    return value


def _argument(value: SSAValue, decision: _Decision, threshold: float) -> tuple[SSAValue, float] | None:
    """Return the argument of the function that computes a value, and the threshold on this argument that leads to
    the same decision. None unless the function is known to increase.

    threshold: the threshold on the value.
    """
    op = value.owner
    whole = isinstance(decision, tdsl.ArgmaxOp)
    match op:
        case tdsl.ReshapeOp():
            return op.input, threshold
        case tdsl.CastOp() if whole and tdsl.is_real(op.out) and tdsl.format_of(op.input).specification is not None:
            # Formats with a specification have no scales of rows, so that raws have the order of their reals. A cast to
            # another format may round different numbers to one.
            return op.input, threshold
        case tdsl.FunctionOp() if whole:
            return op.input, threshold
        case tdsl.SoftmaxOp() if whole and tdsl.shape_of(value)[-1] == math.prod(tdsl.shape_of(value)):
            return op.input, threshold
        case tdsl.TanhOp() if isinstance(decision, tdsl.SignOp):
            return op.input, threshold
        case tdsl.SigmoidOp() if isinstance(decision, tdsl.AtLeastOp) and 0 < threshold < 1:
            return op.input, math.log(threshold / (1 - threshold))
        case tdsl.MulOp():
            for scaled, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                factor = tdsl.constant_number(other)
                if factor is not None and 0 < factor < math.inf and tdsl.shape_of(scaled) == tdsl.shape_of(value):
                    return scaled, threshold / factor
        case tdsl.AddOp() | tdsl.SubOp() if whole:
            shifted, other = op.lhs, op.rhs
            if isinstance(op, tdsl.AddOp) and tdsl.shape_of(shifted) != tdsl.shape_of(value):
                shifted, other = other, shifted
            # The same number for all elements, constant or not.
            if tdsl.shape_of(shifted) == tdsl.shape_of(value) and math.prod(tdsl.shape_of(other)) == 1:
                return shifted, threshold
        case _:
            pass
    return None
