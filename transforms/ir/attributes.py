"""Attributes of a program's function and of its argument."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute


def argument_attribute(function: func.FuncOp, name: str) -> Attribute | None:
    """An attribute of the only argument of a predict function; None if it is not set, or the argument is a buffer."""
    given = () if function.arg_attrs is None else function.arg_attrs.data
    return given[0].data.get(name) if given else None


def set_argument_attribute(function: func.FuncOp, name: str, value: Attribute) -> None:
    """Set an attribute of the only argument of a predict function."""
    given = {} if function.arg_attrs is None else dict(function.arg_attrs.data[0].data)
    given.pop(name, None)
    function.arg_attrs = ArrayAttr([DictionaryAttr({**given, name: value})])
