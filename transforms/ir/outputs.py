"""The outputs of a classifier that callers may request, which are the scores or only the class, and the computation of
the class from scores.
"""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import Rewriter

SCORES, CLASS = OUTPUTS = ("scores", "class")


def add_label(function: func.FuncOp, compared: SSAValue) -> None:
    """Insert the index of a class before the other results of a function.

    compared: a vector of scores, of which the greatest determines the class, or a single number, which is positive
    for class 1.
    """
    last = cast(func.ReturnOp, function.body.block.last_op)
    decision = tdsl.ArgmaxOp(compared) if prod(tdsl.shape_of(compared)) > 1 else tdsl.SignOp(compared)
    decision.result.name_hint = "label"
    Rewriter.insert_op(decision, InsertPoint.before(last))
    last.operands = [decision.result, *last.operands]
    if function.res_attrs is not None:
        function.res_attrs = ArrayAttr([DictionaryAttr({}), *function.res_attrs])
    function.update_function_type()


def argument_of_sigmoid(value: SSAValue) -> SSAValue | None:
    """The argument of the sigmoid that computes a value. None if no sigmoid computes it.

    The argument is positive if and only if the value is above 1/2.
    """
    maker = tdsl.unreshaped(value).owner
    return maker.input if isinstance(maker, tdsl.SigmoidOp) else None
