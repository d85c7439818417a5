"""Queries for the functions that a module defines, and for attributes of function arguments."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, i64
from xdsl.ir import Attribute, Operation

from tinyml.dialects.discardable_attributes import UNIT, DiscardableAttribute, HolderKind, numbers

WEIGHTS_AS_DATA = DiscardableAttribute(
    "tinyml.weights_as_data",
    {HolderKind.FUNCTION: UNIT},
    "The elements of the function's arrays of numbers may be replaced without a change of the program.",
)

DATA = DiscardableAttribute(
    "tinyml.data",
    {"scratch.constant": UNIT, "c.constant": UNIT, "c.symbol": UNIT},
    "The content of the array is data that the program finds at an address, and not a part of the program.",
)

_PAIR = numbers(i64, "the least and the greatest element", lambda pair: len(pair) == 2 and pair[0] <= pair[1])
_MATRIX = numbers(i64, "a number and a count", lambda pair: len(pair) == 2 and pair[0] >= 0 and pair[1] >= 1)

LIMITS = DiscardableAttribute(
    "tinyml.limits",
    {"scratch.constant": _PAIR, "c.constant": _PAIR},
    "The least and the greatest element that the program admits in an array of data; elements are unsigned if the "
    "least is not negative.",
)

AFTER_PARENTS = DiscardableAttribute(
    "tinyml.after_parents",
    {"scratch.constant": UNIT, "c.constant": UNIT},
    "Elements 2 n and 2 n + 1 of an array of data are the children of node n, which are negative or greater than n.",
)

GAPS = DiscardableAttribute(
    "tinyml.gaps",
    {"scratch.constant": _MATRIX, "c.constant": _MATRIX},
    "The number of a sparse matrix whose gaps between columns the array of data contains, and the number of columns.",
)

LENGTHS = DiscardableAttribute(
    "tinyml.lengths",
    {"scratch.constant": _MATRIX, "c.constant": _MATRIX},
    "The number of a sparse matrix whose numbers of entries per row the array of data contains, and the number of "
    "entries in its other arrays.",
)

CONTRACT = (DATA, LIMITS, AFTER_PARENTS, GAPS, LENGTHS)
"""The attributes of an array of data, which state what its content may be."""


def defined_functions(module: ModuleOp) -> list[func.FuncOp]:
    """All functions with a body in a module and in its nested modules, in order.

    Functions without a body are runtime functions.
    """
    functions: list[func.FuncOp] = []
    # Bodies contain no functions, and passes call this often.
    for op in module.ops:
        if isinstance(op, func.FuncOp) and not op.is_declaration:
            functions.append(op)
        elif isinstance(op, ModuleOp):
            functions += defined_functions(op)
    return functions


def module_of(function: func.FuncOp) -> ModuleOp:
    """The outermost module around a function."""
    module = function.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    return module


def argument_attribute(function: func.FuncOp, name: str) -> Attribute | None:
    """The attribute `name` of the single argument of a predict function.

    Returns None if the attribute is not set, or if the function has been lowered to buffers.
    """
    given = () if function.arg_attrs is None else function.arg_attrs.data
    return given[0].data.get(name) if given else None


def set_argument_attribute(function: func.FuncOp, name: str, value: Attribute) -> None:
    """Set the attribute `name` of the single argument of a predict function to `value`."""
    given = {} if function.arg_attrs is None else dict(function.arg_attrs.data[0].data)
    given.pop(name, None)
    function.arg_attrs = ArrayAttr([DictionaryAttr({**given, name: value})])


def are_data(op: Operation) -> bool:
    """True if an operation is in a function whose weights are run-time data. No decision of a pass may then depend on
    the values of weights.
    """
    parent: Operation | None = op
    while parent is not None and not isinstance(parent, func.FuncOp):
        parent = parent.parent_op()
    return parent is not None and WEIGHTS_AS_DATA in parent.attributes
