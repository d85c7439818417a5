"""Models that keep a state: variables that an inference reads and assigns, for the next one to read.

Such a model is one step of a stream, as keyword spotters of microWakeWord are: an inference takes some rows of
features, and variables hold the rows that convolutions over time still need. The program is a loop over steps, as that
of any recurrent network; the variables are what it carries. `stream-over-time` makes the function of a step of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.layers.model_builder import hint, signed
from tinyml.lowering.frontends.tflite.builder import GraphBuilder, activation_format, element, parameter_of
from tinyml.lowering.frontends.tflite.folding import folded
from tinyml.lowering.frontends.tflite.model import Operator, Tensor, TfliteGraph
from tinyml.lowering.frontends.tflite.operands import input_of

STEPS = 2
"""The steps up to the first answer of a program, the fewest that a stream has; one more gives the next answer."""

Name = tuple[str, str]
"""A variable: its container and its name there, which the graphs of a model share."""

STATE = ("CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE")
"""The operators on variables."""


class Variables:
    """The variables of a graph, whose values change as its operators are imported.

    Raises `InputError` for one that begins with anything but a constant.
    """

    def __init__(self, graph: TfliteGraph):
        self.handles = {op.outputs[0]: _name(op) for op in graph.operators if op.kind == "VAR_HANDLE" and op.outputs}
        self.initial = {name: data for name, data in _initial(graph).items() if name in self.handles.values()}
        self.values: dict[Name, SSAValue] = {}

    def apply(self, to: GraphBuilder, op: Operator) -> None:
        """Import an operator of `STATE`; raises `VerifyException` for a variable without a value of its type."""
        if op.kind in ("CALL_ONCE", "VAR_HANDLE"):
            return
        name = self.handles.get(input_of(op, 0))
        if name not in self.values:
            raise VerifyException("no CALL_ONCE gives the variable a constant to begin with")
        if op.kind == "READ_VARIABLE":
            [output] = op.outputs
            to.define(output, self.values[name])
            return
        value = to.value(input_of(op, 1))
        if value.type != self.values[name].type:
            raise VerifyException(f"a variable of the type {self.values[name].type} is assigned {value.type}")
        self.values[name] = value

    def loop(
        self, to: GraphBuilder, frame: Tensor, outputs: Sequence[Tensor], step: Callable[[], None]
    ) -> Sequence[SSAValue]:
        """Emit a loop over the steps of the program's input, and return the outputs of the last one.

        frame: what a step takes. outputs: what it computes. step: imports the operators of a step.
        """
        sequence = to.argument(TensorType(element(frame), (STEPS, *frame.shape)), "x")
        low, high, by = (to.index(bound) for bound in (0, STEPS, 1))
        begun = [_begun(to, constant) for constant in self.initial.values()]
        begun += [to.op(tdsl.FillOp, 0.0, TensorType(element(output), output.shape)) for output in outputs]
        outer, to.block = to.block, Block(arg_types=[IndexType(), *(value.type for value in begun)])
        time, *carried = to.block.args
        hint(time, "t")
        self.values = dict(zip(self.initial, carried, strict=False))
        for (_, name), argument in zip(self.initial, carried, strict=False):
            hint(argument, name)
        to.values[frame] = to.op(tdsl.IndexOp, sequence, time)
        step()
        to.block.add_op(scf.YieldOp(*self.values.values(), *(to.value(output) for output in outputs)))
        inner, to.block = to.block, outer
        return to.emit(scf.ForOp, low, high, by, begun, inner).results[len(self.initial) :]


def _name(handle: Operator) -> Name:
    return handle.options["container"], handle.options["shared_name"]


def _initial(graph: TfliteGraph) -> dict[Name, Tensor]:
    """The constants that variables begin with."""
    handles: dict[Tensor | None, Name] = {}
    initial: dict[Name, Tensor] = {}
    for op in folded(TfliteGraph((), (), graph.beginning)).operators:
        if op.kind == "VAR_HANDLE" and op.outputs:
            handles[op.outputs[0]] = _name(op)
            continue
        handle, value = op.inputs if op.kind == "ASSIGN_VARIABLE" and len(op.inputs) == 2 else (None, None)
        if handle not in handles or value is None or value.data is None:
            raise InputError(f"{op} of what runs once, before the first inference: expected variables and constants")
        initial[handles[handle]] = value
    return initial


def _begun(to: GraphBuilder, constant: Tensor) -> SSAValue:
    """The value that a variable begins with; a constant of equal elements is filled instead of stored."""
    assert constant.data is not None
    format = activation_format(constant)
    raws = signed(constant.data)
    if (raws != raws.flat[0]).any():
        return to.parameter(parameter_of(constant, raws, format))
    return to.op(tdsl.FillOp, float(format.decode(raws).flat[0]), TensorType(format.type, constant.shape))
