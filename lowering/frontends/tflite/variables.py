"""Models with a state: variables that an inference reads and assigns, and the states of recurrent layers.

Such a model is one step of a stream, for example microWakeWord's keyword spotters. An inference receives some rows of
features. Variables store the earlier rows that convolutions over time still need. The program is a loop over steps, as
for any recurrent network, and the loop carries the variables. `stream-over-time` later extracts the function of one
step.

In each step, the model in the file concatenates the rows of earlier steps and the new rows to a new tensor. The
program's loop instead carries one tensor for all rows. In each step, the rows of this tensor move up, and the new rows
are inserted at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import hint, signed
from tinyml.lowering.frontends.tflite.builder import GraphBuilder, activation_format, element, parameter_of
from tinyml.lowering.frontends.tflite.folding import folded
from tinyml.lowering.frontends.tflite.keras_layers import RECURRENT, carried_layer, persistent_states
from tinyml.lowering.frontends.tflite.model import Operator, Tensor, TfliteGraph
from tinyml.lowering.frontends.tflite.operands import input_of, strided_ranges
from tinyml.lowering.frontends.tflite.recurrent import LSTM, carried_lstm, carried_states
from tinyml.lowering.frontends.tflite.svdf import carried_svdf, svdf_states

STEPS = 2
"""The number of steps of an imported program: the first result and one more."""

Name = tuple[str, str]
"""A variable, identified by its container and its name, which all graphs of a model share."""

STATE = ("CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE")
"""The operators on variables."""


Step = Callable[[GraphBuilder, Operator, Sequence[SSAValue]], Sequence[SSAValue]]
"""A function that imports a step of a layer with states and returns the states after the step."""


_LAYERS: Mapping[str, tuple[Callable[[Operator], Sequence[Tensor]], Step]] = {
    f"CUSTOM {RECURRENT}": (persistent_states, carried_layer),
    LSTM: (carried_states, carried_lstm),
    "SVDF": (svdf_states, carried_svdf),
}
"""The operators of recurrent layers: the function that returns the states of an operator, which may have none, and the
function that imports one step.
"""


@dataclass(frozen=True)
class _Rows:
    """A variable that stores the rows of earlier steps.

    whole: the concatenation of the stored rows and the new rows.
    new: the new rows.
    axis: the axis of the rows.
    own: the operators that the program does not need, because its loop carries one tensor whose rows move.
    """

    whole: Tensor
    new: Tensor
    axis: int
    own: frozenset[Operator]


class Variables:
    """The variables of a graph and the states of recurrent layers. Their values are updated as operators are
    imported.

    Raises `InputError` for a variable whose initial value is not constant.
    """

    def __init__(self, graph: TfliteGraph):
        self.handles = {op.outputs[0]: _name(op) for op in graph.operators if op.kind == "VAR_HANDLE" and op.outputs}
        self.initial = {name: data for name, data in _initial(graph).items() if name in self.handles.values()}
        self.rows = {name: rows for name in self.initial if (rows := _rows(graph, self.handles, name)) is not None}
        self.states = {op: states for op in graph.operators if (states := _states(op))}
        self.initial |= {name: data for states in self.states.values() for name, data in states.items()}
        self.values: dict[Name, SSAValue] = {}

    @property
    def are_kept(self) -> bool:
        """Whether the model has a value that persists from one inference to the next."""
        return bool(self.handles or self.states)

    def pushes(self, frame: int) -> tdsl.Pushes:
        """The layout of the frames that the caller pushes, one per step.

        frame: the number of elements of a frame.
        """
        return tdsl.Pushes(frame, frame, STEPS, 1)

    def owns(self, op: Operator) -> bool:
        """Whether an operator reads or updates a state, and `apply` therefore imports it."""
        return op.kind in STATE or op in self.states or any(op in rows.own for rows in self.rows.values())

    def apply(self, to: GraphBuilder, op: Operator) -> None:
        """Import an operator that reads or updates a state. Raises `VerifyException` for a variable without an initial
        value, and if a variable is assigned a value of a type other than its own.
        """
        for name, rows in self.rows.items():
            if op in rows.own:
                if rows.whole in op.outputs:
                    self.values[name] = self._appended(to, rows, self.values[name])
                    to.define(rows.whole, self.values[name])
                return
        if op.kind in ("CALL_ONCE", "VAR_HANDLE"):
            return
        if op in self.states:
            _, run_step = _LAYERS[op.kind]
            after = run_step(to, op, [self.values[name] for name in self.states[op]])
            self.values |= dict(zip(self.states[op], after, strict=True))
            return
        name = self.handles.get(input_of(op, 0))
        if name not in self.values:
            raise VerifyException("no CALL_ONCE gives the variable a constant to begin with")
        if op.kind == "READ_VARIABLE":
            for output in op.outputs:
                to.define(output, self.values[name])
            return
        value = to.value(input_of(op, 1))
        if value.type != self.values[name].type:
            raise VerifyException(f"a variable of the type {self.values[name].type} is assigned {value.type}")
        self.values[name] = value

    def _appended(self, to: GraphBuilder, rows: _Rows, whole: SSAValue) -> SSAValue:
        """Emit the rows of earlier steps followed by the rows of this step. The oldest rows are dropped."""
        count = rows.new.shape[rows.axis]
        kept = to.op(tdsl.MoveUpOp, whole, rows.axis, count)
        first = [0] * len(rows.whole.shape)
        first[rows.axis] = rows.whole.shape[rows.axis] - count
        return to.op(tdsl.InsertSliceOp, to.value(rows.new), kept, [to.index(start) for start in first])

    def _begun(self, to: GraphBuilder, name: Name) -> SSAValue:
        constant, rows = self.initial[name], self.rows.get(name)
        assert constant.data is not None
        format, raws = activation_format(constant), signed(constant.data)
        if rows is not None:
            # The rows that move out before the first step.
            missing = [(0, 0)] * raws.ndim
            missing[rows.axis] = rows.whole.shape[rows.axis] - raws.shape[rows.axis], 0
            raws = np.pad(raws, missing, mode="edge")
        if (raws != raws.flat[0]).any():
            return to.parameter(parameter_of(constant, raws, format))
        return to.op(tdsl.FillOp, float(format.decode(raws).flat[0]), TensorType(format.type, raws.shape))

    def loop(
        self, to: GraphBuilder, frame: Tensor, outputs: Sequence[Tensor], step: Callable[[], None]
    ) -> Sequence[SSAValue]:
        """Emit a loop over the steps of the program's input, and return the outputs of the last step.

        frame: the input of a step.
        outputs: the outputs of a step.
        step: imports the operators of a step.
        """
        sequence = to.argument(TensorType(element(frame), (STEPS, *frame.shape)), "x")
        low, high, by = (to.index(bound) for bound in (0, STEPS, 1))
        begun = [self._begun(to, name) for name in self.initial]
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


def _states(op: Operator) -> Mapping[Name, Tensor]:
    """The states of a recurrent layer, by generated names; empty for any other operator.

    Their initial values are zero.
    """
    states: dict[Name, Tensor] = {}
    if op.kind not in _LAYERS:
        return states
    states_of, _ = _LAYERS[op.kind]
    try:
        tensors = states_of(op)
    except VerifyException as error:
        raise VerifyException(f"{op}: {error}") from error
    for number, tensor in enumerate(tensors):
        zero = 0 if tensor.quantization is None else tensor.quantization.zero_points[0]
        begun = np.full(tensor.shape, zero, tensor.dtype)
        states[f"layer {op.index}", f"state_{number}"] = replace(tensor, data=begun)
    return states


def _initial(graph: TfliteGraph) -> dict[Name, Tensor]:
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


def _rows(graph: TfliteGraph, handles: Mapping[Tensor, Name], name: Name) -> _Rows | None:
    """The rows that a variable stores; None if the graph uses the variable in another way.

    The variable stores the last rows of each concatenation. It may also store all rows; then the first rows are dropped
    when the variable is read.
    """

    def only_reader(tensor: Tensor) -> Operator | None:
        readers = [op for op in graph.operators if tensor in op.inputs]
        return readers[0] if len(readers) == 1 and tensor not in graph.outputs else None

    uses = [op for op in graph.operators if any(x is not None and handles.get(x) == name for x in op.inputs)]
    if [op.kind for op in uses] != ["READ_VARIABLE", "ASSIGN_VARIABLE"]:
        return None
    if len(uses[0].outputs) != 1 or len(uses[1].inputs) != 2:
        return None
    kept, assigned = uses[0].outputs[0], uses[1].inputs[1]
    reader = only_reader(kept)
    if reader is not None and reader.kind == "STRIDED_SLICE" and reader.outputs:
        cut, before = reader, reader.outputs[0]
        joined = only_reader(before)
        fits = joined is not None and assigned in joined.outputs
    else:
        joined, before = reader, kept
        cut = next((op for op in graph.operators if op.kind == "STRIDED_SLICE" and assigned in op.outputs), None)
        fits = cut is not None and only_reader(cut.outputs[0]) is uses[1]
    if cut is None or joined is None or not fits or joined.kind != "CONCATENATION":
        return None
    if len(joined.outputs) != 1 or len(joined.inputs) != 2 or joined.options["activation"] != "NONE":
        return None
    [first, new], [whole], source = joined.inputs, joined.outputs, cut.inputs[0]
    if new is None or first is not before or source not in (kept, whole):
        return None
    if not len(new.shape) == len(kept.shape) == len(whole.shape) > 0 or {*map(element, (kept, new))} != {
        element(whole)
    }:
        return None
    axis = joined.options["axis"] % len(whole.shape)
    left = [range(extent) for extent in whole.shape]
    left[axis] = left[axis][new.shape[axis] :]
    return _Rows(whole, new, axis, frozenset((*uses, joined, cut))) if strided_ranges(cut) == left else None
