"""Names for the operations of a program. They are preserved in all lowerings down to C.

`tinyml open --text` reports time and memory per name.
"""

from __future__ import annotations

from collections import Counter

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.locations import is_named, layers, named, place, source_names

MAX_NAME_LENGTH = 44
"""Maximum characters of a name, excluding the number that makes it unique."""

_NAMED = (tdsl.TensorOp, tdsl.ArgmaxOp, tdsl.SignOp, tdsl.AtLeastOp, memref.CopyOp, scratch.MoveOp, scf.ForOp)


def name_operations(module: ModuleOp) -> None:
    """Record the name of every op on buffers and every loop of L2, and of every step of a `tdsl.map`, in its
    location.

    Repeated names are numbered: a second operation `b = matmul(U1, H)` has the name `b = matmul(U1, H) #2`.
    Existing names are preserved.
    """
    count: Counter[str] = Counter()

    def name(op: Operation, whole: Operation) -> None:
        text = operation_name(op)
        count[text] += 1
        op.location = named(whole.location, text if count[text] == 1 else f"{text} #{count[text]}")

    for op in module.walk():
        if is_named(op.location):
            continue
        if isinstance(op, _NAMED):
            name(op, op)
        if isinstance(op, tdsl.MapOp):
            for step in [*op.body.block.ops][:-1]:
                name(step, op)


def layers_by_name(module: ModuleOp) -> dict[str, str]:
    """For each name of an op (`name_operations`), the layer of the user's model to which the op belongs.

    If an op was made from several layers, their names are joined by commas. For a model in a text format without
    layer names, the line number replaces the layer's name. Ops whose layer is unknown are omitted.
    """
    layers = dict[str, str]()
    for op in module.walk():
        if is_named(op.location) and (layer := _layer(op)):
            layers.setdefault(source_names(op)[0], layer)
    return layers


def _layer(op: Operation) -> str:
    if names := layers(op.location):
        return ", ".join(names)
    at = place(op.location)
    return f"line {at.line.data}" if isinstance(at, FileLineColLoc) and at.line.data else ""


def operation_name(op: Operation) -> str:
    """The name of an op, which consists of the result, the kind and the operands, as in `b = matmul(U1, H)`.
    Unnamed values are written as `_`.
    """
    match op:
        case scf.ForOp():
            return f"for {_name(op.body.block.args[0]) or ''}".rstrip()
        case tdsl.TensorOp():
            written, read = op.out, op.inputs
        case memref.CopyOp():
            written, read = op.destination, (op.source,)
        case scratch.MoveOp():
            written, read = op.dest, (op.source,)
        case _:
            written, read = op.results[0], op.operands
    arguments = ", ".join(_name(value) or "_" for value in read)
    text = f"{op.name.partition('.')[2]}({arguments})"
    if (result := _name(written)) is not None:
        text = f"{result} = {text}"
    return text if len(text) <= MAX_NAME_LENGTH else f"{text[: MAX_NAME_LENGTH - 4]}...)"


def _name(value: SSAValue) -> str | None:
    return value.name_hint or scratch.root(value).name_hint
